#pragma once

#include <cstdint>

// Products of lines with roots of unity, compiled once for each instruction set. This header has
// plain types only, for the reasons in docs/adr/0014-instruction-sets.md.

namespace weft::isa {

/// A line of complex numbers, and factors from two tables of them: element k is multiplied by
/// high[k / run] * low[k % run].
struct TwiddleProduct {
  void* line;
  std::int64_t count;
  const void* low;         ///< `run` numbers
  const void* turned_low;  ///< the same, times i
  std::int64_t run;        ///< a multiple of 8
  const void* high;        ///< ceil(count / run) numbers
};

/// A function for each precision; none throws.
struct TwiddleTable {
  void (*f32)(const TwiddleProduct* product);
  void (*f64)(const TwiddleProduct* product);
  void (*f80)(const TwiddleProduct* product);  ///< only in the baseline: f80 has no vectors
};

}  // namespace weft::isa

/// The entries: one for each instruction set of the build.
extern "C" {
const weft::isa::TwiddleTable* weft_twiddle_products_v1();
const weft::isa::TwiddleTable* weft_twiddle_products_v3();
const weft::isa::TwiddleTable* weft_twiddle_products_v4();
}
