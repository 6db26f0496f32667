#pragma once

#include <functional>
#include <string>
#include <vector>

#include <weft/machine.hpp>

#include "comm/communicator.hpp"

namespace weft::probe {

/// Work to be timed.
struct Work {
  std::string series;
  double x = 0;  ///< its size, as in Sample
  std::function<void()> run;
  double pieces = 1;  ///< number of equal parts; the result is the time of a part
};

/// Measures work that all ranks do at once, within a share of the probe's time.
///
/// Each work runs once unmeasured, then in rounds. A round begins at a barrier, and its time is
/// that of the slowest rank, unless processor time counts (the mean of the ranks). Short work is
/// repeated within a round. Rank 0's clock decides the number of rounds: at least three, but one
/// for work that takes longer than its share. All calls are collective.
class Timing {
 public:
  Timing(const comm::Communicator& comm, double budget_s);

  /// Returns the median time of the work, and adds it to samples().
  double seconds(const std::string& series, double x, const std::function<void()>& work);

  /// Returns the times of several works that are compared with each other. Each is measured up to
  /// `visits` times, all in turn, while there is time. The fastest visit counts, so that a slow
  /// second of the machine does not affect one work alone. (A median would include slow phases of a
  /// few seconds.)
  std::vector<double> seconds_in_turn(const std::vector<Work>& works, int visits);

  /// Returns whether this many seconds of the time are left. Collective: by rank 0's clock.
  bool affords(double seconds) const;

  /// Runs a preparation of measurements, such as planning an FFT. Its seconds on this rank are
  /// subtracted from the time that is left, and returned.
  double prepare(const std::function<void()>& work);

  /// Limits each of the next `measurements` measurements to an equal share of the time.
  void share_among(int measurements);

  /// Makes all further rounds last at least this long, after one round that does not count. The
  /// reason: after a pause, a link is faster than its rate for some milliseconds.
  void load_links(double seconds);

  /// From now on, counts processor time times crowding() instead of elapsed time. If other ranks
  /// share the cores, rounds may be shorter than the time slices in which the ranks alternate.
  void count_processor_time(double crowding, int threads);

  const std::vector<Sample>& samples() const { return samples_; }

 private:
  double round_s(const std::function<void()>& work, std::int64_t repetitions) const;
  double crowded_round_s(const std::function<void()>& work, std::int64_t repetitions) const;
  /// Returns whether another round follows. Collective.
  bool needs_another_round(const std::vector<double>& found, std::int64_t rounds, double spent_s,
                           double most_s, std::int64_t repetitions) const;
  /// Measures one visit of at most this time.
  Sample visit(const Work& work, double most_s);

  comm::Communicator comm_;
  /// Shorter rounds would measure the clock and the barrier.
  double shortest_round_s_ = 200e-6;
  bool loads_links_first_ = false;
  double crowding_ = 0;  ///< 0: elapsed time counts
  int threads_ = 1;
  double left_s_;
  double each_s_;
  std::vector<Sample> samples_;
};

}  // namespace weft::probe
