#include "run/rank_program.hpp"

#include <algorithm>
#include <utility>

#include "base/clock.hpp"
#include "kernel/fold.hpp"
#include "plan/chunks.hpp"
#include "plan/end_stages.hpp"
#include "plan/methods/methods.hpp"

namespace weft::run {
namespace {

std::string stage_name(std::size_t number, const Stage& stage) {
  std::string name = "stage " + std::to_string(number);
  if (stage.chirps) return name + ": chirp";
  if (stage.axes.empty()) return name + ": no axis";
  name += stage.axes.size() == 1 ? ": axis" : ": axes";
  for (int axis : stage.axes) name += " " + std::to_string(axis);
  return name;
}

/// Returns the change of order of half a spectrum in a stage next to the one that folds its
/// columns.
std::optional<kernel::HermitianOrder> hermitian_order_of(const Plan& plan,
                                                         const std::vector<Stage>& route,
                                                         std::size_t position,
                                                         Direction direction) {
  const bool forward = direction == Direction::forward;
  const bool at_end = forward ? position + 1 == route.size() : position == 0;
  if (!at_end || !unfolds(plan, plan.exchanges.size())) return {};
  const Shape view = plan.view();
  return kernel::HermitianOrder{view[0], view[1], forward};
}

/// Returns the part of a stage that transforms one chunk.
StageSpec part_of(const StageSpec& whole, int axis, int part, int parts) {
  if (parts == 1) return whole;
  StageSpec spec = whole;
  const Range range =
      chunk_range({whole.source.lower[axis], whole.source.upper[axis]}, part, parts);
  for (Box* box : {&spec.source, &spec.target}) {
    box->lower[axis] = range.lo;
    box->upper[axis] = range.hi;
  }
  for (kernel::Place* place : {&spec.inlet, &spec.outlet})
    std::erase_if(place->pieces, [&](const kernel::Piece& piece) {
      // Half a spectrum in its natural order has another shape than its columns, and an end of a
      // convolution than its rows.
      if (piece.box.dims() != whole.source.dims()) return false;
      return piece.box.upper[axis] <= range.lo || piece.box.lower[axis] >= range.hi;
    });
  return spec;
}

std::size_t last_with_axes(const std::vector<Stage>& route) {
  std::size_t last = 0;
  for (std::size_t i = 0; i < route.size(); ++i)
    if (!route[i].axes.empty()) last = i;
  return last;
}

}  // namespace

RankProgram::RankProgram(const Plan& plan, const Variant& variant, std::int64_t rank,
                         const kernel::LocalOptions& options,
                         std::shared_ptr<const kernel::LineSpectrum> spectrum)
    : variant_(variant), route_(route_of(plan, variant.direction)), spectrum_(std::move(spectrum)) {
  make(plan, rank, options, false);
  if (buffers_.sizes[spare_buffer] == 0 || is_shared()) return;
  // If the own block need not be written directly into the work buffer, the first stage can use
  // that buffer.
  make(plan, rank, options, true);
}

void RankProgram::make(const Plan& plan, std::int64_t rank, const kernel::LocalOptions& options,
                       bool first_uses_work) {
  buffers_ = assign_buffers(plan, route_, variant_, rank, first_uses_work);
  stages_.clear();
  scratch_ = {};
  for (std::size_t position = 0; position < route_.size(); ++position)
    add_stage(plan, position, rank, options);
}

/// Only the last stage can use chunks as they arrive: another stage would write into the send
/// buffer while messages leave it.
RankProgram::StageParts RankProgram::parts_of(std::size_t position) const {
  if (position < buffers_.exchanges.size()) {
    const exchange::ExchangeEndpoint& out = buffers_.exchanges[position].side;
    if (out.chunks > 1) return {out.chunks, out.chunk_axis, true};
  }
  if (position + 1 == route_.size() && position > 0 &&
      buffers_.exchanges[position - 1].both_sides) {
    const exchange::ExchangeEndpoint& in = buffers_.exchanges[position - 1].side;
    return {in.chunks, in.chunk_axis, false};
  }
  return {};
}

void RankProgram::add_stage(const Plan& plan, std::size_t position, std::int64_t rank,
                            const kernel::LocalOptions& options) {
  const Problem& problem = plan.problem;
  const Stage& stage = route_[position];
  const bool first = position == 0;
  const bool last = position + 1 == route_.size();
  StageSpec spec;
  spec.source = stage.source.box(rank);
  spec.target = stage.target.box(rank);
  spec.transforms = transforms_of(plan, route_, position, variant_.direction, spectrum_);
  if (position == last_with_axes(route_) && !stage.axes.empty() && !plan.convolves())
    spec.transforms.back().scale = scale_of(problem, variant_.direction);
  spec.inlet = first ? users_array(plan, route_, variant_, true, rank)
                     : exchange::buffer_needs(buffers_.exchanges[position - 1].choices,
                                              buffers_.exchanges[position - 1].side)
                           .inlet;
  spec.outlet = last ? users_array(plan, route_, variant_, false, rank)
                     : exchange::buffer_needs(buffers_.exchanges[position].choices,
                                              buffers_.exchanges[position].side)
                           .outlet;
  spec.hermitian_order = hermitian_order_of(plan, route_, position, variant_.direction);
  spec.chirp = chirp_end_of(plan, route_, position, variant_.direction);
  if (stage.folds) {  // its lines have the columns in plain order
    kernel::Place& folded = variant_.direction == Direction::forward ? spec.outlet : spec.inlet;
    folded = kernel::unfolded(folded, stage.axes[0], stage.source.shape()[stage.axes[0]]);
  }
  const bool to_target = !last && buffers_.exchanges[position].side.send_buffer == target_buffer;
  const bool from_source =
      !first && buffers_.exchanges[position - 1].side.send_buffer == source_buffer;
  const bool arrived_in_output =
      !first && buffers_.exchanges[position - 1].side.recv_buffer == output_buffer;
  spec.in_place =
      (first && (last || to_target) && variant_.in_place) || (last && arrived_in_output);
  // A padded row has room for the complex numbers; in place, the input is overwritten anyway.
  spec.inlet_is_ours = !(first || from_source) || variant_.in_place || problem.overwrite_input;
  // The array that peers read in a shared exchange is one array too, if it is this rank's own.
  spec.outlet_is_array =
      last || (reads_peers(buffers_.exchanges[position].choices) &&
               !buffers_.exchanges[position].side.push && spec.outlet.pieces.size() < 2);
  const StageParts parts = parts_of(position);
  const auto uses_work = [](const kernel::Place& place) {
    return std::any_of(place.pieces.begin(), place.pieces.end(),
                       [](const kernel::Piece& piece) { return piece.buffer == work_buffer; });
  };
  const bool work_is_idle =
      !is_shared() && parts.count == 1 && !uses_work(spec.inlet) && !uses_work(spec.outlet);
  spec.idle_buffer = work_is_idle ? work_buffer : spare_buffer;
  LocalStage local{stage_name(position, stage), {}, parts.sends};
  for (int part = 0; part < parts.count; ++part)
    local.parts.push_back(
        make_sweeps(part_of(spec, parts.axis, part, parts.count), options, buffers_.sizes));
  const bool one_to_one = spec.inlet.pieces.size() == 1 && spec.outlet.pieces.size() == 1;
  if (stage.axes.empty() && !spec.hermitian_order && !spec.chirp && one_to_one &&
      spec.inlet.narrow == spec.outlet.narrow) {
    local.is_copy = spec.inlet.pieces[0].strides == spec.outlet.pieces[0].strides;
    local.from = spec.inlet.pieces[0].buffer;
    local.to = spec.outlet.pieces[0].buffer;
  }
  for (const auto& sweeps : local.parts)
    for (const kernel::Sweep& sweep : sweeps) scratch_.grow_to(sweep.scratch_size());
  stages_.push_back(std::move(local));
}

void RankProgram::connect(const exchange::ExchangeResources& resources) {
  executors_.clear();
  for (const StageExchange& each : buffers_.exchanges)
    executors_.push_back(exchange::make_executor(each.choices, each.side, resources));
}

void RankProgram::connect_like(const RankProgram& other) { executors_ = other.executors_; }

std::vector<StepRecord> RankProgram::empty_records() const {
  std::vector<StepRecord> records;
  for (std::size_t i = 0; i < stages_.size(); ++i) {
    records.push_back({.name = stages_[i].name});
    if (i + 1 < stages_.size())
      records.push_back(
          {.name = "exchange: " + describe(buffers_.exchanges[i].choices), .is_exchange = true});
  }
  return records;
}

void RankProgram::begin(void** buffers, SharedBuffers* shared) const {
  const int call =
      (variant_.direction == Direction::backward ? 2 : 0) + (variant_.in_place ? 1 : 0);
  if (shared) shared->begin(buffers, buffers_.sizes, call);
}

void RankProgram::end(SharedBuffers* shared) const {
  if (shared) shared->end(buffers_.peers_read_source_last);
}

void RankProgram::start(std::size_t exchange, int chunk, const Context& context) const {
  const StageExchange& each = buffers_.exchanges[exchange];
  exchange::Executor* executor = executors_[exchange].get();
  if (chunk == 0) {
    context.progress.pass_gate();
    executor->forget_flight();
    executor->set_overlaps(context.progress.overlaps());
    executor->set_own_is_there(each.side.own_buffer >= 0);
    context.progress.add(executor);
    if (context.records) context.records[2 * exchange + 1].start_s = now_s();
  }
  executor->start(chunk, context.buffers[each.side.send_buffer],
                  context.buffers[each.side.recv_buffer]);
}

void RankProgram::wait(std::size_t exchange, int chunk, const Context& context) const {
  const double start = context.records ? now_s() : 0;
  executors_[exchange]->wait(chunk);
  if (context.records) context.records[2 * exchange + 1].waited_s += now_s() - start;
}

void RankProgram::finish(std::size_t exchange, const Context& context) const {
  exchange::Executor& executor = *executors_[exchange];
  const double start = context.records ? now_s() : 0;
  executor.finish();
  context.progress.remove(&executor);
  if (context.shared && exchange == 0) context.shared->find_shown(context.buffers);
  if (!context.records) return;
  StepRecord& r = context.records[2 * exchange + 1];
  r.end_s = now_s();
  r.waited_s += r.end_s - start;
  r.under_way_s = executor.flight().seconds();
  r.bytes_read = r.bytes_written = executor.copied_bytes();
  r.bytes_sent = executor.traffic().bytes;
  r.messages = executor.traffic().messages;
}

void RankProgram::execute_part(std::size_t stage, std::size_t part, const Context& context,
                               kernel::MemoryTraffic& traffic) const {
  const LocalStage& local = stages_[stage];
  if (local.is_copy && context.buffers[local.from] == context.buffers[local.to]) return;
  for (const kernel::Sweep& sweep : local.parts[part])
    traffic += sweep.execute(context.buffers, context.scratch);
}

void RankProgram::execute_stage(std::size_t stage, const Context& context) const {
  const LocalStage& local = stages_[stage];
  const bool receives_parts = local.parts.size() > 1 && !local.sends_parts;
  const bool has_next = stage + 1 < stages_.size();
  const int chunks = has_next ? buffers_.exchanges[stage].side.chunks : 1;
  if (stage > 0) {
    if (context.records) context.records[2 * stage - 1].waited_s = 0;
    if (!receives_parts) finish(stage - 1, context);
  }
  const double begun = context.records ? now_s() : 0;
  kernel::MemoryTraffic traffic;
  for (std::size_t part = 0; part < local.parts.size(); ++part) {
    if (receives_parts) wait(stage - 1, static_cast<int>(part), context);
    execute_part(stage, part, context, traffic);
    if (local.sends_parts) start(stage, static_cast<int>(part), context);
  }
  if (context.records) {
    StepRecord& r = context.records[2 * stage];
    r.start_s = begun;
    r.end_s = now_s();
    r.bytes_read = traffic.read_bytes;
    r.bytes_written = traffic.written_bytes;
  }
  if (receives_parts) finish(stage - 1, context);
  if (has_next && !local.sends_parts)
    for (int chunk = 0; chunk < chunks; ++chunk) start(stage, chunk, context);
}

}  // namespace weft::run
