#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "kernel/engine.hpp"
#include "kernel/line_spectrum.hpp"
#include "kernel/modes.hpp"
#include "kernel/transpose.hpp"
#include "kernel/twiddles.hpp"

namespace weft::kernel {

/// Factors of the first and the last element of a line, before and after its transform. Orthogonal
/// cosine and sine transforms need them.
struct EndFactors {
  long double first_in = 1;
  long double last_in = 1;
  long double first_out = 1;
  long double last_out = 1;
  bool change_input() const { return first_in != 1 || last_in != 1; }
  bool change_output() const { return first_out != 1 || last_out != 1; }
};

/// Returns the factors that make a cosine or sine transform orthogonal, as scipy's norm "ortho".
EndFactors orthogonal_ends(Kind kind);

/// The transform of a stage along one axis of its local array.
struct AxisTransform {
  int axis = 0;
  LineKind kind = {};
  std::int64_t length = 1;        ///< points in real space
  bool conjugate_input = false;   ///< a c2r with the other sign of the exponent
  bool conjugate_output = false;  ///< an r2c with the other sign of the exponent
  long double scale = 1;          ///< multiplied into the output; as exact as the widest precision
  /// If not null, the array has two axes, and complex element k of line j is multiplied by
  /// exp(sign*2*pi*i*j*k/n). Here n is the length for which the twiddles are made, and sign is that
  /// of the transform.
  std::shared_ptr<const Twiddles> twiddles = {};
  bool twiddles_input = false;  ///< multiplies by twiddles before the transform; false: after it
  std::int64_t padding = 0;     ///< number of last points of a line that are not in the array, and
                                ///< are 0
  /// If not null, the array has two axes. After its forward transform, each line is multiplied by
  /// its spectrum in this list, or by the conjugate. Then the line is transformed back.
  std::shared_ptr<const LineSpectrum> spectrum = {};
  bool conjugate_spectrum = false;
  bool parts = false;  ///< a cosine or sine transform of both parts of complex numbers
  /// The number of lowest wavenumbers that the array has before the transform, or after it; 0: all.
  std::int64_t modes_in = 0;
  std::int64_t modes_out = 0;
  /// The number of points, counted from the first, that the array has before the transform, or
  /// after it; 0: all. The other points are zero before the transform, and dropped after it.
  std::int64_t points_in = 0;
  std::int64_t points_out = 0;
  EndFactors ends = {};
};

/// Returns whether both sides of a transform are reals.
inline bool keeps_reals(const AxisTransform& t) { return is_r2r(t.kind) && !t.parts; }

/// Returns the bytes of an element on the side where it is wider.
inline std::int64_t widest_element_bytes(const AxisTransform& t, Precision precision) {
  return keeps_reals(t) ? real_bytes(precision) : complex_bytes(precision);
}

/// Returns whether the transform of a line depends on the number of the line.
inline bool numbers_lines(const AxisTransform& t) { return t.twiddles || t.spectrum; }

/// Return the numbers of elements of a whole line before and after its transform.
inline std::int64_t line_input(const AxisTransform& t) {
  return t.kind == LineKind::c2r ? t.length / 2 + 1 : t.length;
}
inline std::int64_t line_output(const AxisTransform& t) {
  return t.kind == LineKind::r2c ? t.length / 2 + 1 : t.length;
}

/// Return the extents of the axis in the array before and after its transform.
inline std::int64_t input_extent(const AxisTransform& t) {
  if (t.points_in > 0) return t.points_in;
  return t.modes_in > 0 ? Modes{t.kind, t.length, t.modes_in}.stored() : line_input(t);
}
inline std::int64_t output_extent(const AxisTransform& t) {
  if (t.points_out > 0) return t.points_out;
  return t.modes_out > 0 ? Modes{t.kind, t.length, t.modes_out}.stored() : line_output(t);
}

/// The engine of lines, and their arrangement in a tile.
struct LineChoice {
  Engine* engine = nullptr;
  TileForm form = TileForm::along;
};

/// The choice for lines of one kind and length, in both directions. The lines are either contiguous
/// or run across memory.
struct ChoiceOfLines {
  Kind kind = Kind::c2c;  ///< as choice_kind() returns it
  bool across_memory = false;
  std::int64_t length = 1;  ///< points in real space
  LineChoice choice = {};
};

/// The local FFT libraries, their effort of planning, and the number of threads.
struct LocalOptions {
  Engine* engine = nullptr;  ///< engine of lines that `choices` does not list
  Precision precision = Precision::f64;
  Effort effort = Effort::estimate;
  int threads = 1;
  Stores outlet_stores = Stores::cached;  ///< how a sweep writes its outlet
  std::vector<ChoiceOfLines> choices = {};
  /// Lines that run across memory also run across tiles, whatever their choice, because a function
  /// of fields works on rows of the arrays.
  bool keeps_rows = false;

