// Transforms that take earlier decisions from a wisdom file, and add new ones to it.
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <weft/weft.h>
#include <weft/wisdom.hpp>

#include "api/identity.hpp"
#include "comm/from_mpi.hpp"
#include "mpi/support/fft_check.hpp"
#include "mpi/support/same_error.hpp"

namespace weft::test_support {
namespace {

namespace fs = std::filesystem;

/// Captures the standard error of this process.
class Overheard {
 public:
  Overheard() {
    std::fflush(stderr);
    before_ = dup(STDERR_FILENO);
    std::string name = (fs::temp_directory_path() / "weft-stderr-XXXXXX").string();
    file_ = mkstemp(name.data());
    unlink(name.c_str());
    dup2(file_, STDERR_FILENO);
  }
  Overheard(const Overheard&) = delete;
  Overheard& operator=(const Overheard&) = delete;
  ~Overheard() { stop(); }

  std::string stop() {
    if (before_ < 0) return {};
    std::fflush(stderr);
    dup2(before_, STDERR_FILENO);
    close(before_);
    before_ = -1;
    std::string text(static_cast<std::size_t>(lseek(file_, 0, SEEK_END)), '\0');
    const ssize_t got = pread(file_, text.data(), text.size(), 0);
    text.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    close(file_);
    return text;
  }

 private:
  int before_ = -1;
  int file_ = -1;
};

/// A folder that all ranks know, removed afterwards.
class FftWisdom : public testing::Test {
 protected:
  void SetUp() override {
    std::array<char, 1024> name{};
    if (is_first()) {
      (fs::temp_directory_path() / "weft-wisdom-XXXXXX").string().copy(name.data(), 1023);
      ASSERT_NE(mkdtemp(name.data()), nullptr);
    }
    MPI_Bcast(name.data(), static_cast<int>(name.size()), MPI_CHAR, 0, MPI_COMM_WORLD);
    folder_ = name.data();
    path_ = (folder_ / "choices.wisdom").string();
  }
  void TearDown() override {
    MPI_Barrier(MPI_COMM_WORLD);
    if (is_first()) fs::remove_all(folder_);
    MPI_Barrier(MPI_COMM_WORLD);
  }

