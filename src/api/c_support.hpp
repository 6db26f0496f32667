#pragma once

#include <weft/weft.h>

#include <cstdint>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include <weft/error.hpp>
#include <weft/layout.hpp>

#include "comm/communicator.hpp"

struct weft_layout {
  weft::Layout value;
};

namespace weft::api {

/// Keeps the message for weft_last_error and returns the code.
int remember(ErrorCode code, const char* message) noexcept;

/// Runs the body of a C function: no exception leaves it.
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

/// Reads the arguments of a collective call; returns its error, to be shared with all ranks.
template <class F>
std::optional<Error> error_of(F&& read) {
  try {
    read();
  } catch (const Error& error) {
    return error;
  } catch (const std::bad_alloc&) {
    return Error(ErrorCode::out_of_memory, "no memory for the arguments of a call");
  }
  return {};
}

/// Throws invalid_argument when an argument that must be given is NULL.
void require(const void* argument, const char* name);

Shape shape_from(int dims, const std::int64_t* values, const char* name);
/// Returns the memory order; empty for NULL, which means C order.
std::vector<int> order_from(int dims, const int* order);

/// Gives the caller a copy, which weft_free frees.
void give_text(const std::string& text, char** result);
void give_layout(Layout layout, weft_layout** result);

/// Returns the ranks of an MPI communicator; MPI_COMM_NULL is this process alone.
comm::Communicator group_of(MPI_Comm comm);

}  // namespace weft::api
