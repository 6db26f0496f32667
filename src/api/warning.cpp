#include "api/warning.hpp"

#include <cstdio>
#include <mutex>
#include <set>

#include "base/process_mutex.hpp"

namespace weft::api {

void warn_once(const std::string& reason, const char* consequence) {
  static ProcessMutex mutex;
  static std::set<std::string> said;
  const std::lock_guard lock(mutex);
  if (!said.insert(reason).second) return;
  std::fprintf(stderr, "weft: warning: %s; %s\n", reason.c_str(), consequence);
  std::fflush(stderr);
}

}  // namespace weft::api
