#pragma once

#include <weft/precision.hpp>

#include "kernel/row_twiddles.hpp"
#include "ooc/plan/pass_plan.hpp"

namespace weft::ooc {

// Operations of Bluestein's algorithm on panels, in addition to those on lines. A chirp is
// exp(sign*pi*i*j^2/n). It is a root of unity of order 2n, with the exponent j^2 mod 2n computed in
// integers.

/// Multiplies element j < n of a panel, [radix][inners], by the chirp.
void multiply_by_chirp(const KPass& pass, const Panel& panel, const kernel::RowTwiddles& roots,
                       Precision precision, int threads, void* memory);

/// Makes the kernel: the chirp's conjugate at elements j and -j of the pass for |j| < n, otherwise
/// 0.
void make_kernel(const KPass& pass, const Panel& panel, const kernel::RowTwiddles& roots,
                 Precision precision, int threads, void* memory);

/// Multiplies `count` complex numbers by the numbers of the kernel, which follow them in memory.
void multiply_by_kernel(std::int64_t count, Precision precision, int threads, void* memory);

}  // namespace weft::ooc
