#include <weft/error.hpp>

namespace weft {

const char* error_name(ErrorCode code) {
  switch (code) {
    case ErrorCode::ok:
      return "ok";
    case ErrorCode::invalid_argument:
      return "invalid_argument";
    case ErrorCode::layout_mismatch:
      return "layout_mismatch";
    case ErrorCode::disagreement:
      return "disagreement";
    case ErrorCode::out_of_memory:
      return "out_of_memory";
    case ErrorCode::unsupported:
      return "unsupported";
    case ErrorCode::mpi_failure:
      return "mpi_failure";
    case ErrorCode::fft_failure:
      return "fft_failure";
    case ErrorCode::io_failure:
      return "io_failure";
    case ErrorCode::internal:
      return "internal";
  }
  return "unknown";  // a number from another version of weft, cast by the C interface
}

}  // namespace weft
