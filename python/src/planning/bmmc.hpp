#pragma once

#include <vector>

#include "bmmc/plan/permutation_pass.hpp"
#include "bmmc/plan/processor_traffic.hpp"
#include "common.hpp"

namespace weft::python {

/// A permutation of records on disks, with its passes.
struct PermutationPlan {
  bmmc::DiskModel disks;
  bmmc::Bmmc permutation;
  std::vector<bmmc::PermutationPass> passes;
  std::vector<bmmc::ProcessorTraffic> crossings;  ///< of the passes, on several processors
  /// All else follows from these two.
  friend bool operator==(const PermutationPlan& a, const PermutationPlan& b) {
    return a.disks == b.disks && a.permutation == b.permutation;
  }
};

/// Permutations over GF(2): matrices, and plans of what they take.
void bind_bmmc(nanobind::module_& m);

}  // namespace weft::python
