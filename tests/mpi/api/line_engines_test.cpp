// The engine of each line of a transform: chosen by a trial, by name or by the plan.
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include <weft/weft.hpp>

#include "api/line_engines.hpp"
#include "comm/from_mpi.hpp"
#include "kernel/engine.hpp"
#include "mpi/support/fft_check.hpp"
#include "mpi/support/same_error.hpp"
#include "planner/line_trials.hpp"

namespace weft::test_support {
namespace {

namespace fs = std::filesystem;

/// Sets a variable of the environment, and restores it.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    value == nullptr ? unsetenv(name) : setenv(name, value, 1);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  ~Variable() { before_ ? setenv(name_, before_->c_str(), 1) : unsetenv(name_); }

 private:
  const char* name_;
  std::optional<std::string> before_;
};

/// An empty folder for trials, as of a new user. It is removed afterwards.
class LineEngines : public testing::Test {
 protected:
  void SetUp() override {
    if (kernel::engine_names().size() < 2) GTEST_SKIP() << "there is one engine here";
    std::array<char, 1024> name{};
    if (is_first()) {
      (fs::temp_directory_path() / "weft-trials-XXXXXX").string().copy(name.data(), 1023);
      ASSERT_NE(mkdtemp(name.data()), nullptr);
    }
    MPI_Bcast(name.data(), static_cast<int>(name.size()), MPI_CHAR, 0, MPI_COMM_WORLD);
    folder_ = name.data();
    cache_.emplace("XDG_CACHE_HOME", folder_.c_str());
    machine_.emplace("WEFT_MACHINE", "ethernet-10g");
  }
  void TearDown() override {
    MPI_Barrier(MPI_COMM_WORLD);
    if (is_first() && !folder_.empty()) fs::remove_all(folder_);
    MPI_Barrier(MPI_COMM_WORLD);
  }

  static FftOptions options_of(const Shape& shape) {
    return {.shape = shape, .kinds = Kind::r2c, .comm = MPI_COMM_WORLD};
  }

  /// Returns the only file of trials. Collective.
  fs::path file() const {
    MPI_Barrier(MPI_COMM_WORLD);
    std::vector<fs::path> found;
    for (const auto& each : fs::directory_iterator(folder_ / "weft"))
      if (each.path().filename().string().starts_with("line-trials-")) found.push_back(each.path());
    return found.size() == 1 ? found.front() : fs::path("not one file");
  }
  planner::LineTrials kept() const {
    std::ifstream text(file());
    return planner::line_trials_from_json(std::string(std::istreambuf_iterator<char>(text), {}));
  }

