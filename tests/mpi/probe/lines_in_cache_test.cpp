// Measuring the arithmetic of plans: every line of the busiest rank must be transformed.
#include "probe/lines_in_cache.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>

#include "kernel/engine.hpp"

namespace weft::probe {
namespace {

/// An engine that counts the lines to be transformed, and does not change them.
class CountingEngine final : public kernel::Engine {
 public:
  std::string name() const override { return "counting"; }
  std::string description() const override { return "counts lines"; }
  bool supports(Precision) const override { return true; }
  std::int64_t lines_together(Precision, std::int64_t, kernel::TileForm) const override {
    return 4;
  }

  std::int64_t points() const { return points_; }

 private:
  class Counter final : public kernel::LineTransform {
   public:
    Counter(const kernel::LineProblem& problem, std::atomic<std::int64_t>& points)
        : points_of_call_(problem.count * problem.length), points_(points) {}
    void execute(void*, void*) const override { points_ += points_of_call_; }

   private:
    std::int64_t points_of_call_;
    std::atomic<std::int64_t>& points_;
  };

  std::shared_ptr<const kernel::LineTransform> make(const kernel::LineProblem& problem) override {
    return std::make_shared<Counter>(problem, points_);
  }

  std::atomic<std::int64_t> points_ = 0;
};

void check(const Problem& problem, std::int64_t wanted_points, std::int64_t most_points) {
  CountingEngine engine;
  LinesInCache lines(
      make_plan(problem),
      {.engine = &engine, .precision = problem.precision, .threads = problem.threads});
  lines.run();
  EXPECT_GE(engine.points(), wanted_points);
  EXPECT_LE(engine.points(), most_points);
}

TEST(LinesInCache, EveryAxisOfTheArrayIsTransformed) {
  // 64^3 points along each axis. Tiles divide these lines evenly.
  check({.shape = {64, 64, 64}}, 3 * 64 * 64 * 64, 3 * 64 * 64 * 64);
  check({.shape = {64, 64, 64}, .threads = 3}, 3 * 64 * 64 * 64, 3 * 64 * 64 * 64);
}

TEST(LinesInCache, RanksShareTheLines) {
  check({.shape = {64, 64, 64}, .ranks = 2}, 3 * 64 * 64 * 64 / 2, 3 * 64 * 64 * 64 / 2);
}

TEST(LinesInCache, RealLinesHaveTheirOwnLength) {
  // One axis of reals, then two axes of half spectra with 33 numbers each. The last tile may have
  // more lines.
  const std::int64_t points = 64 * 64 * 64 + 2 * 64 * 64 * 33;
  check({.shape = {64, 64, 64}, .kinds = Kind::r2c}, points, points + 2 * 64 * 64);
}

}  // namespace
}  // namespace weft::probe
