#include "api/warning.hpp"

#include <cstdio>
#include <mutex>
#include <set>

namespace weft::api {

void warn_once(const std::string& reason, const char* consequence) {
  static std::mutex mutex;
  static std::set<std::string> said;
  const std::lock_guard<std::mutex> lock(mutex);
  if (!said.insert(reason).second) return;
  std::fprintf(stderr, "weft: warning: %s; %s\n", reason.c_str(), consequence);
  std::fflush(stderr);
}

}  // namespace weft::api
