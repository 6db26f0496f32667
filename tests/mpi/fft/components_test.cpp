// Arrays with components, and transforms that take the layouts of another transform.
#include <array>

#include "mpi/support/c_interface_check.hpp"
#include "mpi/support/same_error.hpp"

namespace weft::test_support {
namespace {

using Complex = std::complex<double>;

std::vector<double> noisy_reals(std::int64_t elements, int rank) {
  std::vector<double> values(static_cast<std::size_t>(elements));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = noise(static_cast<std::uint64_t>(rank), i);
  return values;
}

const std::vector<Exchange> listed = {
    {},
    {.method = Method::messages, .schedule = Schedule::cyclic, .chunks = 2},
    {.method = Method::collective}};

/// The result has the same bits as transforms of each component alone.
TEST(Components, HaveTheBitsOfSeparateTransforms) {
  for (const Exchange& exchange : with_every_method(listed))
    for (const std::int64_t count : {1, 3}) {
      SCOPED_TRACE(describe(exchange) + ", " + std::to_string(count) + " components");
      FftOptions options{
          .shape = {6, 5, 7}, .kinds = Kind::r2c, .comm = world, .exchange = exchange};
      Fft<double> one(options);
      options.components = count;
      Fft<double> all(options);
      EXPECT_EQ(all.input(), one.input().with_components(count));
      EXPECT_EQ(all.output(), one.output().with_components(count));
      ASSERT_EQ(all.input_elements(), count * one.input_elements());
      const std::vector<double> x = noisy_reals(all.input_elements(), all.rank());
      std::vector<Complex> expected(static_cast<std::size_t>(all.output_elements()));
      for (std::int64_t i = 0; i < count; ++i)
        one.forward(x.data() + i * one.input_elements(),
                    expected.data() + i * one.output_elements());
      std::vector<Complex> found(expected.size());
      all.forward(x.data(), found.data());
      EXPECT_EQ(found, expected);
      std::vector<double> back(x.size());
      all.backward(found.data(), back.data());
      for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(back[i], 6 * 5 * 7 * x[i], 1e-11);
    }
}

TEST(Components, InPlaceHaveTheBitsOfOneArray) {
  FftOptions options{.shape = {6, 5, 7}, .kinds = Kind::r2c, .comm = world};
  Fft<double> one(options);
  options.components = 3;
  Fft<double> all(options);
  const std::int64_t bytes = all.inplace_bytes() / 3;
  EXPECT_GE(bytes, one.inplace_bytes());
  const std::vector<double> x = noisy_reals(one.inplace_bytes() / 8, all.rank());
  std::vector<double> both(static_cast<std::size_t>(all.inplace_bytes() / 8));
  std::vector<double> expected = x;
  for (std::int64_t i = 0; i < 3; ++i) std::copy(x.begin(), x.end(), both.begin() + i * bytes / 8);
  one.forward(expected.data(), reinterpret_cast<Complex*>(expected.data()));
  all.forward(both.data(), reinterpret_cast<Complex*>(both.data()));
  for (std::int64_t i = 0; i < 3; ++i)
    for (std::int64_t j = 0; j < 2 * one.output_elements(); ++j)
      ASSERT_EQ(both[static_cast<std::size_t>(i * bytes / 8 + j)],
                expected[static_cast<std::size_t>(j)]);
  EXPECT_EQ(all.inplace_real_strides()[0], bytes / 8);
}

TEST(Components, RanksThatDifferAreRefused) {
  const bool is_last = rank_of(world) == size_of(world) - 1;
  if (size_of(world) > 1)
    expect_same_error(world, ErrorCode::disagreement, {"components"}, [&] {
      Fft<double>({.shape = {6, 6}, .components = is_last ? 2 : 3, .comm = world});
    });
  expect_same_error(world, ErrorCode::invalid_argument, {"at least 1", "-1"}, [&] {
    Fft<double>({.shape = {6, 6}, .components = -1, .comm = world});
  });
}

TEST(Like, TakesTheLayoutsOfAnother) {
  Fft<double> other({.shape = {6, 8},
                     .components = 2,
                     .comm = world,
                     .input = Layout::slab({6, 8}, size_of(world), 1)});
  Fft<float> found({.shape = {6, 8}, .comm = world, .like = &other.plan()});
  EXPECT_EQ(found.input(), other.plan().input());
  EXPECT_EQ(found.output(), other.plan().output());
  Fft<double> rows({.shape = {6, 8},
                    .comm = world,
                    .input = Layout::slab({6, 8}, size_of(world)),
                    .like = &other.plan()});
  EXPECT_EQ(rows.input(), Layout::slab({6, 8}, size_of(world)));
  EXPECT_EQ(rows.output(), other.plan().output());
  expect_same_error(world, ErrorCode::layout_mismatch, {"same global shape", "6x8", "6x9"}, [&] {
    Fft<double>({.shape = {6, 9}, .comm = world, .like = &other.plan()});
  });
  const bool is_last = rank_of(world) == size_of(world) - 1;
  expect_same_error(world, ErrorCode::layout_mismatch, {"same global shape"}, [&] {
    const std::int64_t n = is_last ? 9 : 8;
    Fft<double>({.shape = {n == 9 ? 7 : 6, n}, .comm = world, .like = &other.plan()});
  });
}

TEST(Components, InTheCInterface) {
  const std::array<std::int64_t, 3> shape{6, 5, 7};
  weft_options options = default_options();
  options.shape = shape.data();
  options.dims = 3;
  options.components = 3;
  weft_fft* fft = nullptr;
  ASSERT_EQ(weft_fft_create(&options, world, &fft), WEFT_OK) << weft_last_error();
  Fft<double> cpp({.shape = {6, 5, 7}, .components = 3, .comm = world});
  weft_layout* layout = nullptr;
  ASSERT_EQ(weft_fft_input_layout(fft, &layout), WEFT_OK);
  char* json = nullptr;
  ASSERT_EQ(weft_layout_json(layout, &json), WEFT_OK);
  EXPECT_EQ(layout_from_json(taken(json)), cpp.input());
  weft_layout_destroy(layout);
  std::vector<Complex> x(static_cast<std::size_t>(cpp.input_elements()), {1, 2});
  std::vector<Complex> expected(static_cast<std::size_t>(cpp.output_elements()));
  std::vector<Complex> found(expected.size());
  cpp.forward(x.data(), expected.data());
  ASSERT_EQ(weft_fft_forward(fft, x.data(), found.data()), WEFT_OK) << weft_last_error();
  EXPECT_EQ(found, expected);

  options.components = 0;
  options.precision = WEFT_F32;
  options.like = fft;
  weft_fft* like = nullptr;
  ASSERT_EQ(weft_fft_create(&options, world, &like), WEFT_OK) << weft_last_error();
  ASSERT_EQ(weft_fft_output_layout(like, &layout), WEFT_OK);
  weft_layout* with_three = nullptr;
  ASSERT_EQ(weft_layout_with_components(layout, 3, &with_three), WEFT_OK);
  ASSERT_EQ(weft_layout_json(with_three, &json), WEFT_OK);
  EXPECT_EQ(layout_from_json(taken(json)), cpp.output());
  weft_layout_destroy(layout);
  weft_layout_destroy(with_three);
  weft_fft_destroy(like);

  const std::array<std::int64_t, 3> longer{7, 6, 8};
  options.shape = longer.data();
  expect_failure_everywhere(weft_fft_create(&options, world, &like), WEFT_LAYOUT_MISMATCH,
                            {"same global shape"});
  options.like = nullptr;
  options.components = -2;
  expect_failure_everywhere(weft_fft_create(&options, world, &like), WEFT_INVALID_ARGUMENT,
                            {"components", "-2"});
  weft_fft_destroy(fft);
}

}  // namespace
}  // namespace weft::test_support
