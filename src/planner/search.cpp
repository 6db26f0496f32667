#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "model/cost.hpp"
#include "model/moving.hpp"
#include "plan/readable.hpp"
#include "planner/describe.hpp"
#include "planner/search.hpp"
#include "planner/ways.hpp"

namespace weft::planner {
namespace {

/// So many ways to divide the problem, the fastest where every node had a link of its own, have the
/// links counted that nodes share.
constexpr std::size_t most_counted = 16;
/// So many of these have all their exchanges tried.
constexpr std::size_t most_refined = 8;
/// What is less simple must be better by this share.
constexpr double worth_it = 0.005;

class Search {
 public:
  explicit Search(const Machine& machine) : machine_(machine), alone_(machine) {
    alone_.topology = {.network = Network::crossbar, .nodes = machine.topology.nodes};
  }

  Found found(const Problem& problem) {
    std::vector<Priced> all;
    for (Plan& plan : ways(problem)) all.push_back(priced(std::move(plan), alone_));
    keep_those_that_fit(all);
    keep_fastest(all, most_counted);
    for (Priced& each : all) each = priced(std::move(each.plan), machine_);
    keep_fastest(all, most_refined);
    for (Priced& each : all) refine(each);
    sort(all);
    return best_first(std::move(all.front()));
  }

 private:
  /// Bytes of input, output and workspace on the node that holds most.
  double node_bytes(const Plan& plan) const {
    std::int64_t most = 0;
    for (const Stage& stage : plan.stages)
      most = std::max({most, stage.source.max_local_volume(), stage.target.max_local_volume()});
    const std::int64_t ranks = model::working_on_node(plan.problem, plan.input(), machine_);
    return 3.0 * static_cast<double>(most * complex_bytes(plan.problem.precision) * ranks);
  }

  /// Where nothing fits, what spreads the array most stays.
  void keep_those_that_fit(std::vector<Priced>& all) {
    if (machine_.memory_bytes == 0) return;
    const auto limit = static_cast<double>(machine_.memory_bytes);
    const auto too_large = [&](const Priced& each) { return node_bytes(each.plan) > limit; };
    fits_ = !std::all_of(all.begin(), all.end(), too_large);
    const auto least = std::min_element(all.begin(), all.end(), [&](const auto& a, const auto& b) {
      return node_bytes(a.plan) < node_bytes(b.plan);
    });
    const double bytes = node_bytes(least->plan);
    std::erase_if(all, [&](const Priced& each) {
      return fits_ ? too_large(each) : node_bytes(each.plan) > bytes;
    });
  }

  void add_notes(Plan& plan) const {
    const std::int64_t idle = plan.input().empty_ranks();
    if (idle > 0 && !plan.problem.has_input)
      plan.notes = {std::to_string(idle) + " of " + std::to_string(plan.problem.ranks) +
                    " ranks own nothing: exchanging with them would take longer than they save"};
    if (!fits_)
      plan.notes.push_back("the machine has too little memory: input, output and workspace take " +
                           readable_bytes(node_bytes(plan)) + " of a node's " +
                           readable_bytes(static_cast<double>(machine_.memory_bytes)));
  }

  Priced priced(Plan plan, const Machine& machine) {
    Priced result{std::move(plan), {}, 0};
    result.cost = model::cost(result.plan, machine, known_);
    result.seconds = result.cost.seconds();
    ++considered_;
    return result;
  }

  static void sort(std::vector<Priced>& all) {
    std::stable_sort(all.begin(), all.end(), [](const Priced& one, const Priced& other) {
      return one.seconds < other.seconds;
    });
  }

  static void keep_fastest(std::vector<Priced>& all, std::size_t most) {
    sort(all);
    if (all.size() > most) all.resize(most);
  }

  /// The best kind for all exchanges, then exchange by exchange the best that uses the memory of
  /// nodes alike, and the best cut of it.
  void refine(Priced& now) {
    note(now);
    take_best_for_all(now);
    for (std::size_t i = 0; i < now.plan.exchanges.size(); ++i) {
      std::vector<Exchange> kinds = kinds_of_exchange(now.plan, i);
      std::erase_if(kinds, [&](const Exchange& kind) {
        return node_memory_use(kind) != node_memory_use(now.plan.exchanges[i]);
      });
      take_best(now, i, kinds);
      take_best(now, i, in_pieces(now.plan, i));
      take_best(now, i, with_chunks(now.plan, i));
    }
  }

  void take_best_for_all(Priced& now) {
    if (now.plan.exchanges.empty()) return;
    Priced best = now;
    for (const Exchange& kind : kinds_of_exchange(now.plan, 0))
      if (std::optional<Plan> plan = with_all(now.plan, kind)) consider(best, *std::move(plan));
    now = std::move(best);
  }

  /// All exchanges of one kind; nothing where forced knobs leave one of them without it.
  static std::optional<Plan> with_all(Plan plan, const Exchange& kind) {
    for (std::size_t i = 0; i < plan.exchanges.size(); ++i) {
      const std::vector<Exchange> kinds = kinds_of_exchange(plan, i);
      const auto alike = std::find_if(kinds.begin(), kinds.end(), [&](const Exchange& each) {
        return each.method == kind.method && each.wire_form == kind.wire_form &&
               each.schedule == kind.schedule && each.nodes == kind.nodes;
      });
      if (alike == kinds.end()) return {};
      plan.exchanges[i] = *alike;
    }
    return plan;
  }

  /// Takes the plan where it is worth it.
  void consider(Priced& best, Plan plan) {
    Priced other = priced(std::move(plan), machine_);
    note(other);
    if (other.seconds < best.seconds * (1 - worth_it)) best = std::move(other);
  }

  void take_best(Priced& now, std::size_t number, const std::vector<Exchange>& exchanges) {
    Priced best = now;
    for (const Exchange& exchange : exchanges) {
      Plan plan = now.plan;
      plan.exchanges[number] = exchange;
      consider(best, std::move(plan));
    }
    now = std::move(best);
  }

  /// Remembers the best of each kind of way.
  void note(const Priced& each) {
    const auto [found, is_new] = seen_.try_emplace(kind_of(each.plan), each);
    if (!is_new && each.seconds < found->second.seconds) found->second = each;
  }

  /// What was decided for, then the best of each other kind.
  Found best_first(Priced best) const {
    std::vector<Priced> others;
    for (const auto& [kind, each] : seen_)
      if (kind != kind_of(best.plan)) others.push_back(each);
    sort(others);
    Found found{{std::move(best)}, considered_};
    for (Priced& other : others) found.ways.push_back(std::move(other));
    for (Priced& each : found.ways) add_notes(each.plan);
    return found;
  }

  const Machine& machine_;
  Machine alone_;  ///< the same without links that nodes share
  model::Known known_;
  std::int64_t considered_ = 0;
  bool fits_ = true;
  std::map<std::string, Priced> seen_;
};

}  // namespace

Found search(const Problem& problem, const Machine& machine) {
  check(machine);
  return Search(machine).found(checked(problem));
}

}  // namespace weft::planner
