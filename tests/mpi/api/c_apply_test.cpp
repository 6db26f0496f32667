// Round trips by the C interface.
#include <algorithm>
#include <complex>

#include "mpi/support/c_interface_check.hpp"

namespace weft::test_support {
namespace {

using Complex = std::complex<double>;

/// Multiplies the input by the number at `user`, and counts its elements.
int scale(const weft_tile* tile, void* user) {
  const double factor = *static_cast<const double*>(user);
  const auto* in = static_cast<const Complex*>(tile->inputs[0]);
  auto* out = static_cast<Complex*>(tile->outputs[0]);
  for (std::int64_t i = 0; i < tile->extents[0]; ++i)
    for (std::int64_t j = 0; j < tile->extents[1]; ++j) {
      const std::int64_t at = i * tile->strides[0] + j * tile->strides[1];
      out[at] = factor * in[at];
      tile->results[0] += 1;
    }
  return 0;
}

/// Copies the input, and finds its largest magnitude.
int find_largest(const weft_tile* tile, void*) {
  const auto* in = static_cast<const Complex*>(tile->inputs[0]);
  auto* out = static_cast<Complex*>(tile->outputs[0]);
  for (std::int64_t i = 0; i < tile->extents[0]; ++i)
    for (std::int64_t j = 0; j < tile->extents[1]; ++j) {
      const std::int64_t at = i * tile->strides[0] + j * tile->strides[1];
      out[at] = in[at];
      tile->results[0] = std::max(tile->results[0], std::abs(in[at]));
    }
  return 0;
}

int refuse(const weft_tile*, void*) { return 3; }

class CApply : public testing::Test {
 protected:
  void SetUp() override {
    weft_options options = default_options();
    const std::int64_t shape[] = {12, 10};
    options.dims = 2;
    options.shape = shape;
    ASSERT_EQ(weft_fft_create(&options, world, &fft_), WEFT_OK) << weft_last_error();
    weft_layout* layout = nullptr;
    ASSERT_EQ(weft_fft_input_layout(fft_, &layout), WEFT_OK);
    std::int64_t lower[2];
    std::int64_t upper[2];
    ASSERT_EQ(weft_layout_box(layout, rank_of(world), lower, upper), WEFT_OK);
    weft_layout_destroy(layout);
    x_.resize(static_cast<std::size_t>((upper[0] - lower[0]) * (upper[1] - lower[1])));
    y_.resize(x_.size());
    for (std::size_t i = 0; i < x_.size(); ++i) x_[i] = {noise(1, i), noise(2, i)};
    in_ = x_.data();
    out_ = y_.data();
  }
  void TearDown() override { weft_fft_destroy(fft_); }

  weft_fft* fft_ = nullptr;
  std::vector<Complex> x_;
  std::vector<Complex> y_;
  const void* in_ = nullptr;
  void* out_ = nullptr;
};

TEST_F(CApply, AFunctionSeesEveryElementOnce) {
  double factor = 3;
  weft_field_work work{};
  work.function = {scale, &factor, 1, WEFT_SUM, 1};
  double count = 0;
  ASSERT_EQ(weft_fft_apply_in_spectrum(fft_, &work, 1, &in_, 1, &out_, &count), WEFT_OK)
      << weft_last_error();
  EXPECT_EQ(count, 120);
  for (std::size_t i = 0; i < x_.size(); ++i)
    EXPECT_NEAR(std::abs(y_[i] - 360.0 * x_[i]), 0, 1e-11);  // the factor is 3, times 120 points
                                                             // without a norm
}

TEST_F(CApply, FunctionsBeforeInAndAfterSpace) {
  const Layout layout = layout_of(fft_, false);
  const int rank = rank_of(world);
  std::vector<Complex> x(static_cast<std::size_t>(layout.local_volume(rank)));
  std::vector<Complex> y(x.size());
  fill_noise(reinterpret_cast<double*>(x.data()), 2, layout.shape(),
             {layout.box(rank), layout.strides(rank)}, 6);
  double before = 2;
  double after = 0.25;
  weft_field_work work{};
  work.before = {scale, &before, 1, WEFT_SUM, 1};
  work.function = {find_largest, nullptr, 1, WEFT_MAX, 1};
  work.after = {scale, &after, 1, WEFT_SUM, 1};
  const void* in = x.data();
  void* out = y.data();
  double results[3] = {};
  ASSERT_EQ(weft_fft_apply_in_space(fft_, &work, 1, &in, 1, &out, results), WEFT_OK)
      << weft_last_error();
  for (std::size_t i = 0; i < x.size(); ++i)
    EXPECT_NEAR(std::abs(y[i] - 60.0 * x[i]), 0, 1e-11);  // the factors 2 and 1/4, times 120 points
  EXPECT_EQ(results[0], 120);
  EXPECT_EQ(results[2], 120);
  const auto space = reference_transform(checked(Problem{.shape = {12, 10}}), false,
                                         whole_noise<long double>(2, layout.shape(), 6));
  long double largest = 0;
  for (std::size_t i = 0; i < space.re.size(); ++i)
    largest = std::max(largest, 2 * std::hypot(space.re[i], space.im[i]));
  EXPECT_NEAR(results[1], static_cast<double>(largest), 1e-12 * static_cast<double>(largest));
}

TEST_F(CApply, ARoundTripIsExplainedWithoutACall) {
  weft_field_work work{};
  work.before.call = refuse;
  work.fields_there = 2;
  char* text = nullptr;
  ASSERT_EQ(weft_fft_explain_apply_in_spectrum(fft_, &work, 1, 2, &text), WEFT_OK)
      << weft_last_error();
  EXPECT_NE(std::string(text).find("1 input, 2 fields there, 2 fields back, 2 outputs"),
            std::string::npos)
      << text;
  weft_free(text);
  ASSERT_EQ(weft_fft_explain_apply_in_space(fft_, &work, 1, 1, &text), WEFT_OK);
  EXPECT_NE(std::string(text).find("in space"), std::string::npos) << text;
  weft_free(text);
  expect_failure(weft_fft_explain_apply_in_space(fft_, &work, 0, 1, &text), WEFT_INVALID_ARGUMENT,
                 {"inputs", "given 0"});
}

TEST_F(CApply, RefusalsAreTheSameOnAllRanks) {
  weft_field_work work{};
  const auto call = [&](double* results) {
    return weft_fft_apply_in_spectrum(fft_, &work, 1, &in_, 1, &out_, results);
  };
  expect_failure_everywhere(call(nullptr), WEFT_INVALID_ARGUMENT, {"needs a function"});
  work.function.call = refuse;
  expect_failure_everywhere(call(nullptr), WEFT_INVALID_ARGUMENT, {"returned 3 instead of 0"});
  work.function.combine = 7;
  expect_failure_everywhere(call(nullptr), WEFT_INVALID_ARGUMENT, {"combine", "7"});
  work.function.combine = WEFT_MAX;
  work.function.results = 1;
  expect_failure_everywhere(call(nullptr), WEFT_INVALID_ARGUMENT, {"results"});
  expect_failure_everywhere(weft_fft_apply_in_space(fft_, nullptr, 1, &in_, 1, &out_, nullptr),
                            WEFT_INVALID_ARGUMENT, {"work"});
  expect_failure_everywhere(weft_fft_apply_in_space(fft_, &work, -1, &in_, 1, &out_, nullptr),
                            WEFT_INVALID_ARGUMENT, {"negative", "-1"});
}

}  // namespace
}  // namespace weft::test_support
