#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <weft/machine.hpp>

namespace weft::model {

/// An axis of a network. An order of ranks names the axis by its letter.
struct NetworkAxis {
  char letter = 'n';
  std::int64_t extent = 1;
  bool ring = false;
};

/// The axes by which nodes are numbered, the last one fastest.
std::vector<NetworkAxis> axes_of(const Topology&);

/// The letter for the position of a rank within its node.
constexpr char within_node = 't';
/// Maximum number of axes of a network. Their letters come before within_node.
constexpr std::size_t most_axes = within_node - 'a';

/// One digit of a rank's number, which is written in mixed radix. The letter names an axis. If an
/// axis has several digits, the first one is the fastest part of the position on this axis.
struct Digit {
  char letter = within_node;
  std::int64_t extent = 0;  ///< radix of the digit; 0: as large as the rest of the axis
};

/// Returns the digits of a topology's order, the fastest first. If the order is empty, takes the
/// default order. Throws invalid_argument for an order that does not cover every axis once.
std::vector<Digit> digits_of(const Topology&);

/// Throws invalid_argument if digits_of() does.
void check_order(const Topology&);

}  // namespace weft::model
