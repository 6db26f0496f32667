#pragma once

#include <weft/precision.hpp>

#include "kernel/row_twiddles.hpp"
#include "ooc/plan/pass_plan.hpp"

namespace weft::ooc {

// What Bluestein's algorithm does with panels beside their lines. A chirp is exp(sign*pi*i*j^2/n), by
// the roots of 2n with the exponent j^2 mod 2n in whole numbers.

/// Multiplies element j < n of a panel, [radix][inners], by the chirp.
void multiply_by_chirp(const KPass& pass, const Panel& panel, const kernel::RowTwiddles& roots,
                       Precision precision, int threads, void* memory);

/// Makes the kernel: the chirp's conjugate at j and -j of the pass's elements for |j| < n, else 0.
void make_kernel(const KPass& pass, const Panel& panel, const kernel::RowTwiddles& roots,
                 Precision precision, int threads, void* memory);

/// Multiplies `count` complex numbers by the kernel's, which lie behind them.
void multiply_by_kernel(std::int64_t count, Precision precision, int threads, void* memory);

}  // namespace weft::ooc
