#pragma once

#include <sys/resource.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

namespace weft::test_support {

/// A temporary directory. The destructor removes it with its content.
class Directory {
 public:
  Directory() {
    std::string path = (std::filesystem::temp_directory_path() / "weft-disk-XXXXXX").string();
    if (mkdtemp(path.data()) == nullptr) throw std::runtime_error("no directory " + path);
    path_ = path;
  }
  Directory(const Directory&) = delete;
  Directory& operator=(const Directory&) = delete;
  ~Directory() { std::filesystem::remove_all(path_); }
  const std::string& path() const { return path_; }
  bool is_empty() const { return std::filesystem::is_empty(path_); }
  std::string file(const std::string& name) const { return path_ + "/" + name; }
  /// Makes `count` new directories in this one.
  std::vector<std::string> folders(int count) const {
    std::vector<std::string> made;
    for (int k = 0; k < count; ++k) {
      made.push_back(file("disk" + std::to_string(k)));
      std::filesystem::create_directory(made.back());
    }
    return made;
  }

 private:
  std::string path_;
};

/// Imitates a full disk. While this object exists, no file of the process may exceed `bytes`.
class SizeLimit {
 public:
  explicit SizeLimit(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  SizeLimit(const SizeLimit&) = delete;
  SizeLimit& operator=(const SizeLimit&) = delete;
  ~SizeLimit() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_{};
  void (*handler_)(int);
};

}  // namespace weft::test_support
