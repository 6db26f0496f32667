// Ranks may be in different collective calls by mistake. All ranks then get the same error, for
// every pair of calls.
#include <complex>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "comm/collective_call.hpp"
#include "comm/from_mpi.hpp"
#include "mpi/support/fft_check.hpp"
#include "mpi/support/same_error.hpp"
#include "mpi/support/world.hpp"

namespace weft::test_support {
namespace {

constexpr std::int64_t points = 6 * 8 * 10;

FftOptions options_of(Method method) {
  return {.shape = {6, 8, 10}, .comm = world, .exchange = {.method = method}};
}

/// Collective calls with valid arguments. The key of a call is its name in error messages.
class Calls {
 public:
  explicit Calls(Method method)
      : options_(options_of(method)), fft_(options_), x_(points, 1.0), y_(points), z_(points) {}

  std::vector<std::pair<std::string, std::function<void()>>> all() {
    const Layout rows = Layout::slab({6, 8, 10}, size_of(world), 0);
    const Layout columns = Layout::slab({6, 8, 10}, size_of(world), 1);
    const Box mine = rows.box(rank_of(world));
    return {{"in forward of", [this] { fft_.forward(x_.data(), y_.data()); }},
            {"in backward of", [this] { fft_.backward(x_.data(), y_.data()); }},
            {"with 2 arrays", [this] { fft_.forward_many(inputs_, outputs_); }},
            {"in FFT", [this] { const Fft<double> fft(options_); }},
            {"in FFT of a plan", [this] { const Fft<double> fft(fft_.plan(), world); }},
            {"in redistribute",
             [=, this] { redistribute(x_.data(), rows, y_.data(), columns, 16, world); }},
            {"in gather", [=, this] { gather(x_.data(), rows, y_.data(), 16, world); }},
            {"in scatter", [=, this] { scatter(x_.data(), y_.data(), rows, 16, world); }},
            {"in layout_of_local_boxes", [=] {
               layout_of_local_boxes({6, 8, 10}, mine, world);
             }}};
  }

 private:
  FftOptions options_;
  Fft<double> fft_;
  std::vector<std::complex<double>> x_;
  std::vector<std::complex<double>> y_;
  std::vector<std::complex<double>> z_;
  std::vector<const std::complex<double>*> inputs_{x_.data(), x_.data()};
  std::vector<std::complex<double>*> outputs_{y_.data(), z_.data()};
};

class CollectiveCallTest : public testing::TestWithParam<Method> {};
INSTANTIATE_TEST_SUITE_P(Methods, CollectiveCallTest,
                         testing::Values(Method::automatic, Method::messages, Method::collective));

TEST_P(CollectiveCallTest, ranks_in_different_calls_have_the_same_error) {
  if (size_of(world) == 1) GTEST_SKIP() << "one rank agrees with itself";
  auto mine = Calls(GetParam());
  const auto all = mine.all();
  const bool is_odd = rank_of(world) == size_of(world) - 1;
  for (const auto& [name, call] : all)
    for (const auto& [other_name, other] : all) {
      if (name == other_name) continue;
      SCOPED_TRACE(name + " and " + other_name);
      expect_same_error(world, ErrorCode::disagreement, {"same collective calls", name, other_name},
                        [&] { (is_odd ? other : call)(); });
    }
  for (const auto& [name, call] : all) call();  // no message of the failed calls is left
}

TEST(CollectiveCall, an_error_of_one_rank_is_that_of_all_whatever_they_are_in) {
  if (size_of(world) == 1) GTEST_SKIP() << "one rank agrees with itself";
  const auto group = comm::communicator_of(world);
  expect_same_error(world, ErrorCode::io_failure, {"no such file"}, [&] {
    const bool fails = rank_of(world) == 0;
    comm::agree_on_call(
        group, fails ? "reading" : "writing",
        fails ? std::optional(Error(ErrorCode::io_failure, "no such file")) : std::nullopt);
  });
}

}  // namespace
}  // namespace weft::test_support
