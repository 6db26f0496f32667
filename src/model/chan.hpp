#pragma once

#include <array>
#include <cstdint>
#include <functional>

namespace weft::model {

/// A transform in pencils as Chan et al. (paper 004, section 4) describe P3DFFT: x-pencils first,
/// nz/Pcol calls of MPI_Alltoallv within rows of Prow ranks, then one within columns of Pcol.
struct ChanProblem {
  std::array<std::int64_t, 3> mesh = {};  ///< nx, ny, nz
  std::int64_t p_row = 1;
  std::int64_t p_col = 1;
  double bytes = 4;  ///< r: bytes of one real number

  double points() const;  ///< N
  double ranks() const;   ///< P
};

/// Eq. 5: returns whether every rank gets a plane, a row and (of the halved axis) a point. The
/// empty cells of Tables 1, 4, 6 and 7 are the grids for which this is false.
bool chan_is_valid(const ChanProblem&);

double chan_row_points(const ChanProblem&);  ///< Eq. 2: numbers for each pair of ranks of a row
double chan_col_points(const ChanProblem&);  ///< Eq. 3: and of a column

/// Time of one all-to-all by numbers for each pair.
using ChanTime = std::function<double(double points)>;
/// Eq. 4: both transposes, in the unit of the given times.
double chan_transposes(const ChanProblem&, const ChanTime& row, const ChanTime& col);

/// Eq. 6: slope and intercept of an all-to-all's time over its bytes for each pair, divided by the
/// number of ranks that take part. Microseconds a byte; microseconds.
struct ChanFit {
  std::function<double(std::int64_t ranks)> slope;      ///< S
  std::function<double(std::int64_t ranks)> intercept;  ///< I
};
/// Eq. 7, microseconds.
double chan_fitted_us(const ChanProblem&, const ChanFit&);

/// Limits of S and I: S = s0 Prow in small rows, S_inf and I_inf in long columns.
struct ChanLimits {
  double s0 = 0;
  double s_inf = 0;
  double i_inf = 0;
};
/// Eq. 8, microseconds: Eq. 7 for small Prow.
double chan_small_rows_us(const ChanProblem&, const ChanLimits&);
/// Eq. 9: the Prow at which Eq. 8 is least, and its value there in microseconds. Only N, P and r of
/// the problem count. For its second example the paper prints 5.3, which is twice the value of the
/// formula.
double chan_best_row(const ChanProblem&, const ChanLimits&);
double chan_best_us(const ChanProblem&, const ChanLimits&);

}  // namespace weft::model
