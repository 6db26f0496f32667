#include "planner/alternatives.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <set>

#include "plan/chirp_view.hpp"
#include "plan/chunks.hpp"
#include "plan/fixed_rule.hpp"
#include "plan/line_view.hpp"
#include "plan/long_line.hpp"
#include "plan/methods/methods.hpp"
#include "plan/route.hpp"
#include "planner/numbers_of_ranks.hpp"

namespace weft::planner {
namespace {

/// Number of orders of the axes that are tried for one input layout.
constexpr std::size_t most_routes = 4;

/// Returns the axes that may be split before the first stage. The axis that r2c halves may not be
/// split.
std::vector<int> splittable(const Problem& problem) {
  const Shape shape = problem.input_shape();
  std::vector<int> axes;
  for (int axis = 0; axis < static_cast<int>(shape.size()); ++axis) {
    if (!problem.halves(axis) && shape[static_cast<std::size_t>(axis)] > 1) axes.push_back(axis);
  }
  return axes;
}

/// Returns whether an axis can be transformed before the first exchange.
bool leaves_work(const Problem& problem, const Shape& grid) {
  return std::any_of(problem.axes.begin(), problem.axes.end(),
                     [&](int axis) { return grid[static_cast<std::size_t>(axis)] == 1; });
}

/// Returns the largest number of parts along an axis. The smaller this number is, the closer the
/// grid is to a cube.
std::int64_t longest(const Shape& factors) {
  std::int64_t most = 0;
  for (std::size_t i = 0; i < factors.size(); ++i) most = std::max(most, factors[i]);
  return most;
}

/// Adds the grid over three axes that is closest to a cube. If the grid splits all axes, it needs
/// one more exchange than pencils. But it can use more ranks than there are pencils.
void add_brick(const Problem& problem, std::int64_t ranks, const std::vector<int>& split,
               std::vector<Layout>& found) {
  const Shape shape = problem.input_shape();
  std::optional<Shape> best;
  for (const Shape& factors : process_grids(ranks, 3)) {
    bool fits = true;
    for (std::size_t i = 0; i < 3; ++i)
      fits = fits && factors[i] > 1 && factors[i] <= shape[static_cast<std::size_t>(split[i])];
    if (fits && (!best || longest(factors) < longest(*best))) best = factors;
  }
  if (!best) return;
  Shape grid(shape.size(), 1);
  for (std::size_t i = 0; i < 3; ++i) grid[static_cast<std::size_t>(split[i])] = (*best)[i];
  found.push_back(Layout::grid(shape, grid, {}, problem.ranks));
}

void add_grids(const Problem& problem, std::int64_t ranks, const std::vector<int>& split,
               std::vector<Layout>& found) {
  const Shape shape = problem.input_shape();
  for (const Shape& factors : process_grids(ranks, static_cast<int>(split.size()))) {
    Shape grid(shape.size(), 1);
    bool fits = true;
    for (std::size_t i = 0; i < split.size(); ++i) {
      grid[static_cast<std::size_t>(split[i])] = factors[i];
      // A factor of 1 would give a grid with fewer split axes. More parts than rows would leave
      // ranks empty.
      fits = fits && (factors[i] > 1 || ranks == 1) &&
             factors[i] <= shape[static_cast<std::size_t>(split[i])];
    }
    if (fits && leaves_work(problem, grid))
      found.push_back(Layout::grid(shape, grid, {}, problem.ranks));
  }
}

/// Returns the input layouts to try. The first is that of the fixed rule, which exists for every
/// problem. Grids over two axes are tried in all forms. Grids over three axes cost one more
/// exchange, so each choice of three axes has only one grid, on all ranks.
std::vector<Layout> inputs(const Problem& problem) {
  std::vector<Layout> found{fixed_rule_input(problem)};
  if (problem.has_input || problem.exchange.preset == Preset::p3dfft || problem.ranks == 1)
    return found;
  const std::vector<int> axes = splittable(problem);
  for (const std::int64_t ranks : numbers_of_ranks(problem, axes)) {
    for (std::size_t one = 0; one < axes.size(); ++one) {
      add_grids(problem, ranks, {axes[one]}, found);
      for (std::size_t other = one + 1; other < axes.size(); ++other)
        add_grids(problem, ranks, {axes[one], axes[other]}, found);
    }
  }
  for (std::size_t one = 0; one < axes.size(); ++one)
    for (std::size_t two = one + 1; two < axes.size(); ++two)
      for (std::size_t three = two + 1; three < axes.size(); ++three)
        add_brick(problem, problem.ranks, {axes[one], axes[two], axes[three]}, found);
  return found;
}

/// Returns the largest number of elements that one rank has at any time.
std::int64_t most_each(const Plan& plan) {
  std::int64_t most = 0;
  for (const Stage& stage : plan.stages)
    most = std::max({most, stage.source.max_local_volume(), stage.target.max_local_volume()});
  return most;
}

/// Returns the plans on `ranks` ranks that view one axis as two. If the axis has no suitable
/// factors, the view is a convolution. If the lines of the view would be convolutions themselves,
/// both views are returned.
std::vector<Plan> views_on(std::int64_t ranks, const Problem& problem) {
  std::vector<Plan> found;
  std::vector<Stage> stages = view_stages(problem, ranks);
  const bool is_seen = !stages.empty();
  if (is_seen) found.push_back(assemble(problem, std::move(stages)));
  if (is_seen && !suits_a_chirp(problem)) return found;
  stages = chirp_stages(problem, ranks);
  if (!stages.empty()) found.push_back(assemble(problem, std::move(stages)));
  return found;
}

/// Returns views on all ranks, then on fewer. Omits a number of ranks if the busiest rank has no
/// less work than with a smaller number.
std::vector<Plan> ways_of_views(const Problem& problem) {
  if (problem.shape.size() > 1) return {};
  std::vector<Plan> found = views_on(problem.ranks, problem);
  if (problem.has_input) return found;
  std::vector<Plan> on_fewer;
  std::int64_t least_each = std::numeric_limits<std::int64_t>::max();
  const std::vector<std::int64_t> numbers = numbers_of_ranks(problem, {0});
  for (auto ranks = numbers.rbegin(); *ranks < problem.ranks; ++ranks) {
    for (Plan& plan : views_on(*ranks, problem)) {
      if (most_each(plan) >= least_each) continue;
      least_each = most_each(plan);
      on_fewer.push_back(std::move(plan));
    }
  }
  std::move(on_fewer.rbegin(), on_fewer.rend(), std::back_inserter(found));
  return found;
}

template <class E>
bool agrees(E forced, E has) {
  return forced == E::automatic || forced == has;
}

}  // namespace

std::vector<Plan> alternatives(const Problem& problem) {
  // The model has times of lines in cache only. It would predict too little for a long line.
  if (std::vector<Stage> line = long_line_stages(problem); !line.empty())
    return {assemble(problem, std::move(line))};
  std::vector<Plan> found = ways_of_views(problem);
  std::set<std::vector<std::int64_t>> seen;
  Starts starts;
  for (const Layout& input : inputs(problem)) {
    if (input.is_grid() && input.first_rank() == 0 && !seen.insert(input.process_grid()).second)
      continue;
    for (std::vector<Stage>& stages : routes(problem, input, most_routes, starts))
      found.push_back(assemble(problem, std::move(stages)));
  }
  return found;
}

std::optional<Plan> with_contiguous_lines(Plan plan, std::size_t number) {
  const bool is_seen = number == 0 || number + 1 == plan.stages.size() || !plan.view().empty();
  Stage& stage = plan.stages[number];
  if (is_seen || plan.problem.exchange.preset != Preset::none || stage.axes.empty()) return {};
  std::vector<int> order = stage.source.order();
  const auto first = std::find(order.begin(), order.end(), stage.axes.front());
  if (first + 1 == order.end()) return {};
  std::rotate(first, first + 1, order.end());
  stage.source = stage.source.with_order(order);
  stage.target = stage.target.with_order(order);
  return plan;
}

std::optional<Plan> with_output_as_input(Plan plan) {
  const Problem& problem = plan.problem;
  const bool is_free =
      problem.output_choice == OutputChoice::any && problem.exchange.preset == Preset::none;
  if (!is_free || plan.exchanges.empty() || !plan.view().empty()) return {};
  const bool is_cut = first_resized_cut(plan.input(), problem) >= 0;
  if (is_cut && !plan.input().is_grid()) return {};
  const Layout goal = same_layout(plan.input(), problem);
  if (plan.stages.back().axes.empty() || plan.output().same_boxes(goal)) return {};
  const std::size_t last_before = plan.stages.size() - 1;
  plan.stages.push_back({goal, goal, {}});
  plan.exchanges.push_back(choose_exchange(problem, last_before, 1));
  if (node_memory_use(plan.exchanges.back()) != node_memory_use(plan.exchanges.front())) return {};
  std::optional<Plan> ordered = with_contiguous_lines(plan, last_before);
  return ordered ? ordered : plan;
}

std::vector<Exchange> kinds_of_exchange(const Plan& plan, std::size_t number) {
  const Exchange& now = plan.exchanges[number];
  const Exchange forced = forced_exchange(plan.problem, number);
  std::vector<Exchange> found{now};
  if (plan.problem.ranks == 1) return found;
  for (Exchange each : all_exchanges(plan.problem, 1)) {
    if (forced.requests == Requests::automatic && each.requests == Requests::persistent) continue;
    if (!has_method(forced) && is_on_request(each)) continue;
    each.chunks = now.chunks;
    each.wire = now.wire;
    each.piece_bytes = now.piece_bytes;
    const bool fits = agrees(forced.method, each.method) &&
                      agrees(forced.wire_form, each.wire_form) &&
                      agrees(forced.schedule, each.schedule) &&
                      agrees(forced.requests, each.requests) && agrees(forced.nodes, each.nodes);
    if (fits && is_possible(each) && !(each == now)) found.push_back(each);
  }
  return found;
}

std::optional<Plan> with_persistent_requests(Plan plan) {
  bool differs = false;
  for (std::size_t i = 0; i < plan.exchanges.size(); ++i) {
    Exchange other = plan.exchanges[i];
    if (other.requests != Requests::ordinary) continue;
    if (forced_exchange(plan.problem, i).requests != Requests::automatic) continue;
    other.requests = Requests::persistent;
    if (!is_possible(other)) continue;
    plan.exchanges[i] = other;
    differs = true;
  }
  if (!differs) return {};
  return plan;
}

NodeMemoryUse node_memory_use(const Exchange& exchange) {
  if (reads_peers(exchange)) return NodeMemoryUse::by_stages;
  return is_node_aware(exchange) ? NodeMemoryUse::by_messages : NodeMemoryUse::none;
}

std::vector<Exchange> with_chunks(const Plan& plan, std::size_t number) {
  const Exchange& now = plan.exchanges[number];
  std::vector<Exchange> found;
  if (forced_exchange(plan.problem, number).chunks != 0) return found;
  const std::int64_t most = most_slices(plan, number);
  for (std::int64_t chunks = 2; chunks < 2 * most; chunks *= 2) {
    Exchange each = now;
    each.chunks = std::min(chunks, most);
    if (is_possible(each)) found.push_back(each);
  }
  return found;
}

std::vector<Exchange> in_pieces(const Plan& plan, std::size_t number) {
  std::vector<Exchange> found;
  if (forced_exchange(plan.problem, number).piece_bytes != 0) return found;
  for (const std::int64_t bytes : {1 << 20, 256 << 10, 64 << 10, 16 << 10}) {
    Exchange each = plan.exchanges[number];
    each.piece_bytes = bytes;
    if (is_possible(each)) found.push_back(each);
  }
  return found;
}

}  // namespace weft::planner
