#include <weft/fft.hpp>

#include "api/handle.hpp"
#include "api/planned_by.hpp"
#include "comm/from_mpi.hpp"
#include "plan/coordinates.hpp"

namespace weft {
namespace {

template <class T>
constexpr Precision precision_of = std::is_same_v<T, float>    ? Precision::f32
                                   : std::is_same_v<T, double> ? Precision::f64
                                                               : Precision::f80;

Problem problem_of(const FftOptions& options, Precision precision) {
  Problem problem;
  problem.shape = options.shape;
  problem.axes = options.axes;
  problem.kinds = options.kinds;
  problem.element = options.element;
  problem.modes = options.modes;
  problem.support = options.support;
  problem.components = options.components;
  problem.precision = precision;
  problem.has_input = options.input.has_value();
  if (options.input) problem.input = *options.input;
  problem.output_choice = options.output.choice;
  problem.output = options.output.layout;
  problem.norm = options.norm;
  problem.sign = options.sign;
  problem.threads = options.threads;
  problem.effort = options.planning.effort;
  problem.overwrite_input = options.overwrite_input;
  problem.exchange = options.exchange;
  problem.all_ranks = api::wants_all_ranks(options.planning);
  return problem;
}

std::shared_ptr<api::Handle> handle_of(const FftOptions& options, Precision precision,
                                       const comm::Communicator& comm) {
  Problem problem = problem_of(options, precision);
  problem.ranks = comm.size();
  std::optional<Error> own_error;
  try {
    if (options.like != nullptr) problem = with_layouts_like(problem, *options.like);
  } catch (const Error& error) {
    own_error = error;
  }
  return std::make_shared<api::Handle>(
      problem, api::Handle::Options{options.engine, options.own_workspace, options.planning}, comm,
      own_error);
}

/// Returns an error if the caller's arrays have the wrong types of numbers for the transform's
/// input and output.
std::optional<Error> element_error(const Plan& plan, Element input, Element output) {
  const Element wanted_input = plan.stages.front().source_element;
  const Element wanted_output = plan.stages.back().target_element;
  if (input == wanted_input && output == wanted_output) return {};
  const auto in_words = [](Element of_input, Element of_output) {
    return std::string(to_string(of_input)) + " input and " + to_string(of_output) + " output";
  };
  return Error(ErrorCode::invalid_argument,
               "the arrays must fit the transform, " + to_string(plan.problem.kinds) + ": " +
                   in_words(wanted_input, wanted_output) + "; given " + in_words(input, output));
}

/// Returns an error if the arrays of a round trip have the wrong type of numbers.
std::optional<Error> round_trip_element_error(const Plan& plan, ApplyIn apply_in, Element given) {
  const bool in_spectrum = apply_in == ApplyIn::spectrum;
  const Element wanted =
      in_spectrum ? plan.stages.front().source_element : plan.stages.back().target_element;
  if (given == wanted) return {};
  return Error(ErrorCode::invalid_argument,
               std::string("the arrays of a round trip must fit the ") +
                   (in_spectrum ? "input" : "output") + " of the transform, " + to_string(wanted) +
                   " numbers; those given are " + to_string(given));
}

std::optional<Error> precision_error(const Plan& plan, Precision of_caller) {
  if (plan.problem.precision == of_caller) return {};
  return Error(ErrorCode::invalid_argument,
               std::string("the transform must have the precision of its plan: the plan's is ") +
                   to_string(plan.problem.precision) + ", the transform's " + to_string(of_caller));
}

template <class E>
std::vector<const void*> untyped(std::span<const E* const> arrays) {
  return {arrays.begin(), arrays.end()};
}
template <class E>
std::vector<void*> untyped(std::span<E* const> arrays) {
  return {arrays.begin(), arrays.end()};
}

/// Returns a list of untyped pointers. The next call on this thread overwrites the list.
template <class E>
std::span<const void* const> kept_inputs(std::span<const E* const> arrays) {
  thread_local std::vector<const void*> kept;
  kept.assign(arrays.begin(), arrays.end());
  return kept;
}
template <class E>
std::span<void* const> kept_outputs(std::span<E* const> arrays) {
  thread_local std::vector<void*> kept;
  kept.assign(arrays.begin(), arrays.end());
  return kept;
}

}  // namespace

template <class T>
Fft<T>::Fft(const FftOptions& options)
    : handle_(handle_of(options, precision_of<T>, comm::communicator_or_solo(options.comm))) {}

template <class T>
Fft<T>::Fft(const Plan& plan, MPI_Comm comm, const std::string& engine)
    : handle_(std::make_shared<api::Handle>(plan, api::Handle::Options{.engine = engine},
                                            comm::communicator_or_solo(comm),
                                            precision_error(plan, precision_of<T>))) {}

template <class T>
void Fft<T>::forward(const Complex* in, Complex* out) {
  handle_->execute(Direction::forward, in, out,
                   element_error(plan(), Element::complex, Element::complex));
}
template <class T>
void Fft<T>::backward(const Complex* in, Complex* out) {
  handle_->execute(Direction::backward, in, out,
                   element_error(plan(), Element::complex, Element::complex));
}
template <class T>
void Fft<T>::forward(const Real* in, Complex* out) {
  handle_->execute(Direction::forward, in, out,
                   element_error(plan(), Element::real, Element::complex));
}
template <class T>
void Fft<T>::backward(const Complex* in, Real* out) {
  handle_->execute(Direction::backward, in, out,
                   element_error(plan(), Element::real, Element::complex));
}

template <class T>
void Fft<T>::forward_many(std::span<const Complex* const> in, std::span<Complex* const> out) {
  handle_->execute_many(Direction::forward, untyped(in), untyped(out),
                        element_error(plan(), Element::complex, Element::complex));
}
template <class T>
void Fft<T>::backward_many(std::span<const Complex* const> in, std::span<Complex* const> out) {
  handle_->execute_many(Direction::backward, untyped(in), untyped(out),
                        element_error(plan(), Element::complex, Element::complex));
}
template <class T>
void Fft<T>::forward_many(std::span<const Real* const> in, std::span<Complex* const> out) {
  handle_->execute_many(Direction::forward, untyped(in), untyped(out),
                        element_error(plan(), Element::real, Element::complex));
}
template <class T>
void Fft<T>::backward_many(std::span<const Complex* const> in, std::span<Real* const> out) {
  handle_->execute_many(Direction::backward, untyped(in), untyped(out),
                        element_error(plan(), Element::real, Element::complex));
}

template <class T>
void Fft<T>::forward(const Real* in, Real* out) {
  handle_->execute(Direction::forward, in, out,
                   element_error(plan(), Element::real, Element::real));
}
template <class T>
void Fft<T>::backward(const Real* in, Real* out) {
  handle_->execute(Direction::backward, in, out,
                   element_error(plan(), Element::real, Element::real));
}
template <class T>
void Fft<T>::forward_many(std::span<const Real* const> in, std::span<Real* const> out) {
  handle_->execute_many(Direction::forward, untyped(in), untyped(out),
                        element_error(plan(), Element::real, Element::real));
}
template <class T>
void Fft<T>::backward_many(std::span<const Real* const> in, std::span<Real* const> out) {
  handle_->execute_many(Direction::backward, untyped(in), untyped(out),
                        element_error(plan(), Element::real, Element::real));
}

template <class T>
std::vector<double> Fft<T>::apply_in_spectrum(const FieldWork& work,
                                              std::span<const Real* const> in,
                                              std::span<Real* const> out) {
  return handle_->apply(ApplyIn::spectrum, work, kept_inputs(in), kept_outputs(out),
                        round_trip_element_error(plan(), ApplyIn::spectrum, Element::real));
}
template <class T>
std::vector<double> Fft<T>::apply_in_spectrum(const FieldWork& work,
                                              std::span<const Complex* const> in,
                                              std::span<Complex* const> out) {
  return handle_->apply(ApplyIn::spectrum, work, kept_inputs(in), kept_outputs(out),
                        round_trip_element_error(plan(), ApplyIn::spectrum, Element::complex));
}
template <class T>
std::string Fft<T>::explain_apply_in_spectrum(const FieldWork& work, std::int64_t inputs,
                                              std::int64_t outputs) const {
  return handle_->explain_apply(ApplyIn::spectrum, work, inputs, outputs);
}
template <class T>
std::string Fft<T>::explain_apply_in_space(const FieldWork& work, std::int64_t inputs,
                                           std::int64_t outputs) const {
  return handle_->explain_apply(ApplyIn::space, work, inputs, outputs);
}
template <class T>
std::vector<double> Fft<T>::apply_in_space(const FieldWork& work, std::span<const Real* const> in,
                                           std::span<Real* const> out) {
  return handle_->apply(ApplyIn::space, work, kept_inputs(in), kept_outputs(out),
                        round_trip_element_error(plan(), ApplyIn::space, Element::real));
}
template <class T>
std::vector<double> Fft<T>::apply_in_space(const FieldWork& work,
                                           std::span<const Complex* const> in,
                                           std::span<Complex* const> out) {
  return handle_->apply(ApplyIn::space, work, kept_inputs(in), kept_outputs(out),
                        round_trip_element_error(plan(), ApplyIn::space, Element::complex));
}

template <class T>
const Plan& Fft<T>::plan() const {
  return handle_->plan();
}
template <class T>
const Layout& Fft<T>::input() const {
  return handle_->input();
}
template <class T>
const Layout& Fft<T>::output() const {
  return handle_->output();
}
template <class T>
int Fft<T>::rank() const {
  return handle_->comm().rank();
}
template <class T>
std::int64_t Fft<T>::inplace_bytes() const {
  return handle_->inplace_bytes();
}
template <class T>
Shape Fft<T>::inplace_real_strides() const {
  return handle_->inplace_real_strides();
}
template <class T>
std::vector<double> Fft<T>::positions(int axis, double length) const {
  return positions_on(plan(), rank(), axis, length);
}
template <class T>
std::vector<double> Fft<T>::wavenumbers(int axis, double length) const {
  return wavenumbers_on(plan(), rank(), axis, length);
}
template <class T>
std::int64_t Fft<T>::workspace_bytes() const {
  return handle_->workspace_bytes();
}
template <class T>
void Fft<T>::use_workspace(void* memory, std::int64_t bytes) {
  handle_->use_workspace(memory, bytes);
}
template <class T>
void Fft<T>::set_recording(bool on) {
  handle_->set_recording(on);
}
template <class T>
bool Fft<T>::recording() const {
  return handle_->recording();
}
template <class T>
const std::vector<StepRecord>& Fft<T>::record() const {
  return handle_->record();
}
template <class T>
std::string Fft<T>::explain() const {
  return handle_->explain();
}

template class Fft<float>;
template class Fft<double>;
template class Fft<long double>;

const char* version() { return WEFT_VERSION; }

}  // namespace weft
