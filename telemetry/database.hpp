// SPDX-License-Identifier: MIT
//
// What both writer and reader ask of a file before they touch it. Internal to the folder.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <SQLiteCpp/SQLiteCpp.h>

#include "core/error.hpp"
#include "core/expected.hpp"

namespace squall::telemetry {

/// How long one call may wait for another program's lock. Chosen: longer than any of our
/// transactions takes, shorter than a person notices.
inline constexpr int kBusyTimeoutMs = 200;

enum class FileKind : std::uint8_t {
  kAbsent,  ///< no such file, but its folder is there
  kEmpty,   ///< zero bytes, which is an empty database to SQLite
  kOurs     ///< a database that names our application and version
};

/// Looks at a file without changing it, locking it or making files beside it.
///
/// @errors no name, a folder, something that is no file, no folder to make it in, unreadable, no
///         database, of another application or version
[[nodiscard]] core::Expected<FileKind, core::Error> inspect(const std::string& path);

/// `path` as SQLite takes it for the name of a file, whatever it looks like (":memory:").
[[nodiscard]] std::string plain_name(const std::string& path);
/// `path` as a URI for reading a file that nothing else is changing: no lock, no files beside it.
[[nodiscard]] std::string immutable_uri(const std::string& path);

[[nodiscard]] core::Unexpected<core::Error> refused(const std::string& path, std::string message);
/// What SQLite says about a file, as an error of one line.
[[nodiscard]] core::Unexpected<core::Error> refused(const std::string& path,
                                                    const SQLite::Exception& fault);

}  // namespace squall::telemetry
