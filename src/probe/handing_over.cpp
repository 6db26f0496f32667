#include "probe/handing_over.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/memory.hpp"
#include "comm/node_memory.hpp"
#include "model/cost.hpp"
#include "model/moving.hpp"
#include "probe/engines.hpp"
#include "run/transform.hpp"

namespace weft::probe {
namespace {

constexpr std::int64_t columns = 256;  ///< points along the axis that is split first
constexpr std::int64_t rows = 64;      ///< points along the axis that is transformed first
/// Bytes of the largest measured array on a rank. Longer arrays have left the caches when others
/// read them, and cost the same per byte.
constexpr std::int64_t longest = 32 << 20;

/// Plans a transform of about `bytes` bytes on each rank, in which every rank reads from every
/// other.
Plan plan_of(Precision precision, std::int64_t bytes, const comm::Communicator& node, int threads) {
  const std::int64_t ranks = node.size();
  const std::int64_t planes = bytes * ranks / (columns * rows * complex_bytes(precision));
  Problem problem{.shape = {columns, std::max<std::int64_t>(1, planes), rows},
                  .axes = {0, 2},
                  .precision = precision};
  problem.ranks = problem.ranks_per_node = ranks;
  problem.threads = threads;
  problem.exchange.method = Method::shared;
  problem.has_input = true;
  problem.input = Layout::grid(problem.shape, {ranks, 1, 1});
  return make_plan(problem);
}

/// Returns the bytes of the largest box of a rank, in the input or the output.
std::int64_t box_bytes(const Plan& plan) {
  return complex_bytes(plan.problem.precision) *
         std::max(plan.input().max_local_volume(), plan.output().max_local_volume());
}

std::int64_t largest_box(const std::vector<Plan>& plans) {
  std::int64_t bytes = 0;
  for (const Plan& plan : plans) bytes = std::max(bytes, box_bytes(plan));
  return bytes;
}

/// Returns the bytes that a rank reads from others.
double read_bytes(const Plan& plan) {
  const auto ranks = static_cast<double>(plan.problem.ranks);
  return static_cast<double>(box_bytes(plan)) * (ranks - 1) / ranks;
}

double known_seconds(const Plan& plan, const Machine& machine) {
  model::KnownCounts known;
  return model::cost(plan, machine, known).seconds();
}

class ExchangeArrays {
 public:
  explicit ExchangeArrays(std::int64_t bytes) : in_(bytes), out_(bytes) {
    std::memset(in_.data(), 0, static_cast<std::size_t>(bytes));
    std::memset(out_.data(), 0, static_cast<std::size_t>(bytes));
  }

  Work transform(const Plan& plan, const comm::Communicator& node,
                 const kernel::LocalOptions& local) const {
    const auto made =
        std::make_shared<run::Transform>(plan, node, run::Transform::Options{local, true});
    return {std::string("exchange in node memory ") + to_string(plan.problem.precision),
            static_cast<double>(box_bytes(plan)), [this, made] {
              made->execute({Direction::forward, false}, in_.data(), out_.data());
            }};
  }

 private:
  AlignedBuffer in_;
  AlignedBuffer out_;
};

}  // namespace

bool measure_handing_over(Timing& timing, int visits, Machine& machine,
                          const comm::Communicator& comm, const LocalProbe& local,
                          const std::function<bool(const Copying&)>& is_wanted) {
  const comm::Communicator node = comm.node_group();
  const comm::NodeMemoryKind kind = comm::node_memory_kind(comm);  // collective, so first
  const bool shares =
      node.size() > 1 && node.size() <= rows && kind != comm::NodeMemoryKind::ordinary;
  std::vector<Copying*> wanted;
  for (Copying& each : machine.copying)
    if (is_wanted(each)) wanted.push_back(&each);
  if (comm.min(std::int64_t{shares && !wanted.empty()}) == 0) return false;
  std::vector<Plan> plans;
  for (const Copying* each : wanted)
    plans.push_back(plan_of(each->precision, std::min(each->bytes, longest), node, local.threads));
  const ExchangeArrays arrays(largest_box(plans));
  std::vector<Work> works;
  for (const Plan& plan : plans) {
    const Precision precision = plan.problem.precision;
    const auto engines = common_engines(local.engine, precision, comm);
    works.push_back(arrays.transform(
        plan, node, fastest_for({rows, columns}, precision, engines, local.threads, comm)));
  }
  const std::vector<double> seconds = timing.seconds_in_turn(works, visits);
  const double against_one_core =
      model::time_against_one_core(plans.front().problem, node.size(), machine);
  // The known times must not contain the time to be measured.
  for (Copying* each : wanted) each->handed_over_s_per_byte = 0;
  std::vector<double> found;
  for (std::size_t i = 0; i < plans.size(); ++i)
    found.push_back(std::max(0.0, seconds[i] - known_seconds(plans[i], machine)) /
                    read_bytes(plans[i]) / against_one_core);
  for (std::size_t i = 0; i < plans.size(); ++i) wanted[i]->handed_over_s_per_byte = found[i];
  return true;
}

}  // namespace weft::probe
