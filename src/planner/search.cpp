#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "model/cost.hpp"
#include "model/exchange_cost.hpp"
#include "model/moving.hpp"
#include "plan/methods/methods.hpp"
#include "plan/readable.hpp"
#include "planner/alternatives.hpp"
#include "planner/describe.hpp"
#include "planner/orders.hpp"
#include "planner/search.hpp"
#include "planner/short_rows.hpp"

namespace weft::planner {
namespace {

/// A division of a problem is a plan with its layouts and the order of its axes. Loads of shared
/// links are computed only for this number of divisions. These divisions would be the fastest if
/// every pair of nodes had its own link.
constexpr std::size_t most_counted = 16;
/// Number of divisions that are kept for each number of ranks, even if they are slower than others.
/// More ranks share more links and can hide less, so fewer ranks may win later.
constexpr std::size_t most_of_a_number = 2;
/// Number of kept divisions for which every order of the ranks is tried.
constexpr std::size_t most_in_all_orders = 8;
/// Number of kept divisions for which all exchanges are tried.
constexpr std::size_t most_refined = 8;
/// A less simple plan must be faster by at least this fraction.
constexpr double worth_a_change = 0.005;
/// The same for another order of the ranks. Such an order requires a different start of the
/// program, or new numbers of the ranks.
constexpr double worth_an_order = 0.02;
/// The same for another memory order between exchanges. Stages and exchanges handle tiles in any
/// order, so a predicted gain is hardly seen in practice.
constexpr double worth_a_memory_order = 0.05;
/// The same for more ranks, because communication is the least certain part of the prediction.
constexpr double worth_more_ranks = 0.05;

/// The machine with its ranks in one order, and the counts for that order.
struct Setting {
  Machine machine;
  model::KnownCounts known = {};
};

class Search {
 public:
  Search(const Machine& machine, const Freedom& freedom)
      : machine_(machine),
        alone_{machine},
        freedom_(freedom),
        may_choose_order_(machine.topology.order.empty()) {
    alone_.known.links_of_their_own = true;
    if (machine.topology.order == default_order(machine.topology)) machine_.topology.order.clear();
  }

  SearchResult found(const Problem& problem) {
    std::vector<PredictedPlan> all;
    for (Plan& plan : alternatives(problem)) {
      plan.line_effort = std::min(problem.effort, freedom_.most_effort);
      all.push_back(predicted(std::move(plan), alone_));
    }
    keep_those_that_fit(all);
    keep_fastest_of_each_number(all);
    keep_promising(all);
    for (PredictedPlan& each : all) each = predicted(std::move(each.plan), machine_.topology.order);
    if (may_choose_order_) add_in_other_orders(all);
    drop_hopeless(all);
    for (PredictedPlan& each : all) hide_what_can_be(each);
    keep_fastest(all, most_refined);
    for (PredictedPlan& each : all) refine(each);
    add_those_back_at_input(all);
    add_in_default_order(all);
    sort(all);
    PredictedPlan best = best_worth_its_rows(all, best_worth_its_order(all));
    return best_first(best_worth_its_ranks(all, std::move(best)));
  }

 private:
  /// Adds each plan of another order in the default order, too. If chunks hide an exchange, another
  /// order may gain nothing.
  void add_in_default_order(std::vector<PredictedPlan>& all) {
    if (!may_choose_order_) return;
    const std::size_t end = all.size();
    for (std::size_t i = 0; i < end; ++i) {
      if (all[i].order.empty()) continue;
      all.push_back(predicted(all[i].plan, ""));
      note(all.back());
    }
  }

  /// Adds plans with the output in the input's layout. The gain comes from the memory order of the
  /// stage before, so it must exceed worth_a_memory_order.
  void add_those_back_at_input(std::vector<PredictedPlan>& all) {
    if (!freedom_.outputs_in_node_memory) return;
    const std::size_t end = all.size();
    for (std::size_t i = 0; i < end; ++i) {
      std::optional<Plan> plan = with_output_as_input(all[i].plan);
      if (!plan) continue;
      PredictedPlan back = predicted(*std::move(plan), all[i].order);
      note(back);
      if (back.seconds < all[i].seconds * (1 - worth_a_memory_order))
        all.push_back(std::move(back));
    }
  }

