#pragma once

#include <array>
#include <cstddef>
#include <string>

#include "weft/precision.hpp"

namespace weft::kernel {

/// A loop of FFTW's guru64 interface (fftw_iodim64).
struct FftwLoop {
  std::ptrdiff_t extent;
  std::ptrdiff_t in_stride;
  std::ptrdiff_t out_stride;
};

/// FFTW's words for directions and planning, from its manual.
namespace fftw {
inline constexpr int forward = -1;
inline constexpr int backward = 1;
inline constexpr unsigned measure = 0;
inline constexpr unsigned destroy_input = 1U << 0;
inline constexpr unsigned unaligned = 1U << 1;
inline constexpr unsigned preserve_input = 1U << 4;
inline constexpr unsigned patient = 1U << 5;
inline constexpr unsigned estimate = 1U << 6;
/// Numbers of the transforms of reals to reals, in the order of Kind from dct1 on.
inline constexpr std::array r2r_kinds{3, 5, 4, 6, 7, 9, 8, 10, 2};
}  // namespace fftw

/// The functions of one precision. Plans and arrays are untyped, so all precisions have this type.
/// If the library lacks the precision, all are null.
struct FftwFunctions {
  using Loops = const FftwLoop*;
  void* (*plan_c2c)(int, Loops, int, Loops, void* in, void* out, int sign, unsigned flags);
  void* (*plan_r2c)(int, Loops, int, Loops, void* in, void* out, unsigned flags);
  void* (*plan_c2r)(int, Loops, int, Loops, void* in, void* out, unsigned flags);
  /// Cosine, sine and Hartley transforms; null unless the library makes plans of all of them.
  void* (*plan_r2r)(int, Loops, int, Loops, void* in, void* out, const int* kinds, unsigned flags);
  void (*execute_c2c)(void* plan, void* in, void* out);
  void (*execute_r2c)(void* plan, void* in, void* out);
  void (*execute_c2r)(void* plan, void* in, void* out);
  void (*execute_r2r)(void* plan, void* in, void* out);
  void (*destroy)(void* plan);
  char* (*export_wisdom)();           ///< null if the library has no wisdom
  int (*import_wisdom)(const char*);  ///< null if the library has no wisdom
  const char* version;
};

/// A library with FFTW's interface: FFTW, AOCL, MKL or NVPL.
struct FftwLibrary {
  std::string file;                        ///< file name of the library of doubles, as it was given
  std::array<FftwFunctions, 3> functions;  ///< by precision

  const FftwFunctions& of(Precision precision) const {
    return functions[static_cast<std::size_t>(precision)];
  }
  bool has(Precision precision) const { return of(precision).plan_c2c != nullptr; }
};

/// Loads a library by the name of its file, and also the library's files of other precisions.
///
/// Errors  invalid_argument if the file cannot be loaded, or has no transforms of doubles.
FftwLibrary load_fftw(const std::string& file);

/// Returns the library of the environment variable WEFT_FFTW_LIBRARY, otherwise the first one that
/// is installed. Null if there is none, or if the variable is "none". It is loaded once, and never
/// unloaded.
///
/// Errors  those of load_fftw() for the variable.
const FftwLibrary* fftw_library();

}  // namespace weft::kernel
