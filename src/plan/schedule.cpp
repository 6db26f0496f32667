#include "plan/schedule.hpp"

#include <string>

#include <weft/error.hpp>

namespace weft {

std::int64_t pairwise_rounds(std::int64_t ranks) {
  if (ranks < 1) {
    throw Error(ErrorCode::invalid_argument,
                "a schedule needs at least 1 rank; given " + std::to_string(ranks));
  }
  if (ranks == 1) return 0;
  return ranks % 2 == 0 ? ranks - 1 : ranks;
}

std::int64_t pairwise_partner(std::int64_t round, std::int64_t rank, std::int64_t ranks) {
  const std::int64_t rounds = pairwise_rounds(ranks);
  if (rank < 0 || rank >= ranks || round < 0 || round >= rounds) {
    throw Error(ErrorCode::invalid_argument, "round " + std::to_string(round) + " of rank " +
                                                 std::to_string(rank) + " does not exist among " +
                                                 std::to_string(ranks) + " ranks, which have " +
                                                 std::to_string(rounds) + " rounds");
  }
  // Ranks 0..m-1, m odd, are on a circle. In round t two of them meet if their sum is 2t modulo m.
  // Rank t has no partner on the circle. If `ranks` is even, it meets rank m in the middle;
  // otherwise it is idle.
  const std::int64_t circle = rounds;
  const std::int64_t middle = ranks - 1;
  if (ranks % 2 == 0) {
    if (rank == middle) return round;
    if (rank == round) return middle;
  }
  return (2 * round - rank + circle) % circle;
}

}  // namespace weft
