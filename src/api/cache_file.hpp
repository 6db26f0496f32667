#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace weft::api {

/// A file of measurements in the user's cache, $XDG_CACHE_HOME/weft or ~/.cache/weft. Its name has
/// a hash of everything on which the measurements depend. Losing the file only costs another
/// measurement, so failures are not errors.
class CacheFile {
 public:
  using Change = std::function<std::string(const std::string& before)>;

  CacheFile(const std::string& name, const std::vector<std::string>& depends_on);

  const std::filesystem::path& path() const { return path_; }

  /// Returns the text of the file, or "" if it does not exist or cannot be read.
  std::string text() const;

  /// Replaces the text by the result of `change`. If the update fails, prints a warning with
  /// `consequence`.
  void update(const char* consequence, const Change& change) const;

 private:
  std::filesystem::path path_;
};

}  // namespace weft::api
