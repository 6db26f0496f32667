#include "run/rank_program.hpp"

#include <algorithm>
#include <utility>

#include "base/clock.hpp"
#include "plan/chunks.hpp"
#include "plan/methods/methods.hpp"
#include "plan/round_trip_steps.hpp"

namespace weft::run {
namespace {

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
      // Half a spectrum in natural order has another shape than its columns. The input and the
      // output of a convolution have another shape than its rows.
      if (piece.box.dims() != whole.source.dims()) return false;
      return piece.box.upper[axis] <= range.lo || piece.box.lower[axis] >= range.hi;
    });
  return spec;
}

}  // namespace

RankProgram::RankProgram(const Plan& plan, const Variant& variant, std::int64_t rank,
                         const kernel::LocalOptions& options,
                         const std::shared_ptr<const kernel::LineSpectrum>& spectrum)
    : route_(route_of(plan, variant, rank, spectrum)) {
  make(plan.problem, rank, options, false);
  if (buffers_.sizes[spare_buffer] == 0 || is_shared()) return;
  // Here some stage needs a spare buffer. The first stage can use the work buffer instead, if it
  // does not write the own block directly into that buffer.
  make(plan.problem, rank, options, true);
}

RankProgram::RankProgram(const Problem& problem, RankRoute route, std::int64_t rank,
                         const kernel::LocalOptions& options, std::vector<std::size_t> joint)
    : route_(std::move(route)), joint_(std::move(joint)) {
  make(problem, rank, options, false);
}

bool RankProgram::is_joint(std::size_t position) const {
  return std::find(joint_.begin(), joint_.end(), position) != joint_.end();
}

void RankProgram::make(const Problem& problem, std::int64_t rank,
                       const kernel::LocalOptions& options, bool first_uses_work) {
  buffers_ = assign_buffers(problem, route_, rank, first_uses_work);
  stages_.clear();
  scratch_ = {};
  for (std::size_t position = 0; position < route_.stages.size(); ++position)
    add_stage(position, options);
}

void RankProgram::grow_to(const BufferSizes& sizes, const kernel::ScratchSize& scratch) {
  for (std::size_t buffer = 0; buffer < sizes.size(); ++buffer)
    buffers_.sizes[buffer] = std::max(buffers_.sizes[buffer], sizes[buffer]);
  scratch_.grow_to(scratch);
}

void RankProgram::add_stage(std::size_t position, const kernel::LocalOptions& options) {
  const RouteStage& each = route_.stages[position];
  const StageSpec& spec = buffers_.stages[position];
  const StageParts parts = buffers_.parts_of(position);
  LocalStage local{stage_name(position, each.stage), {}, parts.sends};
  if (is_joint(position)) {
    local.parts.resize(static_cast<std::size_t>(parts.count));
    stages_.push_back(std::move(local));
    return;
  }
  for (int part = 0; part < parts.count; ++part)
    local.parts.push_back(
        make_sweeps(part_of(spec, parts.axis, part, parts.count), options, buffers_.sizes));
  const bool one_to_one = spec.inlet.pieces.size() == 1 && spec.outlet.pieces.size() == 1;
  if (each.stage.axes.empty() && !spec.hermitian_order && !spec.chirp && one_to_one &&
      spec.inlet.narrow == spec.outlet.narrow) {
    local.is_copy = spec.inlet.pieces[0].strides == spec.outlet.pieces[0].strides;
    local.from = spec.inlet.pieces[0].buffer;
    local.to = spec.outlet.pieces[0].buffer;
  }
  for (const auto& sweeps : local.parts)
    for (const kernel::Sweep& sweep : sweeps) scratch_.grow_to(sweep.scratch_size());
  stages_.push_back(std::move(local));
}

std::vector<StageSpec> RankProgram::joint_stage(std::size_t stage) const {
  const StageParts parts = buffers_.parts_of(stage);
  std::vector<StageSpec> specs;
  for (int part = 0; part < parts.count; ++part)
    specs.push_back(part_of(buffers_.stages[stage], parts.axis, part, parts.count));
  return specs;
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
  if (shared) shared->begin(buffers, buffers_.sizes, static_cast<int>(route_.call));
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
  r.bytes_from_others = executor.bytes_from_others();
}

void RankProgram::execute_part(std::size_t stage, std::size_t part, const Context& context,
                               kernel::MemoryTraffic& traffic) const {
  const LocalStage& local = stages_[stage];
  if (local.is_copy && context.buffers[local.from] == context.buffers[local.to]) return;
  for (const kernel::Sweep& sweep : local.parts[part])
    traffic += sweep.execute(context.buffers, context.scratch);
}

void RankProgram::begin_stage(std::size_t stage, const Context& context) const {
  if (stage == 0) return;
  if (context.records) context.records[2 * stage - 1].waited_s = 0;
  if (!receives_parts(stage)) finish(stage - 1, context);
}

void RankProgram::begin_part(std::size_t stage, std::size_t part, const Context& context) const {
  if (receives_parts(stage)) wait(stage - 1, static_cast<int>(part), context);
}

void RankProgram::end_part(std::size_t stage, std::size_t part, const Context& context) const {
  if (stages_[stage].sends_parts) start(stage, static_cast<int>(part), context);
}

void RankProgram::end_receiving(std::size_t stage, const Context& context) const {
  if (receives_parts(stage)) finish(stage - 1, context);
}

void RankProgram::end_stage(std::size_t stage, const Context& context) const {
  if (stage + 1 == stages_.size() || stages_[stage].sends_parts) return;
  for (int chunk = 0; chunk < buffers_.exchanges[stage].side.chunks; ++chunk)
    start(stage, chunk, context);
}

void RankProgram::execute_stage(std::size_t stage, const Context& context) const {
  begin_stage(stage, context);
  const double begun = context.records ? now_s() : 0;
  kernel::MemoryTraffic traffic;
  for (std::size_t part = 0; part < stages_[stage].parts.size(); ++part) {
    begin_part(stage, part, context);
    execute_part(stage, part, context, traffic);
    end_part(stage, part, context);
  }
  if (context.records) {
    StepRecord& r = context.records[2 * stage];
    r.start_s = begun;
    r.end_s = now_s();
    r.bytes_read = traffic.read_bytes;
    r.bytes_written = traffic.written_bytes;
  }
  end_receiving(stage, context);
  end_stage(stage, context);
}

}  // namespace weft::run
