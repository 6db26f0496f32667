// Trials of engines. The first decision for lines is kept. Text is read back equal, or refused.
#include "planner/line_trials.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "unit/support/expect_error.hpp"

namespace weft::planner {
namespace {

using test_support::expect_error;

LineTrial trial(std::int64_t length, double fftw_s, double ducc0_s) {
  return {Kind::c2c,
          Precision::f32,
          Effort::measure,
          length,
          16,
          true,
          false,
          {{"fftw", false, fftw_s}, {"ducc0", true, ducc0_s}}};
}

TEST(LineTrials, OfAboutEquallyFastWaysTheLastIsTaken) {
  EXPECT_EQ(trial(8, 2e-6, 1e-6).number_of_fastest(), 1);
  EXPECT_EQ(trial(8, 1e-6, 2e-6).number_of_fastest(), 0);
  EXPECT_EQ(trial(8, 1e-6, 1.04e-6).number_of_fastest(), 1);
  EXPECT_EQ(trial(8, 1e-6, 1.06e-6).number_of_fastest(), 0);
}

TEST(LineTrials, TheFirstDecisionIsKept) {
  LineTrials trials;
  trials.add(trial(8, 1, 2));
  trials.add(trial(8, 2, 1));
  trials.add(trial(9, 2, 1));
  LineTrials others;
  others.add(trial(9, 1, 2));
  others.add(trial(10, 1, 2));
  trials.merge(others);
  ASSERT_EQ(trials.all().size(), 3U);
  EXPECT_EQ(trials.find(trial(8, 0, 0))->number_of_fastest(), 0);
  EXPECT_EQ(trials.find(trial(9, 0, 0))->number_of_fastest(), 1);
  EXPECT_EQ(trials.find(trial(10, 0, 0))->number_of_fastest(), 0);
}

TEST(LineTrials, AreFoundForTheSameLinesOnly) {
  LineTrials trials;
  trials.add(trial(8, 1, 2));
  const LineTrial same = trial(8, 0, 0);
  ASSERT_NE(trials.find(same), nullptr);
  std::vector<LineTrial> others(9, same);
  others[0].kind = Kind::r2c;
  others[1].precision = Precision::f64;
  others[2].effort = Effort::estimate;
  others[3].length = 9;
  others[4].lines = 1;
  others[5].across_memory = false;
  others[6].ways.pop_back();
  others[7].ways[0].across_tile = true;
  others[8].exchanged = !same.exchanged;
  for (const LineTrial& other : others) EXPECT_EQ(trials.find(other), nullptr);
}

TEST(LineTrials, TextIsReadBackEqual) {
  LineTrials trials;
  trials.add(trial(8, 1.25e-7, 3e-300));
  trials.add(trial(1 << 20, 0.1, 0.2));
  EXPECT_EQ(line_trials_from_json(to_json(trials)).all(), trials.all());
  EXPECT_TRUE(line_trials_from_json(to_json(LineTrials())).all().empty());
}

TEST(LineTrials, OtherTextIsRefused) {
  LineTrials trials;
  trials.add(trial(8, 1, 2));
  const std::string sound = to_json(trials);
  const auto refused = [&](const std::string& from, const std::string& to,
                           const std::vector<std::string>& words) {
    std::string text = sound;
    const auto place = text.find(from);
    ASSERT_NE(place, std::string::npos) << from << " in " << text;
    text.replace(place, from.size(), to);
    expect_error(ErrorCode::invalid_argument, words, [&] { line_trials_from_json(text); });
  };
  refused("\"version\":2", "\"version\":1", {"trials.version", "version 2"});
  refused("\"length\":8", "\"length\":0", {"trials.trials[0]", "at least 1"});
  refused("\"lines\":16", "\"lines\":-1", {"trials.trials[0]", "at least 1"});
  refused("\"seconds\":1.0", "\"seconds\":0", {"seconds must be above 0"});
  refused("\"kind\":\"c2c\"", "\"kind\":\"dct9\"", {"kind"});
  const auto ways = sound.find("\"ways\":[");
  refused(sound.substr(ways, sound.find(']', ways) - ways), "\"ways\":[", {"time of an engine"});
  expect_error(ErrorCode::invalid_argument, {},
               [&] { line_trials_from_json(sound.substr(0, sound.size() / 2)); });
}

}  // namespace
}  // namespace weft::planner
