#pragma once

#include <cstdint>

#include "base/memory.hpp"

namespace weft::kernel {

/// The spectra for the convolution of complex lines, one for each line.
class LineSpectrum {
 public:
  /// `values` has the spectra of lines, one after the other, from line `first_line` on. Each has
  /// `length` numbers, in the type of the multiplication.
  LineSpectrum(AlignedBuffer values, std::int64_t first_line, std::int64_t length)
      : values_(std::move(values)), first_line_(first_line), length_(length) {}

  /// Multiplies a line by its spectrum, or by the conjugate of the spectrum.
  template <class T>
  void multiply(T* line, std::int64_t number, bool conjugate) const;

 private:
  AlignedBuffer values_;
  std::int64_t first_line_;
  std::int64_t length_;
};

}  // namespace weft::kernel
