// Wrong arguments, and arguments that differ between ranks. Every rank gets the same error, and no
// rank hangs.
#include <algorithm>
#include <functional>

#include "mpi/support/fft_check.hpp"
#include "mpi/support/same_error.hpp"
#include "mpi/support/world.hpp"

namespace weft::test_support {
namespace {

FftOptions valid() { return {.shape = {8, 6, 5}, .comm = world}; }

using Change = std::function<void(FftOptions&)>;

void expect_refused(ErrorCode code, const std::vector<std::string>& words, const Change& change) {
  expect_same_error(world, code, words, [&] {
    FftOptions options = valid();
    change(options);
    const Fft<double> fft(options);
  });
}

TEST(FftErrors, WrongArgumentsAreRefused) {
  const auto invalid = ErrorCode::invalid_argument;
  const auto ranks = static_cast<std::int64_t>(size_of(world));
  expect_refused(invalid, {"axis", "3"}, [](auto& o) { o.axes = {3}; });
  expect_refused(invalid, {"axis", "-4"}, [](auto& o) { o.axes = {0, -4}; });
  expect_refused(invalid, {"twice"}, [](auto& o) { o.axes = {1, -2}; });
  expect_refused(invalid, {}, [](auto& o) { o.shape = {}; });
  expect_refused(invalid, {}, [](auto& o) { o.shape = {4, 0}; });
  expect_refused(invalid, {}, [](auto& o) { o.shape = {4, -2}; });
  expect_refused(invalid, {}, [](auto& o) {
    o.shape = {std::int64_t{1} << 40, std::int64_t{1} << 40};
  });
  expect_refused(invalid, {}, [](auto& o) { o.shape = Shape(9, 2); });
  expect_refused(invalid, {"sign"}, [](auto& o) { o.sign = 0; });
  expect_refused(invalid, {"threads"}, [](auto& o) { o.threads = 0; });
  expect_refused(ErrorCode::unsupported, {"engine"}, [](auto& o) { o.engine = "abacus"; });
  expect_refused(ErrorCode::layout_mismatch, {"input"}, [&](auto& o) {
    o.input = Layout::slab({8, 6, 4}, ranks);
  });
  expect_refused(ErrorCode::layout_mismatch, {"input", "ranks"}, [&](auto& o) {
    o.input = Layout::slab({8, 6, 5}, ranks + 1);
  });
  expect_refused(ErrorCode::layout_mismatch, {"output"}, [&](auto& o) {
    o.kinds = Kind::r2c;
    o.output = Layout::slab({8, 6, 5}, ranks);
  });
  expect_refused(ErrorCode::unsupported, {"collective", "cyclic"}, [](auto& o) {
    o.exchange = {.method = Method::collective, .schedule = Schedule::cyclic};
  });
  expect_refused(invalid, {"chunks", "-3"}, [](auto& o) { o.exchange.chunks = -3; });
}

TEST(FftErrors, WrongAxesAreRefused) {
  const auto invalid = ErrorCode::invalid_argument;
  expect_refused(invalid, {"at most one axis is r2c", "r2c, r2c, c2c", "make the others c2c"},
                 [](auto& o) {
                   o.kinds = {Kind::r2c, Kind::r2c, Kind::c2c};
                 });
  expect_refused(invalid, {"dct1", "at least 2 points", "given axis 1 of 8x1x5", "give more"},
                 [](auto& o) {
                   o.shape = {8, 1, 5};
                   o.kinds = Kind::dct1;
                 });
  // The axis of 6 points: one number too few, and one too many.
  for (const std::int64_t number : {0, 7}) {
    const std::string given = "given " + std::to_string(number) + ";";
    expect_refused(invalid, {"modes of axis 1", "from 1 to its 6 points", given}, [&](auto& o) {
      o.modes = {8, number, 5};
    });
    expect_refused(invalid, {"support of axis 1", "from 1 to its 6 points", given}, [&](auto& o) {
      o.support = {8, number, 5};
    });
  }
}

TEST(FftErrors, TooMuchMemoryIsRefused) {
  if (size_of(world) == 1) GTEST_SKIP() << "one rank exchanges nothing and needs little workspace";
  expect_refused(ErrorCode::out_of_memory, {"available"}, [](auto& o) {
    o.shape = {1 << 14, 1 << 14, 1 << 14};
  });
}

/// One rank gives another value, for each option in turn.
TEST(FftErrors, ADifferentOptionOnOneRankIsRefused) {
  if (size_of(world) == 1) GTEST_SKIP() << "one rank agrees with itself";
  const auto ranks = static_cast<std::int64_t>(size_of(world));
  const std::vector<std::pair<std::string, Change>> changes = {
      {"shape",
       [](auto& o) {
         o.shape = {8, 6, 6};
       }},
      {"shape",
       [](auto& o) {
         o.shape = {8, 6};
       }},
      {"shape", [](auto& o) { o.shape = {}; }},
      {"axes",
       [](auto& o) {
         o.axes = {0, 1};
       }},
      {"kind", [](auto& o) { o.kinds = Kind::r2c; }},
      {"element", [](auto& o) { o.element = Element::complex; }},
      {"modes", [](auto& o) { o.modes = {two_thirds}; }},
      {"support", [](auto& o) { o.support = {4}; }},
      {"components", [](auto& o) { o.components = 3; }},
      {"input",
       [&](auto& o) {
         o.input = Layout::slab({8, 6, 5}, ranks);
       }},
      {"output", [](auto& o) { o.output = OutputChoice::same; }},
      {"output",
       [&](auto& o) {
         o.output = Layout::slab({8, 6, 5}, ranks);
       }},
      {"norm", [](auto& o) { o.norm = Norm::ortho; }},
      {"sign", [](auto& o) { o.sign = 1; }},
      {"effort", [](auto& o) { o.planning.effort = Effort::measure; }},
      {"overwrite_input", [](auto& o) { o.overwrite_input = true; }},
      {"method", [](auto& o) { o.exchange.method = Method::messages; }},
      {"wire_form", [](auto& o) { o.exchange.wire_form = WireForm::datatype; }},
      {"schedule", [](auto& o) { o.exchange.schedule = Schedule::cyclic; }},
      {"requests", [](auto& o) { o.exchange.requests = Requests::persistent; }},
      {"chunks", [](auto& o) { o.exchange.chunks = 2; }},
      {"preset", [](auto& o) { o.exchange.preset = Preset::dmitruk; }},
      {"wire", [](auto& o) { o.exchange.wire = WirePrecision::f32; }},
      {"nodes", [](auto& o) { o.exchange.nodes = NodeUse::separate; }},
      {"piece_bytes", [](auto& o) { o.exchange.piece_bytes = 4096; }},
      {"own_workspace", [](auto& o) { o.own_workspace = false; }},
      {"engine", [](auto& o) { o.engine = "fftw"; }},
      {"budget_s", [](auto& o) { o.planning.budget_s = 3; }}};
  for (const auto& [word, change] : changes)
    expect_refused(ErrorCode::disagreement, {word + " is "}, [&, &set = change](auto& o) {
      if (last_rank()) set(o);
    });
  EXPECT_EQ(changes.size(), 28u);
}

TEST(FftErrors, DifferentPrecisionsOnRanksAreRefused) {
  if (size_of(world) == 1) GTEST_SKIP() << "one rank agrees with itself";
  expect_same_error(world, ErrorCode::disagreement, {"f64"}, [] {
    if (last_rank())
      Fft<float> fft(valid());
    else
      Fft<double> fft(valid());
  });
}

/// Ranks may have different numbers of threads, because nodes may differ.
TEST(FftErrors, ThreadsMayDiffer) {
  FftOptions options = valid();
  options.threads = 1 + rank_of(world) % 2;
  Fft<double> fft(options);
  CaseCheck<double>(fft, Case{}, world).run();
}

TEST(FftErrors, InvalidThreadsOnOneRankAreRefusedOnAllRanks) {
  expect_refused(ErrorCode::invalid_argument, {"threads"}, [](auto& o) {
    if (last_rank()) o.threads = -1;
  });
}

TEST(FftErrors, ANullPointerOnOneRankIsRefusedOnAllRanks) {
  Fft<double> fft(valid());
  std::vector<std::complex<double>> x(
      static_cast<std::size_t>(std::max(fft.input_elements(), fft.output_elements())));
  // Null is an error only on a rank that owns elements.
  const int owner = [&] {
    int rank = 0;
    while (fft.input().local_volume(rank) == 0 || fft.output().local_volume(rank) == 0) ++rank;
    return rank;
  }();
  auto* wrong = rank_of(world) == owner ? nullptr : x.data();
  expect_same_error(world, ErrorCode::invalid_argument, {"input pointer", "null"},
                    [&] { fft.forward(wrong, x.data()); });
  expect_same_error(world, ErrorCode::invalid_argument, {"output pointer", "null"},
                    [&] { fft.forward(x.data(), wrong); });
  expect_same_error(world, ErrorCode::invalid_argument, {"null"},
                    [&] { fft.backward(wrong, x.data()); });
  CaseCheck<double>(fft, Case{}, world).run();  // the transform still works after the error
}

/// Options with exchanges by messages. With them the first stage runs while the ranks still agree.
std::vector<FftOptions> with_messages() {
  std::vector<FftOptions> all(3, valid());
  all[0].exchange = {.method = Method::collective};
  all[1].exchange = {.method = Method::messages, .chunks = 2};
  all[2].exchange = {.method = Method::messages};
  all[2].overwrite_input = true;
  return all;
}

/// Only rank 0 has wrong arguments. No input may change, and the next call must succeed.
void expect_called_off(const FftOptions& options, const std::vector<std::string>& words,
                       bool in_place_on_rank_0) {
  Fft<double> fft(options);
  using Array = std::vector<std::complex<double>>;
  Array in(static_cast<std::size_t>(std::max(fft.input_elements(), fft.output_elements())), 2.0);
  Array out(in.size(), 3.0);
  const bool wrong = rank_of(world) == 0;
  expect_same_error(world, ErrorCode::invalid_argument, words, [&] {
    fft.forward(wrong && !in_place_on_rank_0 ? nullptr : in.data(),
                wrong && in_place_on_rank_0 ? in.data() : out.data());
  });
  EXPECT_EQ(in, Array(in.size(), 2.0));
  CaseCheck<double>(fft, Case{}, world).run();
}

TEST(FftErrors, NoInputIsTouchedWhenACallIsCalledOff) {
  for (const FftOptions& options : with_messages())
    expect_called_off(options, {"input pointer", "null"}, false);
}

TEST(FftErrors, InPlaceOnOneRankOnlyIsRefused) {
  if (size_of(world) == 1) GTEST_SKIP() << "one rank agrees with itself";
  for (const FftOptions& options : with_messages())
    expect_called_off(options, {"in place on all ranks or on none"}, true);
}

/// Options with every method of exchange, including shared memory.
std::vector<FftOptions> with_all_methods() {
  std::vector<FftOptions> all = with_messages();
  all.push_back(valid());  // the default: shared memory on one node
  all.push_back(valid());
  all.back().output = OutputChoice::same;
  return all;
}

// In a square array, blocks of both directions have the same sizes. So a mix of directions would
// give wrong results without any other error.
TEST(FftErrors, DifferentDirectionsOnRanksAreRefused) {
  if (size_of(world) == 1) GTEST_SKIP() << "one rank agrees with itself";
  for (FftOptions options : with_all_methods()) {
    options.shape = {12, 12};
    Fft<double> fft(options);
    std::vector<std::complex<double>> x(144, 1.0);
    std::vector<std::complex<double>> y(144, 2.0);
    expect_same_error(world, ErrorCode::disagreement, {"in forward of", "in backward of"}, [&] {
      if (last_rank())
        fft.backward(x.data(), y.data());
      else
        fft.forward(x.data(), y.data());
    });
    EXPECT_EQ(x, std::vector<std::complex<double>>(144, 1.0));
    CaseCheck<double>(fft, Case{}, world).run();
  }
}

TEST(FftErrors, DifferentTransformsOnRanksAreRefused) {
  if (size_of(world) == 1) GTEST_SKIP() << "one rank agrees with itself";
  for (FftOptions options : with_all_methods()) {
    options.shape = {12, 12};
    Fft<double> one(options);
    Fft<double> other(options);
    std::vector<std::complex<double>> x(144, 1.0);
    std::vector<std::complex<double>> y(144, 2.0);
    expect_same_error(world, ErrorCode::disagreement, {"of transform "},
                      [&] { (last_rank() ? one : other).forward(x.data(), y.data()); });
    EXPECT_EQ(x, std::vector<std::complex<double>>(144, 1.0));
    CaseCheck<double>(one, Case{}, world).run();
    CaseCheck<double>(other, Case{}, world).run();
  }
}

TEST(FftErrors, DifferentNumbersOfArraysOnRanksAreRefused) {
  if (size_of(world) == 1) GTEST_SKIP() << "one rank agrees with itself";
  for (const FftOptions& options : with_all_methods()) {
    Fft<double> fft(options);
    std::vector<std::complex<double>> x(240, 1.0);
    std::vector<std::complex<double>> y(240, 2.0);
    std::vector<std::complex<double>> z(240, 3.0);
    const std::vector<const std::complex<double>*> in{x.data(), x.data()};
    const std::vector<std::complex<double>*> out{y.data(), z.data()};
    expect_same_error(world, ErrorCode::disagreement, {"with 2 arrays"}, [&] {
      if (last_rank())
        fft.forward(x.data(), y.data());
      else
        fft.forward_many(in, out);
    });
    CaseCheck<double>(fft, Case{}, world).run();
  }
}

TEST(FftErrors, OverlappingArraysAreRefused) {
  for (const Kind kind : {Kind::c2c, Kind::r2c}) {
    FftOptions options = valid();
    options.kinds = kind;
    Fft<double> fft(options);
    std::vector<std::complex<double>> x(2 * 240 + 1);
    auto* reals = reinterpret_cast<double*>(x.data());
    const auto all_pairs = [&](std::ptrdiff_t apart) {
      if (kind == Kind::c2c)
        fft.forward(x.data(), x.data() + apart);
      else
        fft.forward(reals, x.data() + apart);
    };
    expect_same_error(world, ErrorCode::invalid_argument, {"overlap", "inplace_bytes"},
                      [&] { all_pairs(1); });
    expect_same_error(world, ErrorCode::invalid_argument, {"overlap"}, [&] {
      if (kind == Kind::c2c)
        fft.backward(x.data() + 1, x.data());
      else
        fft.backward(x.data() + 1, reals);
    });
    const std::int64_t bytes = fft.input_elements() * (kind == Kind::c2c ? 16 : 8);
    if (bytes == 0) continue;
    all_pairs((bytes + 15) / 16);  // the output would begin where the input ends
  }
}

TEST(FftErrors, OverlapsAmongSeveralArraysAreRefused) {
  Fft<double> fft(valid());
  const auto n = static_cast<std::ptrdiff_t>(std::max(fft.input_elements(), fft.output_elements()));
  std::vector<std::complex<double>> x(static_cast<std::size_t>(5 * n + 1));
  const auto refused = [&](std::vector<const std::complex<double>*> in,
                           std::vector<std::complex<double>*> out, const char* word) {
    expect_same_error(world, ErrorCode::invalid_argument, {word},
                      [&] { fft.forward_many(in, out); });
  };
  auto* at = x.data();
  refused({at, at}, {at + n, at + n + 1}, "overlap");
  refused({at, at}, {at + n, at + n}, "are the same");
  refused({at, at + n}, {at + n, at + 2 * n}, "input of a later array");
  refused({at, at + 1}, {at + 1, at + 3 * n}, "overlap");
  const std::vector<const std::complex<double>*> in{at, at + n};
  const std::vector<std::complex<double>*> out{at + 2 * n, at + 3 * n};
  fft.forward_many(in, out);
}

TEST(FftErrors, RanksWithoutRowsMayPassNull) {
  FftOptions options = valid();
  options.input = Layout::on_one({8, 6, 5}, size_of(world));
  options.output = OutputChoice::same;
  Fft<double> fft(options);
  std::vector<std::complex<double>> x(static_cast<std::size_t>(fft.input_elements()));
  auto* data = x.empty() ? nullptr : x.data();
  if (rank_of(world) == 0) x[0] = 1;
  fft.forward(data, data);
  for (const auto& value : x) EXPECT_EQ(value, 1.0);
}

TEST(FftErrors, ArraysOfTheWrongTypeAreRefused) {
  std::vector<std::complex<double>> x(240);
  auto* reals = reinterpret_cast<double*>(x.data());
  Fft<double> complex_fft(valid());
  expect_same_error(world, ErrorCode::invalid_argument,
                    {"complex input and complex output; given real input"},
                    [&] { complex_fft.forward(reals, x.data()); });
  FftOptions options = valid();
  options.kinds = Kind::r2c;
  Fft<double> real_fft(options);
  expect_same_error(world, ErrorCode::invalid_argument,
                    {"real input and complex output; given complex input"},
                    [&] { real_fft.backward(x.data(), x.data()); });
}

TEST(FftErrors, InvalidCommunicatorsAreRefused) {
  MPI_Comm between = MPI_COMM_NULL;
  if (size_of(world) > 1) {
    MPI_Comm half = MPI_COMM_NULL;
    const int color = rank_of(world) % 2;
    MPI_Comm_split(world, color, 0, &half);
    MPI_Intercomm_create(half, 0, world, 1 - color, 5, &between);
    FftOptions options = valid();
    options.comm = between;
    expect_same_error(world, ErrorCode::invalid_argument, {"communicator"},
                      [&] { Fft<double> fft(options); });
    MPI_Comm_free(&between);
    MPI_Comm_free(&half);
  }
  expect_same_error(world, ErrorCode::invalid_argument, {}, [] {
    const Layout layout = Layout::slab({4}, 1);
    double value = 0;
    gather(&value, layout, &value, 8, MPI_COMM_NULL);
  });
}

TEST(FftErrors, ASmallOrUnalignedWorkspaceIsRefused) {
  Fft<double> fft(valid());
  std::vector<char> memory(static_cast<std::size_t>(fft.workspace_bytes()) + 128);
  char* aligned = memory.data() + (64 - reinterpret_cast<std::uintptr_t>(memory.data()) % 64) % 64;
  EXPECT_GT(fft.workspace_bytes(), 0);
  EXPECT_THROW(fft.use_workspace(aligned, fft.workspace_bytes() - 1), Error);
  EXPECT_THROW(fft.use_workspace(aligned + 8, fft.workspace_bytes()), Error);
  EXPECT_THROW(fft.use_workspace(nullptr, fft.workspace_bytes()), Error);
  fft.use_workspace(aligned, fft.workspace_bytes());
  CaseCheck<double>(fft, Case{}, world).run();
}

TEST(FftErrors, ACallWithoutAWorkspaceIsRefused) {
  FftOptions options = valid();
  options.own_workspace = false;
  Fft<double> fft(options);
  std::vector<std::complex<double>> x(240);
  expect_same_error(world, ErrorCode::invalid_argument, {"use_workspace"},
                    [&] { fft.forward(x.data(), x.data()); });
}

}  // namespace
}  // namespace weft::test_support
