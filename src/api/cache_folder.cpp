#include "api/cache_folder.hpp"

#include <pwd.h>
#include <unistd.h>

#include <cstdlib>

namespace weft::api {

std::filesystem::path cache_folder() {
  const char* base = std::getenv("XDG_CACHE_HOME");
  if (base != nullptr && *base != '\0') return std::filesystem::path(base) / "weft";
  const char* home = std::getenv("HOME");
  if (home == nullptr || *home == '\0') {
    const passwd* user = getpwuid(geteuid());
    home = user == nullptr ? "." : user->pw_dir;
  }
  return std::filesystem::path(home) / ".cache" / "weft";
}

}  // namespace weft::api
