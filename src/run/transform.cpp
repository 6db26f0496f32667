#include "run/transform.hpp"

#include <algorithm>

#include <weft/error.hpp>

#include "run/chirp_spectrum.hpp"
#include "run/in_step.hpp"

namespace weft::run {
Transform::Transform(const Plan& plan, const comm::Communicator& comm, const Options& options)
    : plan_(plan),
      comm_(comm),
      options_(options),
      spectrum_(in_step(comm, [&] { return chirp_spectrum(plan, comm, options.local); })),
      execution_(plan, comm, options.local, options.own_workspace, 0, spectrum_) {
  progress_.reserve(2 * plan.exchanges.size());
}

void Transform::use_workspace(void* memory, std::int64_t bytes) {
  execution_.use_workspace(memory, bytes);
  options_.own_workspace = false;
  second_execution_.reset();
}

/// Returns memory for the records of `arrays` arrays; null unless recording.
StepRecord* Transform::make_records(const Variant& variant, std::size_t arrays) {
  if (!recording_) return nullptr;
  const std::vector<StepRecord> once = execution_.empty_records(variant);
  records_.clear();
  for (std::size_t i = 0; i < arrays; ++i)
    records_.insert(records_.end(), once.begin(), once.end());
  return records_.data();
}

bool Transform::can_wait_at_gate() const {
  return execution_.stage_count() > 1 && !execution_.is_shared() && !plan_.problem.overwrite_input;
}

void Transform::execute(const Variant& variant, const void* in, void* out, Gate* gate) {
  execution_.begin(variant, in, out, progress_, make_records(variant, 1));
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

/// Returns whether an exchange can overlap with the stages of another array. Exchanges in node
/// memory cannot: they have no messages to wait for.
bool Transform::can_overlap() const {
  return options_.own_workspace && execution_.stage_count() > 1 && !execution_.is_shared();
}

void Transform::execute_many(const Variant& variant, std::span<const void* const> in,
                             std::span<void* const> out) {
  if (in.size() > 1 && can_overlap() && !second_execution_)
    second_execution_.emplace(plan_, comm_, options_.local, true, 1, spectrum_);
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
  const std::size_t steps = 2 * execution_.stage_count() - 1;
  std::size_t next = 0;
  const auto is_busy = [](const Execution* execution) { return execution->is_busy(); };
  while (next < in.size() || std::any_of(executions.begin(), executions.end(), is_busy))
    for (Execution* execution : executions) {
      if (!execution->is_busy() && next < in.size()) {
        execution->begin(variant, in[next], out[next], progress_,
                         records ? records + next * steps : nullptr);
        ++next;
      }
      if (execution->is_busy()) execution->execute_stage();
    }
}

}  // namespace weft::run
