#include "api/cache_file.hpp"

#include <pwd.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>

#include <weft/error.hpp>

#include "api/warning.hpp"
#include "base/hash.hpp"
#include "base/text_file.hpp"

namespace weft::api {
namespace {

constexpr std::int64_t bytes_max = 4 << 20;
constexpr double wait_s = 5;

std::filesystem::path folder() {
  const char* base = std::getenv("XDG_CACHE_HOME");
  if (base != nullptr && *base != '\0') return std::filesystem::path(base) / "weft";
  const char* home = std::getenv("HOME");
  if (home == nullptr || *home == '\0') {
    const passwd* user = getpwuid(geteuid());
    home = user == nullptr ? "." : user->pw_dir;
  }
  return std::filesystem::path(home) / ".cache" / "weft";
}

}  // namespace

CacheFile::CacheFile(const std::string& name, const std::vector<std::string>& depends_on) {
  std::string what;
  for (const std::string& each : depends_on) what += each + '\n';
  path_ = folder() / (name + "-" + hash_digits(what) + ".json");
}

std::string CacheFile::text() const {
  try {
    return read_text(path_.string(), bytes_max).value_or("");
  } catch (const Error&) {
    return {};
  }
}

void CacheFile::update(const char* consequence, const Change& change) const {
  warn_on_failure(consequence, [&] {
    std::filesystem::create_directories(path_.parent_path());
    update_text(path_.string(), bytes_max, wait_s, [&](const std::optional<std::string>& before) {
      return change(before.value_or(""));
    });
  });
}

}  // namespace weft::api
