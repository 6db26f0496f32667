#pragma once

#include <stdexcept>
#include <string>

namespace weft {

/// The kind of an error, with the same number in all languages and on all ranks.
enum class ErrorCode : int {
  ok = 0,
  invalid_argument = 1,  ///< a value breaks a rule: shape, axes, kind, grid, boxes, option
  layout_mismatch = 2,   ///< an array or layout does not fit the one that is required
  disagreement = 3,      ///< ranks gave different arguments to one collective call
  out_of_memory = 4,     ///< an allocation failed
  unsupported = 5,       ///< valid, but this build or machine cannot do it
  mpi_failure = 6,       ///< an MPI call failed
  fft_failure = 7,       ///< the local FFT engine made no plan
  io_failure = 8,        ///< a file could not be read or written
  internal = 9           ///< a broken invariant of weft itself
};

/// Returns the name of an error code.
const char* error_name(ErrorCode code);

/// The only exception type of weft. Its message states the rule, the given value and the remedy.
/// Collective calls raise the same code and message on every rank.
class Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  ErrorCode code() const noexcept { return code_; }

 private:
  ErrorCode code_;
};

}  // namespace weft
