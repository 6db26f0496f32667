#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <weft/tile.h>
#include <weft/error.hpp>
#include <weft/operators.hpp>

namespace weft::api {

/// For each array axis, one number for each index of the whole spectrum along this axis.
using AxisNumbers = std::vector<std::vector<long double>>;

/// The rules of the tiles on which an operator is called.
struct TileRules {
  std::string name;  ///< of the operator
  Shape shape;       ///< of the spectrum
  std::int64_t real_bytes = 8;
  bool is_complex = true;
  std::int64_t inputs = 0;  ///< 0: any number, and the same number of outputs
  std::int64_t outputs = 0;

  /// Throws invalid_argument for a tile that breaks a rule.
  void check(const Tile& tile) const;
};

/// The plan of an operator: its rules, and the numbers of its axes.
class OperatorPlan {
 public:
  /// `name` is the name of the operator in messages. Checks the lengths, and that the plan has
  /// round trips.
  OperatorPlan(const Plan& plan, std::string name, const operators::Lengths& lengths = {});

  const Plan& plan() const { return *plan_; }
  const Problem& problem() const { return plan_->problem; }
  const std::vector<int>& axes() const { return problem().axes; }
  TileRules rules(std::int64_t inputs = 0, std::int64_t outputs = 0) const;

  /// Sets the words of the operator's parameters, without the lengths.
  void set_parameters(const std::string& parameters) { parameters_ = " " + parameters; }
  /// Returns the name, the parameters and the lengths. Operators with different factors have
  /// different words.
  std::string words() const;

  /// Throws `code` with the rule, the value and the remedy.
  [[noreturn]] void refuse(const std::string& rule,
                           ErrorCode code = ErrorCode::invalid_argument) const;
  /// Throw unsupported unless the axis, or each axis, is of kind c2c or r2c.
  void need_fourier(int axis, const std::string& reason) const;
  void need_fourier_axes(const std::string& reason) const;
  void need_finite(double value, const char* what) const;

  /// Returns the same number for each index of each axis.
  AxisNumbers filled(long double value) const;
  /// Return the wavenumbers of a transformed axis: wavenumbers() for its length,
  /// whole_wavenumbers() in the units of Tile::coordinates.
  std::vector<long double> wavenumbers(int axis) const;
  std::vector<long double> whole_wavenumbers(int axis) const;
  /// Returns the factors c of a transformed axis: the first derivative multiplies by i*c. The
  /// factor of the Nyquist element, which represents k and -k, is 0.
  std::vector<long double> derivative_factors(int axis) const;
  /// Returns the squares of the wavenumbers, and zeros on axes that are not transformed.
  AxisNumbers squares() const;
  /// Returns the index of the Nyquist element, which represents both k and -k. Returns -1 if there
  /// is none.
  std::int64_t nyquist_index(int axis) const;

 private:
  const Plan* plan_;
  std::string name_;
  std::string parameters_;
  operators::Lengths lengths_;
};

/// Returns a number with the fewest digits that identify it: "0.1".
std::string exact_words(double value);
/// The same for several numbers, with a text between them.
std::string exact_words(const std::vector<double>& values, const std::string& between);

/// Returns the function that divides by minus the sum of the squares of all axes. Elements become
/// zero where this sum is zero.
FieldFunction divide_by_squares(const OperatorPlan& plan, const AxisNumbers& squares);

}  // namespace weft::api
