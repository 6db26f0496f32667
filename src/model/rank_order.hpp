#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <weft/machine.hpp>

namespace weft::model {

/// An axis of a network: its letter in an order, and its extent.
struct NetworkAxis {
  char letter = 'n';
  std::int64_t extent = 1;
  bool ring = false;
};

/// The axes by which nodes are numbered, the last one fastest.
std::vector<NetworkAxis> axes_of(const Topology&);

/// The letter of the ranks of a node.
constexpr char within_node = 't';
/// The axes of a network have the letters before it.
constexpr std::size_t most_axes = within_node - 'a';

/// One digit of a rank's number: the next digit of the axis that the letter names.
struct Digit {
  char letter = within_node;
  std::int64_t extent = 0;  ///< 0: the rest of the axis
};

/// Returns the digits of a topology's order, the fastest one first, or of the default order. Throws
/// invalid_argument for an order that does not cover every axis once.
std::vector<Digit> digits_of(const Topology&);

/// Throws invalid_argument if digits_of() does.
void check_order(const Topology&);

}  // namespace weft::model
