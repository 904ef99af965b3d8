// SPDX-License-Identifier: MIT
#include "telemetry/database.hpp"

#include <filesystem>
#include <system_error>
#include <utility>

#include <sqlite3.h>

#include "core/quote.hpp"
#include "telemetry/schema.hpp"

namespace squall::telemetry {
namespace {

constexpr std::size_t kShownBytesMax = 1'000;
/// Bytes before the first table. SQLite file format, section 1.3.
constexpr std::uintmax_t kHeaderBytes = 100;
constexpr std::string_view kAllowed = ", allowed: a database that squall recorded";

constexpr const char* kNoDatabase = "found a file that is no SQLite database";

struct Identity {
  std::int64_t application = 0;
  std::int64_t version = 0;
};

Identity identity_of(const std::string& name, int flags) {
  SQLite::Database database(name, flags, kBusyTimeoutMs);
  return {.application = database.execAndGet("PRAGMA application_id").getInt64(),
          .version = database.execAndGet("PRAGMA user_version").getInt64()};
}

Identity identity_of(const std::string& path) {
  try {
    return identity_of(immutable_uri(path), SQLite::OPEN_READONLY | SQLite::OPEN_URI);
  } catch (const SQLite::Exception& fault) {
    if (fault.getErrorCode() != SQLITE_CORRUPT) {
      throw;
    }
    // Without locks a file looks damaged while another program is lengthening it.
    return identity_of(plain_name(path), SQLite::OPEN_READONLY);
  }
}

core::Expected<FileKind, core::Error> inspect_database(const std::string& path) {
  try {
    const Identity found = identity_of(path);
    if (found.application != kApplicationId) {
      return refused(path, "found a database of another application" + std::string(kAllowed));
    }
    if (found.version != kSchemaVersion) {
      return refused(path, "found version " + std::to_string(found.version) +
                               " of the tables, allowed: " + std::to_string(kSchemaVersion) +
                               ", which this squall reads and writes");
    }
    return FileKind::kOurs;
  } catch (const SQLite::Exception& fault) {
    return refused(path, fault);
  }
}

}  // namespace

core::Expected<FileKind, core::Error> inspect(const std::string& path) {
  namespace fs = std::filesystem;
  if (path.empty()) {
    return refused(path, "the name of the telemetry database is empty");
  }
  std::error_code fault;
  const fs::file_status status = fs::status(path, fault);
  if (status.type() == fs::file_type::not_found) {
    const fs::path folder = fs::path(plain_name(path)).parent_path();
    if (!fs::is_directory(folder, fault)) {
      std::string message = "there is no folder ";
      core::append_quoted(message, folder.string(), kShownBytesMax);
      return refused(path, std::move(message));
    }
    return FileKind::kAbsent;
  }
  if (fault) {
    return refused(path, "cannot be read: " + fault.message());
  }
  if (status.type() != fs::file_type::regular) {
    const bool folder = status.type() == fs::file_type::directory;
    return refused(path, (folder ? "found a folder" : "found something that is no file") +
                             std::string(kAllowed));
  }
  const auto size = fs::file_size(path, fault);
  if (fault) {
    return refused(path, "cannot be read: " + fault.message());
  }
  if (size == 0) {
    return FileKind::kEmpty;
  }
  // SQLite would take a file of one byte for an empty one.
  return size < kHeaderBytes ? refused(path, kNoDatabase + std::string(kAllowed))
                             : inspect_database(path);
}

std::string plain_name(const std::string& path) {
  std::error_code fault;
  const std::filesystem::path absolute = std::filesystem::absolute(path, fault);
  return fault ? path : absolute.string();
}

std::string immutable_uri(const std::string& path) {
  constexpr std::string_view kPlain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/._-";
  constexpr std::string_view kHexDigits = "0123456789ABCDEF";
  std::string uri = "file:";
  for (const char c : plain_name(path)) {
    if (kPlain.find(c) != std::string_view::npos) {
      uri += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      uri += '%';
      uri += kHexDigits[byte / 16U];
      uri += kHexDigits[byte % 16U];
    }
  }
  return uri + "?immutable=1";
}

core::Unexpected<core::Error> refused(const std::string& path, std::string message) {
  return core::Unexpected<core::Error>(
      core::Error{.file = path, .line = 0, .pointer = {}, .message = std::move(message)});
}

core::Unexpected<core::Error> refused(const std::string& path, const SQLite::Exception& fault) {
  switch (fault.getErrorCode()) {
    case SQLITE_NOTADB:
      return refused(path, kNoDatabase + std::string(kAllowed));
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return refused(path, "is locked by another program");
    case SQLITE_READONLY:
      return refused(path, "the file or its folder is read-only");
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
      return refused(path, "cannot be opened: look at its permissions and those of its folder");
    default: {
      std::string message = "cannot be used: ";
      core::append_quoted(message, fault.what(), kShownBytesMax);
      return refused(path, std::move(message));
    }
  }
}

}  // namespace squall::telemetry