  /// Returns the best plan in the default order, or in another order if the gain is worth it. The
  /// plans must be sorted by time.
  PredictedPlan best_worth_its_order(const std::vector<PredictedPlan>& all) const {
    const auto in_default = std::find_if(
        all.begin(), all.end(), [](const PredictedPlan& each) { return each.order.empty(); });
    const bool is_worth_it =
        in_default == all.end() || all.front().seconds < in_default->seconds * (1 - worth_an_order);
    return is_worth_it ? all.front() : *in_default;
  }

  /// Returns `best`, or a plan about as fast that needs at most half of its ranks. That plan must
  /// have the default order or the order of `best`. The plans must be sorted by time.
  static PredictedPlan best_worth_its_ranks(const std::vector<PredictedPlan>& all,
                                            PredictedPlan best) {
    const double limit_s = best.seconds / (1 - worth_more_ranks);
    std::int64_t used = ranks_used(best.plan);
    for (const PredictedPlan& each : all) {
      if (each.seconds > limit_s) break;
      if (!each.order.empty() && each.order != best.order) continue;
      if (2 * ranks_used(each.plan) > used) continue;
      best = each;
      used = ranks_used(best.plan);
    }
    return best;
  }

  /// Returns the bytes of input, output and workspace on the node with the most data.
  double node_bytes(const Plan& plan) const {
    std::int64_t most = 0;
    for (const Stage& stage : plan.stages)
      most = std::max({most, stage.source.max_local_volume(), stage.target.max_local_volume()});
    const std::int64_t ranks = model::working_on_node(plan.problem, plan.input(), machine_);
    // Several components need two workspaces: one is exchanged while the next is transformed.
    const std::int64_t fields = plan.problem.fields();
    const std::int64_t arrays = 2 * fields + std::min<std::int64_t>(fields, 2);
    return static_cast<double>(arrays) *
           static_cast<double>(most * complex_bytes(plan.problem.precision) * ranks);
  }

  /// Keeps the plans that fit in memory. If none fits, keeps the plans that need the least memory
  /// on a node.
  void keep_those_that_fit(std::vector<PredictedPlan>& all) {
    if (machine_.memory_bytes == 0) return;
    const auto limit = static_cast<double>(machine_.memory_bytes);
    const auto too_large = [&](const PredictedPlan& each) { return node_bytes(each.plan) > limit; };
    fits_ = !std::all_of(all.begin(), all.end(), too_large);
    const auto least = std::min_element(all.begin(), all.end(), [&](const auto& a, const auto& b) {
      return node_bytes(a.plan) < node_bytes(b.plan);
    });
    const double bytes = node_bytes(least->plan);
    std::erase_if(all, [&](const PredictedPlan& each) {
      return fits_ ? too_large(each) : node_bytes(each.plan) > bytes;
    });
  }

  /// Returns a note if threads share cores; empty if each thread has a core.
  std::string note_of_crowding(const Problem& problem) const {
    const std::int64_t ranks = model::ranks_on_node(problem, machine_);
    const std::int64_t cores = machine_.cores_per_node;
    if (ranks * problem.threads <= cores) return {};
    const std::int64_t nodes = machine_.topology.nodes;
    const std::int64_t roomy = cores / problem.threads;  ///< ranks on a node if each thread has a
                                                         ///< core
    std::string text = counted(ranks, "rank") + " of " + counted(problem.threads, "thread") +
                       " share a node's " + counted(cores, "core") + ": ";
    if (roomy == 0) return text + "use at most " + counted(cores, "thread") + " a rank";
    if (problem.ranks <= roomy * nodes)
      return text + "put at most " + counted(roomy, "rank") + " on a node";
    const std::string fewer = "use at most " + counted(roomy * nodes, "rank");
    if (nodes == 1) return text + fewer;
    return text + "the machine has too few nodes, " + std::to_string(nodes) + "; " + fewer +
           ", or a machine with more nodes";
  }

  void add_notes(Plan& plan) const {
    const std::int64_t idle = plan.input().empty_ranks();
    if (idle > 0 && !plan.problem.has_input)
      plan.notes = {std::to_string(idle) + " of " + std::to_string(plan.problem.ranks) +
                    " ranks own nothing: exchanging with them would take longer than they save"};
    if (const std::string crowding = note_of_crowding(plan.problem); !crowding.empty())
      plan.notes.push_back(crowding);
    if (!fits_)
      plan.notes.push_back("the machine has too little memory: input, output and workspace take " +
                           readable_bytes(node_bytes(plan)) + " of a node's " +
                           readable_bytes(static_cast<double>(machine_.memory_bytes)));
  }

