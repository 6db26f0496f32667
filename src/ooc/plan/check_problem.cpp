#include "ooc/plan/check_problem.hpp"

#include <algorithm>
#include <string>

#include <weft/error.hpp>

#include "base/checked.hpp"
#include "ooc/plan/kinds.hpp"
#include "plan/kinds.hpp"

namespace weft::ooc {
namespace {

[[noreturn]] void refuse(const std::string& message) {
  throw Error(ErrorCode::invalid_argument, message);
}

/// Returns whether the kinds allow the problem's choice of real input and real output.
bool allow_reals(const KPassProblem& p) {
  if (p.halves()) return p.filter ? p.real_input && p.real_output : p.real_input != p.real_output;
  const bool keeps_elements_on_all = std::all_of(p.kinds.begin(), p.kinds.end(), keeps_elements);
  return p.real_input == p.real_output && (!p.real_input || keeps_elements_on_all);
}

void check_length(const KPassProblem& p, int axis) {
  const KindTraits& traits = traits_of(p.kind_of(axis));
  if (p.shape[static_cast<std::size_t>(axis)] < traits.least_length)
    refuse(std::string("an axis of kind ") + to_string(traits.kind) + " has at least " +
           std::to_string(traits.least_length) + " points; given axis " + std::to_string(axis) +
           " of " + weft::to_string(p.shape) + "; choose another kind for it");
}

void check_kinds(const KPassProblem& p) {
  if (p.kinds.empty()) return;
  if (p.kinds.size() != p.axes.size())
    refuse("there is one kind for each of the transformed axes; given " +
           std::to_string(p.kinds.size()) + " for " + std::to_string(p.axes.size()) +
           "; give one for each, or one for all");
  if (std::count(p.kinds.begin(), p.kinds.end(), Kind::r2c) > 1)
    refuse("at most one axis is r2c, because its spectrum is complex; given the kinds " +
           weft::to_string(kinds_of(p)) + "; make the others c2c");
  for (const int axis : p.axes) check_length(p, axis);
  const bool has_cosines = std::any_of(p.kinds.begin(), p.kinds.end(), keeps_elements);
  if (has_cosines && p.filter)
    refuse("a filter is of kind c2c or r2c; given the kinds " + weft::to_string(kinds_of(p)) +
           "; filter in memory by weft filter, which has cosines and sines");
  if (has_cosines && p.order == OutputOrder::transposed)
    refuse("the transposed order is that of one axis of kind c2c; given the kinds " +
           weft::to_string(kinds_of(p)) + "; ask for the natural order");
  if (!allow_reals(p))
    refuse(
        "reals become a half spectrum along an axis of kind r2c, and stay reals if all axes are "
        "cosines and sines; given the kinds " +
        weft::to_string(kinds_of(p)) + " and reals on " +
        (p.real_input && p.real_output ? "both sides"
         : p.has_reals()               ? "one side"
                                       : "no side") +
        "; choose other kinds");
}

void check_input_type(const KPassProblem& p) {
  if (!p.input_type) return;
  if (p.input_type->is_complex() ? p.real_input : p.real_output && !p.real_input)
    refuse(std::string("the input of ") +
           (p.real_input ? "r2c, and of cosines of reals, has reals" : "c2r is complex") +
           "; given another type; choose another kind");
  if (2 * p.input_type->number_bytes() > complex_bytes(p.precision))
    refuse("an input's numbers are no longer than those of the transform, " +
           std::to_string(complex_bytes(p.precision) / 2) + " bytes; given " +
           std::to_string(p.input_type->number_bytes()) + "; take the longer precision");
}

void check_filtered(const KPassProblem& p) {
  if (!p.filter) return;
  if (p.real_input != p.real_output)
    refuse("a filter has reals on both sides or on none; given one; ask for c2c or r2c");
  if (p.order == OutputOrder::transposed)
    refuse(
        "a filtered array is in natural order; given the transposed order; ask for the natural "
        "order");
  if (p.axes.empty()) refuse("a filter transforms at least one axis; given 0 axes; name one");
  check_filter(p);
}

}  // namespace

void check_problem(const KPassProblem& p) {
  if (p.precision == Precision::f80)
    refuse("out of core transforms are of f32 or f64; given f80; convert, or use memory");
  if (p.shape.empty() || std::any_of(p.shape.begin(), p.shape.end(), [](auto n) { return n < 1; }))
    refuse("an array has at least one axis, and extents of 1 or more; given " +
           std::to_string(p.shape.size()) + " axes; give the shape of the array");
  std::int64_t bytes = complex_bytes(p.precision);
  for (const std::int64_t n : p.shape) bytes = checked_mul(bytes, n, "bytes of the array");
  for (std::size_t i = 0; i < p.axes.size(); ++i)
    if (p.axes[i] < 0 || p.axes[i] >= std::ssize(p.shape) ||
        std::count(p.axes.begin(), p.axes.end(), p.axes[i]) != 1)
      refuse("axes are different numbers from 0 to dimensions - 1; given " +
             std::to_string(p.axes[i]) + " of " + std::to_string(p.shape.size()) +
             " dimensions; name each axis once");
  if (p.block_bytes < 1 || p.block_bytes % complex_bytes(p.precision) != 0)
    refuse("a block has whole elements of " + std::to_string(complex_bytes(p.precision)) +
           " bytes; given " + std::to_string(p.block_bytes) + "; give a multiple");
  check_kinds(p);
  check_input_type(p);
  if (p.in_place && (p.halves() || p.input_type))
    refuse(
        "in place are transforms whose result has the elements of the array; given other elements; "
        "name another target");
  if (p.buffers < 2 || p.threads < 1)
    refuse("passes take 2 or more buffers and 1 or more threads; given " +
           std::to_string(p.buffers) + " and " + std::to_string(p.threads) +
           "; give at least as many");
  if (p.kinds.empty() && p.real_input && p.real_output && !p.filter)
    refuse("a transform has reals on one side; given both; ask for r2c or c2r");
  check_filtered(p);
  if (p.has_reals() && p.axes.empty())
    refuse("reals are transformed along at least one axis; given 0 axes; name one");
  if (p.has_reals() && p.order == OutputOrder::transposed)
    refuse(
        "the half spectrum of reals is in natural order; given the transposed order; ask for the "
        "natural order, or for c2c, which takes real numbers too");
  if (p.order == OutputOrder::transposed && (p.shape.size() != 1 || p.axes.size() != 1))
    refuse("a transposed result is that of one axis; given " + std::to_string(p.axes.size()) +
           " axes of " + std::to_string(p.shape.size()) + "; ask for the natural order");
}

}  // namespace weft::ooc