  FftOptions by_fixed_rule() const {
    FftOptions options;
    options.shape = {12, 10, 8};
    options.comm = MPI_COMM_WORLD;
    options.planning.wisdom = path_;
    return options;
  }
  FftOptions by_trials() const {
    FftOptions options = by_fixed_rule();
    options.planning.effort = Effort::measure;
    options.planning.machine = shipped_machine("ethernet-10g");
    options.planning.budget_s = 5;
    return options;
  }
  void put(const std::string& text) const {
    if (is_first()) std::ofstream(path_, std::ios::binary) << text;
    MPI_Barrier(MPI_COMM_WORLD);
  }
  std::string content() const {
    MPI_Barrier(MPI_COMM_WORLD);
    std::ifstream file(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::ptrdiff_t files() const {
    MPI_Barrier(MPI_COMM_WORLD);
    return std::distance(fs::directory_iterator(folder_), fs::directory_iterator());
  }

  fs::path folder_;
  std::string path_;
};

MachineIdentity here() {
  return api::identity_of(comm::communicator_of(MPI_COMM_WORLD), kernel::wanted_engine());
}

/// Returns the fixed rule's plan for the options, with another exchange.
Plan with_exchanges(const FftOptions& options, const Exchange& exchange) {
  FftOptions without = options;
  without.planning.wisdom.clear();
  Plan plan = Fft<double>(without).plan();
  for (Exchange& each : plan.exchanges) each = exchange;
  plan.chosen_by = "trials";
  return plan;
}

std::string wisdom_text(const std::vector<WisdomEntry>& entries) {
  Wisdom wisdom;
  for (const WisdomEntry& entry : entries) wisdom.add(entry);
  return to_json(wisdom);
}

TEST_F(FftWisdom, WhatTrialsDecidedIsTakenTheNextTime) {
  if (size_of(MPI_COMM_WORLD) == 1) GTEST_SKIP() << "one rank has one way";
  const Fft<double> first(by_trials());
  ASSERT_EQ(first.plan().chosen_by, "trials");
  EXPECT_EQ(files(), 1) << "a lock or a temporary file was left";
  const Wisdom wisdom = read_wisdom(path_);
  ASSERT_EQ(wisdom.size(), 1U);
  EXPECT_EQ(wisdom.entries().front().machine, here());
  EXPECT_EQ(wisdom.entries().front().plan, first.plan());

  const std::string before = content();
  FftOptions again = by_trials();
  again.planning.machine.reset();  // wisdom needs no model
  again.planning.all_ranks = false;
  Fft<double> second(again);
  EXPECT_EQ(second.plan().chosen_by, "wisdom");
  EXPECT_EQ(second.plan().stages, first.plan().stages);
  EXPECT_EQ(second.plan().exchanges, first.plan().exchanges);
  EXPECT_NE(second.explain().find("chosen by: wisdom"), std::string::npos);
  EXPECT_EQ(content(), before);
  CaseCheck<double>(second, {}, MPI_COMM_WORLD).run();
}

TEST_F(FftWisdom, EveryExchangeThatIsRememberedRuns) {
  const Plan by_default = Fft<double>(by_fixed_rule()).plan();
  EXPECT_EQ(by_default.chosen_by, "fixed rule");
  const std::vector<Exchange> all = all_exchanges(by_default.problem, 3);
  int shared = 0;
  for (std::size_t i = 0; i < all.size() && !by_default.exchanges.empty(); ++i) {
    const Plan plan = with_exchanges(by_fixed_rule(), all[i]);
    put(wisdom_text({{here(), plan}}));
    Fft<double> fft(by_fixed_rule());
    EXPECT_EQ(fft.plan().chosen_by, "wisdom");
    EXPECT_EQ(fft.plan().exchanges, plan.exchanges);
    CaseCheck<double>(fft, {}, MPI_COMM_WORLD).run();
    shared += all[i].method == Method::shared ? 1 : 0;
  }
  const bool on_one_node = by_default.problem.ranks_per_node == by_default.problem.ranks;
  EXPECT_EQ(shared > 0, on_one_node && by_default.problem.ranks > 1);
}

TEST_F(FftWisdom, OneRankAloneUsesWisdomToo) {
  FftOptions options = by_fixed_rule();
  options.comm = MPI_COMM_NULL;
  options.planning.wisdom = path_ + std::to_string(rank_of(MPI_COMM_WORLD));
  Plan plan = Fft<double>(options).plan();
  EXPECT_EQ(plan.chosen_by, "fixed rule");
  Wisdom wisdom;
  wisdom.add({api::identity_of(comm::Communicator::solo(), kernel::wanted_engine()), plan});
  write_wisdom(options.planning.wisdom, wisdom);
  EXPECT_EQ(Fft<double>(options).plan().chosen_by, "wisdom");
}

TEST_F(FftWisdom, TheCInterfaceUsesWisdom) {
  const Plan plan =
      with_exchanges(by_fixed_rule(), all_exchanges({.shape = {9}, .ranks = 2}, 1).back());
  put(wisdom_text({{here(), plan}}));
  for (const char* path : {path_.c_str(), static_cast<const char*>(nullptr)}) {
    weft_options options;
    ASSERT_EQ(weft_options_init(&options), WEFT_OK);
    const std::array<std::int64_t, 3> shape{12, 10, 8};
    options.shape = shape.data();
    options.dims = 3;
    options.planning.wisdom = path;
    weft_fft* fft = nullptr;
    ASSERT_EQ(weft_fft_create(&options, MPI_COMM_WORLD, &fft), WEFT_OK) << weft_last_error();
    char* text = nullptr;
    ASSERT_EQ(weft_fft_explain(fft, &text), WEFT_OK);
    const bool taken = std::string(text).find("chosen by: wisdom") != std::string::npos;
    EXPECT_EQ(taken, path != nullptr) << text;
    weft_free(text);
    weft_fft_destroy(fft);
  }
}

TEST_F(FftWisdom, OfAnotherMachineIsIgnored) {
  const Exchange exchange = all_exchanges({.shape = {12, 10, 8}, .ranks = 2}, 1).back();
  std::vector<WisdomEntry> entries;
  for (const auto text : {&MachineIdentity::processor, &MachineIdentity::mpi,
                          &MachineIdentity::engine, &MachineIdentity::fabric}) {
    entries.push_back({here(), with_exchanges(by_fixed_rule(), exchange)});
    entries.back().machine.*text += " of another kind";
  }
  entries.push_back(entries.front());
  entries.back().machine = here();
  entries.back().machine.nodes += 1;
  put(wisdom_text(entries));
  EXPECT_EQ(Fft<double>(by_fixed_rule()).plan().chosen_by, "fixed rule");
}

TEST_F(FftWisdom, ForAnotherProblemIsIgnored) {
  FftOptions other = by_fixed_rule();
  other.shape = {12, 10, 9};
  const Exchange exchange = all_exchanges({.shape = {12, 10, 9}, .ranks = 2}, 1).back();
  put(wisdom_text({{here(), with_exchanges(other, exchange)}}));
  EXPECT_EQ(Fft<double>(other).plan().chosen_by, "wisdom");
  EXPECT_EQ(Fft<double>(by_fixed_rule()).plan().chosen_by, "fixed rule");
  other.norm = Norm::ortho;
  EXPECT_EQ(Fft<double>(other).plan().chosen_by, "fixed rule");
}

TEST_F(FftWisdom, ForAnotherEngineIsIgnored) {
  FftOptions named = by_fixed_rule();
  const std::vector<std::string> engines = kernel::engine_names();
  if (engines.size() < 2) GTEST_SKIP() << "this build has one engine";
  const Exchange exchange = all_exchanges({.shape = {12, 10, 8}, .ranks = 2}, 1).back();
  put(wisdom_text({{here(), with_exchanges(named, exchange)}}));
  for (const std::string& engine : engines) {
    named.engine = engine;
    EXPECT_EQ(Fft<double>(named).plan().chosen_by, "fixed rule");
  }
  named.engine = "auto";
  EXPECT_EQ(Fft<double>(named).plan().chosen_by, "wisdom");
}

TEST_F(FftWisdom, PlansOfARuleOrAModelAreNotKept) {
  EXPECT_EQ(Fft<double>(by_fixed_rule()).plan().chosen_by, "fixed rule");
  FftOptions by_model = by_trials();
  by_model.planning.budget_s = 0;
  EXPECT_EQ(Fft<double>(by_model).plan().chosen_by, "model");
  EXPECT_EQ(files(), 0);
}

TEST_F(FftWisdom, DamagedFilesAreReportedOnceAndNotChanged) {
  const Plan plan = Fft<double>(by_fixed_rule()).plan();
  const std::string whole = wisdom_text({{here(), plan}});
  const std::string future = "{\"weft_wisdom\":3,\"entries\":[]}";
  const std::vector<std::string> damaged{whole.substr(0, whole.size() / 2), future, "", "null",
                                         "{\"weft_wisdom\":2,\"entries\":[7]}"};
  for (std::size_t i = 0; i < damaged.size(); ++i) {
    path_ = (folder_ / ("damaged" + std::to_string(i))).string();
    put(damaged[i]);
    Overheard overheard;
    const std::string chosen_by = Fft<double>(by_trials()).plan().chosen_by;
    const std::string again = Fft<double>(by_fixed_rule()).plan().chosen_by;
    const std::string said = overheard.stop();
    EXPECT_NE(chosen_by, "wisdom");
    EXPECT_EQ(again, "fixed rule");
    EXPECT_EQ(content(), damaged[i]);
    EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), is_first() ? 1 : 0) << said;
    if (is_first()) {
      EXPECT_EQ(said.find("weft: warning: " + path_), 0U) << said;
      EXPECT_NE(said.find("planned without"), std::string::npos) << said;
      EXPECT_EQ(said.find("version 2") != std::string::npos, damaged[i] == future) << said;
    }
  }
  EXPECT_EQ(files(), static_cast<std::ptrdiff_t>(damaged.size()));
}

TEST_F(FftWisdom, UnusableFilesAreReportedAndNeverFatal) {
  if (is_first()) {
    ASSERT_EQ(mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  for (const std::string& path :
       {folder_.string(), (folder_ / "pipe").string(), (folder_ / "none" / "wisdom").string()}) {
    path_ = path;
    Overheard overheard;
    const std::string chosen_by = Fft<double>(by_trials()).plan().chosen_by;
    const std::string said = overheard.stop();
    // Without trials weft writes nothing, so a missing folder is no problem.
    const bool speaks = is_first() && (chosen_by == "trials" || !path.ends_with("none/wisdom"));
    EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), speaks ? 1 : 0) << said;
    EXPECT_EQ(said.find(path) != std::string::npos, speaks) << said;
    MPI_Barrier(MPI_COMM_WORLD);
  }
  EXPECT_EQ(files(), 1);
}

TEST_F(FftWisdom, DifferentFilesOnRanksAreRefused) {
  if (size_of(MPI_COMM_WORLD) == 1) GTEST_SKIP() << "one rank agrees with itself";
  expect_same_error(MPI_COMM_WORLD, ErrorCode::disagreement, {"wisdom", "another"}, [&] {
    FftOptions options = by_fixed_rule();
    if (rank_of(MPI_COMM_WORLD) == 1) options.planning.wisdom = "another";
    const Fft<double> fft(options);
  });
  EXPECT_EQ(files(), 0);
}

TEST_F(FftWisdom, AWrongProblemIsTheSameErrorOnAllRanks) {
  expect_same_error(MPI_COMM_WORLD, ErrorCode::invalid_argument, {"axes"}, [&] {
    FftOptions options = by_fixed_rule();
    options.axes = {0, 7};
    const Fft<double> fft(options);
  });
}

TEST_F(FftWisdom, TwoJobsAtOnceLoseNoEntry) {
  const int ranks = size_of(MPI_COMM_WORLD);
  if (ranks < 4) GTEST_SKIP() << "two jobs of two ranks take four";
  const int job = rank_of(MPI_COMM_WORLD) % 2;
  MPI_Comm mine = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, job, 0, &mine);
  FftOptions options = by_trials();
  options.comm = mine;
  options.planning.budget_s = 0.5;
  int kept = 0;
  for (std::int64_t n = 8; n < 12; ++n) {
    options.shape = {n + 4 * job, 12, 10};
    kept += Fft<double>(options).plan().chosen_by == "trials" ? 1 : 0;
  }
  MPI_Comm_free(&mine);
  if (rank_of(MPI_COMM_WORLD) > 1)
    kept = 0;  // ranks 0 and 1 are the first ranks of the two jobs;
               // only they count
  int all = 0;
  MPI_Allreduce(&kept, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  EXPECT_GT(all, 0);
  EXPECT_EQ(read_wisdom(path_).size(), static_cast<std::size_t>(all));
  EXPECT_EQ(files(), 1);
}

}  // namespace
}  // namespace weft::test_support
