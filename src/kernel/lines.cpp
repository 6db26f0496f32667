#include "kernel/lines.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace weft::kernel {
namespace {

template <class T>
void conjugate_lines(void* start, std::int64_t pitch_bytes, std::int64_t elements,
                     std::int64_t count) {
  for (std::int64_t k = 0; k < count; ++k) {
    T* line = reinterpret_cast<T*>(static_cast<char*>(start) + k * pitch_bytes);
    for (std::int64_t i = 0; i < elements; ++i) line[2 * i + 1] = -line[2 * i + 1];
  }
}

template <class T>
void scale_lines(void* start, std::int64_t pitch_bytes, std::int64_t reals, std::int64_t count,
                 long double scale) {
  const T factor = static_cast<T>(scale);
  for (std::int64_t k = 0; k < count; ++k) {
    T* line = reinterpret_cast<T*>(static_cast<char*>(start) + k * pitch_bytes);
    for (std::int64_t i = 0; i < reals; ++i) line[i] *= factor;
  }
}

template <class F>
void with_real(Precision precision, F f) {
  switch (precision) {
    case Precision::f32:
      return f(float{});
    case Precision::f64:
      return f(double{});
    case Precision::f80: {
      using Extended = long double;
      return f(Extended{});
    }
  }
}

}  // namespace

EndFactors orthogonal_ends(Kind kind) {
  const long double root = std::sqrt(2.0L);
  switch (kind) {
    case Kind::dct1:
      return {.first_in = root, .last_in = root, .first_out = 1 / root, .last_out = 1 / root};
    case Kind::dct2:
      return {.first_out = 1 / root};
    case Kind::dct3:
      return {.first_in = root};
    case Kind::dst2:
      return {.last_out = 1 / root};
    case Kind::dst3:
      return {.last_in = root};
    default:
      return {};
  }
}

LineChoice LocalOptions::choice_of(LineKind kind, std::int64_t length, bool across_memory) const {
  LineChoice found{engine, TileForm::along};
  for (const ChoiceOfLines& each : choices) {
    if (each.kind != choice_kind(kind) || each.length != length) continue;
    if (each.across_memory == across_memory) {
      found = each.choice;
      break;
    }
    if (!each.across_memory) found = each.choice;
  }
  if (across_memory && keeps_rows) found.form = TileForm::across;
  return found;
}

LineRunner::LineRunner(const AxisTransform& transform, const LocalOptions& options,
                       const LineChoice& choice, std::int64_t in_pitch_bytes,
                       std::int64_t out_pitch_bytes, bool in_place)
    : transform_(transform),
      precision_(options.precision),
      form_(choice.form),
      element_bytes_(complex_bytes(options.precision)),
      in_pitch_bytes_(in_pitch_bytes),
      out_pitch_bytes_(out_pitch_bytes) {
  Engine& engine = *choice.engine;
  group_ = engine.lines_together(options.precision, transform.length, choice.form);
  // A row across a tile may have fewer lines than the engine would take together.
  if (form_ == TileForm::across)
    group_ = std::min(group_, static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(
                                  std::min(in_pitch_bytes, out_pitch_bytes) / element_bytes_))));
  LineProblem problem{.kind = transform.kind,
                      .precision = options.precision,
                      .length = transform.length,
                      .in_place = in_place,
                      .effort = options.effort,
                      .form = choice.form,
                      .parts = transform.parts};
  problem.in_pitch = in_pitch_bytes / input_element_bytes(problem);
  problem.out_pitch = out_pitch_bytes / output_element_bytes(problem);
  plans_ = planned(problem, engine, group_);
  if (!transform.spectrum) return;
  problem.kind = LineKind::c2c_backward;
  problem.in_pitch = problem.out_pitch;
  problem.in_place = true;
  back_ = planned(problem, engine, group_);
}

LineRunner::Plans LineRunner::planned(LineProblem problem, Engine& engine, std::int64_t group) {
  Plans plans;
  problem.count = group;
  plans.many = engine.lines(problem);
  problem.count = 1;
  plans.one = engine.lines(problem);
  return plans;
}

void LineRunner::multiply_by_twiddles(void* lines, std::int64_t pitch_bytes, std::int64_t count,
                                      std::int64_t first) const {
  const AxisTransform& t = transform_;
  const std::int64_t elements = std::min(line_input(t), line_output(t));
  // Lines are conjugated only after the twiddles. So the twiddles have the sign of the library's
  // exponent.
  const bool backward =
      t.kind == LineKind::c2c_backward || (t.kind == LineKind::c2r && !t.conjugate_input);
  with_real(precision_, [&](auto real) {
    for (std::int64_t line = 0; line < count; ++line)
      t.twiddles->multiply(
          reinterpret_cast<decltype(real)*>(static_cast<char*>(lines) + line * pitch_bytes),
          elements, first + line, backward);
  });
}

void LineRunner::transform_lines(const Plans& plans, char* from, std::int64_t from_step, char* to,
                                 std::int64_t count) const {
  std::int64_t k = 0;
  for (; k + group_ <= count; k += group_)
    plans.many->execute(from + k * from_step, to + k * out_step());
  if (k < count && plans.many->execute_first(from + k * from_step, to + k * out_step(), count - k))
    return;
  for (; k < count; ++k) plans.one->execute(from + k * from_step, to + k * out_step());
}

