#pragma once

#include <algorithm>
#include <array>

#include <weft/plan.hpp>

#include "base/kind_words.hpp"
#include "support/random_layouts.hpp"

namespace weft::test_support {

inline Shape random_shape(Random& random) {
  constexpr std::array<std::int64_t, 12> extents{1, 2, 3, 4, 5, 7, 8, 11, 13, 16, 31, 64};
  Shape shape(static_cast<std::size_t>(draw(random, 1, 5)));
  for (auto& extent : shape) extent = extents[static_cast<std::size_t>(draw(random, 0, 11))];
  return shape;
}

/// A non-empty subset of the axes in random order.
inline std::vector<int> random_axes(int dims, Random& random) {
  std::vector<int> axes = random_order(dims, random);
  axes.resize(static_cast<std::size_t>(draw(random, 1, dims)));
  return axes;
}

/// Returns whether output "same" is impossible: the user's boxes split an axis whose length the
/// transform changes.
inline bool same_is_impossible(const Problem& problem) {
  if (problem.output_choice != OutputChoice::same || !problem.has_input || problem.input.is_grid())
    return false;
  const Shape after = problem.output_shape();
  return std::any_of(problem.axes.begin(), problem.axes.end(), [&](int axis) {
    const auto a = static_cast<std::size_t>(axis);
    return after[a] != problem.support_of(axis) && !problem.input.is_whole(axis);
  });
}

/// Returns every exchange that needs no node memory, in one chunk and, if possible, in two.
inline std::vector<Exchange> exchanges_without_node_memory() {
  return all_exchanges({.shape = {2}, .ranks = 2}, 2);
}

/// Adds each method that is not among `ways` and needs no node memory, as it is and in 3 chunks.
inline std::vector<Exchange> with_every_method(std::vector<Exchange> ways) {
  for (const Exchange& other : exchanges_without_node_memory())
    if (std::none_of(ways.begin(), ways.end(),
                     [&](const Exchange& way) { return way.method == other.method; })) {
      ways.push_back(other);
      ways.push_back(other);
      ways.back().chunks = 3;
    }
  return ways;
}

/// Returns valid choices of an exchange. Often all choices are automatic, sometimes only some.
inline Exchange random_exchange(Random& random) {
  if (draw(random, 0, 4) > 2) return {};
  std::vector<Exchange> ways = exchanges_without_node_memory();
  // Each method is drawn as often as the others, however many schedules it has.
  std::vector<Method> methods;
  for (const Exchange& way : ways)
    if (std::find(methods.begin(), methods.end(), way.method) == methods.end())
      methods.push_back(way.method);
  const Method method = methods[static_cast<std::size_t>(
      draw(random, 0, static_cast<std::int64_t>(methods.size()) - 1))];
  std::erase_if(ways, [&](const Exchange& way) { return way.method != method; });
  Exchange exchange =
      ways[static_cast<std::size_t>(draw(random, 0, static_cast<std::int64_t>(ways.size()) - 1))];
  if (exchange.chunks > 1)
    exchange.chunks = draw(random, 0, 5) == 0 ? every_slice : draw(random, 2, 4);
  if (draw(random, 0, 2) == 0) exchange.wire_form = WireForm::automatic;
  if (draw(random, 0, 2) == 0) exchange.schedule = Schedule::automatic;
  if (draw(random, 0, 2) == 0) exchange.requests = Requests::automatic;
  if (exchange.chunks == 1 && draw(random, 0, 1) == 0) exchange.chunks = 0;
  exchange.nodes = NodeUse::automatic;
  return exchange;
}

/// A valid problem of 1 to 5 axes on 1 to 64 ranks with any choice of input, output and options.
inline Problem random_problem(Random& random) {
  Problem problem;
  problem.shape = random_shape(random);
  problem.axes = random_axes(static_cast<int>(problem.shape.size()), random);
  std::vector<Kind> kinds(problem.axes.size(), Kind::c2c);
  if (draw(random, 0, 1))
    kinds[static_cast<std::size_t>(draw(random, 0, static_cast<int>(kinds.size()) - 1))] =
        Kind::r2c;
  // Some problems have axes of real kinds (dct, dst, dht). In some of these, all axes are such.
  const std::int64_t share = draw(random, 0, 3);
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    const bool is_cosine = share == 0 || (share == 1 && draw(random, 0, 1) == 1);
    if (!is_cosine) continue;
    const bool is_long = problem.shape[static_cast<std::size_t>(problem.axes[i])] > 1;
    kinds[i] = static_cast<Kind>(
        draw(random, static_cast<int>(is_long ? Kind::dct1 : Kind::dct2), value_count<Kind> - 1));
  }
  if (share == 0 && draw(random, 0, 1) == 1) problem.element = Element::complex;
  problem.kinds = Kinds(std::move(kinds));
  for (auto* numbers : {&problem.modes, &problem.support}) {
    if (draw(random, 0, 3) > 0) continue;
    for (const int axis : problem.axes) {
      const std::int64_t n = problem.shape[static_cast<std::size_t>(axis)];
      numbers->push_back(draw(random, 0, 2) == 0 ? n : draw(random, 1, n));
    }
  }
  problem.precision = static_cast<Precision>(draw(random, 0, 2));
  problem.ranks = draw(random, 1, 64);
  problem.norm = static_cast<Norm>(draw(random, 0, 3));
  problem.sign = draw(random, 0, 1) ? 1 : -1;
  problem.threads = static_cast<int>(draw(random, 1, 4));
  problem.effort = static_cast<Effort>(draw(random, 0, 2));
  problem.overwrite_input = draw(random, 0, 1) == 1;
  if (draw(random, 0, 1)) {
    problem.has_input = true;
    problem.input = random_layout(problem.input_shape(), problem.ranks, random);
  }
  problem.output_choice = static_cast<OutputChoice>(draw(random, 0, 2));
  if (problem.output_choice == OutputChoice::given)
    problem.output = random_layout(problem.output_shape(), problem.ranks, random);
  problem.exchange = random_exchange(random);
  if (same_is_impossible(problem)) problem.output_choice = OutputChoice::any;
  return problem;
}

}  // namespace weft::test_support
