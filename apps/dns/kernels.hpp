#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <weft/tile.h>

#include "row_kernels.hpp"

namespace weft::dns {

/// For each axis, one number for each index of the whole spectrum along this axis.
using NumbersByAxis = std::vector<std::vector<double>>;

/// The grid and the fields of a simulation, on one rank. The spectra have three axes.
struct SimulationGrid {
  std::vector<std::int64_t> lower;    ///< first index of this rank's part of the spectra, by axis
  std::vector<std::int64_t> strides;  ///< of this rank's spectra in memory, in elements
  NumbersByAxis derivatives;  ///< factors k of first derivatives, zero for the Nyquist element
  NumbersByAxis squares;      ///< k^2, also for the Nyquist element
  NumbersByAxis kept;         ///< an element is dropped if the sum of its numbers over the axes is
                              ///< 1 or more; empty: none is dropped
  std::vector<double> steps;  ///< dx of the grid in space, by axis
  std::vector<double> diffusivities;  ///< for the velocity, then for each scalar
  NumbersByAxis gradients;            ///< for each scalar the 3 numbers of its mean gradient
};

/// One evaluation of the right-hand side, and the registers that it updates.
struct Evaluation {
  double decay_time = 0;        ///< the time of one decay, exp(-nu k^2 time)
  int input = 0;                ///< number of the register that is transformed
  double scale = 1;             ///< factor of the right-hand side
  int added = -1;               ///< number of a register that is then added to the right-hand side;
                                ///< -1: none
  std::vector<Update> updates;  ///< the first one also gives the outputs
  NumbersByAxis shift;          ///< for each axis pairs cos, sin of k times the shift; empty: no
                                ///< shift
  double shell_width = 0;       ///< width of the shells of the sums; 0: no sums
  std::int64_t shells = 0;
};

/// The kernels of a simulation: functions of weft's tiles. T is float or double.
///
/// Threads  inverse(), space() and advance() may be called from several threads at once.
template <class T>
class Kernels {
 public:
  /// `rows` is the table for the instruction set of this processor.
  Kernels(const SimulationGrid& grid, const RowTable& rows);

  std::int64_t scalars() const { return scalars_; }
  /// Sets the memory of a register: the addresses of this rank's spectra, one for each field.
  void set_register(int number, const std::vector<void*>& arrays);
  /// Prepares the next evaluation. Throws std::invalid_argument for a register that has no memory.
  void set_evaluation(const Evaluation& evaluation);
  /// Returns the count of numbers that advance() returns as results.
  std::int64_t sums() const;

  void inverse(const Tile& tile) const;
  /// The results in the tile are the largest sum of |u_a|/dx_a and, if there are two results, the
  /// largest |u|^2.
  void space(const Tile& tile) const;
  void advance(const Tile& tile) const;

 private:
  using RealsByAxis = std::vector<std::vector<T>>;
  WaveRow<T> wave_row(const Tile& tile, const std::int64_t* index, int along) const;
  PhaseRow<T> phase_row(const RealsByAxis& phases, const Tile& tile, const std::int64_t* index,
                        int along) const;

  const RowFunctions<T>* rows_;
  std::int64_t scalars_ = 0;
  std::vector<std::int64_t> lower_;
  std::vector<std::int64_t> strides_;
  RealsByAxis derivatives_;
  NumbersByAxis squares_;
  RealsByAxis kept_;
  T inverse_steps_[3] = {};
  std::vector<double> diffusivities_;
  std::vector<T> gradients_;
  std::vector<std::vector<T*>> registers_;  ///< by number, then by field
  Evaluation evaluation_;
  std::vector<RealsByAxis> decays_;  ///< by diffusivity, then by axis
  RealsByAxis phases_;               ///< phases for inverse()
  RealsByAxis back_phases_;          ///< their conjugates, for advance()
};

extern template class Kernels<float>;
extern template class Kernels<double>;

/// Returns the table of the instruction set "v1", "v3" or "v4". Throws std::invalid_argument for
/// another word.
const RowTable& row_table(const std::string& instruction_set);

}  // namespace weft::dns
