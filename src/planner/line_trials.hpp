#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <weft/plan.hpp>

namespace weft::planner {

/// A way to transform lines: an engine and an arrangement of lines in a tile. `seconds` is the time
/// of a line.
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
  std::int64_t lines = 1;  ///< lines of the array that was transformed
  bool across_memory = false;
  bool exchanged = false;  ///< lines were moved between the tile and two pieces of an array
  std::vector<LineWay> ways = {};
  friend bool operator==(const LineTrial&, const LineTrial&) = default;

  /// Returns the number of the fastest way. If several are within 5 % of the fastest time, returns
  /// the last of them. The callers list ducc0 last, so it is preferred. The reason is that FFTW, if
  /// it plans by trials, may plan differently in each process.
  std::int64_t number_of_fastest() const;
};

/// Trials on one processor, as plain data. The same lines and ways have one trial only.
class LineTrials {
 public:
  /// Returns the trial of the same lines and ways; null if there is none. The seconds are not
  /// compared.
  const LineTrial* find(const LineTrial& lines) const;
  /// Adds a trial unless find() finds a trial of the same lines and ways. The first decision is
  /// kept. So a plan that is made again gives the same bits.
  void add(const LineTrial& trial);
  void merge(const LineTrials& others);
  const std::vector<LineTrial>& all() const { return trials_; }

 private:
  std::vector<LineTrial> trials_;
};

std::string to_json(const LineTrials& trials);
/// Inverse of to_json(). Throws invalid_argument for a text that is damaged or of another version.
LineTrials line_trials_from_json(std::string_view text);

}  // namespace weft::planner
