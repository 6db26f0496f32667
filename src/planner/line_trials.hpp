#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <weft/plan.hpp>

namespace weft::planner {

/// An engine and an arrangement of lines in a tile, and the seconds of a line.
struct LineWay {
  std::string engine;
  bool across_tile = false;
  double seconds = 0;
  friend bool operator==(const LineWay&, const LineWay&) = default;
};

/// A comparison of ways for lines of one kind.
struct LineTrial {
  Kind kind = Kind::c2c;
  Precision precision = Precision::f64;
  Effort effort = Effort::estimate;
  std::int64_t length = 1;
  std::int64_t lines = 1;  ///< of the array that was transformed
  bool across_memory = false;
  std::vector<LineWay> ways = {};
  friend bool operator==(const LineTrial&, const LineTrial&) = default;

  /// Returns the number of the fastest way. Of ways within 5 % of it, the last one counts: FFTW
  /// plans by trials differently in each process, and ducc0 comes after it.
  std::int64_t number_of_fastest() const;
};

/// Trials on one processor. The same lines and ways have one trial. Plain data.
class LineTrials {
 public:
  /// Returns the trial of the same lines and ways, for any seconds; null if there is none.
  const LineTrial* find(const LineTrial& lines) const;
  /// Adds a trial unless there is one of the same lines and ways. The first decision is kept, so
  /// that a plan that is made again has the same bits.
  void add(const LineTrial& trial);
  void merge(const LineTrials& others);
  const std::vector<LineTrial>& all() const { return trials_; }

 private:
  std::vector<LineTrial> trials_;
};

std::string to_json(const LineTrials& trials);
/// Inverse of to_json(). Throws invalid_argument for anything damaged or of another version.
LineTrials line_trials_from_json(std::string_view text);

}  // namespace weft::planner
