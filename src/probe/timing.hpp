#pragma once

#include <functional>
#include <string>
#include <vector>

#include <weft/machine.hpp>

#include "comm/communicator.hpp"

namespace weft::probe {

/// Something to be timed.
struct Work {
  std::string series;
  double x = 0;  ///< of what size, as Sample says it
  std::function<void()> run;
  double pieces = 1;  ///< of which the time of one is wanted
};

/// Times what all ranks do at once, within a share of the probe's time.
///
/// Each measurement is run once unmeasured, then in rounds that begin at a barrier and count the
/// slowest rank; short work is repeated within a round. Rank 0's clock decides how many rounds
/// there are: three at least, but one of work that takes longer than its share. All calls are
/// collective.
class Timing {
 public:
  Timing(const comm::Communicator& comm, double budget_s);

  /// The median of a piece of the work; entered in samples().
  double seconds(const std::string& series, double x, const std::function<void()>& work);

  /// Those of several works that are compared with each other. Each is visited so many times, all in
  /// turn, as long as there is time, and its fastest visit counts: a slow second of the machine falls
  /// on none of them alone. (The median let in slow phases of a few seconds.)
  std::vector<double> seconds_in_turn(const std::vector<Work>& works, int visits);

  /// Whether so many seconds are left of the time. Collective: by rank 0's clock.
  bool affords(double seconds) const;

  /// Does what measurements need before them, such as planning an FFT, which takes of the time too;
  /// returns this rank's seconds.
  double prepare(const std::function<void()>& work);

  /// Spends at most this much on each of the measurements from now on.
  void share_among(int measurements);

  /// Rounds last at least so long from now on, after one that does not count: a link that rested
  /// lets pass at once what it did not carry, for some milliseconds.
  void tire_links(double seconds);

  /// From now on the processors' time counts, so many times as long (crowding()): where others share
  /// the cores, rounds may be shorter than the slices of time in which they take turns.
  void count_processor_time(double crowding, int threads);

  const std::vector<Sample>& samples() const { return samples_; }

 private:
  double round_s(const std::function<void()>& work, std::int64_t repetitions) const;
  double crowded_round_s(const std::function<void()>& work, std::int64_t repetitions) const;
  /// Whether another round follows those that were found. Collective.
  bool goes_on(const std::vector<double>& found, std::int64_t rounds, double spent_s, double most_s,
               std::int64_t repetitions) const;
  /// One visit, of at most so long.
  Sample visit(const Work& work, double most_s);

  comm::Communicator comm_;
  /// Below this a round would measure the clock and the barrier.
  double shortest_round_s_ = 200e-6;
  bool tires_first_ = false;
  double crowding_ = 0;  ///< 0: the time that passes counts
  int threads_ = 1;
  double left_s_;
  double each_s_;
  std::vector<Sample> samples_;
};

}  // namespace weft::probe
