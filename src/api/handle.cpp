#include "api/handle.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <mutex>
#include <utility>

#include "api/choose.hpp"
#include "api/explain_record.hpp"
#include "api/handle_call.hpp"
#include "api/line_engines.hpp"
#include "api/named_exchange.hpp"
#include "base/hash.hpp"
#include "base/rounding.hpp"
#include "comm/agreement.hpp"
#include "comm/collective_call.hpp"
#include "comm/placement.hpp"
#include "layout/check.hpp"
#include "plan/methods/methods.hpp"

namespace weft::api {
namespace {

std::string layout_words(bool given, const Layout& layout) {
  return given ? to_json(layout) : "chosen by the plan";
}

/// Returns a number as text with all its digits, so that different numbers give different texts.
std::string exactly(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.17g", value);
  return text.data();
}

std::string machine_words(const Planning& planning) {
  if (planning.machine) return "\"" + planning.machine->name + "\"";
  return planning.plan_by == PlanBy::local        ? "local"
         : planning.plan_by == PlanBy::fixed_rule ? "fixed-rule"
                                                  : "none";
}

/// Returns the problem and options of this rank as names and texts, so that ranks can compare them.
/// The problem may be invalid.
std::vector<comm::NamedValue> named_values(const Problem& p, const Handle::Options& options) {
  std::vector<comm::NamedValue> values{
      {"shape", to_string(p.shape)},
      {"axes", "(" + join(p.axes, ", ") + ")"},
      {"kind", to_string(p.kinds)},
      {"element", to_string(p.element)},
      {"modes", "(" + join(p.modes, ", ") + ")"},
      {"support", "(" + join(p.support, ", ") + ")"},
      {"components", p.components == 0 ? "none" : std::to_string(p.components)},
      {"dtype", to_string(p.precision)},
      {"input", layout_words(p.has_input, p.input)},
      {"output",
       p.output_choice == OutputChoice::given ? to_json(p.output) : to_string(p.output_choice)},
      {"norm", to_string(p.norm)},
      {"sign", std::to_string(p.sign)},
      {"effort", to_string(p.effort)},
      {"overwrite_input", p.overwrite_input ? "true" : "false"}};
  const std::vector<comm::NamedValue> choices = named_choices(p.exchange);
  values.insert(values.end(), choices.begin(), choices.end());
  const std::vector<comm::NamedValue> others{
      {"engine", options.engine},
      {"own_workspace", options.own_workspace ? "true" : "false"},
      {"budget_s", exactly(options.planning.budget_s)},
      {"wisdom", options.planning.wisdom},
      {"machine", machine_words(options.planning)},
      {"all_ranks", p.all_ranks ? "true" : "false"}};
  values.insert(values.end(), others.begin(), others.end());
  return values;
}

/// Throws unless all ranks have the same machine. Compares the figures, because machines with the
/// same name may differ. Collective.
void require_same_machine(const comm::Communicator& comm, const std::optional<Machine>& machine) {
  if (!machine) return;
  const std::string figures = comm::together(comm, [&] { return to_json(*machine); });
  comm::require_same(
      comm,
      {{"machine", "\"" + machine->name + "\" with figures of the hash " + hash_digits(figures)}},
      "weft::Fft");
}

/// Throws if the options do not fit the problem on this rank.
void require_possible(const Problem& problem, const Handle::Options& options) {
  if (uses_node_memory(problem.exchange) && !options.own_workspace)
    throw Error(
        ErrorCode::unsupported,
        "shared exchanges and exchanges by nodes need node memory, which weft allocates; with the "
        "caller's workspace, name another method, and no nodes");
  if (!(options.planning.budget_s >= 0))
    throw Error(ErrorCode::invalid_argument,
                "the time for trials must be 0 seconds (none) or more; given " +
                    exactly(options.planning.budget_s));
  if (!options.engine.empty()) require_precision(options.engine, problem.precision);
}

/// Throws unless an existing plan fits the ranks of this communicator.
void require_ranks(const Plan& plan, std::int64_t ranks, std::int64_t sharing) {
  const Problem& problem = plan.problem;
  if (problem.ranks != ranks)
    throw Error(ErrorCode::invalid_argument,
                "a plan runs on the number of ranks that it was made for, " +
                    std::to_string(problem.ranks) + "; there are " + std::to_string(ranks) +
                    "; start " + std::to_string(problem.ranks) + " ranks, or plan for these");
  const bool in_node_memory =
      std::any_of(plan.exchanges.begin(), plan.exchanges.end(), uses_node_memory);
  if (in_node_memory && problem.ranks_per_node != sharing)
    throw Error(ErrorCode::invalid_argument,
                "the plan uses the memory of nodes of " + std::to_string(problem.ranks_per_node) +
                    " ranks; " + std::to_string(sharing) +
                    " share memory; plan again with ranks_per_node = " + std::to_string(sharing) +
                    ", or start " + std::to_string(problem.ranks_per_node) + " ranks on each node");
}

std::int64_t bytes_between(const void* from, const void* to) {
  return static_cast<const char*>(to) - static_cast<const char*>(from);
}

}  // namespace

Handle::Handle(const Problem& given, const Options& wanted, const comm::Communicator& comm,
               const std::optional<Error>& mine)
    : comm_(comm) {
  const comm::CollectiveCall call(comm, "FFT", mine);
  number_ = comm.next_number();
  comm::require_same(comm, named_values(given, wanted), "weft::Fft");
  require_same_machine(comm, wanted.planning.machine);
  Options options = wanted;
  options.engine = engine_word(wanted.engine, comm);
  Problem problem = given;
  problem.ranks = comm.size();
  problem.ranks_per_node = options.own_workspace ? comm::ranks_sharing_memory(comm) : 1;
  comm::together(comm, [&] { require_possible(problem, options); });
  ChosenPlan chosen = chosen_plan(problem, options, comm);
  plan_ = std::move(chosen.plan);
  machine_ = std::move(chosen.machine);
  bind(options);
}

Handle::Handle(const Plan& plan, const Options& options, const comm::Communicator& comm,
               const std::optional<Error>& mine)
    : comm_(comm), plan_(plan) {
  const comm::CollectiveCall call(comm, "FFT of a plan", mine);
  number_ = comm.next_number();
  const std::string text = comm::together(comm, [&] { return to_json(plan); });
  const std::string words =
      "of " + to_string(plan.problem.shape) + " with JSON of the hash " + hash_digits(text);
  comm::require_same(comm, {{"plan", words}, {"engine", options.engine}}, "weft::Fft");
  const std::int64_t sharing = comm::ranks_sharing_memory(comm);
  comm::together(comm, [&] { require_ranks(plan, comm.size(), sharing); });
  const bool has_engines = options.engine.empty() && !plan.line_engines.empty();
  const std::string word = has_engines ? std::string() : engine_word(options.engine, comm);
  comm::together(comm, [&] {
    require_possible(plan.problem, {word, options.own_workspace, options.planning});
  });
  if (has_engines)
    check_line_engines(plan_, comm);
  else
    choose_line_engines(plan_, word, may_try_engines(options.planning, comm), comm);
  bind(options);
}

void Handle::bind(const Options& options) {
  const auto bound = comm::together(comm_, [&] { return run_options(plan_, options); });
  local_ = bound.local;
  transform_.emplace(plan_, comm_, bound);
  const Problem& problem = plan_.problem;
  input_ = plan_.input_array();
  output_ = plan_.output_array();
  input_bytes_ = input_.local_volume(comm_.rank()) *
                 element_bytes(plan_.stages.front().source_element, problem.precision);
  output_bytes_ = output_.local_volume(comm_.rank()) *
                  element_bytes(plan_.stages.back().target_element, problem.precision);
  component_inputs_.reserve(static_cast<std::size_t>(problem.fields()));
  component_outputs_.reserve(static_cast<std::size_t>(problem.fields()));
  has_some_array_ = input_bytes_ > 0 || output_bytes_ > 0;
  has_both_arrays_ = input_bytes_ > 0 && output_bytes_ > 0;
}

std::optional<Error> Handle::call_error(Direction direction, const void* in,
                                        const void* out) const {
  if (!transform_->has_workspace())
    return Error(ErrorCode::invalid_argument,
                 "a transform with own_workspace = false needs use_workspace() before it runs; it "
                 "has not been called");
  const bool forward = direction == Direction::forward;
  const Layout& from = forward ? input_ : output_;
  const Layout& to = forward ? output_ : input_;
  if (in == nullptr && from.local_volume(comm_.rank()) > 0)
    return Error(ErrorCode::invalid_argument,
                 "the input pointer is null, but this rank's box has " +
                     std::to_string(from.local_volume(comm_.rank())) + " elements");
  if (out == nullptr && to.local_volume(comm_.rank()) > 0)
    return Error(ErrorCode::invalid_argument,
                 "the output pointer is null, but this rank's box has " +
                     std::to_string(to.local_volume(comm_.rank())) + " elements");
  const std::int64_t in_bytes = bytes_of(forward);
  if (in != out && overlap(in, in_bytes, out, bytes_of(!forward)))
    return Error(ErrorCode::invalid_argument,
                 "input and output must not overlap unless both start at the same address; the "
                 "output starts " +
                     std::to_string(bytes_between(in, out)) + " bytes from an input of " +
                     std::to_string(in_bytes) +
                     " bytes; give two separate arrays, or one of inplace_bytes() for both");
  return {};
}

std::optional<Error> Handle::mixture_error(bool mine_in_place) const {
  if (mine_in_place || !has_both_arrays_) return {};
  return Error(ErrorCode::invalid_argument,
               "a transform runs in place on all ranks or on none; this rank gave two arrays and "
               "another one array");
}

bool Handle::agreed_in_place(bool somebody, bool mine) const {
  if (somebody) comm::agree_or_throw(comm_, mixture_error(mine));
  return somebody;
}

void Handle::note_recording(Direction direction) {
  if (!transform_->recording()) return;
  last_recorded_ = direction;
  last_round_trip_ = nullptr;
}

void Handle::execute(Direction direction, const void* in, void* out,
                     const std::optional<Error>& mine) {
  const comm::Turn turn(comm_);
  const std::lock_guard own_turn(turns_);
  const bool mine_in_place = in == out && has_some_array_;
  const std::optional<Error> wrong = mine ? mine : call_error(direction, in, out);
  CallGate gate(*this, {number_, direction}, wrong, mine_in_place);
  // A rank without an error that has two arrays starts its first stage before the ranks agree. This
  // is safe, because its output is not its input. The stage then hides the latency of the
  // agreement, which matters on a slow network.
  const bool goes_ahead = transform_->can_wait_at_gate() && !wrong && has_both_arrays_ &&
                          !mine_in_place && plan_.problem.fields() == 1;
  const bool in_place = goes_ahead ? false : gate.conclude();
  note_recording(direction);
  if (plan_.problem.fields() == 1)
    transform_->execute({direction, in_place}, in, out, goes_ahead ? &gate : nullptr);
  else
    execute_components({direction, in_place}, {&in, 1}, {&out, 1});
}

void Handle::execute_components(const Variant& variant, std::span<const void* const> in,
                                std::span<void* const> out) {
  const std::int64_t fields = plan_.problem.fields();
  if (fields == 1) {
    transform_->execute_many(variant, in, out);
    return;
  }
  const bool forward = variant.direction == Direction::forward;
  const std::int64_t in_step =
      variant.in_place ? inplace_bytes_of_one() : bytes_of(forward) / fields;
  const std::int64_t out_step =
      variant.in_place ? inplace_bytes_of_one() : bytes_of(!forward) / fields;
  component_inputs_.clear();
  component_outputs_.clear();
  for (std::size_t i = 0; i < in.size(); ++i)
    for (std::int64_t component = 0; component < fields; ++component) {
      component_inputs_.push_back(static_cast<const char*>(in[i]) + component * in_step);
      component_outputs_.push_back(static_cast<char*>(out[i]) + component * out_step);
    }
  transform_->execute_many(variant, component_inputs_, component_outputs_);
}

std::optional<Error> Handle::many_error(Direction direction, std::span<const void* const> in,
                                        std::span<void* const> out) const {
  if (in.size() != out.size())
    return Error(ErrorCode::invalid_argument, "there must be as many outputs as inputs; given " +
                                                  std::to_string(in.size()) + " inputs and " +
                                                  std::to_string(out.size()) + " outputs");
  const bool forward = direction == Direction::forward;
  const std::int64_t in_bytes = bytes_of(forward);
  const std::int64_t out_bytes = bytes_of(!forward);
  for (std::size_t i = 0; i < in.size(); ++i) {
    if (auto error = call_error(direction, in[i], out[i])) return error;
    if ((in[i] == out[i]) != (in[0] == out[0]) && has_both_arrays_)
      return Error(ErrorCode::invalid_argument,
                   "either all arrays of a call are transformed in place or none is; array 0 and "
                   "array " +
                       std::to_string(i) + " differ");
    for (std::size_t j = 0; j < i; ++j) {
      if (overlap(out[i], out_bytes, out[j], out_bytes))
        return Error(ErrorCode::invalid_argument,
                     "every array of a call must have an output of its own; those of arrays " +
                         std::to_string(j) + " and " + std::to_string(i) +
                         (out[i] == out[j] ? " are the same" : " overlap") + "; give it another");
      if (overlap(in[i], in_bytes, out[j], out_bytes))
        return Error(ErrorCode::invalid_argument,
                     "an output must not overlap the input of a later array of the call; output " +
                         std::to_string(j) + " overlaps input " + std::to_string(i) +
                         "; give it another, or make two calls");
    }
  }
  return {};
}

void Handle::execute_many(Direction direction, std::span<const void* const> in,
                          std::span<void* const> out, const std::optional<Error>& mine) {
  const comm::Turn turn(comm_);
  const std::lock_guard own_turn(turns_);
  const bool mine_in_place = !in.empty() && !out.empty() && in[0] == out[0] && has_some_array_;
  CallGate gate(*this, {number_, direction, in.size()},
                mine ? mine : many_error(direction, in, out), mine_in_place);
  const bool in_place = gate.conclude();
  note_recording(direction);
  execute_components({direction, in_place}, in, out);
}

Shape Handle::strides_of_one_in_place() const {
  return run::inplace_real_strides(plan_.input(), plan_.problem, comm_.rank());
}

Shape Handle::with_components_in_place(Shape strides, Element element) const {
  if (plan_.problem.components > 0)
    strides.insert(strides.begin(),
                   inplace_bytes_of_one() / element_bytes(element, plan_.problem.precision));
  return strides;
}

Shape Handle::inplace_real_strides() const {
  return with_components_in_place(strides_of_one_in_place(), plan_.stages.front().source_element);
}

Shape Handle::inplace_output_strides() const {
  return with_components_in_place(plan_.output().strides(comm_.rank()),
                                  plan_.stages.back().target_element);
}

std::int64_t Handle::inplace_bytes_of_one() const {
  const Problem& problem = plan_.problem;
  const int rank = comm_.rank();
  const std::int64_t in_elements =
      run::span_of(plan_.input().local_shape(rank), strides_of_one_in_place());
  const std::int64_t in_element =
      element_bytes(plan_.stages.front().source_element, problem.precision);
  const std::int64_t out_element =
      element_bytes(plan_.stages.back().target_element, problem.precision);
  const std::int64_t bytes =
      std::max(in_elements * in_element, plan_.output().local_volume(rank) * out_element);
  // The next component begins at a whole element of both the input and the output.
  const std::int64_t larger = std::max(in_element, out_element);
  return problem.components == 0 ? bytes : rounded_up(bytes, larger);
}

std::int64_t Handle::inplace_bytes() const {
  return plan_.problem.fields() * inplace_bytes_of_one();
}

std::int64_t Handle::workspace_bytes() const {
  const std::lock_guard turn(turns_);
  return held_bytes();
}

std::int64_t Handle::held_bytes() const {
  std::int64_t bytes = transform_->workspace_bytes();
  for (const run::RoundTrip& trip : round_trips_) bytes += trip.workspace_bytes();
  return bytes;
}

bool Handle::recording() const {
  const std::lock_guard turn(turns_);
  return transform_->recording();
}

void Handle::use_workspace(void* memory, std::int64_t bytes) {
  const std::lock_guard turn(turns_);
  transform_->use_workspace(memory, bytes);
}

void Handle::set_recording(bool on) {
  const std::lock_guard turn(turns_);
  transform_->set_recording(on);
}

std::vector<StepRecord> Handle::record_now() const {
  const std::lock_guard turn(turns_);
  return record();
}

std::string Handle::recorded_steps(bool is_predicted) const {
  if (last_round_trip_ != nullptr) {
    const run::RoundTripShape& shape = last_round_trip_->shape();
    std::optional<Prediction> predicted;
    if (machine_) predicted = predict(plan_, shape.trip(), *machine_);
    return record_lines(record(), last_round_trip_->steps(), shape.counts.lanes(),
                        predicted ? &*predicted : nullptr);
  }
  return record_lines(record(), 2 * plan_.stages.size() - 1, plan_.problem.fields(),
                      is_predicted ? &*plan_.prediction : nullptr);
}

std::string Handle::explain() const {
  const std::lock_guard turn(turns_);
  const bool is_predicted =
      plan_.prediction && !last_round_trip_ && last_recorded_ == Direction::forward;
  return weft::explain(plan_) + "local FFTs: " + std::to_string(plan_.problem.threads) +
         (plan_.problem.threads == 1 ? " thread" : " threads") + " a rank, planned with " +
         to_string(plan_.line_effort) + "\nworkspace of rank " + std::to_string(comm_.rank()) +
         ": " + std::to_string(held_bytes()) + " bytes\n" + recorded_steps(is_predicted);
}

}  // namespace weft::api
