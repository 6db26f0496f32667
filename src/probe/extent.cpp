#include "probe/extent.hpp"

#include <algorithm>

namespace weft::probe {

std::int64_t Extent::memory_bytes() const {
  return 3 * std::max(stream_bytes, *std::max_element(copied_bytes.begin(), copied_bytes.end()));
}

namespace {

std::vector<std::int64_t> ascending(std::vector<std::int64_t> lengths) {
  std::sort(lengths.begin(), lengths.end());
  return lengths;
}

}  // namespace

/// The lengths are powers of two, products of small primes, and primes. The products have the
/// factor 8, 4, 2 or none of these, because the model has a family for each. The primes cover the
/// other families of the model: real lines of up to 167 points are summed directly, and a real line
/// of 1201 points uses Rader's algorithm. Complex lines of 113 and 1201 points use chirps of odd
/// length.
Extent full_extent() {
  return {.lengths = ascending({8,   16,  32,   64,  128, 256,  512, 1024, 2048, 4096, 24,  48,
                                72,  112, 120,  144, 240, 432,  720, 784,  1296, 2000, 12,  36,
                                108, 300, 420,  540, 900, 2100, 10,  30,   54,   90,   270, 350,
                                486, 750, 1750, 9,   27,  75,   147, 225,  675,  1875, 13,  31,
                                61,  101, 113,  167, 179, 277,  587, 1201, 2087}),
          .precisions = {Precision::f32, Precision::f64, Precision::f80},
          .efforts = {Effort::estimate, Effort::measure},
          .copied_bytes = {128 << 10, 512 << 10, 2 << 20, 8 << 20, 32 << 20, 128 << 20},
          .message_bytes = {8, 64, 512, 2048, 4096, 8192, 16384, 32768, 65536, 131072, 262144,
                            524288, 1048576, 4194304},
          .exchange_bytes = {512, 4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20},
          .link_round_s = 20e-3,
          .visits = 4,
          .stream_bytes = 64 << 20};
}

Extent extent_for(double seconds) {
  constexpr double enough_for_all_s = 25;
  Extent extent = full_extent();
  if (!(seconds < enough_for_all_s)) return extent;
  extent.lengths = ascending({8, 256, 1024, 24, 240, 60, 900, 90, 270, 75, 225, 31, 101});
  extent.copied_bytes = {256 << 10, 2 << 20, 8 << 20};
  extent.visits = 1;
  extent.stream_bytes = 16 << 20;
  return extent;
}

Extent quick_extent() {
  return {.lengths = ascending({16, 256, 1024, 24, 240, 1000, 60, 900, 90, 105, 101, 587}),
          .precisions = {Precision::f64},
          .efforts = {Effort::estimate},
          .copied_bytes = {256 << 10, 2 << 20, 8 << 20},
          .message_bytes = {8, 2048, 16384, 131072, 1048576},
          .exchange_bytes = {16 << 10, 64 << 10},
          .link_round_s = 4e-3,
          .visits = 1,
          .stream_bytes = 16 << 20};
}

Extent yardstick_extent(Precision precision) {
  return {.lengths = {24, 90, 101, 256, 900},
          .precisions = {precision},
          .efforts = {Effort::estimate, Effort::measure},
          .copied_bytes = {2 << 20, 8 << 20},
          .message_bytes = {},
          .exchange_bytes = {},
          .visits = 1,
          .stream_bytes = 0};
}

}  // namespace weft::probe
