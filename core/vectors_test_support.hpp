// SPDX-License-Identifier: MIT
//
// Test vectors: JSON files with inputs and the outputs they must give. They lie in core/vectors;
// the environment variable SQUALL_VECTORS names another folder with files of the same shape. For
// tests only.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace squall::core {

/// The parsed contents of a vector file ("backoff.json").
///
/// Throws, and so fails the test, when the file is missing, is not JSON or holds no vectors: a test
/// that has nothing to compare must not pass.
inline nlohmann::json load_vectors(std::string_view file) {
  const char* const override_folder = std::getenv("SQUALL_VECTORS");
  const std::string folder =
      override_folder != nullptr ? override_folder : SQUALL_SOURCE_DIR "/core/vectors";
  const std::string path = folder + "/" + std::string(file);
  std::ifstream stream(path);
  if (!stream) {
    throw std::runtime_error("cannot open vector file " + path);
  }
  nlohmann::json vectors = nlohmann::json::parse(stream);
  if (!vectors.is_structured() || vectors.empty()) {
    throw std::runtime_error("no vectors in " + path);
  }
  return vectors;
}

/// The member `key` of `object` as a full 64-bit value. Throws when it is anything but an unsigned
/// integer: a plain get() would quietly convert a fraction, a negative or a too large number.
inline std::uint64_t unsigned_at(const nlohmann::json& object, const char* key) {
  const nlohmann::json& value = object.at(key);
  if (!value.is_number_unsigned()) {
    throw std::runtime_error(std::string(key) + " is no unsigned integer: " + value.dump());
  }
  return value.get<std::uint64_t>();
}

}  // namespace squall::core
