#include "ooc/plan/spectral_filter.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <sstream>
#include <string>

#include <weft/error.hpp>

#include "base/operator_factors.hpp"
#include "ooc/plan/pass_plan.hpp"

namespace weft::ooc {
namespace {

[[noreturn]] void refuse(const SpectralFilter& filter, const std::string& rule) {
  throw Error(ErrorCode::invalid_argument, std::string(to_string(filter.kind)) + " " + rule);
}

std::string text_of(double value) {
  std::ostringstream text;
  text << value;
  return text.str();
}

std::string count_words(std::size_t count) {
  return std::to_string(count) + (count == 1 ? " number" : " numbers");
}

std::size_t numbers_of(FilterKind kind) {
  switch (kind) {
    case FilterKind::gaussian:
    case FilterKind::helmholtz:
      return 1;
    case FilterKind::band_pass:
      return 2;
    case FilterKind::derivative:
    case FilterKind::laplacian:
    case FilterKind::inverse_laplacian:
      break;
  }
  return 0;
}

void check_numbers(const SpectralFilter& filter) {
  const std::size_t wanted = numbers_of(filter.kind);
  if (filter.numbers.size() != wanted)
    refuse(filter, "takes " + count_words(wanted) + "; given " +
                       std::to_string(filter.numbers.size()) + "; give " + count_words(wanted));
  for (const double number : filter.numbers)
    if (!std::isfinite(number))
      refuse(filter, "takes finite numbers; given " + text_of(number) + "; give a finite number");
  if (filter.kind != FilterKind::band_pass) return;
  const double low = filter.numbers[0];
  const double high = filter.numbers[1];
  if (low > high)
    refuse(filter, "takes low <= high; given " + text_of(low) + " and " + text_of(high) +
                       "; give the smaller wavenumber first");
  if (high < 0)
    refuse(filter, "takes high of 0 or more; given " + text_of(high) + "; give 0 or more");
}

void check_lengths(const SpectralFilter& filter, std::size_t axes) {
  if (filter.lengths.size() != axes)
    refuse(filter, "takes one length for each of the " + std::to_string(axes) +
                       " transformed axes; given " + std::to_string(filter.lengths.size()) +
                       "; give as many as axes");
  for (const double length : filter.lengths)
    if (!std::isfinite(length) || length <= 0)
      refuse(filter, "takes finite lengths above 0; given " + text_of(length) +
                         "; give the length of the box");
}

void check_derivative(const SpectralFilter& filter, const KPassProblem& problem) {
  if (filter.kind != FilterKind::derivative) return;
  const auto at = std::find(problem.axes.begin(), problem.axes.end(), filter.axis);
  if (at == problem.axes.end())
    refuse(filter, "takes a transformed axis; given " + std::to_string(filter.axis) +
                       "; give one of the axes, or transform that axis too");
  if (filter.order < 1)
    refuse(filter, "takes an order of 1 or more; given " + std::to_string(filter.order) +
                       "; leave it out for the first derivative");
  const double length = filter.lengths[static_cast<std::size_t>(at - problem.axes.begin())];
  const long double unit = 2 * std::numbers::pi_v<long double> / length;
  const std::int64_t half = problem.shape[static_cast<std::size_t>(filter.axis)] / 2;
  const long double largest =
      derivative_factor(static_cast<long double>(half) * unit, filter.order);
  const bool fits = problem.precision == Precision::f32 ? std::isfinite(narrowed<float>(largest))
                                                        : std::isfinite(narrowed<double>(largest));
  if (!fits)
    refuse(filter, "takes an order whose factors do not overflow in " +
                       std::string(to_string(problem.precision)) + "; given " +
                       std::to_string(filter.order) + "; lower it");
}

}  // namespace

void check_filter(const KPassProblem& problem) {
  const SpectralFilter& filter = *problem.filter;
  check_numbers(filter);
  check_lengths(filter, problem.axes.size());
  check_derivative(filter, problem);
}

std::int64_t element_of_place(const std::vector<std::int64_t>& radices, std::int64_t place) {
  std::int64_t element = 0;
  for (auto radix = radices.rbegin(); radix != radices.rend(); ++radix) {
    element = element * *radix + place % *radix;
    place /= *radix;
  }
  return element;
}

}  // namespace weft::ooc
