#pragma once

#include <exception>
#include <string>
#include <utility>

namespace weft::api {

/// Prints one line on standard error. Prints it only once for each reason, because many transforms
/// may name the same file.
void warn_once(const std::string& reason, const char* consequence);

/// Runs an action on which no transform depends. If it fails, prints a warning with the
/// consequence.
template <class F>
void warn_on_failure(const char* consequence, F&& action) {
  try {
    std::forward<F>(action)();
  } catch (const std::exception& error) {
    warn_once(error.what(), consequence);
  }
}

}  // namespace weft::api
