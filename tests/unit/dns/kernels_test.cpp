// Kernels of simulations, compared with plain arithmetic, on tiles with all orders of axes and
// different lengths of rows.
#include "dns/kernels.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <complex>
#include <random>

#include "kernel/instruction_sets.hpp"
#include "support/seed.hpp"

namespace weft::test_support {
namespace {

using dns::Evaluation;
using dns::Kernels;
using dns::SimulationGrid;

constexpr std::size_t dims = 3;

/// Several fields, each an array of its own, and pointers to these arrays.
template <class E>
struct Fields {
  Fields(std::size_t count, std::int64_t volume) : values(count) {
    for (auto& field : values) {
      field.resize(static_cast<std::size_t>(volume));
      starts.push_back(field.data());
    }
  }
  std::vector<std::vector<E>> values;
  std::vector<void*> starts;
};

/// A tile of a larger spectrum or of space, as an array in cache. Its strides are dense in some
/// order of the axes.
struct Block {
  std::array<std::int64_t, dims> lower{};
  std::array<std::int64_t, dims> extents{};
  std::array<std::int64_t, dims> strides{};
  std::array<std::vector<double>, dims> weights{};
  std::array<const double*, dims> weight_starts{};
  std::vector<double> results;

  std::int64_t volume() const { return extents[0] * extents[1] * extents[2]; }
  Tile tile(void* const* inputs, std::size_t in, void* const* outputs, std::size_t out,
            bool is_complex, std::int64_t real_bytes) {
    Tile made{};
    made.dims = dims;
    made.input_count = static_cast<std::int64_t>(in);
    made.output_count = static_cast<std::int64_t>(out);
    made.result_count = static_cast<std::int64_t>(results.size());
    made.real_bytes = real_bytes;
    made.is_complex = is_complex ? 1 : 0;
    made.lower = lower.data();
    made.extents = extents.data();
    made.strides = strides.data();
    made.inputs = inputs;
    made.outputs = outputs;
    for (std::size_t a = 0; a < dims; ++a)
      weight_starts[a] = weights[a].empty() ? nullptr : weights[a].data();
    made.weights = weight_starts.data();
    made.results = results.data();
    return made;
  }
};

std::array<std::int64_t, dims> dense(const std::array<std::int64_t, dims>& extents,
                                     const std::array<int, dims>& slowest_first) {
  std::array<std::int64_t, dims> strides{};
  std::int64_t stride = 1;
  for (std::size_t i = dims; i-- > 0;) {
    const auto axis = static_cast<std::size_t>(slowest_first[i]);
    strides[axis] = stride;
    stride *= extents[axis];
  }
  return strides;
}

/// The whole problem of a test: a block in cache, and the arrays of a rank in memory around it.
template <class T>
struct KernelCase {
  using Complex = std::complex<T>;

  KernelCase(const std::array<std::int64_t, dims>& extents, const std::array<int, dims>& in_cache,
             const std::array<int, dims>& in_memory, std::size_t scalar_count, std::uint64_t seed)
      : random(seed), scalars(scalar_count) {
    block.extents = extents;
    block.lower = {2, 0, 1};
    block.strides = dense(extents, in_cache);
    std::array<std::int64_t, dims> box{};
    for (std::size_t a = 0; a < dims; ++a) {
      box[a] = block.lower[a] + extents[a] + 1;
      grid.lower.push_back(0);
      grid.derivatives.push_back(numbers(box[a]));
      grid.squares.emplace_back();
      for (const double k : grid.derivatives[a]) grid.squares[a].push_back(k * k);
      grid.steps.push_back(0.1 * static_cast<double>(a + 1));
    }
    const auto strides = dense(box, in_memory);
    grid.strides.assign(strides.begin(), strides.end());
    grid.diffusivities.assign(1, 0.03);
    for (std::size_t s = 0; s < scalars; ++s) {
      grid.diffusivities.push_back(0.01 * static_cast<double>(s + 1));
      grid.gradients.push_back({0.5, -0.25, 0.125 * static_cast<double>(s)});
    }
    block.weights[2].assign(static_cast<std::size_t>(extents[2]), 2.0);
    memory_volume = box[0] * box[1] * box[2];
  }

