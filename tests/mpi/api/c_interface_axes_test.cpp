// Axes in the C interface: their modes and support, and the type of the input's numbers.
#include "mpi/support/c_interface_check.hpp"
#include "support/serial_reference.hpp"

namespace weft::test_support {
namespace {

TEST(CInterface, ModesAndSupportGiveTheResultsOfCpp) {
  const int64_t shape[] = {12, 9, 10};
  const int64_t modes[] = {WEFT_TWO_THIRDS, WEFT_ALL_MODES, 6};
  const int64_t support[] = {WEFT_ALL_POINTS, 5, 7};
  weft_options c = default_options();
  c.shape = shape;
  c.dims = 3;
  FftOptions cpp{.shape = {12, 9, 10}, .comm = world};
  c.modes = modes;
  cpp.modes = {two_thirds, all_modes, 6};
  check_like_cpp(c, cpp);
  c.support = support;
  cpp.support = {all_points, 5, 7};
  check_like_cpp(c, cpp);
  c.modes = nullptr;
  cpp.modes = {};
  check_like_cpp(c, cpp);
  c.kind = WEFT_R2C;
  cpp.kinds = Kind::r2c;
  check_like_cpp(c, cpp);
  // Modes are in the order of `axes`.
  const int axes[] = {2, 0};
  c.axes = axes;
  c.axes_count = 2;
  c.modes = modes;  // only the first two count: there are two axes
  const int64_t first_points[] = {4, 8};
  c.support = first_points;
  cpp.axes = {2, 0};
  cpp.modes = {two_thirds, all_modes};
  cpp.support = {4, 8};
  check_like_cpp(c, cpp);
}

TEST(CInterface, ModesAndSupportAgreeWithDirectSums) {
  const int64_t shape[] = {12, 9};
  const int64_t modes[] = {WEFT_TWO_THIRDS, 5};
  const int64_t support[] = {10, WEFT_ALL_POINTS};
  weft_options c = default_options();
  c.shape = shape;
  c.dims = 2;
  c.modes = modes;
  c.support = support;
  weft_fft* fft = nullptr;
  ASSERT_EQ(weft_fft_create(&c, world, &fft), WEFT_OK) << weft_last_error();
  const Layout input = layout_of(fft, true);
  const Layout output = layout_of(fft, false);
  EXPECT_EQ(input.shape(), (Shape{10, 9}));
  ASSERT_EQ(output.shape(), (Shape{7, 5}));
  const int rank = rank_of(world);
  std::vector<std::complex<double>> x(static_cast<std::size_t>(input.local_volume(rank)));
  std::vector<std::complex<double>> y(static_cast<std::size_t>(output.local_volume(rank)));
  fill_noise(reinterpret_cast<double*>(x.data()), 2, input.shape(),
             {input.box(rank), input.strides(rank)}, 3);
  ASSERT_EQ(weft_fft_forward(fft, x.data(), y.data()), WEFT_OK) << weft_last_error();
  weft_fft_destroy(fft);
  const auto got =
      collect<double, long double>(reinterpret_cast<const double*>(y.data()), 2, output,
                                   {output.box(rank), output.strides(rank)}, world);
  if (rank != 0) return;
  const Problem problem =
      checked(Problem{.shape = {12, 9}, .modes = {two_thirds, 5}, .support = {10, all_points}});
  const auto wanted =
      reference_transform(problem, true, whole_noise<long double>(2, input.shape(), 3));
  EXPECT_LT(relative_error(got, wanted), 1e-14);
}

TEST(CInterface, TypesOfElementsGiveTheResultsOfCpp) {
  const int64_t shape[] = {10, 9};
  weft_options c = default_options();
  c.shape = shape;
  c.dims = 2;
  c.kind = WEFT_DCT2;
  FftOptions cpp{.shape = {10, 9}, .kinds = Kind::dct2, .comm = world};
  check_like_cpp(c, cpp);
  c.element = WEFT_ELEMENT_REAL;
  cpp.element = Element::real;
  check_like_cpp(c, cpp);
  c.element = WEFT_ELEMENT_COMPLEX;
  cpp.element = Element::complex;
  check_like_cpp(c, cpp);
}

TEST(CInterface, WrongModesSupportAndElementsFailOnAllRanks) {
  const int64_t shape[] = {12, 9};
  const auto created = [&](const int64_t* modes, const int64_t* support, int element) {
    weft_options c = default_options();
    c.shape = shape;
    c.dims = 2;
    c.modes = modes;
    c.support = support;
    c.element = element;
    weft_fft* fft = nullptr;
    const int code = weft_fft_create(&c, world, &fft);
    EXPECT_EQ(fft, nullptr);
    weft_fft_destroy(fft);
    return code;
  };
  for (const int64_t number : {0, 10, -3}) {
    const int64_t numbers[] = {12, number};
    const std::string given = "given " + std::to_string(number) + ";";
    expect_failure_everywhere(created(numbers, nullptr, 0), WEFT_INVALID_ARGUMENT,
                              {"modes of axis 1", "1 to its 9 points", given});
    expect_failure_everywhere(created(nullptr, numbers, 0), WEFT_INVALID_ARGUMENT,
                              {"support of axis 1", "1 to its 9 points", given});
  }
  // WEFT_TWO_THIRDS is only for modes, not for support.
  const int64_t thirds[] = {WEFT_TWO_THIRDS, 9};
  expect_failure_everywhere(created(nullptr, thirds, 0), WEFT_INVALID_ARGUMENT,
                            {"support of axis 0", "given -2"});
  // Only the last rank gives a wrong argument.
  const bool is_wrong = rank_of(world) == size_of(world) - 1;
  expect_failure_everywhere(created(nullptr, nullptr, is_wrong ? 3 : 0), WEFT_INVALID_ARGUMENT,
                            {"element", "given 3"});
  expect_failure_everywhere(created(nullptr, nullptr, WEFT_ELEMENT_REAL), WEFT_INVALID_ARGUMENT,
                            {"an array of complex numbers is needed", "given real"});
  if (size_of(world) == 1) return;
  const int64_t fewer[] = {7, 9};
  expect_failure_everywhere(created(is_wrong ? fewer : nullptr, nullptr, 0), WEFT_DISAGREEMENT,
                            {"modes is "});
  expect_failure_everywhere(created(nullptr, is_wrong ? fewer : nullptr, 0), WEFT_DISAGREEMENT,
                            {"support is "});
}

}  // namespace
}  // namespace weft::test_support
