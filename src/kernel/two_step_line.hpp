#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "kernel/lines.hpp"

namespace weft::kernel {

/// One contiguous line of complex numbers that does not fit in cache. Its n = n1 x n2 points form a
/// matrix. First the columns are transformed in cache and multiplied by twiddles. Then the rows are
/// transformed. So memory is read and written twice; recursive libraries access it more often.
class TwoStepLine {
 public:
  /// Returns n1 <= n2, both short enough for cache. Returns nothing if the line is short or has no
  /// such factors.
  static std::optional<std::pair<std::int64_t, std::int64_t>> factors(std::int64_t length,
                                                                      Precision precision);

  /// A c2c transform of a length that has factors. Errors: those of Engine::lines.
  TwoStepLine(const AxisTransform& transform, const LocalOptions& options);

  /// Returns the scratch memory of run().
  std::int64_t scratch_bytes() const;

  /// Transforms one line. `in` may be the same memory as `out`; otherwise it stays unchanged. All
  /// three addresses are multiples of 64.
  void run(const void* in, void* out, void* scratch) const;

 private:
  void columns(const char* in, char* matrix, char* tile) const;
  void rows(const char* matrix, char* out, char* tile) const;

  std::int64_t element_bytes_;
  std::int64_t n1_;
  std::int64_t n2_;
  std::int64_t pitch1_;  ///< elements from one line to the next in a tile
  std::int64_t pitch2_;
  LineRunner first_;
  LineRunner second_;
};

}  // namespace weft::kernel
