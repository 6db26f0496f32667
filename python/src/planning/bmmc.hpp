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
  std::vector<bmmc::ProcessorTraffic> crossings;  ///< for each pass, on several processors
  /// The other members follow from these two.
  friend bool operator==(const PermutationPlan& a, const PermutationPlan& b) {
    return a.disks == b.disks && a.permutation == b.permutation;
  }
};

/// Binds permutations over GF(2): matrices and plans.
void bind_bmmc(nanobind::module_& m);

}  // namespace weft::python
