#include "kernel/line_problem.hpp"

#include <algorithm>

namespace weft::kernel {

const char* to_string(LineKind kind) {
  const bool is_forward = kind.direction == Direction::forward;
  if (kind.is_c2c()) return is_forward ? "c2c forward" : "c2c backward";
  // Backward kinds are only c2c and r2c; see line_kind().
  return is_forward ? weft::to_string(kind.kind) : "c2r";
}

LineKind line_kind(Kind kind, Direction direction) {
  if (direction == Direction::backward && keeps_elements(kind))
    return {traits_of(kind).inverse, Direction::forward};
  return {kind, direction};
}

Kind choice_kind(LineKind kind) { return std::min(kind.kind, traits_of(kind.kind).inverse); }

const char* to_string(TileForm form) { return form == TileForm::along ? "along" : "across"; }

std::string describe(const LineProblem& problem) {
  return std::string(to_string(problem.kind)) + ", " + weft::to_string(problem.precision) + ", " +
         std::to_string(problem.count) + " lines of " + std::to_string(problem.length) +
         " points, pitches " + std::to_string(problem.in_pitch) + " and " +
         std::to_string(problem.out_pitch) +
         (problem.form == TileForm::across ? ", across the tile" : "") +
         (problem.parts ? ", real and imaginary parts" : "") +
         (problem.in_place ? ", in place" : ", out of place");
}

namespace {

bool is_real_to_real(const LineProblem& problem) { return is_r2r(problem.kind) && !problem.parts; }

}  // namespace

std::int64_t input_elements(const LineProblem& problem) {
  return problem.kind == LineKind::c2r ? problem.length / 2 + 1 : problem.length;
}

std::int64_t output_elements(const LineProblem& problem) {
  return problem.kind == LineKind::r2c ? problem.length / 2 + 1 : problem.length;
}

std::int64_t input_element_bytes(const LineProblem& problem) {
  const bool is_real = problem.kind == LineKind::r2c || is_real_to_real(problem);
  return is_real ? real_bytes(problem.precision) : complex_bytes(problem.precision);
}

std::int64_t output_element_bytes(const LineProblem& problem) {
  const bool is_real = problem.kind == LineKind::c2r || is_real_to_real(problem);
  return is_real ? real_bytes(problem.precision) : complex_bytes(problem.precision);
}

namespace {

std::int64_t elements_spanned(const LineProblem& problem, std::int64_t pitch,
                              std::int64_t elements_of_line) {
  return problem.form == TileForm::across ? (elements_of_line - 1) * pitch + problem.count
                                          : (problem.count - 1) * pitch + elements_of_line;
}

}  // namespace

std::int64_t input_bytes(const LineProblem& problem) {
  return elements_spanned(problem, problem.in_pitch, input_elements(problem)) *
         input_element_bytes(problem);
}

std::int64_t output_bytes(const LineProblem& problem) {
  return elements_spanned(problem, problem.out_pitch, output_elements(problem)) *
         output_element_bytes(problem);
}

}  // namespace weft::kernel
