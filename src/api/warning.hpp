#pragma once

#include <exception>
#include <string>
#include <utility>

namespace weft::api {

/// One line on standard error, once for each reason: many transforms may name one file.
void warn_once(const std::string& reason, const char* consequence);

/// Does what no transform fails for.
template <class F>
void tried(const char* consequence, F&& action) {
  try {
    std::forward<F>(action)();
  } catch (const std::exception& error) {
    warn_once(error.what(), consequence);
  }
}

}  // namespace weft::api
