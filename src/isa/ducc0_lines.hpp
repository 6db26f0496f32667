#pragma once

#include <cstdint>

// ducc0's FFT of lines, compiled once for each instruction set. This header has plain types only: a
// function that it defined would be compiled with every instruction set, and the linker would keep
// any of them. See docs/adr/0014-instruction-sets.md.

namespace weft::isa {

/// The tables of ducc0: of c2c, of r2c and c2r, and of cosine (dct) and sine (dst) transforms by
/// their types.
enum class DuccKind { complex, real, dct1, dst1, types23, type4 };

/// `count` lines of `length` points; the k-th begins k*pitch reals after the first one. Across, for
/// c2c, point j of the k-th is j*pitch + 2*k reals after the first.
struct DuccLines {
  DuccKind kind;
  bool forward;  ///< complex, real: exponent -1
  int type;      ///< of a cosine or sine transform: 1 to 4
  bool cosine;
  bool parts;  ///< cosine and sine transforms of both parts of complex numbers
  std::int64_t length;
  std::int64_t count;
  std::int64_t in_pitch;
  std::int64_t out_pitch;
  bool across;
};

/// What ducc0 needs to transform lines of one length: its tables, and room for each thread.
struct DuccTables {
  void* tables;
  std::int64_t workspace_bytes;
};

enum class DuccStatus { done, no_memory, failed };

/// The functions of one precision; none throws.
struct DuccFunctions {
  int lanes;  ///< lines that are transformed together
  /// Makes the tables of a length. If it failed, `what` has the reason.
  DuccStatus (*make)(std::int64_t length, DuccKind kind, DuccTables* made, char* what,
                     std::int64_t what_bytes);
  void (*free)(void* tables, DuccKind kind);
  /// Transforms lines. They do not overlap, or in == out with one pitch in bytes. `workspace` is
  /// aligned to 64 bytes.
  void (*execute)(const void* tables, const DuccLines* lines, const void* in, void* out,
                  void* workspace);
};

/// f80 has no vectors, so that only the baseline has functions for it.
struct DuccTable {
  DuccFunctions f32;
  DuccFunctions f64;
  DuccFunctions f80;
};

}  // namespace weft::isa

/// The entries: one for each instruction set of the build.
extern "C" {
const weft::isa::DuccTable* weft_ducc0_lines_v1();
const weft::isa::DuccTable* weft_ducc0_lines_v3();
const weft::isa::DuccTable* weft_ducc0_lines_v4();
}
