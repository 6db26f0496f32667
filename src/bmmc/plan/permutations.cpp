#include "bmmc/plan/permutations.hpp"

#include <algorithm>
#include <string>

#include <weft/error.hpp>

namespace weft::bmmc {
namespace {

void check_permutation(const std::vector<int>& given, const char* what) {
  std::vector<int> sorted = given;
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t k = 0; k < sorted.size(); ++k) {
    if (sorted[k] == static_cast<int>(k)) continue;
    std::string text;
    for (const int value : given) text += (text.empty() ? "" : ", ") + std::to_string(value);
    throw Error(ErrorCode::invalid_argument, std::string(what) + " must name each of 0.." +
                                                 std::to_string(given.size() - 1) +
                                                 " once; given (" + text + "); give a permutation");
  }
}

}  // namespace

BitMatrix bit_permutation(const std::vector<int>& target) {
  const auto n = static_cast<int>(target.size());
  BitMatrix result(n, n);
  check_permutation(target, "the targets of bits");
  for (int k = 0; k < n; ++k) result.set(target[static_cast<std::size_t>(k)], k, true);
  return result;
}

BitMatrix bit_reversal(int n) {
  BitMatrix result(n, n);
  for (int k = 0; k < n; ++k) result.set(n - 1 - k, k, true);
  return result;
}

BitMatrix right_rotation(int n, int by) {
  BitMatrix result(n, n);
  for (int k = 0; k < n; ++k) result.set(((k - by) % n + n) % n, k, true);
  return result;
}

BitMatrix axes_permutation(const std::vector<int>& lg_extents, const std::vector<int>& order) {
  if (order.size() != lg_extents.size() ||
      std::any_of(lg_extents.begin(), lg_extents.end(), [](int lg) { return lg < 0; }))
    throw Error(ErrorCode::invalid_argument,
                "an order of axes needs one lg extent, not negative, for each of its " +
                    std::to_string(order.size()) + " axes; given " +
                    std::to_string(lg_extents.size()) +
                    " lg extents; give one for each axis, none negative");
  check_permutation(order, "an order of axes");
  // `bit` runs over the first bits of the source axes, then over all bits of the target.
  std::vector<int> source_first(order.size());
  int bit = 0;
  for (std::size_t axis = order.size(); axis-- > 0; bit += lg_extents[axis])
    source_first[axis] = bit;
  std::vector<int> target(static_cast<std::size_t>(bit));
  bit = 0;
  for (std::size_t axis = order.size(); axis-- > 0;) {
    const auto source = static_cast<std::size_t>(order[axis]);
    for (int k = 0; k < lg_extents[source]; ++k) {
      const int from = source_first[source] + k;
      target[static_cast<std::size_t>(from)] = bit++;
    }
  }
  return bit_permutation(target);
}

BitMatrix gray_code(int n) {
  BitMatrix result = BitMatrix::identity(n);
  for (int k = 0; k + 1 < n; ++k) result.set(k, k + 1, true);
  return result;
}

}  // namespace weft::bmmc
