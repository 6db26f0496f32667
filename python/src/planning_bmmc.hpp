#pragma once

#include <vector>

#include "common.hpp"
#include "ooc/crossing.hpp"
#include "ooc/pass.hpp"

namespace weft::python {

/// A permutation of records on disks, with its passes.
struct PermutationPlan {
  ooc::DiskModel disks;
  ooc::Bmmc permutation;
  std::vector<ooc::Pass> passes;
  std::vector<ooc::Crossing> crossings;  ///< of the passes, on several processors
  /// All else follows from these two.
  friend bool operator==(const PermutationPlan& a, const PermutationPlan& b) {
    return a.disks == b.disks && a.permutation == b.permutation;
  }
};

/// Permutations over GF(2): matrices, and plans of what they take.
void bind_bmmc(nanobind::module_& m);

}  // namespace weft::python
