#include "plan/long_line.hpp"

#include <limits>
#include <optional>
#include <utility>

#include <weft/error.hpp>

#include "base/smooth.hpp"
#include "plan/check_plan.hpp"
#include "plan/view_parts.hpp"

namespace weft {
namespace {

/// From these sizes on, two stages are faster than a library: in one thread, and in several
/// threads.
constexpr std::int64_t least_bytes = std::int64_t{4} << 20;
constexpr std::int64_t least_bytes_of_threads = std::int64_t{256} << 10;
/// Longer factors do not fit in the second-level cache.
constexpr std::int64_t most_points = std::int64_t{1} << 16;

bool is_long(const Problem& problem) {
  if (problem.shape.size() != 1 || problem.ranks > 1 || problem.kind_of(0) != Kind::c2c ||
      !problem.has_whole_axes())
    return false;
  return problem.shape[0] >= (problem.threads > 1 ? least_bytes_of_threads : least_bytes) /
                                 complex_bytes(problem.precision);
}

/// Returns the two most similar factors of n without large primes.
std::optional<Shape> view_of(std::int64_t n) {
  std::optional<Shape> best;
  for (std::int64_t n1 = 2; n1 <= n / n1; ++n1)
    if (n % n1 == 0 && n / n1 <= most_points && !has_large_prime(n1) && !has_large_prime(n / n1))
      best = Shape{n1, n / n1};
  return best;
}

}  // namespace

std::vector<Stage> long_line_stages(const Problem& problem) {
  if (!is_long(problem)) return {};
  const auto view = view_of(problem.shape[0]);
  if (!view) return {};
  const Layout line = Layout::slab(problem.shape, 1);
  const Layout rows = split(*view, 0, 1, 1);
  return {{line, rows, {0}, true}, {rows, line, {1}}};
}

void check_long_line(const Plan& plan) {
  const Layout line = Layout::slab(plan.problem.shape, 1);
  const Layout rows = split(plan.view(), 0, 1, 1);
  if (plan.problem.ranks != 1 || plan.problem.kind_of(0) != Kind::c2c)
    refuse_plan("an axis seen as two has two stages only on one rank, and if it is complex");
  const std::vector<Stage> wanted{{line, rows, {0}, true}, {rows, line, {1}}};
  if (plan.stages != wanted)
    refuse_plan(
        "an axis seen as two on one rank must be transformed along axis 0 with twiddles, then " +
        std::string("along axis 1 into one axis"));
}

}  // namespace weft
