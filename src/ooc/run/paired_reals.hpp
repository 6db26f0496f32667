#pragma once

#include <weft/precision.hpp>

#include "kernel/row_twiddles.hpp"
#include "ooc/plan/pass_plan.hpp"

namespace weft::ooc {

/// Z is the transform of N/2 complex numbers, which are N reals in pairs. unpack_reals() turns Z
/// into the transform X of the reals. X[k] = E + w O and X[N/2 - k] = conj(E - w O). E and O are
/// the transforms of the even and the odd reals. E = (Z[k] + conj Z[N/2 - k]) / 2 and O = (Z[k] -
/// conj Z[N/2 - k]) / 2i. w is root k of N. The function works in place; X[N/2] is stored behind
/// the parts.
///
/// Shapes  `memory` has the parts one after the other, as [radix][inners] each.
void unpack_reals(const KPass& pass, const std::vector<Panel>& parts,
                  const kernel::RowTwiddles& twiddles, Precision precision, int threads,
                  void* memory);

/// The inverse of unpack_reals(), done before a transform. X[k] and X[N/2 - k] become Z[k] = S + i
/// T and Z[N/2 - k] = conj(S - i T). S = X[k] + conj X[N/2 - k], T = w (X[k] - conj X[N/2 - k]).
/// X[N/2] is behind the parts; its imaginary part and that of X[0] are ignored.
///
/// Shapes  as above, [radix][rests].
void pack_reals(const KPass& pass, const std::vector<Panel>& parts,
                const kernel::RowTwiddles& twiddles, Precision precision, int threads,
                void* memory);

}  // namespace weft::ooc
