#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include <weft/error.hpp>
#include <weft/precision.hpp>

#include "base/turns.hpp"
#include "comm/communicator.hpp"
#include "plan/halo_rounds.hpp"
#include "run/halo_run.hpp"

namespace weft::api {

/// A halo. The C++, C and Python interfaces use this class. Threads may use it as they use a
/// Handle.
class HaloHandle {
 public:
  /// Collective over `comm`: compares the problem on all ranks, plans the rounds and binds them.
  /// `mine` is an error that this rank found in its arguments. If any rank has an error, all throw
  /// it. `dtype` is the caller's name of the elements' type, if any.
  HaloHandle(const HaloProblem& problem, const comm::Communicator& comm,
             const std::optional<Error>& mine = {}, const std::string& dtype = {});

  const HaloProblem& problem() const { return problem_; }
  const comm::Communicator& comm() const { return comm_; }
  const Shape& shape() const { return shape_; }
  const Shape& strides() const { return strides_; }
  std::int64_t elements() const { return elements_; }
  std::int64_t inner_offset() const { return inner_offset_; }
  std::int64_t workspace_bytes() const { return run_->workspace_bytes(); }

  /// Collective: all ranks run, or all throw if any has an error in `mine` or a null pointer.
  void fill(void* array, const std::optional<Error>& mine = {});
  /// Adds the planes of the halo to the elements that they copy. `precision` is the precision of
  /// the real numbers. An element is one or two real numbers. Collective, as fill().
  void accumulate(void* array, Precision precision, const std::optional<Error>& mine = {});

 private:
  std::optional<Error> null_error(const void* array) const;
  std::optional<Error> element_error(Precision precision) const;

  comm::Communicator comm_;
  HaloProblem problem_;
  Turns turns_;                                  ///< turns of threads on this halo; taken after the
                                                 ///< turn on the communicator
  std::string fill_words_;                       ///< name of the call for comparison between ranks
  std::array<std::string, 3> accumulate_words_;  ///< the same for accumulate, by precision
  Shape shape_;
  Shape strides_;
  std::int64_t elements_ = 0;
  std::int64_t inner_offset_ = 0;
  std::optional<run::HaloRun> run_;
};

}  // namespace weft::api
