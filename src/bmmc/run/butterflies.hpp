#pragma once

#include <complex>
#include <cstdint>
#include <memory>
#include <vector>

#include "bmmc/plan/superlevel.hpp"
#include "kernel/lines.hpp"
#include "kernel/row_twiddles.hpp"

namespace weft::bmmc {

/// The local butterfly stages of one step, on one load in a processor's memory.
///
/// In the load, each line of 2^stages points is in bit-reversed order. The step gathers tiles of
/// lines in cache, with their points in order. It multiplies the lines by their twiddles and
/// transforms them. It scatters them in the order of frequencies.
class LocalButterflies {
 public:
  /// `sign` is the sign of the exponent. The result is multiplied by `scale`.
  LocalButterflies(const Superlevel& level, const ButterflyStep& step, int processor, int sign,
                   long double scale, const kernel::LocalOptions& options);

  void execute(char* load, std::int64_t load_number) const;

  /// Returns the bytes of the tables, and of the tiles of all threads during a transform.
  std::int64_t held_bytes() const;

 private:
  template <class Real>
  void execute_as(std::complex<Real>* load, std::int64_t load_number) const;
  template <class Real>
  void transform_tile(std::complex<Real>* load, Bits common, Bits first, std::int64_t count,
                      std::complex<Real>* tile) const;

  Superlevel level_;
  ButterflyStep step_;
  int processor_;
  kernel::LocalOptions options_;
  std::int64_t length_;
  std::int64_t pitch_;  ///< elements from one line to the next in a tile
  std::int64_t tile_lines_;
  std::unique_ptr<kernel::RowTwiddles> twiddles_;  ///< null if no stages come before this step
  std::vector<std::int64_t> reversed_;             ///< place in the tile of each point of a line
  kernel::LineRunner lines_;
};

/// One butterfly stage across two processors. Each processor works on one half of the places in a
/// load. There it computes the results of both processors.
class CrossingButterflies {
 public:
  CrossingButterflies(const Superlevel& level, const ButterflyStep& step, int processor, int sign,
                      const kernel::LocalOptions& options);

  /// Executes the stage on places first, ..., first + count - 1. The numbers of the two processors
  /// differ in the step's bit. `zeros` has the points of the processor whose bit is 0, and `ones`
  /// the points of the other.
  void execute(char* zeros, char* ones, std::int64_t first, std::int64_t count,
               std::int64_t load_number) const;

 private:
  template <class Real>
  void execute_as(std::complex<Real>* zeros, std::complex<Real>* ones, Bits first,
                  std::int64_t count, std::int64_t load_number) const;

  Superlevel level_;
  ButterflyStep step_;
  int processor_;
  kernel::LocalOptions options_;
  kernel::RowTwiddles twiddles_;
};

}  // namespace weft::bmmc