  fs::path folder_;
  std::optional<Variable> cache_;
  std::optional<Variable> machine_;
};

void expect_the_same_on_all_ranks(const Plan& plan) {
  const auto comm = comm::communicator_of(MPI_COMM_WORLD);
  std::string first = to_json(plan);
  comm.broadcast(first, 0);
  EXPECT_EQ(to_json(plan), first);
}

TEST_F(LineEngines, AreTriedOnceForEachKindAndLength) {
  const Fft<double> fft(options_of({12, 20, 18}));
  const Plan plan = fft.plan();
  expect_the_same_on_all_ranks(plan);
  // Complex lines have two trials: contiguous in memory, and across memory (with gaps).
  ASSERT_EQ(plan.line_engines.size(), 5U);
  const planner::LineTrials trials = kept();
  ASSERT_EQ(trials.all().size(), 5U);
  for (const LineEngine& lines : plan.line_engines) {
    planner::LineTrial wanted{
        lines.kind,  Precision::f64,      Effort::estimate,       lines.length,
        lines.lines, lines.across_memory, !plan.exchanges.empty()};
    for (const std::string& name : kernel::engine_names()) {
      wanted.ways.push_back({name, false});
      if (lines.across_memory) wanted.ways.push_back({name, true});
    }
    const planner::LineTrial* trial = trials.find(wanted);
    ASSERT_NE(trial, nullptr) << lines.length;
    const planner::LineWay& fastest =
        trial->ways[static_cast<std::size_t>(trial->number_of_fastest())];
    EXPECT_EQ(lines.engine, fastest.engine);
    EXPECT_EQ(lines.across_tile, fastest.across_tile);
    for (const planner::LineWay& way : trial->ways) EXPECT_GE(1.05 * way.seconds, fastest.seconds);
  }
  // A second transform tries nothing again, so its plan is the same.
  EXPECT_EQ(Fft<double>(options_of({12, 20, 18})).plan(), plan);
  Fft<double>(options_of({20, 12, 18}));
  EXPECT_EQ(kept().all().size(), 5U);
}

TEST_F(LineEngines, FollowTrialsThatTheUserHas) {
  Fft<double>(options_of({4, 6}));
  planner::LineTrials trials;
  const planner::LineTrials found = kept();
  for (planner::LineTrial trial : found.all()) {
    // The file now says that each engine won one of the two trials.
    const std::string winner = trial.kind == Kind::c2c ? "ducc0" : "fftw";
    for (planner::LineWay& each : trial.ways) each.seconds = each.engine == winner ? 1 : 2;
    trials.add(trial);
  }
  const std::string name = file().filename().string();
  // Another folder, because this process remembers the trials of the first folder.
  const fs::path other = folder_ / "other";
  if (is_first()) {
    fs::create_directories(other / "weft");
    std::ofstream(other / "weft" / name) << to_json(trials);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  const Variable cache("XDG_CACHE_HOME", other.c_str());
  const Plan plan = Fft<double>(options_of({4, 6})).plan();
  ASSERT_EQ(plan.line_engines.size(), 2U);
  EXPECT_EQ(plan.line_engines[0].engine, "ducc0");
  EXPECT_EQ(plan.line_engines[1].engine, "fftw");
  EXPECT_EQ(plan.engines.size(), 2U);
  EXPECT_NE(explain(plan).find("lines: c2c of 4 points by ducc0; r2c of 6 points by fftw"),
            std::string::npos)
      << explain(plan);
}

TEST_F(LineEngines, DamagedTrialsAreReplaced) {
  Fft<double>(options_of({4, 6}));
  const std::string name = file().filename().string();
  const fs::path other = folder_ / "other";
  if (is_first()) {
    fs::create_directories(other / "weft");
    std::ofstream(other / "weft" / name) << "{\"version\":1,";
  }
  MPI_Barrier(MPI_COMM_WORLD);
  const Variable cache("XDG_CACHE_HOME", other.c_str());
  folder_ = other;
  EXPECT_EQ(Fft<double>(options_of({4, 6})).plan().line_engines.size(), 2U);
  EXPECT_EQ(kept().all().size(), 2U);
  folder_ = other.parent_path();
}

TEST_F(LineEngines, AreNotTriedByAFixedRuleOrByName) {
  FftOptions options = options_of({4, 6});
  options.planning.plan_by = PlanBy::fixed_rule;
  const std::string first = kernel::engine_names().front();
  const Plan by_rule = Fft<double>(options).plan();
  for (const LineEngine& each : by_rule.line_engines) EXPECT_EQ(each.engine, first);
  options = options_of({4, 6});
  for (const std::string& name : kernel::engine_names()) {
    options.engine = name;
    const Plan plan = Fft<double>(options).plan();
    for (const LineEngine& each : plan.line_engines) EXPECT_EQ(each.engine, name);
    ASSERT_EQ(plan.engines.size(), 1U);
    EXPECT_EQ(plan.engines[0].library, kernel::engine(name).description());
  }
  {
    // Rank 0's environment decides.
    const Variable engine("WEFT_ENGINE", is_first() ? "ducc0" : "fftw");
    const Plan plan = Fft<double>(options_of({4, 6})).plan();
    for (const LineEngine& each : plan.line_engines) EXPECT_EQ(each.engine, "ducc0");
  }
  MPI_Barrier(MPI_COMM_WORLD);
  EXPECT_FALSE(fs::exists(folder_ / "weft"));
}

TEST_F(LineEngines, OfAPlanGiveTheSameBitsAgain) {
  const std::vector<std::string> names = kernel::engine_names();
  FftOptions options = options_of({24, 20});
  options.planning.plan_by = PlanBy::fixed_rule;
  Plan plan = Fft<double>(options).plan();
  plan.engines.clear();
  for (const std::string& name : names)
    plan.engines.push_back({name, kernel::engine(name).description()});
  for (std::size_t i = 0; i < plan.line_engines.size(); ++i)
    plan.line_engines[i].engine = i == 0 ? names.back() : names.front();
  for (LineEngine& each : plan.line_engines) each.across_tile = each.across_memory;
  const std::string text = to_json(plan);
  std::vector<std::vector<std::complex<double>>> results;
  for (int i = 0; i < 2; ++i) {
    Fft<double> fft(plan_from_json(text), MPI_COMM_WORLD);
    EXPECT_EQ(to_json(fft.plan()), text);
    std::vector<double> in(static_cast<std::size_t>(fft.input_elements()));
    for (std::size_t k = 0; k < in.size(); ++k) in[k] = noise(7, k);
    results.emplace_back(static_cast<std::size_t>(fft.output_elements()));
    fft.forward(in.data(), results.back().data());
  }
  EXPECT_EQ(
      std::memcmp(results[0].data(), results[1].data(), results[0].size() * sizeof(results[0][0])),
      0);
  // A named engine overrides the engines of the plan.
  Fft<double> other(plan_from_json(text), MPI_COMM_WORLD, names.back());
  for (const LineEngine& each : other.plan().line_engines) EXPECT_EQ(each.engine, names.back());
}

TEST_F(LineEngines, OfAPlanMustBeHere) {
  FftOptions options = options_of({4, 6});
  options.planning.plan_by = PlanBy::fixed_rule;
  Plan plan = Fft<double>(options).plan();
  plan.engines[0].library = "another version";
  const Plan noted = Fft<double>(plan, MPI_COMM_WORLD).plan();
  ASSERT_FALSE(noted.notes.empty());
  EXPECT_NE(noted.notes.back().find("made with another version; here it runs with "),
            std::string::npos);
  plan.engines.push_back({"abacus", "1"});
  plan.line_engines[0].engine = "abacus";
  expect_same_error(MPI_COMM_WORLD, ErrorCode::unsupported,
                    {"abacus", "lines of 4 points", "engine = auto"},
                    [&] { Fft<double>(plan, MPI_COMM_WORLD); });
  EXPECT_EQ(Fft<double>(plan, MPI_COMM_WORLD, "auto").plan().line_engines.size(), 2U);
}

/// Products with twiddles also decide the bits, and weft compiles them for each instruction set.
TEST_F(LineEngines, OfAnAxisSeenAsTwoListWeftItself) {
  FftOptions options{.shape = {4096}, .comm = MPI_COMM_WORLD};
  options.planning.plan_by = PlanBy::fixed_rule;
  Plan plan = Fft<double>(options).plan();
  const bool has_twiddles = size_of(MPI_COMM_WORLD) > 1;
  ASSERT_EQ(plan.engines.size(), has_twiddles ? 2U : 1U);
  if (!has_twiddles) return;
  EXPECT_EQ(plan.engines[1].name, "weft");
  EXPECT_EQ(plan.engines[1].library.find("weft's twiddles for "), 0U) << plan.engines[1].library;
  EXPECT_TRUE(Fft<double>(plan, MPI_COMM_WORLD).plan().notes.empty());
  plan.engines[1].library = "twiddles of old";
  const Plan noted = Fft<double>(plan, MPI_COMM_WORLD).plan();
  ASSERT_EQ(noted.notes.size(), 1U);
  EXPECT_EQ(noted.notes[0].find("the plan was made with twiddles of old; here it runs with weft's"),
            0U)
      << noted.notes[0];
}

TEST_F(LineEngines, OfAnUnknownNameAreRefused) {
  FftOptions options = options_of({4, 6});
  options.engine = "abacus";
  std::vector<std::string> words = kernel::engine_names();
  words.insert(words.end(), {"must be auto, or one", "\"abacus\""});
  expect_same_error(MPI_COMM_WORLD, ErrorCode::unsupported, words,
                    [&] { const Fft<double> fft(options); });
  const Variable engine("WEFT_ENGINE", is_first() ? "abacus" : nullptr);
  expect_same_error(MPI_COMM_WORLD, ErrorCode::unsupported, words, [&] {
    const Fft<double> fft(options_of({4, 6}));
  });
}

TEST_F(LineEngines, MixedTransformsMatchTheReference) {
  // Each axis by another engine, in every order of engines.
  const std::vector<std::string> names = kernel::engine_names();
  FftOptions options = options_of({9, 10, 16});
  options.planning.plan_by = PlanBy::fixed_rule;
  const Plan plain = Fft<double>(options).plan();
  for (int mask = 0; mask < 8; ++mask) {
    Plan plan = plain;
    plan.engines.clear();
    for (const std::string& name : names)
      plan.engines.push_back({name, kernel::engine(name).description()});
    for (std::size_t i = 0; i < plan.line_engines.size(); ++i) {
      LineEngine& lines = plan.line_engines[i];
      lines.engine = names[static_cast<std::size_t>(mask >> i % 3 & 1)];
      lines.across_tile = lines.across_memory && mask % 2 == 0;
    }
    Fft<double> mixed(plan, MPI_COMM_WORLD);
    FftOptions by_name = options;
    by_name.engine = names.front();
    Fft<double> single(by_name);
    std::vector<double> in(static_cast<std::size_t>(mixed.input_elements()));
    for (std::size_t k = 0; k < in.size(); ++k)
      in[k] = noise(static_cast<std::uint64_t>(rank_of(MPI_COMM_WORLD)), k);
    std::vector<std::complex<double>> out(static_cast<std::size_t>(mixed.output_elements()));
    std::vector<std::complex<double>> expected(out.size());
    mixed.forward(in.data(), out.data());
    single.forward(in.data(), expected.data());
    for (std::size_t k = 0; k < out.size(); ++k)
      ASSERT_LT(std::abs(out[k] - expected[k]), 1e-13 * 1440) << "engines " << mask;
    mixed.backward(out.data(), in.data());
    for (std::size_t k = 0; k < in.size(); ++k)
      ASSERT_LT(
          std::abs(in[k] / 1440 - noise(static_cast<std::uint64_t>(rank_of(MPI_COMM_WORLD)), k)),
          1e-13);
  }
}

}  // namespace
}  // namespace weft::test_support
