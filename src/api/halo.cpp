#include "api/halo.hpp"

#include <mutex>
#include <utility>
#include <vector>

#include <weft/halo.hpp>

#include "api/named_exchange.hpp"
#include "comm/agreement.hpp"
#include "comm/collective_call.hpp"
#include "comm/from_mpi.hpp"
#include "comm/placement.hpp"
#include "layout/check.hpp"

namespace weft::api {
namespace {

std::string words_of(const std::vector<bool>& choices) {
  std::string text;
  for (const bool choice : choices)
    text += (text.empty() ? "(" : ", ") + std::string(choice ? "true" : "false");
  return text + ")";
}

/// Returns the problem of this rank as names and texts, so that ranks can compare them. The problem
/// may be invalid.
std::vector<comm::NamedValue> named_problem(const HaloProblem& problem, const std::string& dtype) {
  std::vector<comm::NamedValue> values{{"layout", to_json(problem.layout)},
                                       {"widths below", "(" + join(problem.below, ", ") + ")"},
                                       {"widths above", "(" + join(problem.above, ", ") + ")"},
                                       {"periodic", words_of(problem.periodic)},
                                       {"element size", std::to_string(problem.element_bytes)},
                                       {"dtype", dtype}};
  const std::vector<comm::NamedValue> choices = named_choices(problem.exchange);
  values.insert(values.end(), choices.begin(), choices.end());
  return values;
}

HaloProblem checked_for(HaloProblem problem, std::int64_t ranks, std::int64_t sharing) {
  problem.ranks_per_node = sharing;
  if (problem.layout.dims() > 0 && problem.layout.ranks() != ranks)
    throw Error(ErrorCode::layout_mismatch,
                "the layout of a halo must be for the " + std::to_string(ranks) +
                    " ranks of the communicator; given " + problem.layout.describe() + " for " +
                    std::to_string(problem.layout.ranks()) + "; make it for " +
                    std::to_string(ranks));
  return checked(std::move(problem));
}

}  // namespace

HaloHandle::HaloHandle(const HaloProblem& given, const comm::Communicator& comm,
                       const std::optional<Error>& mine, const std::string& dtype)
    : comm_(comm) {
  const comm::CollectiveCall call(comm, "Halo", mine);
  const std::string name = "halo " + std::to_string(comm.next_number()) + " of the communicator";
  fill_words_ = "fill of " + name;
  for (const Precision each : {Precision::f32, Precision::f64, Precision::f80})
    accumulate_words_[static_cast<std::size_t>(each)] =
        std::string("accumulate of ") + to_string(each) + " of " + name;
  comm::require_same(comm, comm::together(comm, [&] { return named_problem(given, dtype); }),
                     "weft::Halo");
  const std::int64_t sharing = comm::ranks_sharing_memory(comm);
  std::vector<HaloRound> rounds = comm::together(comm, [&] {
    problem_ = checked_for(given, comm.size(), sharing);
    shape_ = halo_shape(problem_, comm.rank());
    strides_ = halo_strides(problem_, comm.rank());
    elements_ = volume(shape_);
    inner_offset_ = weft::inner_offset(problem_, comm.rank());
    return halo_rounds(problem_, comm.rank());
  });
  run_.emplace(problem_, std::move(rounds), comm);
}

std::optional<Error> HaloHandle::null_error(const void* array) const {
  if (array != nullptr || elements_ == 0) return {};
  return Error(ErrorCode::invalid_argument,
               "the local array of a halo must not be null; this rank's array has " +
                   std::to_string(elements_) + " elements");
}

std::optional<Error> HaloHandle::element_error(Precision precision) const {
  const std::int64_t bytes = problem_.element_bytes;
  if (bytes == real_bytes(precision) || bytes == complex_bytes(precision)) return {};
  return Error(ErrorCode::invalid_argument,
               std::string("the elements of an accumulated array must be real or complex numbers "
                           "of its precision; given ") +
                   to_string(precision) + " and a halo of elements of " + std::to_string(bytes) +
                   " bytes; make the halo with the bytes of one number");
}

void HaloHandle::fill(void* array, const std::optional<Error>& mine) {
  const comm::Turn turn(comm_);
  const std::lock_guard own_turn(turns_);
  comm::agree_on_call(comm_, fill_words_, mine ? mine : null_error(array));
  run_->fill(array);
}

void HaloHandle::accumulate(void* array, Precision precision, const std::optional<Error>& mine) {
  const comm::Turn turn(comm_);
  const std::lock_guard own_turn(turns_);
  std::optional<Error> wrong = mine ? mine : element_error(precision);
  if (!wrong) wrong = null_error(array);
  comm::agree_on_call(comm_, accumulate_words_[static_cast<std::size_t>(precision)], wrong);
  run_->accumulate(array, precision);
}

}  // namespace weft::api

namespace weft {
namespace {

template <class T>
void add(api::HaloHandle& handle, T* array, Precision precision) {
  const std::int64_t bytes = handle.problem().element_bytes;
  std::optional<Error> wrong;
  if (bytes != static_cast<std::int64_t>(sizeof(T)))
    wrong.emplace(ErrorCode::invalid_argument,
                  "the array must have the elements of its halo, of " + std::to_string(bytes) +
                      " bytes; those given have " + std::to_string(sizeof(T)) +
                      "; make the halo with element_bytes = sizeof of the elements");
  handle.accumulate(array, precision, wrong);
}

}  // namespace

Halo::Halo(const HaloOptions& options)
    : handle_(std::make_shared<api::HaloHandle>(HaloProblem{.layout = options.layout,
                                                            .below = options.below,
                                                            .above = options.above,
                                                            .periodic = options.periodic,
                                                            .element_bytes = options.element_bytes,
                                                            .exchange = options.exchange},
                                                comm::communicator_or_solo(options.comm))) {}

void Halo::fill(void* array) { handle_->fill(array); }

void Halo::accumulate(float* array) { add<float>(*handle_, array, Precision::f32); }
void Halo::accumulate(double* array) { add<double>(*handle_, array, Precision::f64); }
void Halo::accumulate(long double* array) { add<long double>(*handle_, array, Precision::f80); }
void Halo::accumulate(std::complex<float>* array) {
  add<std::complex<float>>(*handle_, array, Precision::f32);
}
void Halo::accumulate(std::complex<double>* array) {
  add<std::complex<double>>(*handle_, array, Precision::f64);
}
void Halo::accumulate(std::complex<long double>* array) {
  add<std::complex<long double>>(*handle_, array, Precision::f80);
}

int Halo::rank() const { return handle_->comm().rank(); }
const Layout& Halo::layout() const { return handle_->problem().layout; }
const Shape& Halo::below() const { return handle_->problem().below; }
const Shape& Halo::above() const { return handle_->problem().above; }
const std::vector<bool>& Halo::periodic() const { return handle_->problem().periodic; }
const Shape& Halo::shape() const { return handle_->shape(); }
const Shape& Halo::strides() const { return handle_->strides(); }
std::int64_t Halo::elements() const { return handle_->elements(); }
std::int64_t Halo::inner_offset() const { return handle_->inner_offset(); }
std::int64_t Halo::workspace_bytes() const { return handle_->workspace_bytes(); }

}  // namespace weft
