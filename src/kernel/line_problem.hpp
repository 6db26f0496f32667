#pragma once

#include <compare>
#include <cstdint>
#include <string>

#include "base/direction.hpp"
#include "base/kinds.hpp"
#include "weft/precision.hpp"

namespace weft::kernel {

/// The transform of each line: a kind in one direction, as line_kind() makes it. Forward, c2c and
/// r2c have exp(-2*pi*i*j*k/n), backward exp(+...). Cosine, sine and Hartley transforms are as FFTW
/// defines them. Their direction is always forward, because each inverse is one of these kinds too.
/// No transform scales.
struct LineKind {
  Kind kind = Kind::c2c;
  Direction direction = Direction::forward;

  static const LineKind c2c_forward;
  static const LineKind c2c_backward;
  static const LineKind r2c;
  static const LineKind c2r;

  bool is_c2c() const { return kind == Kind::c2c; }
  /// Returns whether one side is half a spectrum: r2c or c2r.
  bool is_halved() const { return kind == Kind::r2c; }
  // clang-tidy 14 takes the 0 of a generated comparison for a pointer.
  // NOLINTNEXTLINE(modernize-use-nullptr)
  friend auto operator<=>(const LineKind&, const LineKind&) = default;
};
inline constexpr LineKind LineKind::c2c_forward{Kind::c2c, Direction::forward};
inline constexpr LineKind LineKind::c2c_backward{Kind::c2c, Direction::backward};
inline constexpr LineKind LineKind::r2c{Kind::r2c, Direction::forward};
inline constexpr LineKind LineKind::c2r{Kind::r2c, Direction::backward};

/// Returns the transform of lines of a kind, or its unscaled inverse.
LineKind line_kind(Kind kind, Direction direction);

/// Returns whether a kind makes reals of reals.
inline bool is_r2r(LineKind kind) { return keeps_elements(kind.kind); }

/// A transform and its inverse share the choice of an engine. Returns the kind under which this
/// choice is stored: the first of the two kinds.
Kind choice_kind(LineKind kind);

/// The arrangement of lines in a tile.
///   along   each line is contiguous
///   across  adjacent elements belong to adjacent lines; only for c2c
enum class TileForm { along, across };
const char* to_string(TileForm form);

/// `count` lines of `length` points.
///
/// Elements  Along: line k of the input starts k*in_pitch elements after the first line, and line k
///           of the output k*out_pitch. Across: point j of line k is j*in_pitch + k elements after
///           the first. Elements are real on the real side of r2c and c2r, and on both sides of
///           transforms of reals to reals. Otherwise they are complex.
/// Parts     If `parts` is set, a transform of reals to reals transforms the real and the imaginary
///           parts of complex numbers. Elements are then complex on both sides.
/// Lengths   `length` counts real-space points; the complex side of r2c and c2r has length/2+1.
///           dct1 has at least two points.
/// Pitches   At least the elements of a line on that side; across, at least `count`. In place both
///           sides have one pitch in bytes: c2c in_pitch == out_pitch, r2c in_pitch == 2*out_pitch,
///           c2r the reverse.
struct LineProblem {
  LineKind kind = {};
  Precision precision = Precision::f64;
  std::int64_t length = 1;
  std::int64_t count = 1;
  std::int64_t in_pitch = 1;
  std::int64_t out_pitch = 1;
  bool in_place = false;
  Effort effort = Effort::estimate;
  TileForm form = TileForm::along;
  bool parts = false;  ///< a cosine or sine transform of both parts of complex numbers
  // clang-tidy 14 takes the 0 of a generated comparison for a pointer.
  // NOLINTNEXTLINE(modernize-use-nullptr)
  friend auto operator<=>(const LineProblem&, const LineProblem&) = default;
};

/// "c2c forward", "c2c backward", "r2c", "c2r"; otherwise the word of the kind.
const char* to_string(LineKind kind);
/// Describes the problem for messages: "r2c, f64, 8 lines of 403 points, pitches 403 and 202, out
/// of place".
std::string describe(const LineProblem& problem);

/// Return the number of elements of one line, in the type of the input or output.
std::int64_t input_elements(const LineProblem& problem);
std::int64_t output_elements(const LineProblem& problem);
/// Return the bytes of one element of the input or output.
std::int64_t input_element_bytes(const LineProblem& problem);
std::int64_t output_element_bytes(const LineProblem& problem);
/// Return the bytes from the start of the first line to the end of the last, in input or output.
std::int64_t input_bytes(const LineProblem& problem);
std::int64_t output_bytes(const LineProblem& problem);

}  // namespace weft::kernel
