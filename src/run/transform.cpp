#include "run/transform.hpp"

#include <algorithm>

#include <weft/error.hpp>

#include "comm/end_all_ranks.hpp"
#include "run/chirp_spectrum.hpp"

namespace weft::run {
namespace {

/// A rank whose message failed cannot go on, and the others cannot go on without it.
template <class Work>
auto in_step(const comm::Communicator& comm, Work&& work) {
  try {
    return work();
  } catch (const Error& error) {
    if (error.code() == ErrorCode::mpi_failure) comm::end_all_ranks(comm.rank(), error.what());
    throw;
  }
}

}  // namespace

Transform::Transform(const Plan& plan, const comm::Communicator& comm, const Options& options)
    : plan_(plan),
      comm_(comm),
      options_(options),
      spectrum_(in_step(comm, [&] { return chirp_spectrum(plan, comm, options.local); })),
      lane_(plan, comm, options.local, options.own_workspace, 0, spectrum_) {
  progress_.reserve(2 * plan.exchanges.size());
}

void Transform::use_workspace(void* memory, std::int64_t bytes) {
  lane_.use_workspace(memory, bytes);
  options_.own_workspace = false;
  second_lane_.reset();
}

/// Room for the records of so many arrays; null where nobody asked for them.
StepRecord* Transform::make_records(const Variant& variant, std::size_t arrays) {
  if (!recording_) return nullptr;
  const std::vector<StepRecord> once = lane_.empty_records(variant);
  records_.clear();
  for (std::size_t i = 0; i < arrays; ++i)
    records_.insert(records_.end(), once.begin(), once.end());
  return records_.data();
}

bool Transform::can_wait_at_gate() const {
  return lane_.stage_count() > 1 && !lane_.is_shared() && !plan_.problem.overwrite_input;
}

void Transform::execute(const Variant& variant, const void* in, void* out, Gate* gate) {
  lane_.begin(variant, in, out, progress_, make_records(variant, 1));
  progress_.hold_at(gate);
  try {
    in_step(comm_, [&] {
      while (lane_.is_busy()) lane_.execute_stage();
    });
  } catch (...) {
    progress_.hold_at(nullptr);
    lane_.call_off();
    throw;
  }
}

/// Ranks that share memory exchange without waiting for messages.
bool Transform::can_overlap() const {
  return options_.own_workspace && lane_.stage_count() > 1 && !lane_.is_shared();
}

void Transform::execute_many(const Variant& variant, std::span<const void* const> in,
                             std::span<void* const> out) {
  if (in.size() > 1 && can_overlap() && !second_lane_)
    second_lane_.emplace(plan_, comm_, options_.local, true, 1, spectrum_);
  StepRecord* records = make_records(variant, in.size());
  std::vector<Lane*> lanes{&lane_};
  if (second_lane_) lanes.push_back(&*second_lane_);
  progress_.set_overlaps(second_lane_ && in.size() > 1);
  in_step(comm_, [&] { take_turns(variant, in, out, lanes, records); });
  progress_.set_overlaps(false);
}

void Transform::take_turns(const Variant& variant, std::span<const void* const> in,
                           std::span<void* const> out, std::span<Lane* const> lanes,
                           StepRecord* records) {
  const std::size_t steps = 2 * lane_.stage_count() - 1;
  std::size_t next = 0;
  const auto is_busy = [](const Lane* lane) { return lane->is_busy(); };
  while (next < in.size() || std::any_of(lanes.begin(), lanes.end(), is_busy))
    for (Lane* lane : lanes) {
      if (!lane->is_busy() && next < in.size()) {
        lane->begin(variant, in[next], out[next], progress_,
                    records ? records + next * steps : nullptr);
        ++next;
      }
      if (lane->is_busy()) lane->execute_stage();
    }
}

}  // namespace weft::run
