// Positions and wavenumbers of a rank's box. A wave with one of the wavenumbers, sampled at these
// positions, must have one element in its spectrum.
#include <cmath>
#include <complex>
#include <numbers>

#include "base/kinds.hpp"
#include "mpi/support/same_error.hpp"
#include "mpi/support/world.hpp"
#include "support/real_kinds.hpp"
#include "weft/fft.hpp"
#include "weft/weft.h"

namespace weft::test_support {
namespace {

using Complex = std::complex<double>;
constexpr double length = 3;
constexpr double width = 5;

/// Returns the wave of a kind at a phase: a cosine, a sine, or a periodic wave.
Complex wave(Kind kind, double phase) {
  switch (kind) {
    case Kind::c2c:
    case Kind::r2c:
      return std::polar(1.0, phase);
    case Kind::dht:
      return std::cos(phase) + std::sin(phase);
    case Kind::dct1:
    case Kind::dct2:
    case Kind::dct3:
    case Kind::dct4:
      return std::cos(phase);
    default:
      return std::sin(phase);
  }
}

/// Expects one element in the spectrum of a wave along axis 0, which does not vary along axis 1.
void expect_one_element(const FftOptions& options, std::int64_t number, double wavenumber) {
  const Kind kind = options.kinds.each()[0];
  SCOPED_TRACE(std::string(to_string(kind)) + ", element " + std::to_string(number));
  Fft<double> fft(options);
  const std::vector<double> x = fft.positions(0, length);
  const std::size_t columns = fft.positions(1, width).size();
  std::vector<Complex> field;
  for (const double at : x) field.insert(field.end(), columns, wave(kind, wavenumber * at));
  ASSERT_EQ(static_cast<std::int64_t>(field.size()), fft.input_elements());
  std::vector<Complex> spectrum(static_cast<std::size_t>(fft.output_elements()));
  fft.forward(field.data(), spectrum.data());
  const std::vector<double> k0 = fft.wavenumbers(0, length);
  const std::vector<double> k1 = fft.wavenumbers(1, width);
  const Box box = fft.output_box();
  const Shape strides = fft.output().strides(fft.rank());
  ASSERT_EQ(static_cast<std::int64_t>(k0.size()), box.empty() ? 0 : box.extent(0));
  for (std::size_t i = 0; i < k0.size(); ++i)
    for (std::size_t j = 0; j < k1.size(); ++j) {
      const bool is_wave = std::abs(k0[i] - wavenumber) < 1e-12 && k1[j] == 0;
      EXPECT_EQ(is_wave, box.lower[0] + static_cast<std::int64_t>(i) == number &&
                             box.lower[1] + static_cast<std::int64_t>(j) == 0);
      const double found = std::abs(spectrum[i * static_cast<std::size_t>(strides[0]) +
                                             j * static_cast<std::size_t>(strides[1])]);
      EXPECT_EQ(found > 1, is_wave) << k0[i] << ", " << k1[j] << ": " << found;
    }
}

TEST(Coordinates, OfPeriodicAxesPlaceAWaveInOneElement) {
  for (const std::int64_t n : {7, 8}) {
    const FftOptions periodic{.shape = {n, 6}, .kinds = Kind::c2c, .comm = world};
    const double turn = 2 * std::numbers::pi / length;
    for (const std::int64_t k : {0, 1, 3}) expect_one_element(periodic, k, turn * k);
    for (const std::int64_t k : {-1, -3}) expect_one_element(periodic, n + k, turn * k);
  }
}

TEST(Coordinates, OfEveryRealKindPlaceAWaveInOneElement) {
  constexpr double half_turn = std::numbers::pi / length;
  for (const Kind kind : real_kinds)
    for (const std::int64_t n : {7, 8}) {
      const FftOptions options{.shape = {n, 6}, .kinds = {kind, Kind::c2c}, .comm = world};
      const KindTraits& traits = traits_of(kind);
      for (const std::int64_t k : {1, 2}) {
        const double number = static_cast<double>(k) + static_cast<double>(traits.twice_lowest) / 2;
        expect_one_element(options, k, (traits.is_periodic() ? 2 * k : number) * half_turn);
      }
    }
}

TEST(Coordinates, OfTruncatedHalvedAndOtherAxesAreThoseOfTheBox) {
  const Fft<double> fft({.shape = {4, 9, 8},
                         .axes = {1, 2},
                         .kinds = {Kind::c2c, Kind::r2c},
                         .modes = {5, 6},
                         .components = 2,
                         .comm = world});
  const Box box = fft.plan().output().box(fft.rank());
  const auto expect = [&](int axis, const std::vector<double>& whole) {
    const auto at = static_cast<std::size_t>(axis);
    const std::vector<double> part(whole.begin() + box.lower[at], whole.begin() + box.upper[at]);
    EXPECT_EQ(fft.wavenumbers(axis, 2 * std::numbers::pi), part) << axis;
  };
  expect(0, {0, 0, 0, 0});
  expect(1, {0, 1, 2, -2, -1});
  expect(2, {0, 1, 2, 3});
}

/// With more than 5 ranks, some have no element and pass null arrays.
TEST(Coordinates, AreTheSameInC) {
  const std::int64_t shape[] = {5, 6};
  weft_options options;
  ASSERT_EQ(weft_options_init(&options), WEFT_OK);
  options.dims = 2;
  options.shape = shape;
  weft_fft* fft = nullptr;
  ASSERT_EQ(weft_fft_create(&options, world, &fft), WEFT_OK) << weft_last_error();
  const Fft<double> same({.shape = {5, 6}, .comm = world});
  for (int axis = 0; axis < 2; ++axis) {
    std::vector<double> positions(same.positions(axis, length).size());
    std::vector<double> wavenumbers(same.wavenumbers(axis, length).size());
    EXPECT_EQ(weft_fft_positions(fft, axis, length, positions.data()), WEFT_OK);
    EXPECT_EQ(weft_fft_wavenumbers(fft, axis, length, wavenumbers.data()), WEFT_OK);
    EXPECT_EQ(positions, same.positions(axis, length));
    EXPECT_EQ(wavenumbers, same.wavenumbers(axis, length));
  }
  EXPECT_EQ(weft_fft_positions(fft, 2, length, nullptr), WEFT_INVALID_ARGUMENT);
  const bool is_empty = same.positions(0, length).empty();
  EXPECT_EQ(weft_fft_positions(fft, 0, length, nullptr),
            is_empty ? WEFT_OK : WEFT_INVALID_ARGUMENT);
  weft_fft_destroy(fft);
}

TEST(Coordinates, OfNoAxisOrLengthAreRefused) {
  const Fft<double> fft({.shape = {5, 6}, .comm = world});
  expect_same_error(world, ErrorCode::invalid_argument, {"axis", "0..1", "given 2"},
                    [&] { fft.positions(2, length); });
  expect_same_error(world, ErrorCode::invalid_argument, {"axis", "given -1"},
                    [&] { fft.wavenumbers(-1, length); });
  for (const double bad : {0.0, -1.0, HUGE_VAL, std::nan("")})
    expect_same_error(world, ErrorCode::invalid_argument, {"length", "above 0"},
                      [&] { fft.wavenumbers(0, bad); });
}

}  // namespace
}  // namespace weft::test_support