  /// Returns the choice for lines. If there is none for lines across memory, returns the one for
  /// contiguous lines.
  LineChoice choice_of(LineKind kind, std::int64_t length, bool across_memory) const;
};

/// Transforms any number of lines in cache. Groups of lines share one plan of the engine. The
/// remaining lines are transformed together if the engine can (see execute_first()), otherwise one
/// by one.
class LineRunner {
 public:
  LineRunner() = default;
  /// Lines along a tile, by the engine that the options choose for contiguous lines.
  LineRunner(const AxisTransform& transform, const LocalOptions& options,
             std::int64_t in_pitch_bytes, std::int64_t out_pitch_bytes, bool in_place)
      : LineRunner(transform, options,
                   {options.choice_of(transform.kind, transform.length, false).engine},
                   in_pitch_bytes, out_pitch_bytes, in_place) {}
  /// Pitches in bytes, multiples of 64. Across a tile, a transform has no conjugates, twiddles,
  /// padding or spectrum.
  LineRunner(const AxisTransform& transform, const LocalOptions& options, const LineChoice& choice,
             std::int64_t in_pitch_bytes, std::int64_t out_pitch_bytes, bool in_place);

  /// Transforms lines. If the AxisTransform says so, also scales, conjugates, convolves and
  /// multiplies by twiddles. `in` may be destroyed. `first` is the number of the first line in the
  /// array; it matters only if numbers_lines().
  void run(void* in, void* out, std::int64_t count, std::int64_t first = 0) const;

 private:
  /// Plans of a group of lines and of one line.
  struct Plans {
    std::shared_ptr<const LineTransform> many;
    std::shared_ptr<const LineTransform> one;
  };
  static Plans planned(LineProblem problem, Engine& engine, std::int64_t group);
  /// Bytes from one line to the next, on either side.
  std::int64_t in_step() const {
    return form_ == TileForm::across ? element_bytes_ : in_pitch_bytes_;
  }
  std::int64_t out_step() const {
    return form_ == TileForm::across ? element_bytes_ : out_pitch_bytes_;
  }
  void scale_all(void* out, std::int64_t count) const;
  void complete_lines(void* in, std::int64_t count) const;
  void keep_lines(void* out, std::int64_t count) const;
  void scale_ends(void* lines, std::int64_t pitch_bytes, std::int64_t count, long double first,
                  long double last) const;
  void multiply_by_twiddles(void* lines, std::int64_t pitch_bytes, std::int64_t count,
                            std::int64_t first) const;
  void transform_lines(const Plans& plans, char* from, std::int64_t from_step, char* to,
                       std::int64_t count) const;
  void convolve_lines(char* lines, std::int64_t count, std::int64_t first) const;

  AxisTransform transform_;
  Precision precision_ = Precision::f64;
  TileForm form_ = TileForm::along;
  std::int64_t element_bytes_ = 0;  ///< of a complex number
  std::int64_t in_pitch_bytes_ = 0;
  std::int64_t out_pitch_bytes_ = 0;
  std::int64_t group_ = 1;
  Plans plans_;
  Plans back_;  ///< for convolved lines: the transform back
};

}  // namespace weft::kernel
