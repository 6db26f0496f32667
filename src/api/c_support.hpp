#pragma once

#include <weft/weft.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <weft/error.hpp>
#include <weft/layout.hpp>
#include <weft/plan.hpp>

#include "base/precision_words.hpp"
#include "comm/agreement.hpp"
#include "plan/words.hpp"

struct weft_layout {
  weft::Layout value;
};

namespace weft::api {

/// Stores the message for weft_last_error, and returns the code.
int remember(ErrorCode code, const char* message) noexcept;

/// Runs the body of a C function, and turns its exceptions into error codes.
template <class F>
int guarded(F&& body) noexcept {
  try {
    body();
    return WEFT_OK;
  } catch (const Error& error) {
    return remember(error.code(), error.what());
  } catch (const std::bad_alloc&) {
    return remember(ErrorCode::out_of_memory,
                    "no memory for a small allocation; use more nodes or a smaller size");
  } catch (const std::exception& error) {
    return remember(ErrorCode::internal, error.what());
  } catch (...) {
    return remember(ErrorCode::internal, "an exception that is not a std::exception");
  }
}

/// error_of() catches an error in the arguments of a C function. The function passes the error to
/// its collective call, so that all ranks get it.
using comm::error_of;

/// Returns whether an enum of weft.h has all values of the C++ enum.
template <class E>
constexpr bool agree(std::initializer_list<std::pair<int, E>> values) {
  return static_cast<int>(values.size()) == value_count<E> &&
         std::all_of(values.begin(), values.end(),
                     [](const auto& each) { return each.first == static_cast<int>(each.second); });
}

/// Throws invalid_argument if a required argument is NULL.
void require(const void* argument, const char* name);

Shape shape_from(int dims, const std::int64_t* values, const char* name);
/// Returns the memory order. NULL means C order, and gives an empty list.
std::vector<int> order_from(int dims, const int* order);

/// Throws invalid_argument for a negative number.
std::int64_t not_negative(std::int64_t value, const char* name);

/// Sets `chosen` to the value with this number. The C enum has the same numbers. Throws
/// invalid_argument if there is no such value.
template <class E>
void set_enum(E& chosen, int value, const char* name) {
  if (value < 0 || value >= value_count<E>)
    throw Error(ErrorCode::invalid_argument, std::string(name) + " must be one of its enum, 0.." +
                                                 std::to_string(value_count<E> - 1) + "; given " +
                                                 std::to_string(value));
  chosen = static_cast<E>(value);
}

/// Throws invalid_argument unless reserved space is 0.
template <std::size_t n>
void require_unused(const int (&reserved)[n], const char* name) {
  if (std::any_of(std::begin(reserved), std::end(reserved), [](int value) { return value != 0; }))
    throw Error(ErrorCode::invalid_argument,
                std::string("reserved space of ") + name +
                    " must be 0; call weft_options_init first, and use a library as new as the "
                    "header");
}

/// Converts the choices of exchanges that the caller forces.
Exchange exchange_of(const weft_exchange& given);

/// Copies numbers to the caller's array, which may be NULL if there are no numbers.
void give_numbers(const std::vector<double>& numbers, double* result, const char* name);

/// Gives the caller a copy of the text. The caller frees it by weft_free.
void give_text(const std::string& text, char** result);
void give_layout(Layout layout, weft_layout** result);

}  // namespace weft::api