void LineRunner::convolve_lines(char* lines, std::int64_t count, std::int64_t first) const {
  with_real(precision_, [&](auto real) {
    for (std::int64_t line = 0; line < count; ++line)
      transform_.spectrum->multiply(
          reinterpret_cast<decltype(real)*>(lines + line * out_pitch_bytes_), first + line,
          transform_.conjugate_spectrum);
  });
  transform_lines(back_, lines, out_pitch_bytes_, lines, count);
}

void LineRunner::scale_all(void* out, std::int64_t count) const {
  const std::int64_t points = output_extent(transform_);
  const std::int64_t reals_each =
      transform_.kind == LineKind::c2r || keeps_reals(transform_) ? 1 : 2;
  // In a tile across the lines, each row has one point of every line.
  const bool across = form_ == TileForm::across;
  const std::int64_t rows = across ? points : count;
  const std::int64_t reals = reals_each * (across ? count : points);
  with_real(precision_, [&](auto real) {
    scale_lines<decltype(real)>(out, out_pitch_bytes_, reals, rows, transform_.scale);
  });
}

void LineRunner::scale_ends(void* lines, std::int64_t pitch_bytes, std::int64_t count,
                            long double first, long double last) const {
  const std::int64_t reals_each = keeps_reals(transform_) ? 1 : 2;
  const std::int64_t last_element = (transform_.length - 1) * reals_each;
  with_real(precision_, [&](auto real) {
    using T = decltype(real);
    for (std::int64_t k = 0; k < count; ++k) {
      T* const line = reinterpret_cast<T*>(static_cast<char*>(lines) + k * pitch_bytes);
      for (std::int64_t part = 0; part < reals_each; ++part) {
        line[part] *= static_cast<T>(first);
        line[last_element + part] *= static_cast<T>(last);
      }
    }
  });
}

/// Calls f(points of a line) for each line along a tile, or once for all lines across a tile.
template <class Real, class F>
void with_points(void* start, std::int64_t pitch_bytes, std::int64_t reals_each, std::int64_t count,
                 TileForm form, F f) {
  auto* const bytes = static_cast<char*>(start);
  if (form == TileForm::across) {
    const auto step = pitch_bytes / static_cast<std::int64_t>(sizeof(Real));
    f(LinePoints<Real>{reinterpret_cast<Real*>(bytes), step, reals_each * count});
    return;
  }
  for (std::int64_t k = 0; k < count; ++k)
    f(LinePoints<Real>{reinterpret_cast<Real*>(bytes + k * pitch_bytes), reals_each, reals_each});
}

/// Completes lines if the array has only some of their points or wavenumbers.
void LineRunner::complete_lines(void* in, std::int64_t count) const {
  const AxisTransform& t = transform_;
  const Modes modes{t.kind, t.length, t.modes_in};
  const std::int64_t reals_each = t.kind == LineKind::r2c || keeps_reals(t) ? 1 : 2;
  with_real(precision_, [&](auto real) {
    with_points<decltype(real)>(in, in_pitch_bytes_, reals_each, count, form_,
                                [&](const auto& points) {
                                  if (t.modes_in > 0) return spread_modes(modes, points);
                                  clear_points(points, t.points_in, t.length);
                                });
  });
}

void LineRunner::keep_lines(void* out, std::int64_t count) const {
  const Modes modes{transform_.kind, transform_.length, transform_.modes_out};
  const std::int64_t reals_each = keeps_reals(transform_) ? 1 : 2;
  with_real(precision_, [&](auto real) {
    with_points<decltype(real)>(out, out_pitch_bytes_, reals_each, count, form_,
                                [&](const auto& points) { keep_modes(modes, points); });
  });
}

void LineRunner::run(void* in, void* out, std::int64_t count, std::int64_t first) const {
  const AxisTransform& t = transform_;
  if (t.modes_in > 0 || t.points_in > 0) complete_lines(in, count);
  if (t.twiddles && t.twiddles_input) multiply_by_twiddles(in, in_pitch_bytes_, count, first);
  if (t.conjugate_input)
    with_real(precision_, [&](auto real) {
      conjugate_lines<decltype(real)>(in, in_pitch_bytes_, line_input(t), count);
    });
  if (t.ends.change_input())
    scale_ends(in, in_pitch_bytes_, count, t.ends.first_in, t.ends.last_in);
  auto* to = static_cast<char*>(out);
  transform_lines(plans_, static_cast<char*>(in), in_step(), to, count);
  if (t.spectrum) convolve_lines(to, count, first);
  if (t.twiddles && !t.twiddles_input) multiply_by_twiddles(out, out_pitch_bytes_, count, first);
  if (t.conjugate_output)
    with_real(precision_, [&](auto real) {
      conjugate_lines<decltype(real)>(out, out_pitch_bytes_, line_output(t), count);
    });
  if (t.ends.change_output())
    scale_ends(out, out_pitch_bytes_, count, t.ends.first_out, t.ends.last_out);
  if (t.modes_out > 0) keep_lines(out, count);
  if (t.scale != 1) scale_all(out, count);
}

}  // namespace weft::kernel
