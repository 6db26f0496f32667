#pragma once

#include <compare>
#include <cstdint>
#include <string>

#include "weft/precision.hpp"

namespace weft::kernel {

/// The transform of each line. c2c_forward and r2c have exp(-2*pi*i*j*k/n), c2c_backward and c2r
/// exp(+...). The others are cosine and sine transforms of types 1 to 4, as FFTW defines them. None
/// scales.
enum class LineKind {
  c2c_forward,
  c2c_backward,
  r2c,
  c2r,
  dct1,
  dct2,
  dct3,
  dct4,
  dst1,
  dst2,
  dst3,
  dst4
};

/// Returns whether a kind makes reals of reals.
inline bool is_r2r(LineKind kind) { return kind >= LineKind::dct1; }

/// Returns the one kind of two that share an engine's choice: c2c_forward, r2c, dct2, dst2.
LineKind forward_of(LineKind kind);

/// The arrangement of lines in a tile.
///   along   each line is contiguous
///   across  adjacent elements belong to adjacent lines; only for c2c
enum class TileForm { along, across };
const char* to_string(TileForm form);

/// `count` lines of `length` points.
///
/// Elements  Along: line k starts k*in_pitch (k*out_pitch) elements after the first one, in the
///           input's (output's) own type: reals on the real side of r2c and c2r, otherwise complex
///           numbers. Across: point j of line k is j*in_pitch + k elements after the first.
/// Parts     Cosine and sine transforms of complex numbers transform both parts. Their elements are
///           then complex on both sides.
/// Lengths   `length` counts real-space points; the complex side of r2c and c2r has length/2+1.
///           dct1 has at least two points.
/// Pitches   At least the elements of a line on that side; across, at least `count`. In place both
///           sides have one pitch in bytes: c2c in_pitch == out_pitch, r2c in_pitch == 2*out_pitch,
///           c2r the reverse.
struct LineProblem {
  LineKind kind = LineKind::c2c_forward;
  Precision precision = Precision::f64;
  std::int64_t length = 1;
  std::int64_t count = 1;
  std::int64_t in_pitch = 1;
  std::int64_t out_pitch = 1;
  bool in_place = false;
  Effort effort = Effort::estimate;
  TileForm form = TileForm::along;
  bool parts = false;  ///< r2r: of complex numbers
  // clang-tidy 14 takes the 0 of a generated comparison for a pointer.
  // NOLINTNEXTLINE(modernize-use-nullptr)
  friend auto operator<=>(const LineProblem&, const LineProblem&) = default;
};

const char* to_string(LineKind kind);
/// Describes the problem for messages: "r2c, f64, 8 lines of 403 points, pitches 403 and 202, out
/// of place".
std::string describe(const LineProblem& problem);

/// Elements of one line on either side, in that side's own type.
std::int64_t input_elements(const LineProblem& problem);
std::int64_t output_elements(const LineProblem& problem);
/// Bytes of one element on either side.
std::int64_t input_element_bytes(const LineProblem& problem);
std::int64_t output_element_bytes(const LineProblem& problem);
/// Bytes from the start of the first line to the end of the last, on either side.
std::int64_t input_bytes(const LineProblem& problem);
std::int64_t output_bytes(const LineProblem& problem);

}  // namespace weft::kernel
