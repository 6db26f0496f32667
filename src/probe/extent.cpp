#include "probe/extent.hpp"

#include <algorithm>

namespace weft::probe {

std::int64_t Extent::memory_bytes() const {
  return 3 * std::max(stream_bytes, *std::max_element(copied_bytes.begin(), copied_bytes.end()));
}

/// Lengths: powers of two, other products of small primes, and primes.
Extent full_extent() {
  return {.lengths = {8,   12,  13,  16,  24,  31,  32,   60,   61,   64,   101,  120,  128,  240,
                      251, 256, 360, 509, 512, 750, 1000, 1021, 1024, 1800, 2039, 2048, 3000, 4096},
          .precisions = {Precision::f32, Precision::f64, Precision::f80},
          .efforts = {Effort::estimate, Effort::measure},
          .copied_bytes = {128 << 10, 512 << 10, 2 << 20, 8 << 20, 32 << 20, 128 << 20},
          .message_bytes = {8, 64, 512, 2048, 4096, 8192, 16384, 32768, 65536, 131072, 262144,
                            524288, 1048576, 4194304},
          .stream_bytes = 64 << 20};
}

Extent quick_extent() {
  return {.lengths = {16, 60, 101, 256, 1000, 1021, 1024},
          .precisions = {Precision::f64},
          .efforts = {Effort::estimate},
          .copied_bytes = {256 << 10, 2 << 20, 8 << 20},
          .message_bytes = {8, 2048, 16384, 131072, 1048576},
          .stream_bytes = 16 << 20};
}

}  // namespace weft::probe
