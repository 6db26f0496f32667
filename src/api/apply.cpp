#include <algorithm>
#include <array>
#include <exception>
#include <mutex>
#include <string>
#include <tuple>
#include <utility>

#include "api/handle.hpp"
#include "api/handle_call.hpp"
#include "base/hash.hpp"
#include "base/memory.hpp"

namespace weft::api {
namespace {

std::string plural(std::int64_t count, const char* word) {
  return std::to_string(count) + " " + word + (count == 1 ? "" : "s");
}

run::FunctionShape shape_of(const FieldFunction& function) {
  return {function.results, function.is_pointwise};
}

run::RoundTripShape shape_of(ApplyIn turn, const FieldWork& work, std::size_t inputs,
                             std::size_t outputs) {
  const auto in = static_cast<std::int64_t>(inputs);
  const auto out = static_cast<std::int64_t>(outputs);
  run::RoundTripShape shape;
  shape.turn = turn;
  shape.counts = {in, work.fields_there == 0 ? in : work.fields_there,
                  work.fields_back == 0 ? out : work.fields_back, out};
  if (work.before) shape.before = shape_of(*work.before);
  shape.function = shape_of(work.function);
  if (work.after) shape.after = shape_of(*work.after);
  shape.least_block_bytes = work.least_tile_bytes;
  return shape;
}

std::string words_of(ApplyIn turn) {
  return turn == ApplyIn::spectrum ? "apply_in_spectrum" : "apply_in_space";
}

/// Describes a function, by `unnamed` if the function has no words.
std::string words_of(const FieldFunction& function, const char* unnamed) {
  return (function.words.empty() ? unnamed : function.words) + " with " +
         plural(function.results, "result") +
         (function.is_pointwise ? " of each point alone" : "") +
         (function.combine == Combine::sum ? " added" : ", the largest");
}

constexpr std::size_t most_round_trips = 8;

Error invalid(const std::string& text) { return Error(ErrorCode::invalid_argument, text); }

/// Returns the error of a call with wrong numbers of fields.
std::optional<Error> count_error(const FieldWork& work, std::size_t inputs, std::size_t outputs) {
  constexpr std::int64_t most = 1000;
  const auto in = static_cast<std::int64_t>(inputs);
  const auto out = static_cast<std::int64_t>(outputs);
  for (const auto& [count, what] : {std::pair{in, "inputs"}, std::pair{out, "outputs"}})
    if (count < 1 || count > most)
      return invalid(std::string("a round trip has 1 to 1000 ") + what + "; given " +
                     std::to_string(count));
  for (const auto& [fields, stored, function, name, side] :
       {std::tuple{work.fields_there, in, work.before.has_value(), "fields_there", "inputs"},
        std::tuple{work.fields_back, out, work.after.has_value(), "fields_back", "outputs"}}) {
    if (fields < 0 || fields > most)
      return invalid(std::string(name) + " must be 1 to 1000, or 0 for the number of " + side +
                     "; given " + std::to_string(fields));
    if (fields > 0 && fields != stored && !function)
      return invalid(std::string("without a function ") +
                     (side == std::string("inputs") ? "before" : "after") + ", " + name +
                     " is the number of " + side + ", " + std::to_string(stored) + "; given " +
                     std::to_string(fields));
  }
  return {};
}

std::optional<Error> function_error(const FieldFunction& function, const char* name) {
  if (!function.call)
    return invalid(std::string("a round trip needs a function to call; `") + name + "` is empty");
  if (function.results < 0 || function.results > 1'000'000)
    return invalid(std::string("a function returns 0 to 1000000 results; `") + name + "` has " +
                   std::to_string(function.results));
  return {};
}

/// Returns an exception of the user's function as an error of the call.
Error error_of_function(const std::exception_ptr& reason) {
  try {
    std::rethrow_exception(reason);
  } catch (const Error& error) {
    return Error(error.code(), std::string("a function of the fields failed: ") + error.what());
  } catch (const std::exception& error) {
    return invalid(std::string("a function of the fields failed: ") + error.what());
  } catch (...) {
    return invalid("a function of the fields failed with an exception that has no text");
  }
}

/// Returns the error of a plan without round trips.
std::optional<Error> obstacle_error(ApplyIn turn, const Plan& plan) {
  const std::string reason = round_trip_obstacle(plan);
  if (reason.empty()) return {};
  return Error(ErrorCode::unsupported,
               words_of(turn) + " needs stages with whole lines; " + reason + "; " +
                   round_trip_remedy(plan) +
                   ", or call forward and backward, and your function between them");
}

}  // namespace

std::int64_t Handle::RoundTripCall::number() const {
  const FieldCounts& n = shape.counts;
  const auto of = [](const std::optional<run::FunctionShape>& function) {
    return function ? 2 * function->results + (function->is_pointwise ? 1 : 0) : -1;
  };
  const auto combined = [](const FieldFunction& function) {
    return static_cast<std::int64_t>(function.combine);
  };
  const auto words_hash = [](const FieldFunction& function) {
    return static_cast<std::int64_t>(hash_of(function.words));
  };
  const std::array<std::int64_t, 15> values{static_cast<std::int64_t>(shape.turn),
                                            n.stored_in,
                                            n.in,
                                            n.out,
                                            n.stored_out,
                                            of(shape.before),
                                            of(shape.function),
                                            of(shape.after),
                                            shape.before ? combined(*work.before) : -1,
                                            combined(work.function),
                                            shape.after ? combined(*work.after) : -1,
                                            shape.before ? words_hash(*work.before) : 0,
                                            words_hash(work.function),
                                            shape.after ? words_hash(*work.after) : 0,
                                            shape.least_block_bytes};
  return static_cast<std::int64_t>(
      hash_of({reinterpret_cast<const char*>(values.data()), sizeof values}) >> 2);
}

std::string Handle::RoundTripCall::words() const {
  const FieldCounts& n = shape.counts;
  std::string words = words_of(shape.turn) + " of " + plural(n.stored_in, "input") + ", " +
                      plural(n.in, "field") + " there, " + plural(n.out, "field") + " back, " +
                      plural(n.stored_out, "output") + ", " + words_of(work.function, "a function");
  if (work.before) words += ", before it " + words_of(*work.before, "one");
  if (work.after) words += ", after it " + words_of(*work.after, "one");
  if (shape.least_block_bytes > 0)
    words += ", tiles of at least " + plural(shape.least_block_bytes, "byte");
  return words;
}

/// Combines the results of all ranks in the order of ranks.
void Handle::combine_ranks(const FieldWork& work, std::vector<double>& results) {
  if (results.empty() || comm_.size() == 1) return;
  gathered_.resize(results.size() * static_cast<std::size_t>(comm_.size()));
  comm_.all_gather_bytes(results.data(), static_cast<std::int64_t>(results.size() * sizeof(double)),
                         gathered_.data());
  std::copy_n(gathered_.begin(), results.size(), results.begin());
  for (std::size_t rank = 1; rank < static_cast<std::size_t>(comm_.size()); ++rank) {
    const double* of_rank = gathered_.data() + rank * results.size();
    double* total = results.data();
    for (const FieldFunction* function : {work.before ? &*work.before : nullptr, &work.function,
                                          work.after ? &*work.after : nullptr})
      for (std::int64_t i = 0; function != nullptr && i < function->results;
           ++i, ++total, ++of_rank)
        *total = function->combine == Combine::sum ? *total + *of_rank : std::max(*total, *of_rank);
  }
}

std::optional<Error> Handle::work_error(ApplyIn turn, const FieldWork& work,
                                        std::span<const void* const> in,
                                        std::span<void* const> out) const {
  if (auto error = obstacle_error(turn, plan_)) return error;
  const auto fields = static_cast<std::size_t>(plan_.problem.fields());
  if (auto error = count_error(work, fields * in.size(), fields * out.size())) return error;
  if (auto error = function_error(work.function, "function")) return error;
  if (work.before)
    if (auto error = function_error(*work.before, "before")) return error;
  if (work.after)
    if (auto error = function_error(*work.after, "after")) return error;
  const bool in_spectrum = turn == ApplyIn::spectrum;
  const Layout& layout = in_spectrum ? input_ : output_;
  const std::int64_t bytes = bytes_of(in_spectrum);
  const auto is_null = [](const void* array) { return array == nullptr; };
  if (bytes > 0 &&
      (std::any_of(in.begin(), in.end(), is_null) || std::any_of(out.begin(), out.end(), is_null)))
    return invalid("an array of a round trip is a null pointer, but this rank's box has " +
                   std::to_string(layout.local_volume(comm_.rank())) + " elements");
  for (std::size_t j = 0; j < out.size(); ++j) {
    for (std::size_t i = 0; i < j; ++i)
      if (overlap(out[i], bytes, out[j], bytes))
        return invalid("every output of a round trip has memory of its own; outputs " +
                       std::to_string(i) + " and " + std::to_string(j) + " overlap");
    for (std::size_t i = 0; i < in.size(); ++i)
      if (in[i] != out[j] && overlap(in[i], bytes, out[j], bytes))
        return invalid(
            "an output of a round trip is one of the inputs, or separate from all; output " +
            std::to_string(j) + " overlaps a part of input " + std::to_string(i));
  }
  return {};
}

run::RoundTrip& Handle::round_trip(const run::RoundTripShape& shape) {
  const auto known =
      std::find_if(round_trips_.begin(), round_trips_.end(),
                   [&](const run::RoundTrip& trip) { return trip.shape() == shape; });
  if (known != round_trips_.end()) {
    round_trips_.splice(round_trips_.begin(), round_trips_, known);
    return round_trips_.front();
  }
  // Ranks make the same calls, so all of them drop the same round trip here.
  if (round_trips_.size() == most_round_trips) {
    if (last_round_trip_ == &round_trips_.back()) last_round_trip_ = nullptr;
    round_trips_.pop_back();
  }
  return round_trips_.emplace_front(plan_, comm_, local_, shape);
}

void Handle::split_components(ApplyIn turn, std::span<const void* const> in,
                              std::span<void* const> out) {
  const std::int64_t fields = plan_.problem.fields();
  const std::int64_t step = bytes_of(turn == ApplyIn::spectrum) / fields;
  component_inputs_.clear();
  component_outputs_.clear();
  for (const void* array : in)
    for (std::int64_t i = 0; i < fields; ++i)
      component_inputs_.push_back(static_cast<const char*>(array) + i * step);
  for (void* array : out)
    for (std::int64_t i = 0; i < fields; ++i)
      component_outputs_.push_back(static_cast<char*>(array) + i * step);
}

std::vector<double> Handle::apply(ApplyIn turn, const FieldWork& work,
                                  std::span<const void* const> in, std::span<void* const> out,
                                  const std::optional<Error>& mine) {
  const comm::Turn comm_turn(comm_);
  const std::lock_guard own_turn(turns_);
  const auto fields = static_cast<std::size_t>(plan_.problem.fields());
  const run::RoundTripShape shape = shape_of(turn, work, fields * in.size(), fields * out.size());
  const RoundTripCall call{shape, work};
  CallGate gate(*this, {number_, Direction::forward, in.size(), &call},
                mine ? mine : work_error(turn, work, in, out), false);
  gate.conclude();
  run::RoundTrip& trip = round_trip(shape);
  if (transform_->recording()) last_round_trip_ = &trip;
  std::exception_ptr reason;
  split_components(turn, in, out);
  std::vector<double> results =
      trip.execute(work, component_inputs_, component_outputs_, transform_->recording(), reason);
  comm::agree_or_throw(comm_,
                       reason ? std::optional<Error>(error_of_function(reason)) : std::nullopt);
  combine_ranks(work, results);
  return results;
}

std::string Handle::explain_apply(ApplyIn turn, const FieldWork& work, std::int64_t inputs,
                                  std::int64_t outputs) const {
  if (const auto error = obstacle_error(turn, plan_)) throw Error(*error);
  const std::int64_t fields = plan_.problem.fields();
  const auto in = static_cast<std::size_t>(std::max<std::int64_t>(0, inputs) * fields);
  const auto out = static_cast<std::size_t>(std::max<std::int64_t>(0, outputs) * fields);
  if (const auto error = count_error(work, in, out)) throw Error(*error);
  const FieldTrip trip = shape_of(turn, work, in, out).trip();
  std::optional<Prediction> prediction;
  if (machine_) prediction = predict(plan_, trip, *machine_);
  return weft::explain(plan_, trip, prediction);
}

}  // namespace weft::api
