#pragma once

#include <complex>
#include <cstdint>
#include <memory>
#include <vector>

#include "bmmc/plan/superlevel.hpp"
#include "kernel/lines.hpp"
#include "kernel/row_twiddles.hpp"

namespace weft::bmmc {

/// The local butterfly stages of one step, on one load in a processor's memory: lines of 2^stages
/// points, their order in time reversed bit by bit, are gathered in cache, multiplied by their
/// twiddles, transformed, and scattered in the order of frequencies.
class LocalButterflies {
 public:
  /// sign: of the exponent. `scale` is multiplied into the result.
  LocalButterflies(const Superlevel& level, const ButterflyStep& step, int processor, int sign,
                   long double scale, const kernel::LocalOptions& options);

  void execute(char* load, std::int64_t load_number) const;

  /// What the caller's thread and others hold while they transform, and tables.
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
  std::unique_ptr<kernel::RowTwiddles> twiddles_;  ///< none where nothing has been done before
  std::vector<std::int64_t> reversed_;
  kernel::LineRunner lines_;
};

/// One butterfly stage on the first half of a load's places, or the second, of two processors:
/// `zeros` are those whose bit is 0, `ones` the others.
class CrossingButterflies {
 public:
  CrossingButterflies(const Superlevel& level, const ButterflyStep& step, int processor, int sign,
                      const kernel::LocalOptions& options);

  /// Places first, ..., first + count - 1.
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
