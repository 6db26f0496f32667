#pragma once

#include <array>
#include <cstdint>
#include <functional>

namespace weft::model {

/// P3DFFT's transform in pencils, as section 4 of Chan et al. (docs/model.md) describes it. It
/// begins with x-pencils. The first exchange (the paper: transpose) has nz/Pcol calls of
/// MPI_Alltoallv within rows of Prow ranks. The second has one call within columns of Pcol ranks.
struct ChanProblem {
  std::array<std::int64_t, 3> mesh = {};  ///< nx, ny, nz
  std::int64_t p_row = 1;
  std::int64_t p_col = 1;
  double bytes = 4;  ///< r: bytes of one real number

  double points() const;  ///< N
  double ranks() const;   ///< P
};

/// Eq. 5: returns whether nz >= Pcol, ny >= Prow and nx/2 >= Prow, so that every rank has data.
/// Tables 1, 4, 6 and 7 leave the cells of invalid grids empty.
bool chan_is_valid(const ChanProblem&);

double chan_row_points(const ChanProblem&);  ///< Eq. 2: points from a rank to each rank of its row
double chan_col_points(const ChanProblem&);  ///< Eq. 3: points from a rank to each of its column

/// Time of one all-to-all, by the number of points for each pair of ranks.
using ChanTime = std::function<double(double points)>;
/// Eq. 4: the time of both exchanges, in the unit of the given times.
double chan_exchanges(const ChanProblem&, const ChanTime& row, const ChanTime& col);

/// Eq. 6: a straight line through the times of all-to-alls. It gives the time,
/// divided by the number of ranks, as a function of the bytes for each pair.
struct ChanFit {
  std::function<double(std::int64_t ranks)> slope;      ///< S, microseconds a byte
  std::function<double(std::int64_t ranks)> intercept;  ///< I, microseconds
};
/// Eq. 7: Eq. 4 with the times of Eq. 6, in microseconds.
double chan_fitted_us(const ChanProblem&, const ChanFit&);

/// Limits of S and I. In short rows S = s0 Prow and I = 0. In long columns S = s_inf and I = i_inf.
struct ChanLimits {
  double s0 = 0;
  double s_inf = 0;
  double i_inf = 0;
};
/// Eq. 8, microseconds: Eq. 7 for small Prow.
double chan_small_rows_us(const ChanProblem&, const ChanLimits&);
/// Eq. 9: the Prow at which Eq. 8 is least, and the least time in microseconds. Both functions use
/// only N, P and r of the problem. In its second example the paper prints Prow = 5.3. The formula
/// gives 2.61.
double chan_best_row(const ChanProblem&, const ChanLimits&);
double chan_best_us(const ChanProblem&, const ChanLimits&);

}  // namespace weft::model
