#pragma once

#include <cstdint>

// Loops over rows of fields, compiled once for each instruction set. This header has plain types only,
// for the reasons in docs/adr/0014-instruction-sets.md.
//
// All rows of a call have `count` elements. Elements of a spectrum are pairs of reals. Pointers are to
// the first element of a row; T is float or double.

namespace weft::dns {

/// The wave vector along a row of a spectrum: element i has across[a] + along_axis[a] * along[i] on
/// axis a. The numbers are factors of first derivatives: zero in the Nyquist element.
template <class T>
struct WaveRow {
  const T* along;
  T across[3];
  T along_axis[3];  ///< 1 for the axis of the row, otherwise 0
};

/// Numbers that are products of a number of each axis.
template <class T>
struct ProductRow {
  const T* along;
  T across;
};

/// Numbers exp(i phase) that are products of a number of each axis.
template <class T>
struct PhaseRow {
  const T* along;  ///< pairs; null: all are 1
  T across_re;
  T across_im;
};

/// Velocities, vorticities and scalars from velocities and scalars.
template <class T>
struct InverseRow {
  std::int64_t count;
  std::int64_t stride;  ///< between adjacent elements, in elements
  std::int64_t scalars;
  WaveRow<T> wave;
  PhaseRow<T> phase;   ///< by which all fields are multiplied
  const T* const* in;  ///< 3 + scalars rows
  T* const* out;       ///< 6 + scalars rows
};

/// The products u x w and u theta from fields in space.
template <class T>
struct SpaceRow {
  std::int64_t count;
  std::int64_t stride;
  std::int64_t scalars;
  T inverse_steps[3];  ///< 1/dx of each axis
  const T* const* in;  ///< 6 + scalars rows
  T* const* out;       ///< 3 + 3 scalars rows
  double* largest;     ///< raised to the largest sum of |u_a|/dx_a; infinite for what is not finite
};

/// A linear combination: a register, or the right-hand side, times a factor and a power of the decay.
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

/// The right-hand side from products, and the new registers.
template <class T>
struct AdvanceRow {
  std::int64_t count;
  std::int64_t stride;           ///< of products and outputs
  std::int64_t register_stride;  ///< of registers
  std::int64_t scalars;
  WaveRow<T> wave;
  PhaseRow<T> phase;            ///< by which the products are multiplied
  ProductRow<T> const* decays;  ///< of the velocity, then of each scalar
  const T* kept_along;          ///< squares of the truncation; null: all modes are kept
  T kept_across;                ///< elements with kept_across + kept_along[i] >= 1 are dropped
  const T* gradients;           ///< 3 for each scalar: the mean gradient
  const T* const* products;     ///< 3 + 3 scalars rows
  T* const* out;                ///< 3 + scalars rows, for the first update
  T* const* registers;          ///< (3 + scalars) rows of each register
  int input;                    ///< the register from which the products were made
  int added;                    ///< a register that is added to the right-hand side; -1: none
  T scale;                      ///< of the right-hand side, before that
  const Update* updates;
  int update_count;
  std::int64_t zero_at;  ///< the element of the row with k = 0; -1: none
  struct Sums const* sums;
};

/// Sums over shells of a row's elements; null where none are wanted.
struct Sums {
  const double* k2_along;  ///< squares of wavenumbers, Nyquist too
  double k2_across;
  const double* weight_along;  ///< null: all are weight_across
  double weight_across;
  double inverse_shell_width;
  std::int64_t shells;
  double* results;  ///< shells rows of velocity_sums + scalars * scalar_sums numbers
};
/// E, k^2 E, E/k, transfer, helicity.
inline constexpr int velocity_sums = 5;
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

/// The entries: one for each instruction set of the build.
extern "C" {
const weft::dns::RowTable* weft_dns_rows_v1();
const weft::dns::RowTable* weft_dns_rows_v3();
const weft::dns::RowTable* weft_dns_rows_v4();
}
