// SPDX-License-Identifier: MIT
#include "scenarios/files.hpp"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace squall::scenarios {
namespace {

namespace fs = std::filesystem;

class Descriptor {
 public:
  explicit Descriptor(int value) : value_(value) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { close(); }

  [[nodiscard]] int get() const { return value_; }
  /// 0, or the error that only closing reports (a full network disk).
  int close() {
    const int result = value_ < 0 ? 0 : ::close(value_);
    value_ = -1;
    return result == 0 ? 0 : errno;
  }

 private:
  int value_;
};

core::Unexpected<core::Error> refuse(const std::string& path, const std::string& message) {
  return core::Unexpected<core::Error>(
      core::Error{.file = path, .line = 0, .pointer = {}, .message = message});
}

core::Unexpected<core::Error> refuse(const std::string& path, const std::string& doing, int code) {
  return refuse(path, doing + ": " + std::generic_category().message(code));
}

/// 0 or an errno.
int write_all(int descriptor, std::string_view content) {
  while (!content.empty()) {
    const ssize_t written = ::write(descriptor, content.data(), content.size());
    if (written < 0) {
      if (errno == EINTR) {
        continue;
      }
      return errno;
    }
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

core::Expected<void, core::Error> write_directly(const std::string& path,
                                                 std::string_view content) {
  Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  int code = file.get() < 0 ? errno : write_all(file.get(), content);
  if (code == 0) {
    code = file.close();
  }
  if (code != 0) {
    return refuse(path, "cannot be written", code);
  }
  return {};
}

/// Permissions of a new file that opened with 0666 would get.
mode_t default_mode() {
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return static_cast<mode_t>(0666) & ~mask;
}

}  // namespace

core::Expected<std::string, core::Error> read_file(const std::string& path,
                                                   std::uint64_t bytes_max) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) {
    return errno == ENOENT ? refuse(path, "no such file") : refuse(path, "cannot be read", errno);
  }
  struct stat status {};
  if (::fstat(file.get(), &status) == 0 && S_ISDIR(status.st_mode)) {
    return refuse(path, "is a folder, not a file");
  }
  std::string content;
  for (;;) {
    constexpr std::size_t kStep = std::size_t{64} * 1024;
    const std::size_t size = content.size();
    content.resize(size + kStep);
    const ssize_t count = ::read(file.get(), content.data() + size, kStep);
    const int code = errno;
    content.resize(size + (count > 0 ? static_cast<std::size_t>(count) : 0));
    if (count < 0 && code != EINTR) {
      return refuse(path, "cannot be read", code);
    }
    if (content.size() > bytes_max) {
      return refuse(path, "too large, allowed: at most " + std::to_string(bytes_max) + " bytes");
    }
    if (count == 0) {
      return content;
    }
  }
}

core::Expected<void, core::Error> write_file(const std::string& path, std::string_view content) {
  std::error_code ignored;
  // Names of this process's own descriptors: replacing what lies behind them would take a file away
  // from whoever redirected it.
  if (path.starts_with("/dev/std") || path.starts_with("/dev/fd/") ||
      path.starts_with("/proc/self/fd/")) {
    return refuse(path, "is this program's own output, allowed: a file");
  }
  const fs::file_status status = fs::status(path, ignored);
  if (status.type() == fs::file_type::directory) {
    return refuse(path, "is a folder, not a file");
  }
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    return write_directly(path, content);  // Renaming over a device would replace the device.
  }
  std::string target = path;
  if (fs::exists(status)) {
    const fs::path resolved = fs::canonical(path, ignored);
    if (!resolved.empty()) {
      target = resolved.string();
    }
  }

  std::string temporary = target + ".XXXXXX";
  Descriptor file(::mkostemp(temporary.data(), O_CLOEXEC));
  if (file.get() < 0) {
    return refuse(path, "cannot be written", errno);
  }
  const mode_t mode = fs::exists(status)
                          ? static_cast<mode_t>(status.permissions() & fs::perms::mask)
                          : default_mode();
  int code = write_all(file.get(), content);
  if (code == 0 && ::fchmod(file.get(), mode) != 0) {
    code = errno;
  }
  if (const int closing = file.close(); code == 0) {
    code = closing;
  }
  if (code == 0 && ::rename(temporary.c_str(), target.c_str()) != 0) {
    code = errno;
  }
  if (code != 0) {
    ::unlink(temporary.c_str());
    return refuse(path, "cannot be written", code);
  }
  return {};
}

}  // namespace squall::scenarios