  Setting& setting(const std::string& order) {
    const auto [found, is_new] = settings_.try_emplace(order);
    if (is_new) {
      found->second.machine = machine_;
      found->second.machine.topology.order = order;
    }
    return found->second;
  }

  PredictedPlan predicted(Plan plan, Setting& where) {
    PredictedPlan result{std::move(plan), {}, 0, where.machine.topology.order};
    result.cost = model::cost(result.plan, where.machine, where.known);
    result.seconds = result.cost.seconds();
    ++considered_;
    return result;
  }

  PredictedPlan predicted(Plan plan, const std::string& order) {
    return predicted(std::move(plan), setting(order));
  }

  /// Returns whether an order of ranks allows an exchange. In node memory, the ranks of a node must
  /// be consecutive.
  bool is_possible_in(const std::string& order, const Exchange& exchange, const Problem& problem) {
    if (node_memory_use(exchange) == NodeMemoryUse::none) return true;
    return model::placement_of(problem, setting(order).machine, setting(order).known)
        .keeps_nodes_together();
  }

  /// Adds each plan in its fastest order, if the gain is worth it. The first few plans are tried in
  /// all orders, the others only in orders that helped before.
  void add_in_other_orders(std::vector<PredictedPlan>& all) {
    sort(all);
    const std::int64_t on_node = model::ranks_on_node(all.front().plan.problem, machine_);
    std::set<std::string> helpful;
    const std::size_t end = all.size();
    for (std::size_t i = 0; i < end; ++i) {
      const bool tries_all = i < most_in_all_orders;
      PredictedPlan best = in_best_order(
          all[i], tries_all ? orders_to_try(all[i].plan, machine_.topology, on_node)
                            : std::vector<std::string>{helpful.begin(), helpful.end()});
      if (best.seconds >= all[i].seconds * (1 - worth_an_order)) continue;
      helpful.insert(best.order);
      all.push_back(std::move(best));
    }
  }

  PredictedPlan in_best_order(const PredictedPlan& now, const std::vector<std::string>& orders) {
    PredictedPlan best = now;
    const std::vector<Exchange>& exchanges = now.plan.exchanges;
    for (const std::string& order : orders) {
      const bool is_possible = std::all_of(
          exchanges.begin(), exchanges.end(),
          [&](const Exchange& each) { return is_possible_in(order, each, now.plan.problem); });
      if (!is_possible) continue;
      PredictedPlan other = predicted(now.plan, order);
      if (other.seconds < best.seconds) best = std::move(other);
    }
    return best;
  }

  static void sort(std::vector<PredictedPlan>& all) {
    std::stable_sort(all.begin(), all.end(),
                     [](const PredictedPlan& one, const PredictedPlan& other) {
                       return one.seconds < other.seconds;
                     });
  }

  static void keep_fastest(std::vector<PredictedPlan>& all, std::size_t most) {
    sort(all);
    if (all.size() > most) all.resize(most);
  }

  /// Keeps the fastest plans, and the fastest on each number of ranks. For the ranks of one or two
  /// nodes, the best exchange may not have been predicted yet.
  static void keep_fastest_of_each_number(std::vector<PredictedPlan>& all) {
    sort(all);
    std::map<std::int64_t, std::size_t> seen;
    std::vector<PredictedPlan> kept;
    for (PredictedPlan& each : all) {
      const bool is_among_first = seen[ranks_used(each.plan)]++ < most_of_a_number;
      if (is_among_first || kept.size() < most_counted) kept.push_back(std::move(each));
    }
    all = std::move(kept);
  }

  /// Keeps the plans that are fastest with their best kind of exchange. Keeps the fastest plan of
  /// each magnitude of ranks, up to half of all ranks. The kept plans do not use node memory yet,
  /// because other orders may separate the ranks of a node.
  void keep_promising(std::vector<PredictedPlan>& all) {
    std::vector<std::pair<double, PredictedPlan>> promising;
    for (PredictedPlan& each : all) {
      PredictedPlan sent = in_best_kind(each, false);
      const double seconds = in_best_kind(sent, true).seconds;
      promising.emplace_back(seconds, std::move(machine_.blocking.size() >= 2 ? sent : each));
    }
    std::stable_sort(promising.begin(), promising.end(),
                     [](const auto& one, const auto& other) { return one.first < other.first; });
    all.clear();
    std::map<int, std::size_t> seen;
    for (auto& [seconds, each] : promising) {
      const std::int64_t ranks = ranks_used(each.plan);
      const bool is_among_first =
          2 * ranks <= each.plan.problem.ranks && seen[magnitude(ranks)]++ == 0;
      if (is_among_first || all.size() < most_counted) all.push_back(std::move(each));
    }
  }

