// Twiddles, compared with roots by Taylor series in a wider type, and lines multiplied by them.
#include "kernel/twiddles.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "base/memory.hpp"
#include "kernel/sweep.hpp"
#include "support/line_oracle.hpp"
#include "support/seed.hpp"

namespace weft::kernel {
namespace {

// Some lengths exceed 2^32, to notice indices of 32 bits. The tables of 2^40 have 64 MiB.
const std::vector<std::int64_t> lengths{1,
                                        2,
                                        3,
                                        4,
                                        5,
                                        8,
                                        12,
                                        1 << 10,
                                        6561,
                                        14641,
                                        1 << 20,
                                        3 * 5 * 7 * 11 * 13,
                                        2 * 1000003,
                                        std::int64_t{3486784401} * 125,
                                        std::int64_t{1} << 40};

TEST(Twiddles, roots_are_exact_to_the_last_bits) {
  const std::uint64_t seed = test_support::chosen_seed(7);
  SCOPED_TRACE(test_support::repeated_by(seed));
  std::mt19937_64 random(seed);
  for (const std::int64_t n : lengths) {
    const Twiddles twiddles(n);
    for (int draw = 0; draw < 300; ++draw) {
      // First the bounds of octants, then the indices after them, then random indices.
      const std::int64_t e = draw < 8    ? draw * n / 8
                             : draw < 16 ? std::min(n - 1, (draw - 8) * n / 8 + 1)
                                         : static_cast<std::int64_t>(random() % n);
      const WideComplex wanted = root(e, n);
      const std::complex<long double> found = twiddles.root(e);
      constexpr double eps = std::numeric_limits<long double>::epsilon();
      ASSERT_LT(std::abs(static_cast<double>(Wide(found.real()) - wanted.re)), 3 * eps)
          << e << " of " << n;
      ASSERT_LT(std::abs(static_cast<double>(Wide(found.imag()) - wanted.im)), 3 * eps)
          << e << " of " << n;
    }
  }
}

template <class T>
void check_lines(std::int64_t n1, std::int64_t n2) {
  const auto twiddles = twiddles_of(n1 * n2);
  const auto count = static_cast<std::size_t>(n1);
  const double eps = std::numeric_limits<T>::epsilon();
  for (const std::int64_t j : {std::int64_t{0}, std::int64_t{1}, n2 / 3, n2 - 1})
    for (const bool conjugate : {false, true}) {
      std::vector<T> line(2 * count + 2, T{7});
      for (std::size_t k = 0; k < count; ++k) {
        line[2 * k] = static_cast<T>(1);
        line[2 * k + 1] = static_cast<T>(0.5);
      }
      twiddles->multiply(line.data(), n1, j, conjugate);
      for (std::size_t k = 0; k < count; ++k) {
        const WideComplex w = root(j * static_cast<std::int64_t>(k), n1 * n2);
        const Wide im = conjugate ? -w.im : w.im;
        const Wide re_error = Wide(line[2 * k]) - (w.re - im / 2);
        const Wide im_error = Wide(line[2 * k + 1]) - (im + w.re / 2);
        ASSERT_LT(std::abs(static_cast<double>(re_error)), 4 * eps) << j << " * " << k;
        ASSERT_LT(std::abs(static_cast<double>(im_error)), 4 * eps) << j << " * " << k;
      }
      ASSERT_EQ(line[2 * count], T{7}) << "a place after the line was written";
    }
}

TEST(Twiddles, lines_are_multiplied_in_every_precision) {
  for (const auto& [n1, n2] : std::vector<std::pair<std::int64_t, std::int64_t>>{
           {1, 1}, {1, 9}, {63, 64}, {64, 64}, {65, 127}, {200, 3}, {81, 125}, {1000, 1 << 20}}) {
    check_lines<float>(n1, n2);
    check_lines<double>(n1, n2);
    check_lines<long double>(n1, n2);
  }
}

/// Lines are contiguous, so they are read directly. Twiddles before the transform must not change
/// the input. The box does not begin at line 0, and threads share it.
TEST(Twiddles, a_sweep_numbers_its_lines_and_keeps_its_input) {
  const std::uint64_t seed = test_support::chosen_seed(7);
  SCOPED_TRACE(test_support::repeated_by(seed));
  constexpr std::int64_t length = 16;
  const Box box{{5, 0}, {42, length}};
  const std::int64_t lines = box.extent(0);
  for (const bool first : {true, false})
    for (const int threads : {1, 3}) {
      AxisTransform transform{.axis = 1, .length = length};
      transform.twiddles = twiddles_of(length * 50);
      transform.twiddles_input = first;
      AlignedBuffer in(lines * length * 16);
      AlignedBuffer out(lines * length * 16);
      std::mt19937_64 random(seed);
      for (std::int64_t i = 0; i < 2 * lines * length; ++i)
        in.as<double>()[i] = static_cast<double>(random() >> 40) * 0x1p-24;
      const std::vector<double> before(in.as<double>(), in.as<double>() + 2 * lines * length);
      const auto place = [&](int buffer) { return Place{{{box, buffer, 0, {length, 1}}}, 16}; };
      const Sweep sweep(box, {transform}, place(0), place(1),
                        {.engine = &default_engine(), .threads = threads});
      AlignedBuffer memory(threads * sweep.scratch_size().thread_bytes());
      void* buffers[] = {in.data(), out.data()};
      sweep.execute(buffers, Scratch(sweep.scratch_size(), memory.data()));
      ASSERT_EQ(std::memcmp(before.data(), in.data(), before.size() * sizeof(double)), 0);
      for (std::int64_t line = 0; line < lines; ++line) {
        const double* given = before.data() + 2 * line * length;
        const auto times = [&](std::int64_t k, WideComplex x) {
          const WideComplex w = root((line + box.lower[0]) * k, length * 50);
          return WideComplex{x.re * w.re - x.im * w.im, x.re * w.im + x.im * w.re};
        };
        std::vector<WideComplex> x;
        for (std::int64_t k = 0; k < length; ++k) {
          x.push_back({given[2 * k], given[2 * k + 1]});
          if (first) x.back() = times(k, x.back());
        }
        const std::vector<WideComplex> transformed = direct_dft(x, true);
        for (std::int64_t k = 0; k < length; ++k) {
          const WideComplex wanted = first ? transformed[static_cast<std::size_t>(k)]
                                           : times(k, transformed[static_cast<std::size_t>(k)]);
          const double* found = out.as<double>() + 2 * (line * length + k);
          ASSERT_LT(std::abs(static_cast<double>(wanted.re) - found[0]), 1e-14) << line;
          ASSERT_LT(std::abs(static_cast<double>(wanted.im) - found[1]), 1e-14) << line;
        }
      }
    }
}

TEST(Twiddles, are_shared_while_they_are_in_use) {
  const auto held = twiddles_of(1001);
  EXPECT_EQ(twiddles_of(1001), held);
  EXPECT_NE(twiddles_of(1002), held);
}

}  // namespace
}  // namespace weft::kernel
