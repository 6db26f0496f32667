#pragma once

#include <complex>
#include <cstdint>
#include <memory>
#include <vector>

#include "bmmc/plan/superlevel.hpp"
#include "kernel/lines.hpp"
#include "kernel/row_twiddles.hpp"

namespace weft::bmmc {

/// The local butterfly stages of one step, on one load in a processor's memory. Lines of 2^stages
/// points, bit-reversed in time, are gathered in cache, multiplied by their twiddles, transformed,
/// and scattered in the order of frequencies.
class LocalButterflies {
 public:
  /// sign: of the exponent. `scale` is multiplied into the result.
  LocalButterflies(const Superlevel& level, const ButterflyStep& step, int processor, int sign,
                   long double scale, const kernel::LocalOptions& options);

  void execute(char* load, std::int64_t load_number) const;

  /// Returns the bytes of all threads during a transform, and of tables.
  std::int64_t held_bytes() const;

 private:
  template <class Real>
  void execute_as(std::complex<Real>* load, std::int64_t load_number) const;
  template <class Real>
  void transform_tile(std::complex<Real>* load, Bits base, Bits first, std::int64_t count,
                      std::complex<Real>* tile) const;

  Superlevel level_;
  ButterflyStep step_;
  int processor_;
  kernel::LocalOptions options_;
  std::int64_t length_;
  std::int64_t pitch_;  ///< elements from one line to the next in a tile
  std::int64_t tile_lines_;
  std::unique_ptr<kernel::RowTwiddles> twiddles_;  ///< none in the first stages
  std::vector<std::int64_t> reversed_;
  kernel::LineRunner lines_;
};

/// One butterfly stage on the first or second half of a load's places, of two processors: `zeros`
/// has the places with bit 0, `ones` the others.
class CrossingButterflies {
 public:
  CrossingButterflies(const Superlevel& level, const ButterflyStep& step, int processor, int sign,
                      const kernel::LocalOptions& options);

  /// Executes the stage on places first, ..., first + count - 1.
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
