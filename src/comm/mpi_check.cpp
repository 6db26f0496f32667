#include "comm/mpi_check.hpp"

#include <string>

#include <weft/error.hpp>

namespace weft::comm {

void check_mpi(int code, const char* call, int peer) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = {};
  int length = 0;
  if (MPI_Error_string(code, text, &length) != MPI_SUCCESS) length = 0;
  std::string message = std::string(call) + " failed";
  if (peer >= 0) message += " with rank " + std::to_string(peer);
  message += ": ";
  message += length > 0 ? std::string(text, static_cast<std::size_t>(length))
                        : "error " + std::to_string(code);
  throw Error(ErrorCode::mpi_failure, message);
}

}  // namespace weft::comm
