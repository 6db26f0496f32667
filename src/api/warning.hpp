#pragma once

#include <exception>
#include <string>
#include <utility>

namespace weft::api {

/// Prints one line on standard error, once for each reason, because many transforms may name one
/// file.
void warn_once(const std::string& reason, const char* consequence);

/// Runs an action; its failure is only a warning, because no transform depends on it.
template <class F>
void tried(const char* consequence, F&& action) {
  try {
    std::forward<F>(action)();
  } catch (const std::exception& error) {
    warn_once(error.what(), consequence);
  }
}

}  // namespace weft::api