  /// Returns the integer part of the logarithm of `ranks` to the base 1.5.
  static int magnitude(std::int64_t ranks) {
    return static_cast<int>(std::log(static_cast<double>(ranks)) / std::log(1.5));
  }

  /// Drops plans that take more than twice the best time, except a few for comparison. Overlap of
  /// exchanges and stages saves at most half of the time.
  static void drop_hopeless(std::vector<PredictedPlan>& all) {
    sort(all);
    while (all.size() > most_refined && all.back().seconds > 2 * all.front().seconds)
      all.pop_back();
  }

  /// Chooses the best kind of exchange, the same for all exchanges. Chooses chunks if they are
  /// faster.
  void hide_what_can_be(PredictedPlan& now) {
    note(now);
    take_best_for_all(now);
    for (std::size_t i = 0; i < now.plan.exchanges.size(); ++i)
      take_best(now, i, in_chunks(now.plan, i, kinds_of_exchange(now.plan, i)));
  }

  /// Chooses the memory order between exchanges. Then chooses for each exchange the best kind with
  /// the same use of node memory, and its best chunks or pieces.
  void refine(PredictedPlan& now) {
    for (std::size_t i = 0; i < now.plan.stages.size(); ++i)
      if (std::optional<Plan> plan = with_contiguous_lines(now.plan, i))
        consider(now, *std::move(plan), worth_a_memory_order);
    for (std::size_t i = 0; i < now.plan.exchanges.size(); ++i) {
      std::vector<Exchange> kinds = kinds_of_exchange(now.plan, i);
      std::erase_if(kinds, [&](const Exchange& kind) {
        return node_memory_use(kind) != node_memory_use(now.plan.exchanges[i]);
      });
      take_best(now, i, whole_and_in_pieces(now.plan, i, kinds));
      take_best(now, i, in_chunks(now.plan, i, kinds));
    }
  }

  /// Returns the exchange in chunks, of the current kind and of the kinds that send all messages at
  /// once. Chunks of the latter are the cheapest.
  static std::vector<Exchange> in_chunks(const Plan& plan, std::size_t number,
                                         const std::vector<Exchange>& kinds) {
    std::vector<Exchange> found = with_chunks(plan, number);
    Plan other = plan;
    for (const Exchange& kind : kinds) {
      if (!sends_messages(kind) || kind.schedule != Schedule::scattered) continue;
      if (kind.wire_form != plan.exchanges[number].wire_form) continue;
      other.exchanges[number] = kind;
      const std::vector<Exchange> cut = with_chunks(other, number);
      found.insert(found.end(), cut.begin(), cut.end());
    }
    return found;
  }

  /// Returns each kind with whole messages and in pieces. If whole messages of a kind block each
  /// other, the kind may still be the best in pieces. If messages of every length have the same
  /// rate, pieces only cost time, and none are returned.
  std::vector<Exchange> whole_and_in_pieces(const Plan& plan, std::size_t number,
                                            const std::vector<Exchange>& kinds) const {
    std::vector<Exchange> found = kinds;
    if (machine_.blocking.size() < 2 && machine_.between_nodes.pieces.size() < 2) return found;
    Plan other = plan;
    for (const Exchange& kind : kinds) {
      other.exchanges[number] = kind;
      const std::vector<Exchange> cut = in_pieces(other, number);
      found.insert(found.end(), cut.begin(), cut.end());
    }
    return found;
  }

  /// Returns the plan with its best kind of exchange, as if every pair of nodes had its own link.
  /// So a plan is not dropped only because the messages of one kind of exchange block each other.
  PredictedPlan in_best_kind(PredictedPlan now, bool in_node_memory) {
    if (now.plan.exchanges.empty()) return now;
    for (const Exchange& kind : whole_and_in_pieces(now.plan, 0, kinds_of_exchange(now.plan, 0))) {
      if ((node_memory_use(kind) != NodeMemoryUse::none) != in_node_memory) continue;
      if (!is_possible_in(now.order, kind, now.plan.problem)) continue;
      if (std::optional<Plan> plan = with_all(now.plan, kind))
        if (PredictedPlan other = predicted(*std::move(plan), alone_); other.seconds < now.seconds)
          now = std::move(other);
    }
    return now;
  }

