#pragma once

#include <complex>
#include <cstdint>
#include <optional>
#include <string>

#include <weft/error.hpp>

#include "api/handle.hpp"
#include "api/poisson_function.hpp"
#include "comm/communicator.hpp"
#include "plan/poisson_grid.hpp"

namespace weft::api {

/// A Poisson solver. The C++, C and Python interfaces use this class. Threads may use it as they
/// use a Handle.
class PoissonHandle {
 public:
  /// Compares the problem on all ranks, plans it and binds the plan. Collective over `comm`. `mine`
  /// is an error that this rank found in its arguments. If any rank has an error, all throw it.
  PoissonHandle(const PoissonProblem& problem, const comm::Communicator& comm,
                const std::optional<Error>& mine = {});
  PoissonHandle(const PoissonHandle&) = delete;
  PoissonHandle& operator=(const PoissonHandle&) = delete;

  const comm::Communicator& comm() const { return fft_->comm(); }
  const Plan& plan() const { return fft_->plan(); }
  /// The layout of rho and u, and the type of their numbers.
  const Layout& layout() const { return fft_->input(); }
  Element element() const { return plan().stages.front().source_element; }
  std::int64_t workspace_bytes() const;

  /// Solves for u. Returns the mean of rho that was subtracted, or 0. Collective.
  std::complex<double> solve(const void* rho, void* u, const std::optional<Error>& mine = {});
  std::string explain() const;

 private:
  PoissonMethod method_ = PoissonMethod::inverse_laplacian;
  std::optional<Handle> fft_;
  PoissonFunction made_;
  FieldWork work_;
};

}  // namespace weft::api