  std::vector<double> numbers(std::int64_t count) {
    std::uniform_real_distribution<double> draw(-2, 2);
    std::vector<double> made;
    for (std::int64_t i = 0; i < count; ++i) made.push_back(draw(random));
    return made;
  }
  template <class E>
  Fields<E> noise(std::size_t count, std::int64_t volume) {
    Fields<E> made(count, volume);
    std::uniform_real_distribution<double> draw(-1, 1);
    for (auto& field : made.values)
      for (E& each : field) {
        if constexpr (std::is_same_v<E, T>)
          each = static_cast<T>(draw(random));
        else
          each = {static_cast<T>(draw(random)), static_cast<T>(draw(random))};
      }
    return made;
  }
  /// Calls visit(place in the tile's arrays, place in memory, indices in the whole).
  template <class Visit>
  void for_each(Visit visit) const {
    std::array<std::int64_t, dims> i{};
    for (i[0] = 0; i[0] < block.extents[0]; ++i[0])
      for (i[1] = 0; i[1] < block.extents[1]; ++i[1])
        for (i[2] = 0; i[2] < block.extents[2]; ++i[2]) {
          std::int64_t in_cache = 0;
          std::int64_t in_memory = 0;
          std::array<std::int64_t, dims> whole{};
          for (std::size_t a = 0; a < dims; ++a) {
            whole[a] = block.lower[a] + i[a];
            in_cache += i[a] * block.strides[a];
            in_memory += whole[a] * grid.strides[a];
          }
          visit(static_cast<std::size_t>(in_cache), static_cast<std::size_t>(in_memory), whole);
        }
  }
  std::array<double, dims> wave(const std::array<std::int64_t, dims>& whole) const {
    std::array<double, dims> k{};
    for (std::size_t a = 0; a < dims; ++a)
      k[a] = grid.derivatives[a][static_cast<std::size_t>(whole[a])];
    return k;
  }

