#include "run/transform.hpp"

#include <algorithm>

#include <weft/error.hpp>

#include "plan/methods/methods.hpp"
#include "run/chirp_spectrum.hpp"
#include "run/in_step.hpp"

namespace weft::run {
Transform::Transform(const Plan& plan, const comm::Communicator& comm, const Options& options)
    : plan_(plan),
      comm_(comm),
      options_(options),
      exchanges_can_overlap_(exchanges_can_overlap(plan)),
      spectrum_(in_step(comm, [&] { return chirp_spectrum(plan, comm, options.local); })),
      execution_(comm, options.local.threads, options.own_workspace, 0,
                 [this] { return made_programs(); }) {
  progress_.reserve(2 * plan.exchanges.size());
  if (has_pipeline())
    second_execution_.emplace(comm, options.local.threads, options.own_workspace, 1,
                              [this] { return made_programs(); });
}

std::vector<RankProgram> Transform::made_programs() const {
  return programs_of(plan_, comm_.rank(), options_.local, spectrum_);
}

void Transform::use_workspace(void* memory, std::int64_t bytes) {
  if (!has_pipeline()) {
    execution_.use_workspace(memory, bytes);
    options_.own_workspace = false;
    second_execution_.reset();
    return;
  }
  require_workspace(memory, bytes, workspace_bytes());
  const std::int64_t first = execution_.workspace_bytes();
  execution_.use_workspace(memory, first);
  second_execution_->use_workspace(static_cast<char*>(memory) + first, bytes - first);
  options_.own_workspace = false;
}

/// Returns an empty record for each step of each of `arrays` transforms; null unless recording.
StepRecord* Transform::make_records(const Variant& variant, std::size_t arrays) {
  if (!recording_) return nullptr;
  const std::vector<StepRecord> once = execution_.empty_records(program_number(variant));
  records_.clear();
  for (std::size_t i = 0; i < arrays; ++i)
    records_.insert(records_.end(), once.begin(), once.end());
  return records_.data();
}

bool Transform::can_wait_at_gate() const {
  return exchanges_can_overlap_ && !plan_.problem.overwrite_input;
}

void Transform::execute(const Variant& variant, const void* in, void* out, Gate* gate) {
  execution_.begin(program_number(variant), in, out, progress_, make_records(variant, 1));
  progress_.hold_at(gate);
  try {
    in_step(comm_, [&] {
      while (execution_.is_busy()) execution_.execute_stage();
    });
  } catch (...) {
    progress_.hold_at(nullptr);
    execution_.call_off();
    throw;
  }
}

/// Returns whether the components of one array are transformed in turns, with two workspaces.
bool Transform::has_pipeline() const {
  return plan_.problem.components > 1 && exchanges_can_overlap_;
}

void Transform::execute_many(const Variant& variant, std::span<const void* const> in,
                             std::span<void* const> out) {
  if (in.size() > 1 && options_.own_workspace && exchanges_can_overlap_ && !second_execution_)
    second_execution_.emplace(comm_, options_.local.threads, true, 1,
                              [this] { return made_programs(); });
  StepRecord* records = make_records(variant, in.size());
  std::vector<Execution*> executions{&execution_};
  if (second_execution_) executions.push_back(&*second_execution_);
  progress_.set_overlaps(second_execution_ && in.size() > 1);
  in_step(comm_, [&] { take_turns(variant, in, out, executions, records); });
  progress_.set_overlaps(false);
}

void Transform::take_turns(const Variant& variant, std::span<const void* const> in,
                           std::span<void* const> out, std::span<Execution* const> executions,
                           StepRecord* records) {
  // An exchange follows each stage but the last.
  const std::size_t steps_an_array = 2 * execution_.stage_count() - 1;
  std::size_t next = 0;
  const auto is_busy = [](const Execution* execution) { return execution->is_busy(); };
  while (next < in.size() || std::any_of(executions.begin(), executions.end(), is_busy))
    for (Execution* execution : executions) {
      if (!execution->is_busy() && next < in.size()) {
        execution->begin(program_number(variant), in[next], out[next], progress_,
                         records ? records + next * steps_an_array : nullptr);
        ++next;
      }
      if (execution->is_busy()) execution->execute_stage();
    }
}

}  // namespace weft::run
