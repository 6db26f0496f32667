// Products of spectra with arrays, compared with direct sums. Operators before and after the
// function of a round trip. Calls that must fail.
#include "mpi/support/operator_check.hpp"

namespace weft::test_support {
namespace {

using operators::Lengths;

/// Returns an element of the array that fill_noise() fills.
template <class E>
std::complex<double> noise_at(std::uint64_t seed, std::int64_t at) {
  constexpr int parts = reals_of<E>;
  const auto first = static_cast<std::uint64_t>(parts * at);
  return {noise(seed, first), parts == 2 ? noise(seed, first + 1) : 0};
}

template <class E>
void expect_products(FftOptions options, Norm norm, bool conjugates) {
  using T = typename RealOf<E>::Type;
  options.norm = norm;
  Fft<T> fft(options);
  SCOPED_TRACE(fft.explain());
  const Layout& layout = fft.input();
  const LocalView view{fft.input_box(), layout.strides(fft.rank())};
  std::vector<E> field(static_cast<std::size_t>(fft.input_elements()));
  std::vector<E> other = field;
  fill_noise(reinterpret_cast<T*>(field.data()), reals_of<E>, layout.shape(), view, 3);
  fill_noise(reinterpret_cast<T*>(other.data()), reals_of<E>, layout.shape(), view, 4);
  std::vector<std::complex<T>> spectrum(static_cast<std::size_t>(fft.output_elements()));
  fft.forward(other.data(), spectrum.data());
  const operators::SpectrumArray array(fft.rank(), spectrum.data());
  const FieldFunction function = conjugates ? operators::correlation(fft.plan(), array)
                                            : operators::convolution(fft.plan(), array);
  const auto result = applied<E>(fft, function, {field}, 1)[0];
  const std::int64_t rows = layout.shape()[0];
  const std::int64_t columns = layout.shape()[1];
  double worst = 0;
  for_each_local(layout.shape(), view, [&](std::int64_t whole, std::int64_t local) {
    std::complex<double> sum = 0;
    for (std::int64_t i = 0; i < rows * columns; ++i) {
      const std::int64_t way = conjugates ? 1 : -1;
      const std::int64_t row = (whole / columns + way * (i / columns) + rows) % rows;
      const std::int64_t column = (whole % columns + way * (i % columns) + columns) % columns;
      const std::complex<double> factor = noise_at<E>(4, i);
      sum += (conjugates ? std::conj(factor) : factor) * noise_at<E>(3, row * columns + column);
    }
    const auto error =
        static_cast<double>(std::abs(element_of<E>(sum) - result[static_cast<std::size_t>(local)]));
    worst = std::isnan(error) ? INFINITY : std::max(worst, error);
  });
  EXPECT_LE(worst, 100 * static_cast<double>(std::numeric_limits<T>::epsilon()));
}

TEST(Operators, ConvolutionAndCorrelationMatchDirectSums) {
  for (const bool conjugates : {false, true}) {
    for (const Norm norm : {Norm::none, Norm::backward, Norm::ortho, Norm::forward}) {
      expect_products<double>(grid_options({6, 7}, Kind::r2c), norm, conjugates);
      expect_products<std::complex<double>>(grid_options({5, 6}, Kind::c2c, +1), norm, conjugates);
    }
    expect_products<float>(grid_options({6, 8}, Kind::r2c), Norm::backward, conjugates);
    expect_products<long double>(grid_options({6, 8}, Kind::r2c), Norm::ortho, conjugates);
  }
}

/// Returns this rank's values of exp(-|k|^2 / 10), as reals or complex numbers.
template <class E, class T>
std::vector<E> transfer_of(const Fft<T>& fft) {
  const Layout& layout = fft.output();
  std::vector<E> values(static_cast<std::size_t>(fft.output_elements()));
  for_each_local(layout.shape(), {fft.output_box(), layout.strides(fft.rank())},
                 [&](std::int64_t whole, std::int64_t local) {
                   double square = 0;
                   for (std::size_t a = layout.shape().size(); a-- > 0;) {
                     const std::int64_t n = fft.plan().problem.shape[a];
                     const std::int64_t i = whole % layout.shape()[a];
                     const auto k = static_cast<double>(std::min(i, n - i));
                     square += k * k;
                     whole /= layout.shape()[a];
                   }
                   values[static_cast<std::size_t>(local)] = element_of<E>(std::exp(-square / 10));
                 });
  return values;
}

TEST(Operators, TransferMultipliesByAnArray) {
  FftOptions ordered = grid_options({8, 6, 10}, Kind::r2c);
  ordered.output = Layout::slab({8, 6, 6}, size_of(MPI_COMM_WORLD), 1).with_order({1, 0, 2});
  for (const FftOptions& options : {grid_options({8, 6, 10}, Kind::r2c), ordered}) {
    Fft<double> fft(options);
    SCOPED_TRACE(fft.explain());
    const std::vector<std::vector<double>> fields{sampled<double>(fft, wave)};
    const double sigma = std::sqrt(0.2);
    const auto wanted = applied(fft, operators::gaussian(fft.plan(), sigma), fields, 1)[0];
    const auto compare = [&](const auto& factors) {
      const auto function = operators::transfer(fft.plan(), {fft.rank(), factors.data()});
      const auto result = applied(fft, function, fields, 1)[0];
      for (std::size_t i = 0; i < wanted.size(); ++i) ASSERT_NEAR(wanted[i], result[i], 1e-14);
    };
    compare(transfer_of<double>(fft));
    compare(transfer_of<std::complex<double>>(fft));
  }
}

TEST(Operators, OperatorsRunBeforeAndAfterARoundTripInSpace) {
  Fft<double> fft(grid_options({8, 6, 10}, Kind::r2c));
  const std::vector<double> field = sampled<double>(fft, wave);
  std::vector<std::complex<double>> spectrum(static_cast<std::size_t>(fft.output_elements()));
  fft.forward(field.data(), spectrum.data());
  const FieldWork work{.function = {[](const Tile&) {}, true},
                       .before = operators::derivative(fft.plan(), 0),
                       .after = operators::laplacian(fft.plan())};
  const std::complex<double>* in = spectrum.data();
  std::complex<double>* out = spectrum.data();
  fft.apply_in_space(work, {&in, 1}, {&out, 1});
  std::vector<double> result(field.size());
  fft.backward(spectrum.data(), result.data());
  const std::vector<double> wanted = sampled<double>(
      fft, [](auto& x) { return -6.0 * cosine(x[0]) * cosine(2 * x[1]) * sine(x[2]); });
  for (std::size_t i = 0; i < wanted.size(); ++i) ASSERT_NEAR(wanted[i], result[i], 1e-13);
}

void expect_refusal(ErrorCode code, const std::vector<std::string>& words,
                    const std::function<void()>& call) {
  expect_same_error(MPI_COMM_WORLD, code, words, call);
}

TEST(Operators, WrongArgumentsAreRefused) {
  Fft<double> fourier(grid_options({8, 6, 4}, Kind::r2c));
  const Plan& plan = fourier.plan();
  constexpr auto invalid = ErrorCode::invalid_argument;
  constexpr auto unsupported = ErrorCode::unsupported;
  expect_refusal(invalid, {"derivative takes a transformed axis", "given 3"},
                 [&] { operators::derivative(plan, 3); });
  expect_refusal(invalid, {"an order of 1 or more", "given 0"},
                 [&] { operators::derivative(plan, 0, 0); });
  expect_refusal(invalid, {"factors do not overflow in f64", "given 9999"},
                 [&] { operators::derivative(plan, 0, 9999); });
  expect_refusal(invalid, {"one length, or one for each of the 3", "given 2"}, [&] {
    operators::laplacian(plan, {1, 2});
  });
  expect_refusal(invalid, {"finite lengths above 0", "given -1"},
                 [&] { operators::laplacian(plan, {-1}); });
  expect_refusal(invalid, {"a finite sigma", "nan"}, [&] { operators::gaussian(plan, NAN); });
  expect_refusal(invalid, {"low <= high"}, [&] { operators::band_pass(plan, 2, 1); });
  expect_refusal(invalid, {"from zero on"}, [&] { operators::band_pass(plan, -2, -1); });
  expect_refusal(invalid, {"one offset, or one for each of the 3", "given 2"}, [&] {
    operators::shift(plan, {0.1, 0.2});
  });
  expect_refusal(invalid, {"a finite offset"}, [&] { operators::shift(plan, {INFINITY}); });
  expect_refusal(invalid, {"a finite alpha"}, [&] { operators::solve_helmholtz(plan, NAN); });

  Fft<double> flat(grid_options({8, 6}, Kind::r2c));
  expect_refusal(invalid, {"curl needs three transformed axes", "given 2"},
                 [&] { operators::curl(flat.plan()); });

  Fft<double> walls(grid_options({8, 6, 4}, {Kind::dct2, Kind::c2c, Kind::r2c}));
  const std::vector<std::string> reason{"a derivative makes sines of cosines", "dct2 on axis 0"};
  const auto of_walls = [&](FieldFunction (*make)(const Plan&, const Lengths&)) {
    return [&, make] { make(walls.plan(), {}); };
  };
  expect_refusal(unsupported, {"an odd derivative makes sines of cosines", "dct2 on axis 0"},
                 [&] { operators::derivative(walls.plan(), 0, 3); });
  expect_refusal(unsupported, reason, of_walls(operators::gradient));
  expect_refusal(unsupported, reason, of_walls(operators::divergence));
  expect_refusal(unsupported, reason, of_walls(operators::curl));
  expect_refusal(unsupported, reason, of_walls(operators::project));
  expect_refusal(unsupported, {"a shift makes sines of cosines"},
                 [&] { operators::shift(walls.plan(), {0.1}); });

  std::vector<std::complex<double>> spectrum(static_cast<std::size_t>(fourier.output_elements()));
  std::vector<double> reals(spectrum.size());
  const std::int64_t rank = fourier.rank();
  expect_refusal(unsupported, {"circular convolutions"}, [&] {
    operators::convolution(walls.plan(), {rank, spectrum.data()});
  });
  expect_refusal(invalid, {"the spectrum of a field", "given reals"}, [&] {
    operators::correlation(plan, {rank, reals.data()});
  });
  expect_refusal(invalid, {"takes the array of a rank", "given rank -1"}, [&] {
    operators::transfer(plan, {-1, reals.data()});
  });
  expect_refusal(invalid, {"numbers of the transform's precision, f64", "given f32"}, [&] {
    operators::transfer(plan, {rank, static_cast<const float*>(nullptr)});
  });
  if (!fourier.output_box().empty()) {
    EXPECT_THROW(operators::transfer(plan, {rank, static_cast<const double*>(nullptr)}), Error);
  }
  Fft<double> cosines(grid_options({8, 6}, Kind::dct2));
  expect_refusal(invalid, {"takes reals, because the spectrum has reals"}, [&] {
    operators::transfer(cosines.plan(), {rank, spectrum.data()});
  });
}

TEST(Operators, WrongFieldsSpectraAndLayoutsAreRefused) {
  Fft<double> fft(grid_options({8, 6, 4}, Kind::r2c));
  Fft<double> flat(grid_options({8, 6}, Kind::r2c));
  const std::vector<std::vector<double>> one{sampled<double>(fft, wave)};
  expect_refusal(ErrorCode::invalid_argument,
                 {"gradient takes 1 to 3 fields", "given 1 to 2", "set fields_there"},
                 [&] { applied(fft, operators::gradient(fft.plan()), one, 2); });
  expect_refusal(ErrorCode::invalid_argument, {"laplacian takes 1 to 1 fields", "given 1 to 2"},
                 [&] { applied(fft, operators::laplacian(fft.plan()), one, 2); });
  expect_refusal(ErrorCode::invalid_argument, {"laplacian was made for spectra of 8x4"},
                 [&] { applied(fft, operators::laplacian(flat.plan()), one, 1); });
  if (size_of(MPI_COMM_WORLD) == 1) return;
  // The function is called in another layout than that of the output.
  FftOptions options = grid_options({8, 6, 4}, Kind::r2c);
  options.output = Layout::slab({8, 6, 3}, size_of(MPI_COMM_WORLD), 0);
  options.input = Layout::slab({8, 6, 4}, size_of(MPI_COMM_WORLD), 0);
  Fft<double> moved(options);
  const std::vector<double> ones(static_cast<std::size_t>(moved.output_elements()), 1);
  const auto function = operators::transfer(moved.plan(), {moved.rank(), ones.data()});
  expect_refusal(ErrorCode::unsupported, {"transfer needs the spectrum in the boxes"},
                 [&] { applied<double>(moved, function, {sampled<double>(moved, wave)}, 1); });
}

/// Expects operators on a divided line to be refused, and the remedy in the message to work: the
/// same line as an array of two axes.
void expect_remedy(std::int64_t n) {
  Fft<double> fft(grid_options({n}, Kind::c2c));
  const std::string remedy = "shape 1x" + std::to_string(n) + ", and transform its axis 1 only";
  expect_refusal(ErrorCode::unsupported, {"needs whole lines of each axis", remedy},
                 [&] { operators::laplacian(fft.plan()); });
  const FieldFunction zeros{.call = [](const Tile&) {}};
  const std::vector<std::complex<double>> none(static_cast<std::size_t>(fft.input_elements()));
  expect_refusal(ErrorCode::unsupported, {"apply_in_spectrum needs stages with", remedy},
                 [&] { applied<std::complex<double>>(fft, zeros, {none}, 1); });
  FftOptions options = grid_options({1, n}, Kind::c2c);
  options.axes = {1};
  const auto cosine = [](const std::vector<double>& x) { return std::cos(2 * pi * x[1]); };
  const auto negated = [](const std::vector<double>& x) { return -std::cos(2 * pi * x[1]); };
  expect_fields<std::complex<double>>(
      options, [](const Plan& plan) { return operators::inverse_laplacian(plan); }, {cosine},
      {negated});
}

TEST(Operators, RefusesOneDividedAxisWithARemedy) {
  if (size_of(MPI_COMM_WORLD) == 1) return expect_remedy(1 << 18);
  expect_remedy(64);
}

/// Operators for one call: `last` on the last rank, `others` on all other ranks. The error has
/// these words.
struct Differing {
  FieldFunction others;
  FieldFunction last;
  std::vector<std::string> words;
};

TEST(Operators, DifferentOperatorsOnRanksAreRefused) {
  if (size_of(MPI_COMM_WORLD) == 1) GTEST_SKIP() << "one rank agrees with itself";
  using namespace operators;
  Fft<double> fft(grid_options({8, 6, 4}, Kind::r2c));
  const Plan& plan = fft.plan();
  const int last = size_of(MPI_COMM_WORLD) - 1;
  const bool is_last = fft.rank() == last;
  const Lengths box{1, 2, 3};
  const std::vector<std::complex<double>> numbers(static_cast<std::size_t>(fft.output_elements()));
  const SpectrumArray array(fft.rank(), numbers.data());
  const std::vector<Differing> differing{
      {gaussian(plan, 0.1, box),
       laplacian(plan, box),
       {"gaussian 0.1 over 1 x 2 x 3", "laplacian"}},
      {gaussian(plan, 0.1), gaussian(plan, 0.10000000000000002), {"0.10000000000000002 with"}},
      {laplacian(plan), laplacian(plan, {2}), {"laplacian with", "laplacian over 2 x 2 x 2 with"}},
      {laplacian(plan), inverse_laplacian(plan), {" laplacian", " inverse_laplacian"}},
      {derivative(plan, 0), derivative(plan, 1), {"of order 1 along axis 0", "1 along axis 1"}},
      {derivative(plan, -1), derivative(plan, 2, 3), {"order 1 along axis 2", "of order 3"}},
      {solve_helmholtz(plan, 1), solve_helmholtz(plan, 2.5), {"solve_helmholtz 2.5"}},
      {band_pass(plan, 0, 3), band_pass(plan, 0, 4), {"band_pass 0 to 3", "band_pass 0 to 4"}},
      {shift(plan, {0.5}), shift(plan, {0, 0.5, 0}), {"shift by 0.5 with", "by 0, 0.5, 0"}},
      {convolution(plan, array), correlation(plan, array), {"convolution", "correlation"}},
      {transfer(plan, array), {.call = [](const Tile&) {}, .is_pointwise = true}, {"a function"}}};
  const std::vector<std::vector<double>> one{sampled<double>(fft, wave)};
  for (const auto& [others, of_last, words] : differing) {
    std::vector<std::string> all = words;
    all.push_back(", rank " + std::to_string(last) + " in apply_in_spectrum");
    expect_same_error(MPI_COMM_WORLD, ErrorCode::disagreement, all,
                      [&] { applied(fft, is_last ? of_last : others, one, 1); });
  }
  const std::vector<std::vector<double>> three(3, one[0]);
  expect_same_error(MPI_COMM_WORLD, ErrorCode::disagreement, {"curl", "project"},
                    [&] { applied(fft, is_last ? curl(plan) : project(plan), three, 3); });
  // Axes -3 and 0 are the same axis, so these operators agree.
  const auto result = applied(fft, is_last ? derivative(plan, -3) : derivative(plan, 0), one, 1)[0];
  EXPECT_EQ(result, applied(fft, derivative(plan, 0), one, 1)[0]);
}

/// Ranks also compare the functions before and after the round trip.
TEST(Operators, DifferentFunctionsBeforeOrAfterARoundTripAreRefused) {
  if (size_of(MPI_COMM_WORLD) == 1) GTEST_SKIP() << "one rank agrees with itself";
  Fft<double> fft(grid_options({8, 6, 4}, Kind::r2c));
  const Plan& plan = fft.plan();
  const bool is_last = fft.rank() == size_of(MPI_COMM_WORLD) - 1;
  std::vector<std::complex<double>> in(static_cast<std::size_t>(fft.output_elements()));
  std::vector<std::complex<double>> out = in;
  const FieldFunction sigmas[]{operators::gaussian(plan, 1), operators::gaussian(plan, 2)};
  const auto call = [&](const FieldWork& work) {
    const std::complex<double>* const inputs[]{in.data()};
    std::complex<double>* const outputs[]{out.data()};
    fft.apply_in_space(work, inputs, outputs);
  };
  const FieldFunction nothing{.call = [](const Tile&) {}};
  expect_same_error(MPI_COMM_WORLD, ErrorCode::disagreement,
                    {"before it gaussian 1 with", "before it gaussian 2 with"},
                    [&] { call({.function = nothing, .before = sigmas[is_last ? 1 : 0]}); });
  expect_same_error(MPI_COMM_WORLD, ErrorCode::disagreement,
                    {"after it gaussian 1 with", "after it gaussian 2 with"},
                    [&] { call({.function = nothing, .after = sigmas[is_last ? 1 : 0]}); });
}

/// Ranks compare the words by which a caller describes a function, so words can have parameters.
TEST(Operators, DifferentWordsOfAFunctionAreRefused) {
  if (size_of(MPI_COMM_WORLD) == 1) GTEST_SKIP() << "one rank agrees with itself";
  Fft<double> fft(grid_options({8, 6, 4}, Kind::r2c));
  const std::vector<std::vector<double>> one{sampled<double>(fft, wave)};
  FieldFunction function{.call = [](const Tile&) {}, .words = "drag 1"};
  if (fft.rank() == size_of(MPI_COMM_WORLD) - 1) function.words = "drag 2";
  expect_same_error(MPI_COMM_WORLD, ErrorCode::disagreement, {"drag 1 with", "drag 2 with"},
                    [&] { applied(fft, function, one, 1); });
}

}  // namespace
}  // namespace weft::test_support
