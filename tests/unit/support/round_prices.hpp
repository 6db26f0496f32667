#pragma once

#include <weft/machine.hpp>

#include "ooc/plan/pass_plan.hpp"

namespace weft::test_support {

/// Returns a machine with simple times: 1 us for an operation, 0.1 us for a moved byte.
inline Machine round_machine() {
  Machine machine = shipped_machine("infiniband-64");
  machine.arithmetic = {{Precision::f64, Effort::estimate, 1e-6}};
  machine.copying = {{0, 1e-7, 1e-7, Precision::f64, 1e-7, 0}};
  machine.memory_bytes_per_s = {};
  return machine;
}

/// Returns a disk with a latency of 10 ms. A read takes 1 ms and 1 us for each byte. A write takes
/// 2 ms and 2 us for each byte.
inline Disk round_disk() {
  return {.directory = "round",
          .latency_s = 0.01,
          .in_flight = 8,
          .read_access_s = 1e-3,
          .read_bytes_per_s = 1e6,
          .write_access_s = 2e-3,
          .write_bytes_per_s = 5e5};
}

/// Returns a plan that transforms the columns of 64 x 64 complex128 numbers, in four panels of 16
/// columns. Each panel is read and written in 64 runs of 256 bytes.
inline ooc::KPassPlan columns() {
  ooc::KPassPlan plan;
  plan.problem.shape = {64, 64};
  plan.problem.axes = {0};
  plan.problem.block_bytes = 256;
  plan.element_bytes = 16;
  plan.passes = {{.radix = 64, .inner = 64, .axes = {{1, 64, 1}}, .inner_width = 16}};
  return plan;
}

constexpr double panel_read_s = 64 * (1e-3 + 256e-6);
constexpr double panel_write_s = 64 * (2e-3 + 512e-6);
constexpr double panel_arithmetic_s = 16 * 5 * 64 * 6 * 1e-6;
constexpr double panel_memory_s = 64 * 16 * 16 * 1e-7;
constexpr double panel_compute_s = panel_arithmetic_s + panel_memory_s;

}  // namespace weft::test_support
