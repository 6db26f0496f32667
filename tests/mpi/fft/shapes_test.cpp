// Shapes, axes, kinds, precisions, signs and norms, compared with the direct DFT of the gathered
// array.
#include "mpi/support/fft_check.hpp"
#include "mpi/support/world.hpp"

namespace weft::test_support {
namespace {

/// Counts a test's cases, so that an empty loop fails, and varies the options that the test leaves
/// open.
class Cases {
 public:
  ~Cases() { EXPECT_GT(number_, 0) << "no case ran"; }

  void check(Problem problem, bool in_place = false) {
    ++number_;
    problem.ranks = size_of(world);
    switch (number_ % 4) {
      case 0:
        problem.exchange.method = Method::messages;
        break;
      case 1:
        problem.exchange.wire_form = WireForm::datatype;
        break;
      default:
        break;
    }
    Case c;
    c.problem = problem;
    c.in_place = in_place;
    c.backward_first = number_ % 2 == 1;
    c.slack = number_ % 3;
    c.seed = static_cast<std::uint64_t>(number_);
    check_case(c, world);
  }

 private:
  int number_ = 0;
};

std::vector<std::vector<int>> axis_subsets(int dims) {
  std::vector<std::vector<int>> subsets;
  for (int bits = 1; bits < 1 << dims; ++bits) {
    std::vector<int> axes;
    for (int axis = 0; axis < dims; ++axis)
      if (bits >> axis & 1) axes.push_back(axis);
    subsets.push_back(axes);
  }
  return subsets;
}

TEST(FftShapes, EverySubsetOfAxesAgreesWithTheOracle) {
  Cases cases;
  for (const Shape& shape :
       {Shape{7}, Shape{6, 5}, Shape{4, 9, 5}, Shape{3, 4, 2, 6}, Shape{2, 3, 2, 3, 4}})
    for (const auto& axes : axis_subsets(static_cast<int>(shape.size())))
      for (const Kind kind : {Kind::c2c, Kind::r2c})
        cases.check({.shape = shape, .axes = axes, .kinds = kind});
}

TEST(FftShapes, TheHalvedAxisMayBeAnyAxis) {
  Cases cases;
  const std::vector<std::vector<int>> all_axes = {{2, 0}, {0, 2, 1}, {1, 2, 0}, {2, 1},
                                                  {1, 0}, {0},       {1},       {-1, -3}};
  for (const Shape& shape : {Shape{6, 5, 8}, Shape{5, 8, 7}, Shape{9, 6, 4}})
    for (const auto& axes : all_axes)
      for (const bool in_place : {false, true})
        cases.check({.shape = shape, .axes = axes, .kinds = Kind::r2c}, in_place);
}

TEST(FftShapes, RealsInPlaceAgreeForOddAndEvenRows) {
  Cases cases;
  for (const std::int64_t rows : {1, 2, 7, 12})
    for (const std::int64_t last : {1, 2, 3, 4, 9, 16, 31})
      for (const OutputChoice output : {OutputChoice::any, OutputChoice::same})
        cases.check({.shape = {rows, 5, last}, .kinds = Kind::r2c, .output_choice = output}, true);
}

TEST(FftShapes, PrimesAndOnesAgreeWithTheOracle) {
  Cases cases;
  const std::vector<Shape> shapes = {{1},
                                     {2},
                                     {97},
                                     {1, 1},
                                     {1, 13},
                                     {13, 1},
                                     {17, 19},
                                     {403, 3},
                                     {1, 1, 1},
                                     {8, 8, 1},
                                     {1, 8, 8},
                                     {8, 1, 8},
                                     {1, 1, 11},
                                     {11, 1, 1},
                                     {7, 11, 13},
                                     {23, 2, 3},
                                     {2, 37, 2},
                                     {1, 5, 1, 5},
                                     {1, 1, 1, 1, 6},
                                     {2, 2, 2, 2, 2},
                                     {5, 7, 1, 3, 2},
                                     {127, 4},
                                     {3, 1, 29},
                                     {1, 2, 41}};
  for (const Shape& shape : shapes)
    for (const Kind kind : {Kind::c2c, Kind::r2c})
      for (const bool in_place : {false, true})
        cases.check({.shape = shape, .kinds = kind}, in_place);
}

TEST(FftShapes, FewerRowsThanRanksAgreeWithTheOracle) {
  Cases cases;
  for (const Shape& shape :
       {Shape{2, 3}, Shape{3, 2}, Shape{2, 2, 2}, Shape{1, 3, 2}, Shape{3, 1, 2}, Shape{2, 16}})
    for (const Kind kind : {Kind::c2c, Kind::r2c})
      for (const OutputChoice output : {OutputChoice::any, OutputChoice::same})
        cases.check({.shape = shape, .kinds = kind, .output_choice = output});
}

TEST(FftShapes, EveryPrecisionAgreesWithTheOracle) {
  Cases cases;
  for (const Precision precision : {Precision::f32, Precision::f64, Precision::f80})
    for (const Shape& shape : {Shape{12, 10, 9}, Shape{30, 8}, Shape{16, 3, 5, 2}})
      for (const Kind kind : {Kind::c2c, Kind::r2c})
        for (const bool in_place : {false, true})
          cases.check({.shape = shape, .kinds = kind, .precision = precision}, in_place);
}

TEST(FftShapes, SignsAndNormsAgreeWithTheOracle) {
  Cases cases;
  for (const Norm norm : {Norm::none, Norm::backward, Norm::ortho, Norm::forward})
    for (const int sign : {-1, 1})
      for (const Kind kind : {Kind::c2c, Kind::r2c})
        for (const Precision precision : {Precision::f32, Precision::f64})
          cases.check({.shape = {6, 10, 7},
                       .kinds = kind,
                       .precision = precision,
                       .norm = norm,
                       .sign = sign});
}

TEST(FftShapes, ThreadsAndEffortsAgreeWithTheOracle) {
  Cases cases;
  for (const int threads : {1, 2, 3})
    for (const Kind kind : {Kind::c2c, Kind::r2c})
      for (const Shape& shape : {Shape{20, 18, 16}, Shape{64, 33}})
        cases.check({.shape = shape, .kinds = kind, .threads = threads});
  cases.check({.shape = {12, 8, 10}, .effort = Effort::measure});
}

/// Lines of thousands of points, contiguous or with a stride, also of a prime length.
TEST(FftShapes, LongLinesAgreeWithTheOracle) {
  Cases cases;
  cases.check({.shape = {2, 3000}, .axes = {1}});
  cases.check({.shape = {2000, 2}, .axes = {0}, .kinds = Kind::r2c});
  cases.check({.shape = {1, 2053}, .kinds = Kind::r2c});
}

TEST(FftShapes, TransformsThatOverwriteTheInputAgreeWithTheOracle) {
  Cases cases;
  for (const Kind kind : {Kind::c2c, Kind::r2c})
    for (const Shape& shape : {Shape{9, 10, 11}, Shape{40, 6}})
      cases.check({.shape = shape, .kinds = kind, .overwrite_input = true});
}

}  // namespace
}  // namespace weft::test_support
