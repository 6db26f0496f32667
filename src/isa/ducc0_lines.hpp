#pragma once

#include <cstdint>

#include <weft/kind.h>

// ducc0's FFT of lines, compiled once for each instruction set. This header has plain types only.
// If it defined a function, that function would be compiled with every instruction set, and the
// linker would keep any one of the results. See docs/adr/0014-instruction-sets.md.

namespace weft::isa {

/// `count` lines of `length` points; line k begins k*pitch reals after line 0. Across (only c2c),
/// point j of line k is j*pitch + 2*k reals after point 0 of line 0.
struct DuccLines {
  weft_kind kind;
  bool forward;  ///< c2c: exponent -1; r2c: from reals
  bool parts;    ///< both parts of complex numbers, of kinds that make reals of reals
  std::int64_t length;
  std::int64_t count;
  std::int64_t in_pitch;
  std::int64_t out_pitch;
  bool across;
};

/// The needs of ducc0 for lines of one length: its tables, and room for each thread.
struct DuccTables {
  void* tables;
  std::int64_t workspace_bytes;
};

enum class DuccStatus { done, no_memory, failed };

/// The functions of one precision; none throws.
struct DuccFunctions {
  int lanes;  ///< lines that are transformed together
  /// Makes the tables of a length. If it failed, `what` has the reason.
  DuccStatus (*make)(std::int64_t length, weft_kind kind, DuccTables* made, char* what,
                     std::int64_t what_bytes);
  void (*free)(void* tables, weft_kind kind);
  /// Transforms lines. They do not overlap, or in == out with one pitch in bytes. `workspace` is
  /// aligned to 64 bytes.
  void (*execute)(const void* tables, const DuccLines* lines, const void* in, void* out,
                  void* workspace);
};

/// f80 has no vectors, so only the baseline has functions for f80.
struct DuccTable {
  DuccFunctions f32;
  DuccFunctions f64;
  DuccFunctions f80;
  /// Returns the first of the kinds that use the same tables.
  weft_kind (*sharing)(weft_kind kind);
};

}  // namespace weft::isa

/// The entries: one for each instruction set of the build.
extern "C" {
const weft::isa::DuccTable* weft_ducc0_lines_v1();
const weft::isa::DuccTable* weft_ducc0_lines_v3();
const weft::isa::DuccTable* weft_ducc0_lines_v4();
}
