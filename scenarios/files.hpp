// SPDX-License-Identifier: MIT
//
// Reading whole files and replacing whole files, each failure one line a person can act on. Nothing
// here knows what a file means.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/error.hpp"
#include "core/expected.hpp"

namespace squall::scenarios {

/// Largest scenario or policy file that is read. A hundred times the largest shipped one.
inline constexpr std::uint64_t kFileBytesMax = std::uint64_t{16} * 1024 * 1024;

/// Reads a whole file. Pipes are fine.
///
/// @errors missing, unreadable, a directory, larger than `bytes_max`; `Error::file` is `path`.
[[nodiscard]] core::Expected<std::string, core::Error> read_file(
    const std::string& path, std::uint64_t bytes_max = kFileBytesMax);

/// Makes `content` the whole content of `path`, or leaves the old file untouched: writes a
/// temporary file in the same folder and renames it. Links are followed; devices and pipes are
/// written to directly. The temporary file never outlives the call.
///
/// @errors folder missing or not writable, disk full; `Error::file` is `path`.
[[nodiscard]] core::Expected<void, core::Error> write_file(const std::string& path,
                                                           std::string_view content);

}  // namespace squall::scenarios
