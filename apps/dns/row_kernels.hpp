#pragma once

#include <cstdint>

// Loops over rows of fields, compiled once for each instruction set. This header has plain types
// only, for the reasons in docs/adr/0014-instruction-sets.md.
//
// All rows of a call have `count` elements. Elements of a spectrum are pairs of reals. Pointers
// point to the first element of a row. T is float or double.

namespace weft::dns {

/// The wave vector along a row of a spectrum. Its component a in element i is across[a] +
/// along_axis[a] * along[i]. These are the factors of first derivatives, so they are zero for the
/// Nyquist element.
template <class T>
struct WaveRow {
  const T* along;
  T across[3];
  T along_axis[3];  ///< 1 for the axis of the row, otherwise 0
};

/// Numbers that are a product over the axes: one factor for each axis.
template <class T>
struct ProductRow {
  const T* along;
  T across;
};

/// Numbers exp(i phase) that are a product over the axes: one factor for each axis.
template <class T>
struct PhaseRow {
  const T* along;  ///< pairs; null: all are 1
  T across_re;
  T across_im;
};

/// Computes velocities, vorticities and scalars from velocities and scalars.
template <class T>
struct InverseRow {
  std::int64_t count;
  std::int64_t stride;  ///< between adjacent elements, in elements
  std::int64_t scalars;
  WaveRow<T> wave;
  PhaseRow<T> phase;   ///< all fields are multiplied by it
  const T* const* in;  ///< 3 + scalars rows
  T* const* out;       ///< 6 + scalars rows
};

/// Computes the products u x w and u theta from fields in space.
template <class T>
struct SpaceRow {
  std::int64_t count;
  std::int64_t stride;
  std::int64_t scalars;
  T inverse_steps[3];  ///< 1/dx of each axis
  const T* const* in;  ///< 6 + scalars rows
  T* const* out;       ///< 3 + 3 scalars rows
  double* largest;     ///< raised to the largest sum of |u_a|/dx_a; infinite if a field is not
                       ///< finite; null: it is not wanted
  double* fastest;     ///< raised to the largest |u|^2; null: it is not wanted
};

/// A term of a linear combination: a register or the right-hand side, times a factor and a power of
/// the decay.
struct Term {
  int source;  ///< a register; -1: the right-hand side
  int decay;   ///< 0: 1, 1: exp(-nu k^2 d), 2: its square
  double factor;
};

/// A register's new values: the sum of terms.
struct Update {
  int target;
  int terms;
  Term term[5];
};

/// Computes the right-hand side from products, and the new values of registers.
template <class T>
struct AdvanceRow {
  std::int64_t count;
  std::int64_t stride;           ///< of products and outputs
  std::int64_t register_stride;  ///< of registers
  std::int64_t scalars;
  WaveRow<T> wave;
  PhaseRow<T> phase;            ///< the products are multiplied by it
  ProductRow<T> const* decays;  ///< of the velocity, then of each scalar
  const T* kept_along;          ///< squares of the truncation; null: all modes are kept
  T kept_across;                ///< elements with kept_across + kept_along[i] >= 1 are dropped
  const T* gradients;           ///< 3 for each scalar: the mean gradient
  const T* const* products;     ///< 3 + 3 scalars rows
  T* const* out;                ///< 3 + scalars rows, for the first update
  T* const* registers;          ///< (3 + scalars) rows of each register
  int input;                    ///< the register from which the products were made
  int added;                    ///< a register that is added to the right-hand side; -1: none
  T scale;                      ///< factor of the right-hand side, before `added` is added
  const Update* updates;
  int update_count;
  std::int64_t zero_at;  ///< the element of the row with k = 0; -1: none
  struct Sums const* sums;
};

/// Sums over the elements of a row, by shells. AdvanceRow::sums is null if no sums are wanted.
struct Sums {
  const double* k2_along;  ///< squares of wavenumbers, also for the Nyquist element
  double k2_across;
  const double* weight_along;  ///< null: all are weight_across
  double weight_across;
  double inverse_shell_width;
  std::int64_t shells;
  double* results;  ///< for each shell, velocity_sums + scalars * scalar_sums numbers
};
/// E, k^2 E, E/k, transfer, helicity, |k . u|^2.
inline constexpr int velocity_sums = 6;
/// theta^2/2, k^2 theta^2/2, transfer, u theta of each axis.
inline constexpr int scalar_sums = 6;

inline constexpr int most_scalars = 32;
inline constexpr int most_registers = 4;

template <class T>
struct RowFunctions {
  void (*inverse)(const InverseRow<T>* row);
  void (*space)(const SpaceRow<T>* row);
  void (*advance)(const AdvanceRow<T>* row);
};

struct RowTable {
  RowFunctions<float> f32;
  RowFunctions<double> f64;
};

}  // namespace weft::dns

/// The tables: one for each instruction set of the build.
extern "C" {
const weft::dns::RowTable* weft_dns_rows_v1();
const weft::dns::RowTable* weft_dns_rows_v3();
const weft::dns::RowTable* weft_dns_rows_v4();
}
