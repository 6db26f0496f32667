#pragma once

#include <mpi.h>

#include <cstdint>

#include "support/seed.hpp"

namespace weft::test_support {

/// Returns the seed of a random test, the same on all ranks. Rank 0 prints it. Collective.
inline std::uint64_t seed_of_all_ranks(std::uint64_t default_seed) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::uint64_t seed = rank == 0 ? chosen_seed(default_seed) : 0;
  MPI_Bcast(&seed, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
  return seed;
}

}  // namespace weft::test_support
