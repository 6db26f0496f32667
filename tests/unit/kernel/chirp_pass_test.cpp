// The first, the last and the middle step of a convolution with a chirp, compared with sums in a
// wider type.
#include "kernel/chirp_pass.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "kernel/sweep.hpp"
#include "support/line_oracle.hpp"
#include "support/random_layouts.hpp"
#include "support/seed.hpp"

namespace weft::kernel {
namespace {

using test_support::Random;

WideComplex times(WideComplex a, WideComplex b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

WideComplex chirp(std::int64_t j, std::int64_t n, int sign) {
  const WideComplex w = root(j * j % (2 * n), 2 * n);
  return {w.re, sign < 0 ? w.im : -w.im};
}

double distance(WideComplex wanted, double re, double im) {
  return std::abs(static_cast<double>(wanted.re) - re) +
         std::abs(static_cast<double>(wanted.im) - im);
}

/// Cuts the rows into boxes. Each box is a piece of one buffer, in either memory order.
Place pieces_of(const Shape& rows, std::int64_t element_bytes, Random& random) {
  Place place{{}, element_bytes};
  std::int64_t offset = 5;
  for (const Box& box : test_support::random_boxes(rows, 4, random)) {
    if (box.empty()) continue;
    place.pieces.push_back(
        {box, 0, offset, dense_strides(box.shape(), test_support::random_order(2, random))});
    offset += box.volume();
  }
  return place;
}

/// Calls visit(j, its position in elements) for each element of the rows.
template <class Visit>
void for_each(const Place& rows, std::int64_t row, Visit&& visit) {
  for (const Piece& piece : rows.pieces)
    for (std::int64_t r = piece.box.lower[0]; r < piece.box.upper[0]; ++r)
      for (std::int64_t c = piece.box.lower[1]; c < piece.box.upper[1]; ++c)
        visit(r * row + c,
              static_cast<std::size_t>(piece.offset + (r - piece.box.lower[0]) * piece.strides[0] +
                                       (c - piece.box.lower[1]) * piece.strides[1]));
}

/// An axis that is stored in rows of `row` elements.
struct Axis {
  std::int64_t n;      ///< length of the transform
  std::int64_t there;  ///< number of elements of the axis: n or n/2+1
  std::int64_t row;
  std::int64_t rows() const { return (there + row - 1) / row; }
};

const std::vector<Axis> axes{{13, 13, 4}, {13, 7, 4},  {12, 12, 4},
                             {12, 7, 3},  {31, 31, 8}, {2, 2, 5}};

double value(std::int64_t j) { return std::sin(static_cast<double>(3 * j + 1)); }

TEST(KernelChirp, an_axis_becomes_rows_filled_up_with_zeros) {
  const std::uint64_t seed = test_support::chosen_seed(1);
  SCOPED_TRACE(test_support::repeated_by(seed));
  Random random(seed);
  for (const Axis& axis : axes)
    for (const bool real : {false, true})
      for (const int sign : {-1, 1})
        for (int repeat = 0; repeat < 10; ++repeat) {
          const bool is_half = !real && axis.there < axis.n;
          const int reals = real ? 1 : 2;
          const Shape shape{axis.rows(), axis.row};
          const Place rows = pieces_of(shape, 16, random);
          const Place flat{{{Box::whole({axis.there}), 1, 3, {1}}}, 8 * reals};
          std::vector<double> given(static_cast<std::size_t>((axis.there + 3) * reals), NAN);
          for (std::int64_t i = 0; i < axis.there * reals; ++i)
            given[static_cast<std::size_t>(i + 3 * reals)] = value(i);
          std::vector<double> got(static_cast<std::size_t>(2 * volume(shape) + 10), NAN);
          void* const buffers[] = {got.data(), given.data()};
          const ChirpEnd end{
              .n = axis.n, .row = axis.row, .sign = sign, .is_real = real, .is_half = is_half};
          for (const Box& box : test_support::random_boxes(shape, 3, random))
            if (!box.empty()) ChirpPass(end, box, flat, rows, 1 + repeat % 2).execute(buffers);
          for_each(rows, axis.row, [&](std::int64_t j, std::size_t at) {
            WideComplex x;
            if (j < axis.there) {
              const bool inner = is_half && j > 0 && 2 * j != axis.n;
              x.re = value(real ? j : 2 * j) * (inner ? 2 : 1);
              x.im = real || (is_half && !inner) ? 0 : value(2 * j + 1) * (inner ? 2 : 1);
            }
            ASSERT_LT(
                distance(times(x, chirp(j % axis.n, axis.n, sign)), got[2 * at], got[2 * at + 1]),
                2e-15)
                << j << " of " << axis.n;
          });
        }
}

TEST(KernelChirp, rows_become_a_scaled_axis_without_the_padding) {
  const std::uint64_t seed = test_support::chosen_seed(2);
  SCOPED_TRACE(test_support::repeated_by(seed));
  Random random(seed);
  for (const Axis& axis : axes)
    for (const bool real : {false, true})
      for (const int sign : {-1, 1})
        for (int repeat = 0; repeat < 10; ++repeat) {
          const auto reals = static_cast<std::size_t>(real ? 1 : 2);
          const Shape shape{axis.rows(), axis.row};
          const Place rows = pieces_of(shape, 16, random);
          const Place flat{{{Box::whole({axis.there}), 1, 3, {1}}},
                           8 * static_cast<std::int64_t>(reals)};
          std::vector<double> given(static_cast<std::size_t>(2 * volume(shape) + 10), NAN);
          for_each(rows, axis.row, [&](std::int64_t j, std::size_t at) {
            given[2 * at] = value(2 * j);
            given[2 * at + 1] = value(2 * j + 1);
          });
          std::vector<double> got((static_cast<std::size_t>(axis.there) + 4) * reals, -9);
          void* const buffers[] = {given.data(), got.data()};
          const ChirpEnd end{.n = axis.n,
                             .row = axis.row,
                             .to_rows = false,
                             .sign = sign,
                             .is_real = real,
                             .scale = 0.75L};
          const ChirpPass pass(end, Box::whole(shape), flat, rows, 1 + repeat % 2);
          EXPECT_EQ(pass.execute(buffers).written_bytes, axis.there * flat.element_bytes);
          for (std::int64_t j = 0; j < axis.there; ++j) {
            const WideComplex x{value(2 * j), value(2 * j + 1)};
            WideComplex wanted = times(x, chirp(j, axis.n, sign));
            wanted = {wanted.re * Wide(0.75), real ? 0 : wanted.im * Wide(0.75)};
            const std::size_t at = (static_cast<std::size_t>(j) + 3) * reals;
            ASSERT_LT(distance(wanted, got[at], real ? 0 : got[at + 1]), 2e-15) << j;
          }
          for (std::size_t i = 0; i < reals; ++i) {
            EXPECT_EQ(got[3 * reals - 1 - i], -9);
            EXPECT_EQ(got[got.size() - 1 - i], -9);
          }
        }
}

/// Columns are padded with zeros, because the input has fewer rows than a column has points.
TEST(KernelChirp, a_sweep_pads_its_columns) {
  constexpr std::int64_t length = 12;
  constexpr std::int64_t given_rows = 5;
  constexpr std::int64_t columns = 21;
  const Box box{{0, 0}, {given_rows, columns}};
  for (const int threads : {1, 3}) {
    const AxisTransform transform{.axis = 0, .length = length, .padding = length - given_rows};
    AlignedBuffer in(given_rows * columns * 16);
    AlignedBuffer out(length * columns * 16);
    for (std::int64_t i = 0; i < 2 * given_rows * columns; ++i) in.as<double>()[i] = value(i);
    const Place from{{{box, 0, 0, {columns, 1}}}, 16};
    const Place to{{{{{0, 0}, {length, columns}}, 1, 0, {columns, 1}}}, 16};
    const Sweep sweep(box, {transform}, from, to,
                      {.engine = &default_engine(), .threads = threads});
    AlignedBuffer memory(threads * sweep.scratch_size().thread_bytes());
    std::fill_n(memory.as<double>(), memory.size() / 8, NAN);
    void* buffers[] = {in.data(), out.data()};
    sweep.execute(buffers, Scratch(sweep.scratch_size(), memory.data()));
    for (std::int64_t column = 0; column < columns; ++column) {
      std::vector<WideComplex> x(length);
      for (std::int64_t j = 0; j < given_rows; ++j) {
        const std::int64_t at = 2 * (j * columns + column);
        x[static_cast<std::size_t>(j)] = {value(at), value(at + 1)};
      }
      const std::vector<WideComplex> wanted = direct_dft(x, true);
      for (std::int64_t k = 0; k < length; ++k) {
        const double* found = out.as<double>() + 2 * (k * columns + column);
        ASSERT_LT(distance(wanted[static_cast<std::size_t>(k)], found[0], found[1]), 1e-14);
      }
    }
  }
}

TEST(KernelChirp, a_sweep_convolves_its_lines_with_their_own_spectra) {
  constexpr std::int64_t length = 10;
  const Box box{{4, 0}, {23, length}};
  const std::int64_t lines = box.extent(0);
  for (const bool conjugate : {false, true})
    for (const int threads : {1, 3}) {
      AlignedBuffer spectra((lines + 1) * length * 16);  // of the lines from 3 on
      for (std::int64_t i = 0; i < 2 * (lines + 1) * length; ++i)
        spectra.as<double>()[i] = value(i + 77);
      AxisTransform transform{.axis = 1, .length = length};
      transform.spectrum = std::make_shared<const LineSpectrum>(std::move(spectra), 3, length);
      transform.conjugate_spectrum = conjugate;
      AlignedBuffer array(lines * length * 16);
      for (std::int64_t i = 0; i < 2 * lines * length; ++i) array.as<double>()[i] = value(i);
      const Place place{{{box, 0, 0, {length, 1}}}, 16};
      const Sweep sweep(box, {transform}, place, place,
                        {.engine = &default_engine(), .threads = threads});
      AlignedBuffer memory(threads * sweep.scratch_size().thread_bytes());
      void* buffers[] = {array.data()};
      sweep.execute(buffers, Scratch(sweep.scratch_size(), memory.data()));
      for (std::int64_t line = 0; line < lines; ++line) {
        std::vector<WideComplex> x(length);
        for (std::int64_t j = 0; j < length; ++j) {
          const std::int64_t at = 2 * (line * length + j);
          x[static_cast<std::size_t>(j)] = {value(at), value(at + 1)};
        }
        std::vector<WideComplex> y = direct_dft(x, true);
        for (std::int64_t k = 0; k < length; ++k) {
          const std::int64_t at = 2 * ((line + 1) * length + k) + 77;
          const double im = value(at + 1);
          y[static_cast<std::size_t>(k)] =
              times(y[static_cast<std::size_t>(k)], {value(at), conjugate ? -im : im});
        }
        const std::vector<WideComplex> wanted = direct_dft(y, false);
        for (std::int64_t j = 0; j < length; ++j) {
          const double* found = array.as<double>() + 2 * (line * length + j);
          ASSERT_LT(distance(wanted[static_cast<std::size_t>(j)], found[0], found[1]), 1e-13);
        }
      }
    }
}

}  // namespace
}  // namespace weft::kernel
