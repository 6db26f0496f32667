#include "ooc/run/convert.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include <weft/error.hpp>

#include "base/rounding.hpp"

namespace weft::ooc {
namespace {

/// Count of numbers that are converted together. A copy of them fits in the first-level cache.
constexpr std::int64_t piece = 512;

/// A number in the format binary16 of IEEE 754.
struct Half {
  std::uint16_t bits = 0;
  template <class Real>
  explicit operator Real() const {
    const auto fraction = static_cast<Real>(bits & 0x3ffU);
    const int exponent = bits >> 10 & 0x1f;
    Real value = std::ldexp(exponent == 0 ? fraction : fraction + 1024, std::max(exponent, 1) - 25);
    if (exponent == 0x1f)
      value = fraction == 0 ? std::numeric_limits<Real>::infinity()
                            : std::numeric_limits<Real>::quiet_NaN();
    return (bits & 0x8000U) != 0 ? -value : value;
  }
};

template <class Raw>
Raw swapped(Raw value) {
  std::array<unsigned char, sizeof(Raw)> bytes;
  std::memcpy(bytes.data(), &value, sizeof(Raw));
  std::reverse(bytes.begin(), bytes.end());
  std::memcpy(&value, bytes.data(), sizeof(Raw));
  return value;
}

/// Converts numbers one after the other. Number k goes to position first + k * stride, in reals.
template <class Real, class Raw>
class Conversion {
 public:
  Conversion(const ElementType& type, std::int64_t stride, int threads, void* memory)
      : is_swapped_(type.is_swapped),
        stride_(stride),
        threads_(threads),
        memory_(static_cast<char*>(memory)) {
    if (result_bytes() < raw_bytes)
      throw Error(ErrorCode::internal, "a conversion to shorter elements");
  }

  /// Converts from the end, because results are longer than the input. The last results are stored
  /// behind all unread input, so threads can convert them in parallel. Then the same is done with
  /// the rest of the input, until the rest is short.
  void run(std::int64_t count) const {
    constexpr std::int64_t fewest_for_threads = 1 << 14;
    while (count > fewest_for_threads && threads_ > 1) {
      const std::int64_t first = divided_up(count * raw_bytes, result_bytes());
      if (count - first < fewest_for_threads) break;
      in_pieces(first, count, true);
      count = first;
    }
    in_pieces(0, count, result_bytes() == raw_bytes);
  }

 private:
  static constexpr std::int64_t raw_bytes = sizeof(Raw);
  std::int64_t result_bytes() const { return stride_ * static_cast<std::int64_t>(sizeof(Real)); }

  void in_pieces(std::int64_t first, std::int64_t end, bool independent) const {
    const std::int64_t pieces = divided_up(end - first, piece);
#pragma omp parallel for num_threads(threads_) if (independent && threads_ > 1)
    for (std::int64_t k = pieces - 1; k >= 0; --k)
      one_piece(first + k * piece, std::min(end, first + (k + 1) * piece));
  }

  void one_piece(std::int64_t first, std::int64_t end) const {
    std::array<Raw, piece> raw;
    const auto count = static_cast<std::size_t>(end - first);
    std::memcpy(raw.data(), memory_ + first * raw_bytes, count * sizeof(Raw));
    if (is_swapped_)
      for (std::size_t i = 0; i < count; ++i) raw[i] = swapped(raw[i]);
    auto* result = reinterpret_cast<Real*>(memory_ + first * result_bytes());
    if (stride_ == 1)
      for (std::size_t i = 0; i < count; ++i) result[i] = static_cast<Real>(raw[i]);
    else
      for (std::size_t i = 0; i < count; ++i) {
        result[2 * i] = static_cast<Real>(raw[i]);
        result[2 * i + 1] = 0;
      }
  }

  bool is_swapped_;
  std::int64_t stride_;
  int threads_;
  char* memory_;
};

template <class Real>
void convert_to(const ElementType& type, std::int64_t stride, std::int64_t count, int threads,
                void* memory) {
  const auto of = [&](auto raw) {
    Conversion<Real, decltype(raw)>(type, stride, threads, memory).run(count);
  };
  const std::int64_t bytes = type.number_bytes();
  // NOLINTBEGIN(bugprone-branch-clone): the branches differ in the type of their argument.
  switch (type.kind) {
    case NumberKind::boolean:
      return of(std::uint8_t());
    case NumberKind::integer:
      return bytes == 1   ? of(std::int8_t())
             : bytes == 2 ? of(std::int16_t())
             : bytes == 4 ? of(std::int32_t())
                          : of(std::int64_t());
    case NumberKind::natural:
      return bytes == 1   ? of(std::uint8_t())
             : bytes == 2 ? of(std::uint16_t())
             : bytes == 4 ? of(std::uint32_t())
                          : of(std::uint64_t());
    case NumberKind::real:
    case NumberKind::complex:
      return bytes == 2 ? of(Half()) : bytes == 4 ? of(float()) : of(double());
  }
  // NOLINTEND(bugprone-branch-clone)
}

}  // namespace

void convert(const ElementType& type, Precision precision, bool to_complex, std::int64_t count,
             int threads, void* memory) {
  const std::int64_t stride = to_complex && !type.is_complex() ? 2 : 1;
  const std::int64_t numbers = type.is_complex() ? 2 * count : count;
  if (precision == Precision::f32)
    convert_to<float>(type, stride, numbers, threads, memory);
  else
    convert_to<double>(type, stride, numbers, threads, memory);
}

}  // namespace weft::ooc