  void take_best_for_all(PredictedPlan& now) {
    if (now.plan.exchanges.empty()) return;
    PredictedPlan best = now;
    for (const Exchange& kind : whole_and_in_pieces(now.plan, 0, kinds_of_exchange(now.plan, 0))) {
      if (!is_possible_in(now.order, kind, now.plan.problem)) continue;
      if (std::optional<Plan> plan = with_all(now.plan, kind)) consider(best, *std::move(plan));
    }
    now = std::move(best);
  }

  /// Returns the plan with all exchanges of one kind and in the same pieces. Returns nothing if
  /// forced choices exclude this.
  static std::optional<Plan> with_all(Plan plan, const Exchange& kind) {
    for (std::size_t i = 0; i < plan.exchanges.size(); ++i) {
      const std::vector<Exchange> kinds = kinds_of_exchange(plan, i);
      const auto alike = std::find_if(kinds.begin(), kinds.end(), [&](const Exchange& each) {
        return each.method == kind.method && each.wire_form == kind.wire_form &&
               each.schedule == kind.schedule && each.nodes == kind.nodes;
      });
      if (alike == kinds.end()) return {};
      plan.exchanges[i] = *alike;
      if (kind.piece_bytes > 0) plan.exchanges[i].piece_bytes = kind.piece_bytes;
    }
    return plan;
  }

  /// Replaces `best` by the plan if the gain exceeds `worth`.
  void consider(PredictedPlan& best, Plan plan, double worth = worth_a_change) {
    PredictedPlan other = predicted(std::move(plan), best.order);
    note(other);
    if (other.seconds < best.seconds * (1 - worth)) best = std::move(other);
  }

  void take_best(PredictedPlan& now, std::size_t number, const std::vector<Exchange>& exchanges) {
    PredictedPlan best = now;
    for (const Exchange& exchange : exchanges) {
      Plan plan = now.plan;
      plan.exchanges[number] = exchange;
      consider(best, std::move(plan));
    }
    now = std::move(best);
  }

  /// Remembers the best plan of each kind and order of ranks.
  void note(const PredictedPlan& each) {
    const auto [found, is_new] = seen_.try_emplace({kind_of(each.plan), each.order}, each);
    if (!is_new && each.seconds < found->second.seconds) found->second = each;
  }

  /// Returns the chosen plan, then the best of each other kind.
  SearchResult best_first(PredictedPlan best) {
    std::vector<PredictedPlan> others;
    const KindAndOrder kind_of_best{kind_of(best.plan), best.order};
    for (const auto& [kind, each] : seen_)
      if (kind != kind_of_best) others.push_back(each);
    sort(others);
    SearchResult found{{std::move(best)}, considered_};
    for (PredictedPlan& other : others) found.plans.push_back(std::move(other));
    for (PredictedPlan& each : found.plans) {
      add_notes(each.plan);
      if (!each.order.empty())
        each.default_order_s =
            model::cost(each.plan, setting("").machine, setting("").known).seconds();
    }
    return found;
  }

  using KindAndOrder =
      std::pair<std::string, std::string>;  ///< kind of plan, and the order of its ranks

  Machine machine_;  ///< its order is empty if it is the default one
  Setting alone_;    ///< as if each pair of nodes had its own link
  const Freedom freedom_;
  const bool may_choose_order_;
  std::map<std::string, Setting> settings_;  ///< by order
  std::int64_t considered_ = 0;
  bool fits_ = true;
  std::map<KindAndOrder, PredictedPlan> seen_;
};

}  // namespace

std::int64_t ranks_used(const Plan& plan) {
  std::int64_t least_idle = plan.problem.ranks;
  for (const Stage& stage : plan.stages)
    least_idle = std::min({least_idle, stage.source.empty_ranks(), stage.target.empty_ranks()});
  return plan.problem.ranks - least_idle;
}

Machine with_ranks_in_place(Machine machine) {
  if (machine.topology.order.empty()) machine.topology.order = default_order(machine.topology);
  return machine;
}

SearchResult search(const Problem& problem, const Machine& machine, const Freedom& freedom) {
  check(machine);
  return Search(machine, freedom).found(checked(problem));
}

}  // namespace weft::planner
