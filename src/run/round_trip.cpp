#include "run/round_trip.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include <weft/error.hpp>

#include "base/clock.hpp"
#include "comm/agreement.hpp"
#include "run/in_step.hpp"

namespace weft::run {
namespace {

constexpr int before_number = 0;
constexpr int function_number = 1;
constexpr int after_number = 2;

kernel::ChainFunction chain_function(const FunctionShape& shape, int number, bool in_spectrum) {
  return {number, in_spectrum, shape.is_pointwise, shape.results};
}

/// Returns the position of a function's results among the results of all functions.
std::int64_t first_result(const RoundTripShape& shape, int number) {
  const std::int64_t before = shape.before ? shape.before->results : 0;
  if (number == before_number) return 0;
  return number == function_number ? before : before + shape.function.results;
}

std::int64_t all_results(const RoundTripShape& shape) {
  return first_result(shape, after_number) + (shape.after ? shape.after->results : 0);
}

const FieldFunction& function_of(const FieldWork& work, int number) {
  if (number == before_number) return *work.before;
  return number == function_number ? work.function : *work.after;
}

}  // namespace

RoundTrip::RoundTrip(const Plan& plan, const comm::Communicator& comm,
                     const kernel::LocalOptions& local, const RoundTripShape& shape)
    : plan_(plan), comm_(comm), local_(local), shape_(shape) {
  comm::together(comm, [&] {
    tables_ = chain_tables(plan.problem);
    trip_ = round_trip_route(plan, shape.turn, comm.rank());
    names_ = step_names(plan, shape.trip());
  });
  for (std::int64_t lane = 0; lane < shape.counts.lanes(); ++lane)
    lanes_.push_back(std::make_unique<Execution>(comm, local.threads, true, static_cast<int>(lane),
                                                 [this] { return make_programs(); }));
  comm::together(comm, [&] { reserve(); });
}

/// Allocates the memory of calls, so that they allocate nothing.
void RoundTrip::reserve() {
  for (std::int64_t i = shape_.counts.lanes(); i < shape_.counts.arrays(); ++i)
    no_lane_.emplace_back(buffer_count);
  progress_.reserve(2 * trip_.route.exchanges.size() * lanes_.size() + 2);
  contexts_.reserve(lanes_.size());
  arrays_.reserve(lanes_.size() + no_lane_.size());
  std::int64_t most = 0;
  for (const Joint& joint : joints_)
    for (const JointStage& part : joint.parts) most = std::max(most, part.result_count());
  block_results_.resize(static_cast<std::size_t>(most));
}

/// Makes the program of a lane, and the joint stages with the first one: all lanes have the same
/// buffers.
std::vector<RankProgram> RoundTrip::make_programs() {
  std::vector<std::size_t> joint{trip_.turn};
  if (shape_.before && trip_.turn > 0) joint.insert(joint.begin(), 0);
  if (shape_.after && trip_.turn < trip_.route.last()) joint.push_back(trip_.route.last());
  std::vector<RankProgram> programs;
  programs.emplace_back(plan_.problem, trip_.route, comm_.rank(), local_, joint);
  const bool is_first = joints_.empty();
  BufferSizes sizes{};
  kernel::ScratchSize scratch;
  if (is_first)
    for (const std::size_t stage : joint) joints_.push_back({stage, {}});
  for (Joint& each : joints_)
    for (const StageSpec& spec : programs[0].joint_stage(each.stage)) {
      JointStage part(joint_spec(spec, each.stage), tables_, local_, sizes);
      scratch.grow_to(part.scratch_size());
      if (is_first) each.parts.push_back(std::move(part));
    }
  programs[0].grow_to(sizes, scratch);
  return programs;
}

JointSpec RoundTrip::joint_spec(const StageSpec& stage, std::size_t number) const {
  const bool in_spectrum = shape_.turn == ApplyIn::spectrum;
  JointSpec spec;
  spec.stage = stage;
  spec.counts = shape_.counts;
  spec.is_after_turn = number > trip_.turn;
  spec.least_block_bytes = shape_.least_block_bytes;
  if (number == trip_.turn) {
    spec.turn = chain_function(shape_.function, function_number, in_spectrum);
    spec.transforms_back = trip_.transforms_back;
  }
  if (number == 0 && shape_.before)
    spec.first = chain_function(*shape_.before, before_number, !in_spectrum);
  if (number == trip_.route.last() && shape_.after)
    spec.last = chain_function(*shape_.after, after_number, !in_spectrum);
  return spec;
}

const RoundTrip::Joint* RoundTrip::joint_of(std::size_t stage) const {
  for (const Joint& joint : joints_)
    if (joint.stage == stage) return &joint;
  return nullptr;
}

std::int64_t RoundTrip::workspace_bytes() const {
  std::int64_t bytes = 0;
  for (const auto& lane : lanes_) bytes += lane->workspace_bytes();
  return bytes;
}

std::int64_t RoundTrip::lanes_before(std::size_t stage) const {
  return stage <= trip_.turn ? shape_.counts.in : shape_.counts.out;
}
std::int64_t RoundTrip::lanes_after(std::size_t stage) const {
  return stage < trip_.turn ? shape_.counts.in : shape_.counts.out;
}

/// Makes the records of all lanes empty.
void RoundTrip::clear_records() {
  records_.resize(lanes_.size() * steps());
  for (std::size_t i = 0; i < records_.size(); ++i) {
    const std::size_t step = i % steps();
    StepRecord empty{.name = std::move(records_[i].name), .is_exchange = step % 2 == 1};
    empty.name = names_[step];  // in the memory that the record has
    records_[i] = std::move(empty);
  }
}

void RoundTrip::begin(std::span<const void* const> in, std::span<void* const> out, bool recording) {
  const auto input = [&](std::size_t i) { return i < in.size() ? in[i] : nullptr; };
  const auto output = [&](std::size_t i) { return i < out.size() ? out[i] : nullptr; };
  if (recording) clear_records();
  for (std::size_t i = 0; i < lanes_.size(); ++i)
    lanes_[i]->begin(0, input(i), output(i), progress_,
                     recording ? records_.data() + i * steps() : nullptr);
  for (std::size_t i = 0; i < no_lane_.size(); ++i) {
    no_lane_[i][input_buffer] = const_cast<void*>(input(lanes_.size() + i));
    no_lane_[i][output_buffer] = output(lanes_.size() + i);
  }
}

std::vector<double> RoundTrip::execute(const FieldWork& work, std::span<const void* const> in,
                                       std::span<void* const> out, bool recording,
                                       std::exception_ptr& error) {
  kernel::ChainCall call;
  call.functions = {work.before ? &work.before->call : nullptr, &work.function.call,
                    work.after ? &work.after->call : nullptr};
  std::vector<double> totals(static_cast<std::size_t>(all_results(shape_)));
  for (std::size_t i = 0; i < call.functions.size(); ++i) {
    if (call.functions[i] == nullptr) continue;
    const FieldFunction& function = function_of(work, static_cast<int>(i));
    if (function.combine == Combine::max)
      call.initial[i] = -std::numeric_limits<double>::infinity();
    std::fill_n(
        totals.begin() + static_cast<std::ptrdiff_t>(first_result(shape_, static_cast<int>(i))),
        function.results, call.initial[i]);
  }
  begin(in, out, recording);
  const double begun = now_s();
  progress_.set_overlaps(lanes_.size() > 1);
  in_step(comm_, [&] { execute_stages(call, totals, work); });
  progress_.set_overlaps(false);
  // Some lanes lack some steps. The records of these steps get the duration 0.
  for (StepRecord& step : records_)
    if (recording && step.end_s == 0) step.start_s = step.end_s = begun;
  error = call.error;
  return totals;
}

void RoundTrip::execute_stages(kernel::ChainCall& call, std::vector<double>& totals,
                               const FieldWork& work) {
  for (std::size_t stage = 0; stage < trip_.route.stages.size(); ++stage) {
    if (const Joint* joint = joint_of(stage)) {
      execute_joint(*joint, call, totals, work);
      continue;
    }
    for (std::int64_t lane = 0; lane < lanes_before(stage); ++lane)
      lanes_[static_cast<std::size_t>(lane)]->execute_stage();
    for (std::size_t lane = static_cast<std::size_t>(lanes_before(stage)); lane < lanes_.size();
         ++lane)
      lanes_[lane]->end_stage();
  }
}

void RoundTrip::execute_joint(const Joint& joint, kernel::ChainCall& call,
                              std::vector<double>& totals, const FieldWork& work) {
  const std::size_t stage = joint.stage;
  std::vector<Context>& contexts = contexts_;
  contexts.clear();
  arrays_.clear();
  for (const auto& lane : lanes_) {
    contexts.push_back(lane->context());
    arrays_.push_back(contexts.back().buffers);
  }
  for (const std::vector<void*>& buffers : no_lane_) arrays_.push_back(buffers.data());
  const auto for_lanes = [&](std::int64_t count, const auto& act) {
    for (std::size_t lane = 0; lane < static_cast<std::size_t>(count); ++lane)
      act(lanes_[lane]->program(0), contexts[lane]);
  };
  using Program = const RankProgram&;
  for_lanes(lanes_before(stage), [&](Program p, const Context& c) { p.begin_stage(stage, c); });
  const double begun = now_s();
  kernel::MemoryTraffic traffic;
  for (std::size_t part = 0; part < joint.parts.size(); ++part) {
    for_lanes(lanes_before(stage),
              [&](Program p, const Context& c) { p.begin_part(stage, part, c); });
    traffic += joint.parts[part].execute(arrays_, contexts[0].scratch, call, block_results_.data());
    add_results(joint.parts[part], work, totals);
    for_lanes(lanes_after(stage), [&](Program p, const Context& c) { p.end_part(stage, part, c); });
  }
  if (contexts[0].records != nullptr) {
    StepRecord& r = contexts[0].records[2 * stage];
    r.start_s = begun;
    r.end_s = now_s();
    r.bytes_read = traffic.read_bytes;
    r.bytes_written = traffic.written_bytes;
  }
  for_lanes(lanes_before(stage), [&](Program p, const Context& c) { p.end_receiving(stage, c); });
  for_lanes(lanes_after(stage), [&](Program p, const Context& c) { p.end_stage(stage, c); });
  for (const auto& lane : lanes_) lane->end_stage();
}

void RoundTrip::add_results(const JointStage& part, const FieldWork& work,
                            std::vector<double>& totals) const {
  part.for_each_result(
      block_results_.data(), [&](const kernel::ChainFunction& about, const double* results) {
        const bool is_sum = function_of(work, about.number).combine == Combine::sum;
        double* total = totals.data() + first_result(shape_, about.number);
        for (std::int64_t i = 0; i < about.results; ++i)
          total[i] = is_sum ? total[i] + results[i] : std::max(total[i], results[i]);
      });
}

}  // namespace weft::run
