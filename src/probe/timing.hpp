#pragma once

#include <functional>
#include <string>
#include <vector>

#include <weft/machine.hpp>

#include "comm/communicator.hpp"

namespace weft::probe {

/// Times what all ranks do at once, within a share of the probe's time.
///
/// Each measurement is run once unmeasured, then in rounds that begin at a barrier and count the
/// slowest rank; short work is repeated within a round. Rank 0's clock decides how many rounds
/// there are: three at least, but one of work that takes longer than its share. All calls are collective.
class Timing {
 public:
  Timing(const comm::Communicator& comm, double budget_s);

  /// The median of a piece of the work, of which there are so many; entered in samples().
  double seconds(const std::string& series, double x, const std::function<void()>& work,
                 double pieces = 1);

  /// Whether so many seconds are left of the time. Collective: by rank 0's clock.
  bool affords(double seconds) const;

  /// Spends at most this much on each of the measurements from now on.
  void share_among(int measurements);

  const std::vector<Sample>& samples() const { return samples_; }

 private:
  double round_s(const std::function<void()>& work, std::int64_t repetitions) const;

  comm::Communicator comm_;
  double left_s_;
  double each_s_;
  std::vector<Sample> samples_;
};

}  // namespace weft::probe
