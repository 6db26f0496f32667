#include "api/operator_plan.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numbers>
#include <utility>

#include "plan/kinds.hpp"
#include "run/round_trip_route.hpp"

namespace weft::api {
namespace {

std::string fields_in_words(std::int64_t inputs, std::int64_t outputs) {
  return std::to_string(inputs) + " to " + std::to_string(outputs);
}

}  // namespace

std::string exact_words(double value) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  return {text.data(), end};
}

std::string exact_words(const std::vector<double>& values, const std::string& between) {
  std::string text;
  for (const double value : values) text += (text.empty() ? "" : between) + exact_words(value);
  return text;
}

void TileRules::check(const Tile& tile) const {
  const std::int64_t wanted_in = inputs == 0 ? tile.input_count : inputs;
  const std::int64_t wanted_out = inputs == 0 ? tile.input_count : outputs;
  if (tile.input_count != wanted_in || tile.output_count != wanted_out)
    throw Error(ErrorCode::invalid_argument,
                name + " takes " + fields_in_words(wanted_in, wanted_out) + " fields; given " +
                    fields_in_words(tile.input_count, tile.output_count) +
                    "; give as many arrays, or set fields_there and fields_back");
  bool fits = tile.dims == static_cast<std::int64_t>(shape.size()) &&
              tile.real_bytes == real_bytes && (tile.is_complex != 0) == is_complex;
  for (std::size_t axis = 0; fits && axis < shape.size(); ++axis)
    fits = tile.lower[axis] + tile.extents[axis] <= shape[axis];
  if (!fits)
    throw Error(ErrorCode::invalid_argument,
                name + " was made for spectra of " + to_string(shape) + " " +
                    (is_complex ? "complex" : "real") + " numbers with reals of " +
                    std::to_string(real_bytes) +
                    " bytes; given a tile of another array; make it with the plan of the "
                    "transform, and use it in the spectrum");
}

OperatorPlan::OperatorPlan(const Plan& plan, std::string name, const operators::Lengths& lengths)
    : plan_(&plan), name_(std::move(name)), lengths_(lengths) {
  if (const std::string reason = round_trip_obstacle(plan); !reason.empty())
    refuse("needs whole lines of each axis; " + reason + "; " + round_trip_remedy(plan),
           ErrorCode::unsupported);
  const std::size_t count = axes().size();
  if (lengths_.size() > 1 && lengths_.size() != count)
    refuse("takes one length, or one for each of the " + std::to_string(count) +
           " transformed axes; given " + std::to_string(lengths_.size()) +
           "; give as many as axes");
  for (const double length : lengths_)
    if (!std::isfinite(length) || length <= 0)
      refuse("takes finite lengths above 0; given " + exact_words(length) +
             "; give the length of the box");
  if (lengths_.size() == 1) lengths_.assign(count, lengths_[0]);
}

TileRules OperatorPlan::rules(std::int64_t inputs, std::int64_t outputs) const {
  return {name_,
          problem().output_shape(),
          weft::real_bytes(problem().precision),
          plan_->stages.back().target_element == Element::complex,
          inputs,
          outputs};
}

std::string OperatorPlan::words() const {
  return name_ + parameters_ + (lengths_.empty() ? "" : " over " + exact_words(lengths_, " x "));
}

void OperatorPlan::refuse(const std::string& rule, ErrorCode code) const {
  throw Error(code, name_ + " " + rule);
}

void OperatorPlan::need_fourier(int axis, const std::string& reason) const {
  const Kind kind = problem().kind_of(axis);
  if (keeps_elements(kind))
    refuse("needs kind c2c or r2c, because " + reason + "; given " + to_string(kind) + " on axis " +
               std::to_string(axis) + "; transform the axis by a Fourier kind",
           ErrorCode::unsupported);
}

void OperatorPlan::need_fourier_axes(const std::string& reason) const {
  for (const int axis : axes()) need_fourier(axis, reason);
}

void OperatorPlan::need_finite(double value, const char* what) const {
  if (!std::isfinite(value))
    refuse(std::string("takes a finite ") + what + "; given " + exact_words(value) +
           "; give a number");
}

AxisNumbers OperatorPlan::filled(long double value) const {
  AxisNumbers numbers;
  for (const std::int64_t extent : problem().output_shape())
    numbers.emplace_back(static_cast<std::size_t>(extent), value);
  return numbers;
}

std::vector<long double> OperatorPlan::whole_wavenumbers(int axis) const {
  const kernel::ChainTables tables = run::chain_tables(problem());
  const std::vector<double>& k = tables.spectrum[static_cast<std::size_t>(axis)].coordinates;
  return {k.begin(), k.end()};
}

std::vector<long double> OperatorPlan::wavenumbers(int axis) const {
  std::vector<long double> k = whole_wavenumbers(axis);
  const auto place =
      static_cast<std::size_t>(std::find(axes().begin(), axes().end(), axis) - axes().begin());
  // Without lengths, each length is exactly 2*pi, in every precision.
  long double unit = 1;
  if (!lengths_.empty()) unit = 2 * std::numbers::pi_v<long double> / lengths_[place];
  if (!traits_of(problem().kind_of(axis)).is_periodic()) unit /= 2;
  for (long double& each : k) each *= unit;
  return k;
}

std::vector<long double> OperatorPlan::derivative_factors(int axis) const {
  std::vector<long double> factors = wavenumbers(axis);
  for (long double& each : factors) each *= -problem().sign;
  if (const std::int64_t nyquist = nyquist_index(axis); nyquist >= 0)
    factors[static_cast<std::size_t>(nyquist)] = 0;
  return factors;
}

AxisNumbers OperatorPlan::squares() const {
  AxisNumbers numbers = filled(0);
  for (const int axis : axes()) {
    numbers[static_cast<std::size_t>(axis)] = wavenumbers(axis);
    for (long double& each : numbers[static_cast<std::size_t>(axis)]) each *= each;
  }
  return numbers;
}

std::int64_t OperatorPlan::nyquist_index(int axis) const {
  const std::int64_t modes = problem().modes_of(axis);
  const bool is_periodic = traits_of(problem().kind_of(axis)).is_periodic();
  return is_periodic && modes % 2 == 0 ? modes / 2 : -1;
}

}  // namespace weft::api
