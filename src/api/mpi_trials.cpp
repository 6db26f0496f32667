#include "api/mpi_trials.hpp"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include <weft/error.hpp>

#include "base/clock.hpp"
#include "comm/agreement.hpp"

namespace weft::api {
namespace {

/// Makes an array of zeros, and touches each page. Repeated transforms of zeros remain zeros, and
/// cost as much as transforms of other numbers.
void make_room(AlignedBuffer& buffer, std::int64_t bytes) {
  if (buffer.size() >= bytes) return;
  buffer = AlignedBuffer();
  buffer = AlignedBuffer(bytes);
  std::memset(buffer.data(), 0, static_cast<std::size_t>(bytes));
}

}  // namespace

MpiTrials::MpiTrials(const comm::Communicator& comm, OptionsOf options_of)
    : comm_(comm), options_of_(std::move(options_of)), begun_s_(now_s()) {}

double MpiTrials::elapsed_s() { return comm_.broadcast_value(now_s() - begun_s_, 0); }

bool MpiTrials::prepare(int place, const Plan& plan) {
  std::optional<run::Transform>& transform = transforms_[static_cast<std::size_t>(place)];
  transform.reset();
  const std::int64_t one = complex_bytes(plan.problem.precision);
  Fields& fields = fields_[static_cast<std::size_t>(place)];
  fields = {plan.problem.fields(), plan.input().local_volume(comm_.rank()) * one,
            plan.output().local_volume(comm_.rank()) * one};
  try {
    comm::together(comm_, [&] {
      make_room(in_, fields.count * fields.in_bytes);
      make_room(out_, fields.count * fields.out_bytes);
    });
    transform.emplace(plan, comm_, options_of_(plan));
  } catch (const Error& error) {
    if (error.code() != ErrorCode::out_of_memory) throw;
    return false;
  }
  return true;
}

double MpiTrials::run(int place, int repetitions) {
  run::Transform& transform = *transforms_[static_cast<std::size_t>(place)];
  const Fields& fields = fields_[static_cast<std::size_t>(place)];
  std::vector<const void*> inputs;
  std::vector<void*> outputs;
  for (std::int64_t i = 0; i < fields.count; ++i) {
    inputs.push_back(in_.as<const char>() + i * fields.in_bytes);
    outputs.push_back(out_.as<char>() + i * fields.out_bytes);
  }
  comm_.barrier();
  const double start_s = now_s();
  for (int i = 0; i < repetitions; ++i) {
    // Every call of a user begins with this agreement of all ranks.
    comm::agree_or_throw(comm_, {});
    transform.execute_many({Direction::forward, false}, inputs, outputs);
  }
  return comm_.max(now_s() - start_s) / repetitions;
}

}  // namespace weft::api
