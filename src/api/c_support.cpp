#include "api/c_support.hpp"

#include <cstdlib>
#include <cstring>

#include <weft/fft.hpp>

namespace weft::api {
namespace {

thread_local std::string last_message;

static_assert(WEFT_OK == int(ErrorCode::ok) &&
              WEFT_INVALID_ARGUMENT == int(ErrorCode::invalid_argument) &&
              WEFT_LAYOUT_MISMATCH == int(ErrorCode::layout_mismatch) &&
              WEFT_DISAGREEMENT == int(ErrorCode::disagreement) &&
              WEFT_OUT_OF_MEMORY == int(ErrorCode::out_of_memory) &&
              WEFT_UNSUPPORTED == int(ErrorCode::unsupported) &&
              WEFT_MPI_FAILURE == int(ErrorCode::mpi_failure) &&
              WEFT_FFT_FAILURE == int(ErrorCode::fft_failure) &&
              WEFT_IO_FAILURE == int(ErrorCode::io_failure) &&
              WEFT_INTERNAL == int(ErrorCode::internal));
static_assert(WEFT_MAX_DIMS == max_dims);

}  // namespace

int remember(ErrorCode code, const char* message) noexcept {
  try {
    last_message = message;
  } catch (const std::bad_alloc&) {
    last_message.clear();  // no memory for the message: only the code is returned
  }
  return static_cast<int>(code);
}

void require(const void* argument, const char* name) {
  if (argument == nullptr)
    throw Error(ErrorCode::invalid_argument,
                std::string("the argument ") + name + " must not be NULL; pass a pointer to it");
}

Shape shape_from(int dims, const std::int64_t* values, const char* name) {
  if (dims < 1 || dims > max_dims)
    throw Error(ErrorCode::invalid_argument, "an array must have 1 to " + std::to_string(max_dims) +
                                                 " axes; given dims = " + std::to_string(dims));
  require(values, name);
  return Shape(values, values + dims);
}

std::vector<int> order_from(int dims, const int* order) {
  return order == nullptr ? std::vector<int>{} : std::vector<int>(order, order + dims);
}

std::int64_t not_negative(std::int64_t value, const char* name) {
  if (value < 0)
    throw Error(ErrorCode::invalid_argument,
                std::string(name) + " must not be negative; given " + std::to_string(value));
  return value;
}

Exchange exchange_of(const weft_exchange& given) {
  require_unused(given.reserved, "weft_exchange");
  Exchange exchange;
  set_enum(exchange.method, given.method, "method");
  set_enum(exchange.wire_form, given.wire_form, "wire_form");
  set_enum(exchange.schedule, given.schedule, "schedule");
  set_enum(exchange.requests, given.requests, "requests");
  exchange.chunks = not_negative(given.chunks, "chunks");
  set_enum(exchange.nodes, given.nodes, "nodes");
  set_enum(exchange.wire, given.wire, "wire");
  exchange.piece_bytes = not_negative(given.piece_bytes, "piece_bytes");
  set_enum(exchange.preset, given.preset, "preset");
  return exchange;
}

void give_numbers(const std::vector<double>& numbers, double* result, const char* name) {
  if (!numbers.empty()) require(result, name);
  std::copy(numbers.begin(), numbers.end(), result);
}

void give_text(const std::string& text, char** result) {
  require(result, "for the text");
  auto* copy = static_cast<char*>(std::malloc(text.size() + 1));
  if (copy == nullptr) throw std::bad_alloc();
  std::memcpy(copy, text.c_str(), text.size() + 1);
  *result = copy;
}

void give_layout(Layout layout, weft_layout** result) {
  require(result, "for the layout");
  *result = new weft_layout{std::move(layout)};
}

}  // namespace weft::api

const char* weft_version(void) { return weft::version(); }

const char* weft_error_name(int code) {
  return weft::error_name(static_cast<weft::ErrorCode>(code));
}

const char* weft_last_error(void) { return weft::api::last_message.c_str(); }

void weft_free(void* text) { std::free(text); }
