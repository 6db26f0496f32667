// Exchanges of every method, with all choices that change how data moves.
#pragma once

#include <vector>

#include <weft/plan.hpp>

#include "comm/node_memory.hpp"
#include "mpi/support/world.hpp"
#include "support/random_problems.hpp"

namespace weft::test_support {

/// Returns whether all ranks of the test can read each other's arrays.
inline bool all_share_memory() {
  const comm::Communicator comm = all_ranks();
  return comm.node_group().size() == comm.size() &&
         comm::node_memory_kind(comm) != comm::NodeMemoryKind::ordinary;
}

/// Returns exchanges of every method that these ranks can run.
inline std::vector<Exchange> every_method() {
  std::vector<Exchange> all{
      {.method = Method::collective, .wire_form = WireForm::packed},
      {.method = Method::collective, .wire_form = WireForm::datatype},
      {.method = Method::messages, .wire_form = WireForm::packed},
      {.method = Method::messages, .wire_form = WireForm::packed, .chunks = 3},
      {.method = Method::messages, .wire_form = WireForm::packed, .piece_bytes = 64},
      {.method = Method::messages, .wire_form = WireForm::datatype},
      {.method = Method::collective, .wire = WirePrecision::f32}};
  if (all_share_memory()) {
    all.push_back({.method = Method::shared});
    all.push_back({.method = Method::messages, .nodes = NodeUse::separate});
    all.push_back({.method = Method::messages, .nodes = NodeUse::combined});
  }
  return with_every_method(all);
}

}  // namespace weft::test_support
