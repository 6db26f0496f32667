#pragma once

#include <string>
#include <utility>

#include <weft/error.hpp>

namespace weft::test_support {

/// Returns code and message of the Error that `call` throws, or "no error".
template <class Call>
std::string error_text(Call&& call) {
  try {
    std::forward<Call>(call)();
  } catch (const Error& error) {
    return std::string(error_name(error.code())) + ": " + error.what();
  }
  return "no error";
}

}  // namespace weft::test_support
