#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <weft/plan.hpp>

namespace weft::planner {

/// The seconds of a line by an engine.
struct EngineTime {
  std::string engine;
  double seconds = 0;
  friend bool operator==(const EngineTime&, const EngineTime&) = default;
};

/// A comparison of engines for lines of one kind.
struct LineTrial {
  Kind kind = Kind::c2c;
  Precision precision = Precision::f64;
  Effort effort = Effort::estimate;
  std::int64_t length = 1;
  std::int64_t lines = 1;  ///< in a tile
  std::vector<EngineTime> times;
  friend bool operator==(const LineTrial&, const LineTrial&) = default;

  /// Returns the name of the fastest engine.
  const std::string& fastest() const;
};

/// Trials on one processor, each lines once. Plain data.
class LineTrials {
 public:
  /// Returns the trial of the same lines; null if there is none.
  const LineTrial* find(const LineTrial& lines) const;
  /// Adds a trial unless the same lines have one: the first decision is kept, so that a plan that
  /// is made again has the same bits.
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
