#include "api/poisson.hpp"

#include <limits>
#include <sstream>
#include <utility>
#include <vector>

#include <weft/poisson.hpp>

#include "comm/agreement.hpp"
#include "comm/collective_call.hpp"
#include "comm/from_mpi.hpp"

namespace weft::api {
namespace {

std::string words_of(const std::vector<AxisEnds>& boundary) {
  std::string text;
  for (const AxisEnds& ends : boundary)
    text += (text.empty() ? "(" : ", ") + std::string(to_string(ends.lower)) + " to " +
            to_string(ends.upper);
  return text + ")";
}

std::string words_of(const std::vector<double>& lengths) {
  std::ostringstream text;
  text.precision(std::numeric_limits<double>::max_digits10);
  for (const double length : lengths) text << (text.tellp() == 0 ? "(" : ", ") << length;
  return text.str() + ")";
}

/// Returns as names and texts the options that ranks must compare in addition to those of the
/// transform.
std::vector<comm::NamedValue> named_problem(const PoissonProblem& problem) {
  return {{"shape", to_string(problem.shape)},
          {"boundary", words_of(problem.boundary)},
          {"points", to_string(problem.points)},
          {"lengths", words_of(problem.lengths)},
          {"order", to_string(problem.order)}};
}

}  // namespace

PoissonHandle::PoissonHandle(const PoissonProblem& problem, const comm::Communicator& comm,
                             const std::optional<Error>& mine) {
  const comm::CollectiveCall call(comm, "PoissonSolver", mine);
  const PoissonGrid grid = comm::together(comm, [&] { return poisson_grid(problem, comm.size()); });
  comm::require_same(comm, comm::together(comm, [&] { return named_problem(problem); }),
                     "weft::PoissonSolver");
  method_ = grid.method;
  Handle::Options options;
  options.needs_round_trips = true;
  fft_.emplace(grid.transform, options, comm);
  made_ = poisson_function(grid, *fft_);
  work_.function = made_.function;
}

std::int64_t PoissonHandle::workspace_bytes() const {
  return fft_->workspace_bytes() + made_.factors.size();
}

std::complex<double> PoissonHandle::solve(const void* rho, void* u,
                                          const std::optional<Error>& mine) {
  const std::vector<double> mean = fft_->apply(ApplyIn::spectrum, work_, {&rho, 1}, {&u, 1}, mine);
  return {mean.empty() ? 0 : mean[0], mean.size() < 2 ? 0 : mean[1]};
}

std::string PoissonHandle::explain() const {
  const Problem& problem = plan().problem;
  return "Poisson's equation: " + to_string(problem.kinds) + " of " + to_string(problem.shape) +
         ", " + to_string(method_) + "\n" + fft_->explain_apply(ApplyIn::spectrum, work_, 1, 1);
}

}  // namespace weft::api

namespace weft {
namespace {

template <class T>
constexpr Precision precision_of_reals = std::is_same_v<T, float>    ? Precision::f32
                                         : std::is_same_v<T, double> ? Precision::f64
                                                                     : Precision::f80;

PoissonProblem problem_from(const PoissonOptions& options, Precision precision) {
  return {.shape = options.shape,
          .boundary = options.boundary,
          .points = options.points,
          .lengths = options.lengths,
          .order = options.order,
          .element = options.element,
          .precision = precision,
          .layout = options.layout,
          .threads = options.threads};
}

std::optional<Error> array_error(const api::PoissonHandle& handle, Element given) {
  if (given == handle.element()) return {};
  return Error(ErrorCode::invalid_argument,
               std::string("rho and u must have the solver's numbers, ") +
                   to_string(handle.element()) + "; given " + to_string(given) +
                   " ones; make the solver with this element");
}

}  // namespace

template <class T>
PoissonSolver<T>::PoissonSolver(const PoissonOptions& options)
    : handle_(std::make_shared<api::PoissonHandle>(problem_from(options, precision_of_reals<T>),
                                                   comm::communicator_or_solo(options.comm))) {}

template <class T>
double PoissonSolver<T>::solve(const T* rho, T* u) {
  return handle_->solve(rho, u, array_error(*handle_, Element::real)).real();
}
template <class T>
std::complex<double> PoissonSolver<T>::solve(const std::complex<T>* rho, std::complex<T>* u) {
  return handle_->solve(rho, u, array_error(*handle_, Element::complex));
}

template <class T>
int PoissonSolver<T>::rank() const {
  return handle_->comm().rank();
}
template <class T>
const Layout& PoissonSolver<T>::layout() const {
  return handle_->layout();
}
template <class T>
std::int64_t PoissonSolver<T>::workspace_bytes() const {
  return handle_->workspace_bytes();
}
template <class T>
std::string PoissonSolver<T>::explain() const {
  return handle_->explain();
}

template class PoissonSolver<float>;
template class PoissonSolver<double>;
template class PoissonSolver<long double>;

}  // namespace weft
