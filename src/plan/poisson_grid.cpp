#include "plan/poisson_grid.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <sstream>
#include <string>

#include <weft/error.hpp>

#include "base/kinds.hpp"
#include "base/smooth.hpp"
#include "plan/words.hpp"

namespace weft {
namespace {

constexpr std::size_t most_open_axes = 3;
/// A padded axis must have fewer points than this. Then the number is exact as a double, and the
/// array may fit in memory.
constexpr std::int64_t most_padded_points = std::int64_t{1} << 40;

[[noreturn]] void refuse(const std::string& text) {
  throw Error(ErrorCode::invalid_argument, text);
}

std::string words_of(const AxisEnds& ends) {
  const std::string lower = to_string(ends.lower);
  return ends.lower == ends.upper ? lower : "(" + lower + ", " + to_string(ends.upper) + ")";
}

bool is_wall(Boundary boundary) {
  return boundary == Boundary::dirichlet || boundary == Boundary::neumann;
}

bool is_open(const std::vector<AxisEnds>& ends) { return ends[0].lower == Boundary::open; }

/// Returns one value for each axis.
template <class Value>
std::vector<Value> by_axis(const std::vector<Value>& given, std::size_t axes, const char* name) {
  if (given.size() == 1) return std::vector<Value>(axes, given[0]);
  if (given.size() != axes)
    refuse(std::string(name) + " must be one, or one for each of the " + std::to_string(axes) +
           " axes; given " + std::to_string(given.size()) + "; give as many as axes");
  return given;
}

std::vector<AxisEnds> checked_ends(const PoissonProblem& problem) {
  std::vector<AxisEnds> ends = by_axis(problem.boundary, problem.shape.size(), "the boundary");
  for (const AxisEnds& each : ends) {
    if (each.lower != each.upper && !(is_wall(each.lower) && is_wall(each.upper)))
      refuse("the ends of an axis must be alike, or both walls (dirichlet or neumann); given " +
             words_of(each) + "; give one word for the axis");
    if ((each.lower == Boundary::open) != is_open(ends))
      refuse("all axes must be open, or none; given " + words_of(ends[0]) + " and " +
             words_of(each) + "; pad the other axes, or give them walls");
  }
  return ends;
}

void check_open(const PoissonProblem& problem) {
  const std::size_t axes = problem.shape.size();
  if (axes > most_open_axes)
    refuse("open boundaries are for 1 to 3 axes; given " + std::to_string(axes) +
           "; solve for each index of the other axes");
  if (problem.order == PoissonOrder::spectral && axes != most_open_axes)
    refuse("open boundaries of spectral order need three axes; given " + std::to_string(axes) +
           "; take second order");
}

std::vector<double> checked_lengths(const PoissonProblem& problem) {
  std::vector<double> lengths = by_axis(problem.lengths, problem.shape.size(), "the length");
  for (const double length : lengths)
    if (!std::isfinite(length) || length <= 0) {
      std::ostringstream value;
      value << length;
      refuse("a length must be finite and above 0; given " + value.str() +
             "; give the length of the box");
    }
  return lengths;
}

/// Returns the kind of an axis between walls.
Kind kind_between(const AxisEnds& ends, GridPoints points) {
  const bool at_cells = points == GridPoints::cells;
  if (ends == AxisEnds(Boundary::dirichlet)) return at_cells ? Kind::dst2 : Kind::dst1;
  if (ends == AxisEnds(Boundary::neumann)) return at_cells ? Kind::dct2 : Kind::dct1;
  if (ends.lower == Boundary::dirichlet) return at_cells ? Kind::dst4 : Kind::dst3;
  return at_cells ? Kind::dct4 : Kind::dct3;
}

/// Returns the kinds of all axes. In real arrays the last Fourier axis is halved.
Kinds kinds_of(const std::vector<AxisEnds>& ends, GridPoints points, Element element) {
  std::vector<Kind> kinds;
  for (const AxisEnds& each : ends)
    kinds.push_back(is_wall(each.lower) ? kind_between(each, points) : Kind::c2c);
  const auto last = std::find(kinds.rbegin(), kinds.rend(), Kind::c2c);
  if (element == Element::real && last != kinds.rend()) *last = Kind::r2c;
  return Kinds(std::move(kinds));
}

/// Returns the number of points of a padded open axis, enough to keep the periodic images of the
/// charges away from the box.
std::int64_t padded(std::int64_t n, double length, double diagonal, PoissonMethod method) {
  const double factor = method == PoissonMethod::free_potential ? 2 : (length + diagonal) / length;
  const double least = std::ceil(static_cast<double>(n) * factor);
  if (!(least < static_cast<double>(most_padded_points)))
    refuse("a padded axis must have fewer than 2^40 points; given " + std::to_string(n) +
           " points and a length of " + std::to_string(length / diagonal) +
           " of the box's diagonal; give fewer points, or a box of more even sides");
  const auto points = static_cast<std::int64_t>(least);
  return method == PoissonMethod::free_potential ? points : smooth_numbers(points, 2 * points)[0];
}

/// If the array has only one axis, it is transformed on one rank. So the spectrum with its factors
/// must be on that rank.
void put_spectrum_on_one(Problem& transform) {
  const Kind kind = transform.kinds.each()[0];
  transform.output_choice = OutputChoice::given;
  transform.output =
      Layout::on_one({traits_of(kind).length_after(transform.shape[0])}, transform.ranks);
}

PoissonMethod method_of(PoissonOrder order, bool is_open) {
  if (order == PoissonOrder::spectral)
    return is_open ? PoissonMethod::truncated_kernel : PoissonMethod::inverse_laplacian;
  return is_open ? PoissonMethod::free_potential : PoissonMethod::differences;
}

}  // namespace

const char* to_string(PoissonMethod method) {
  switch (method) {
    case PoissonMethod::inverse_laplacian:
      return "divided by -|k|^2";
    case PoissonMethod::differences:
      return "divided by -|k|^2 of centred differences";
    case PoissonMethod::free_potential:
      return "times the spectrum of the potential of a charge";
    case PoissonMethod::truncated_kernel:
      break;
  }
  return "times the spectrum of a truncated kernel";
}

PoissonGrid poisson_grid(const PoissonProblem& problem, std::int64_t ranks) {
  const Layout slab = Layout::slab(problem.shape, ranks);  // throws if the shape is invalid
  const std::vector<AxisEnds> ends = checked_ends(problem);
  if (is_open(ends)) check_open(problem);
  PoissonGrid grid;
  grid.lengths = checked_lengths(problem);
  grid.method = method_of(problem.order, is_open(ends));
  Problem& transform = grid.transform;
  const Element element = problem.element == Element::complex ? Element::complex : Element::real;
  transform.shape = problem.shape;
  transform.kinds = kinds_of(ends, problem.points, element);
  transform.element = element;
  transform.precision = problem.precision;
  transform.ranks = ranks;
  transform.norm = Norm::backward;
  transform.threads = problem.threads;
  transform.has_input = problem.layout.has_value() || ranks > 1;
  if (transform.has_input) transform.input = problem.layout.value_or(slab);
  grid.has_zero_mode = !is_open(ends);
  for (std::size_t axis = 0; axis < ends.size(); ++axis) {
    const KindTraits& traits = traits_of(transform.kinds.each()[axis]);
    grid.has_zero_mode = grid.has_zero_mode && traits.twice_lowest == 0;
    grid.steps.push_back(grid.lengths[axis] /
                         static_cast<double>(problem.shape[axis] + traits.logical_shift));
  }
  if (!is_open(ends)) return grid;
  double square = 0;
  for (const double length : grid.lengths) square += length * length;
  grid.radius = std::sqrt(square);
  transform.support = problem.shape;
  for (std::size_t axis = 0; axis < ends.size(); ++axis) {
    transform.shape[axis] =
        padded(problem.shape[axis], grid.lengths[axis], grid.radius, grid.method);
    grid.lengths[axis] = grid.steps[axis] * static_cast<double>(transform.shape[axis]);
  }
  if (ranks > 1 && ends.size() == 1) put_spectrum_on_one(transform);
  return grid;
}

}  // namespace weft
