#pragma once

#include <array>
#include <cstdint>
#include <functional>

namespace weft::model {

/// A transform in pencils as Chan et al. (paper 004, section 4) describe P3DFFT. It begins with
/// x-pencils. The first transpose has nz/Pcol calls of MPI_Alltoallv within rows of Prow ranks. The
/// second has one call within columns of Pcol ranks.
struct ChanProblem {
  std::array<std::int64_t, 3> mesh = {};  ///< nx, ny, nz
  std::int64_t p_row = 1;
  std::int64_t p_col = 1;
  double bytes = 4;  ///< r: bytes of one real number

  double points() const;  ///< N
  double ranks() const;   ///< P
};

/// Eq. 5: returns whether every rank gets a plane, a row, and a point of the halved axis. Tables 1,
/// 4, 6 and 7 leave the cells of invalid grids empty.
bool chan_is_valid(const ChanProblem&);

double chan_row_points(const ChanProblem&);  ///< Eq. 2: numbers for each pair of ranks of a row
double chan_col_points(const ChanProblem&);  ///< Eq. 3: numbers for each pair of ranks of a column

/// Time of one all-to-all as a function of the numbers that each pair of ranks exchanges.
using ChanTime = std::function<double(double points)>;
/// Eq. 4: the time of both transposes, in the unit of the given times.
double chan_transposes(const ChanProblem&, const ChanTime& row, const ChanTime& col);

/// Eq. 6: a straight line through the times of all-to-alls. It gives the time,
/// divided by the number of ranks, as a function of the bytes for each pair.
struct ChanFit {
  std::function<double(std::int64_t ranks)> slope;      ///< S, microseconds a byte
  std::function<double(std::int64_t ranks)> intercept;  ///< I, microseconds
};
/// Eq. 7: Eq. 4 with the times of Eq. 6, in microseconds.
double chan_fitted_us(const ChanProblem&, const ChanFit&);

/// Limits of S and I. In small rows S = s0 Prow. In long columns S = S_inf and I = I_inf.
struct ChanLimits {
  double s0 = 0;
  double s_inf = 0;
  double i_inf = 0;
};
/// Eq. 8, microseconds: Eq. 7 for small Prow.
double chan_small_rows_us(const ChanProblem&, const ChanLimits&);
/// Eq. 9: the Prow at which Eq. 8 is least, and the least time in microseconds. Of the problem,
/// both use only N, P and r. For its second example the paper prints 5.3; the formula gives half of
/// that.
double chan_best_row(const ChanProblem&, const ChanLimits&);
double chan_best_us(const ChanProblem&, const ChanLimits&);

}  // namespace weft::model
