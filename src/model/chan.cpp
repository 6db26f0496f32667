#include "model/chan.hpp"

#include <cmath>

namespace weft::model {

double ChanProblem::points() const {
  double product = 1;
  for (const std::int64_t extent : mesh) product *= static_cast<double>(extent);
  return product;
}

double ChanProblem::ranks() const {
  return static_cast<double>(p_row) * static_cast<double>(p_col);
}

bool chan_is_valid(const ChanProblem& problem) {
  const auto [nx, ny, nz] = problem.mesh;
  return nz >= problem.p_col && ny >= problem.p_row && nx >= 2 * problem.p_row;
}

double chan_row_points(const ChanProblem& problem) {
  const auto p_row = static_cast<double>(problem.p_row);
  return problem.points() / (static_cast<double>(problem.mesh[2]) * p_row * p_row);
}

double chan_col_points(const ChanProblem& problem) {
  return problem.points() * static_cast<double>(problem.p_row) /
         (problem.ranks() * problem.ranks());
}

double chan_exchanges(const ChanProblem& problem, const ChanTime& row, const ChanTime& col) {
  const double planes = static_cast<double>(problem.mesh[2]) / static_cast<double>(problem.p_col);
  return planes * row(chan_row_points(problem)) + col(chan_col_points(problem));
}

double chan_fitted_us(const ChanProblem& problem, const ChanFit& fit) {
  const auto side = [&](std::int64_t ranks) {
    return [&fit, ranks, bytes = problem.bytes](double points) {
      return static_cast<double>(ranks) *
             (fit.slope(ranks) * bytes * points + fit.intercept(ranks));
    };
  };
  return chan_exchanges(problem, side(problem.p_row), side(problem.p_col));
}

double chan_small_rows_us(const ChanProblem& problem, const ChanLimits& limits) {
  const auto p_row = static_cast<double>(problem.p_row);
  return problem.bytes * (limits.s0 * p_row + limits.s_inf) * problem.points() / problem.ranks() +
         limits.i_inf * problem.ranks() / p_row;
}

double chan_best_row(const ChanProblem& problem, const ChanLimits& limits) {
  return problem.ranks() * std::sqrt(limits.i_inf / (problem.bytes * limits.s0 * problem.points()));
}

double chan_best_us(const ChanProblem& problem, const ChanLimits& limits) {
  return problem.bytes * limits.s_inf * problem.points() / problem.ranks() +
         2 * std::sqrt(problem.bytes * limits.s0 * problem.points() * limits.i_inf);
}

}  // namespace weft::model