  std::mt19937_64 random;
  std::size_t scalars;
  Block block;
  SimulationGrid grid;
  std::int64_t memory_volume = 0;
};

template <class T>
double tolerance() {
  return 64 * static_cast<double>(std::numeric_limits<T>::epsilon());
}

using Number = std::complex<double>;
constexpr Number i_unit{0, 1};

template <class T>
Number wide(std::complex<T> value) {
  return {static_cast<double>(value.real()), static_cast<double>(value.imag())};
}

template <class T>
const dns::RowTable& rows() {
  return dns::row_table(kernel::to_string(kernel::instruction_set()));
}

template <class T>
void expect_inverse(KernelCase<T>& setup) {
  using Complex = std::complex<T>;
  Kernels<T> kernels(setup.grid, rows<T>());
  Evaluation evaluation;
  for (std::size_t a = 0; a < dims; ++a) {
    evaluation.shift.emplace_back();
    for (const double k : setup.grid.derivatives[a]) {
      evaluation.shift[a].push_back(std::cos(0.2 * k));
      evaluation.shift[a].push_back(std::sin(0.2 * k));
    }
  }
  auto memory = setup.template noise<Complex>(3 + setup.scalars, setup.memory_volume);
  kernels.set_register(0, memory.starts);
  kernels.set_evaluation(evaluation);
  auto in = setup.template noise<Complex>(3 + setup.scalars, setup.block.volume());
  Fields<Complex> out(6 + setup.scalars, setup.block.volume());
  kernels.inverse(setup.block.tile(in.starts.data(), 3 + setup.scalars, out.starts.data(),
                                   6 + setup.scalars, true, sizeof(T)));
  double worst = 0;
  setup.for_each([&](std::size_t at, std::size_t, const auto& whole) {
    const auto k = setup.wave(whole);
    const Number turn = std::exp(i_unit * 0.2 * (k[0] + k[1] + k[2]));
    std::array<Number, 3> u{};
    for (std::size_t a = 0; a < 3; ++a) u[a] = turn * wide(in.values[a][at]);
    for (std::size_t a = 0; a < 3; ++a) {
      const std::size_t b = (a + 1) % 3;
      const std::size_t c = (a + 2) % 3;
      worst = std::max(worst, std::abs(wide(out.values[a][at]) - u[a]));
      const Number curl = i_unit * (k[b] * u[c] - k[c] * u[b]);
      worst = std::max(worst, std::abs(wide(out.values[3 + a][at]) - curl));
    }
    for (std::size_t s = 0; s < setup.scalars; ++s)
      worst = std::max(worst,
                       std::abs(wide(out.values[6 + s][at]) - turn * wide(in.values[3 + s][at])));
  });
  EXPECT_LE(worst, tolerance<T>());
}

template <class T>
void expect_space(KernelCase<T>& setup) {
  Kernels<T> kernels(setup.grid, rows<T>());
  setup.block.results.assign(2, -INFINITY);
  auto in = setup.template noise<T>(6 + setup.scalars, setup.block.volume());
  // Outputs use the arrays of the inputs as far as these go, as weft calls pointwise functions.
  Fields<T> out(3 + 3 * setup.scalars, setup.block.volume());
  const auto given = in.values;
  std::vector<void*> outputs;
  for (std::size_t i = 0; i < 3 + 3 * setup.scalars; ++i)
    outputs.push_back(i < in.starts.size() ? in.starts[i] : out.starts[i]);
  kernels.space(setup.block.tile(in.starts.data(), 6 + setup.scalars, outputs.data(),
                                 outputs.size(), false, sizeof(T)));
  double worst = 0;
  double rate = 0;
  double fastest = 0;
  setup.for_each([&](std::size_t at, std::size_t, const auto&) {
    const auto value = [&](std::size_t field) { return static_cast<double>(given[field][at]); };
    const auto found = [&](std::size_t field) {
      return static_cast<double>(static_cast<const T*>(outputs[field])[at]);
    };
    double sum = 0;
    for (std::size_t a = 0; a < 3; ++a) {
      const std::size_t b = (a + 1) % 3;
      const std::size_t c = (a + 2) % 3;
      sum += std::abs(value(a)) / setup.grid.steps[a];
      worst =
          std::max(worst, std::abs(found(a) - (value(b) * value(3 + c) - value(c) * value(3 + b))));
      for (std::size_t s = 0; s < setup.scalars; ++s)
        worst = std::max(worst, std::abs(found(3 + 3 * s + a) - value(a) * value(6 + s)));
    }
    rate = std::max(rate, sum);
    fastest = std::max(fastest, value(0) * value(0) + value(1) * value(1) + value(2) * value(2));
  });
  EXPECT_LE(worst, tolerance<T>());
  EXPECT_NEAR(setup.block.results[0], rate, 100 * tolerance<T>());
  EXPECT_NEAR(setup.block.results[1], fastest, tolerance<T>());
}

template <class T>
void expect_advance(KernelCase<T>& setup) {
  using Complex = std::complex<T>;
  const std::size_t fields = 3 + setup.scalars;
  for (std::size_t a = 0; a < dims; ++a) {
    setup.grid.kept.emplace_back();
    for (const double square : setup.grid.squares[a]) setup.grid.kept[a].push_back(square / 5);
  }
  Kernels<T> kernels(setup.grid, rows<T>());
  std::vector<Fields<Complex>> registers;
  for (int r = 0; r < 3; ++r)
    registers.push_back(setup.template noise<Complex>(fields, setup.memory_volume));
  for (int r = 0; r < 3; ++r)
    kernels.set_register(r, registers[static_cast<std::size_t>(r)].starts);
  Evaluation evaluation;
  evaluation.decay_time = 0.7;
  evaluation.input = 1;
  evaluation.scale = 0.5;
  evaluation.added = 2;
  evaluation.updates = {{0, 2, {{1, 1, 0.25}, {-1, 2, 1.5}}}, {1, 2, {{0, 0, -2}, {-1, 0, 1}}}};
  evaluation.shell_width = 1;
  evaluation.shells = 4;
  kernels.set_evaluation(evaluation);
  setup.block.results.assign(static_cast<std::size_t>(kernels.sums()), 0);
  const auto before = registers;
  auto products = setup.template noise<Complex>(3 + 3 * setup.scalars, setup.block.volume());
  Fields<Complex> out(fields, setup.block.volume());
  kernels.advance(setup.block.tile(products.starts.data(), 3 + 3 * setup.scalars, out.starts.data(),
                                   fields, true, sizeof(T)));
  double worst = 0;
  double energy = 0;
  double transfer = 0;
  double divergence = 0;
  setup.for_each([&](std::size_t at, std::size_t in_memory, const auto& whole) {
    const auto k = setup.wave(whole);
    const double square = k[0] * k[0] + k[1] * k[1] + k[2] * k[2];
    const auto state = [&](std::size_t r, std::size_t c) {
      return wide(before[r].values[c][in_memory]);
    };
    const auto product = [&](std::size_t p) { return wide(products.values[p][at]); };
    const Number along = (k[0] * product(0) + k[1] * product(1) + k[2] * product(2)) / square;
    for (std::size_t c = 0; c < fields; ++c) {
      Number side = c < 3 ? product(c) - k[c] * along : Number(0);
      for (std::size_t a = 0; c >= 3 && a < 3; ++a)
        side -=
            i_unit * k[a] * product(3 * (c - 2) + a) + setup.grid.gradients[c - 3][a] * state(1, a);
      if (square / 5 >= 1) side = 0;
      side = 0.5 * side + state(2, c);
      const double decay = std::exp(-setup.grid.diffusivities[c < 3 ? 0 : c - 2] * square * 0.7);
      const Number first = 0.25 * decay * state(1, c) + 1.5 * decay * decay * side;
      const Number second = -2.0 * state(0, c) + side;
      worst = std::max(worst, std::abs(wide(out.values[c][at]) - first));
      worst = std::max(worst, std::abs(wide(registers[1].values[c][in_memory]) - second));
      // The kernel does not write the register of the outputs; weft does.
      EXPECT_EQ(registers[0].values[c][in_memory], before[0].values[c][in_memory]);
      if (c < 3) {
        energy += 2 * std::norm(state(1, c)) / 2;
        transfer += 2 * (std::conj(state(1, c)) * side).real();
      }
    }
    divergence += 2 * std::norm(k[0] * state(1, 0) + k[1] * state(1, 1) + k[2] * state(1, 2));
  });
  EXPECT_LE(worst, tolerance<T>());
  const std::size_t numbers = setup.block.results.size() / 4;
  double found_energy = 0;
  double found_transfer = 0;
  double found_divergence = 0;
  for (std::size_t shell = 0; shell < 4; ++shell) {
    found_energy += setup.block.results[shell * numbers];
    found_transfer += setup.block.results[shell * numbers + 3];
    found_divergence += setup.block.results[shell * numbers + 5];
  }
  EXPECT_NEAR(found_energy / energy, 1, tolerance<T>());
  EXPECT_NEAR(found_transfer, transfer, 1e3 * tolerance<T>());
  EXPECT_NEAR(found_divergence / divergence, 1, tolerance<T>());
}

template <class T>
void expect_all() {
  std::uint64_t seed = chosen_seed(17);
  const std::array<std::array<int, dims>, 3> orders{{{0, 1, 2}, {2, 0, 1}, {1, 2, 0}}};
  for (const auto& extents :
       {std::array<std::int64_t, dims>{1, 1, 1}, {2, 3, 63}, {3, 64, 2}, {65, 2, 3}, {2, 2, 130}})
    for (const auto& in_cache : orders)
      for (const auto& in_memory : orders)
        for (const std::size_t scalars : {std::size_t{0}, std::size_t{2}}) {
          SCOPED_TRACE("seed " + std::to_string(seed));
          KernelCase<T> setup(extents, in_cache, in_memory, scalars, seed++);
          expect_inverse(setup);
          expect_space(setup);
          setup.block.results.clear();
          expect_advance(setup);
        }
}

TEST(DnsKernels, AgreeWithPlainArithmeticInDouble) { expect_all<double>(); }
TEST(DnsKernels, AgreeWithPlainArithmeticInFloat) { expect_all<float>(); }

TEST(DnsKernels, RatesThatAreNotFiniteBecomeInfinite) {
  for (const double wrong : {NAN, INFINITY, -INFINITY})
    for (const std::size_t at : {std::size_t{0}, std::size_t{5}, std::size_t{69}}) {
      KernelCase<double> setup({1, 1, 70}, {0, 1, 2}, {0, 1, 2}, 0, 1);
      Kernels<double> kernels(setup.grid, rows<double>());
      setup.block.results.assign(2, 0);
      auto in = setup.noise<double>(6, 70);
      in.values[1][at] = wrong;
      Fields<double> out(3, 70);
      kernels.space(setup.block.tile(in.starts.data(), 6, out.starts.data(), 3, false, 8));
      EXPECT_EQ(setup.block.results[0], INFINITY) << wrong << " at " << at;
      EXPECT_EQ(setup.block.results[1], INFINITY) << wrong << " at " << at;
    }
}

TEST(DnsKernels, TheElementZeroHasNoRightHandSide) {
  KernelCase<double> setup({3, 3, 3}, {0, 1, 2}, {0, 1, 2}, 1, 2);
  setup.block.lower = {0, 0, 0};
  for (std::size_t a = 0; a < dims; ++a)
    setup.grid.derivatives[a][0] = setup.grid.squares[a][0] = 0;
  Kernels<double> kernels(setup.grid, rows<double>());
  auto memory = setup.noise<std::complex<double>>(4, setup.memory_volume);
  kernels.set_register(0, memory.starts);
  Evaluation evaluation;
  evaluation.updates = {{0, 1, {{-1, 0, 1}}}};
  kernels.set_evaluation(evaluation);
  auto products = setup.noise<std::complex<double>>(6, 27);
  Fields<std::complex<double>> out(4, 27);
  kernels.advance(setup.block.tile(products.starts.data(), 6, out.starts.data(), 4, true, 8));
  for (const auto& field : out.values) {
    EXPECT_EQ(field[0], 0.0);
    EXPECT_NE(field[1], 0.0);
  }
}

TEST(DnsKernels, RefuseRegistersWithoutMemoryAndUnknownSets) {
  KernelCase<double> setup({2, 2, 2}, {0, 1, 2}, {0, 1, 2}, 0, 3);
  Kernels<double> kernels(setup.grid, rows<double>());
  EXPECT_THROW(kernels.set_evaluation({}), std::invalid_argument);
  EXPECT_THROW(dns::row_table("v2"), std::invalid_argument);
}

}  // namespace
}  // namespace weft::test_support
