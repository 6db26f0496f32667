#include "isa/twiddle_products.hpp"

#include <utility>

#include "isa/vectors.hpp"

// This file is compiled once for each instruction set, with WEFT_ISA_LEVEL = v1, v3 or v4. Only the
// entry leaves the object, so nothing here may be shared with another file.

namespace {

using weft::isa::TwiddleProduct;
using weft::isa::TwiddleTable;
using weft::isa::vector_bytes;
using Index = std::int64_t;

/// Complex numbers in a vector, as memory holds them.
template <class T>
class Pairs {
 public:
  static constexpr int width = vector_bytes / static_cast<int>(sizeof(T));  ///< in reals
  typedef T Vector __attribute__((vector_size(vector_bytes)));
  typedef Vector VectorAnywhere __attribute__((aligned(alignof(T)), may_alias));

  static Vector load(const T* from) { return *reinterpret_cast<const VectorAnywhere*>(from); }
  static void store(Vector value, T* to) { *reinterpret_cast<VectorAnywhere*>(to) = value; }

  /// Returns pairs whose two numbers are both the real (part = 0) or the imaginary part.
  template <int part>
  static Vector both(Vector pairs) {
    return both<part>(pairs, std::make_integer_sequence<int, width>());
  }

 private:
  template <int part, int... i>
  static Vector both(Vector pairs, std::integer_sequence<int, i...> /*numbers*/) {
    return __builtin_shufflevector(pairs, pairs, (i / 2 * 2 + part)...);
  }
};

/// Multiplies the elements from `first` to `end` of a run one by one.
template <class T>
void multiply_each(T* run, Index first, Index end, const T* low, T high_re, T high_im) {
  for (Index k = 2 * first; k < 2 * end; k += 2) {
    const T re = high_re * low[k] - high_im * low[k + 1];
    const T im = high_re * low[k + 1] + high_im * low[k];
    const T x = run[k];
    const T y = run[k + 1];
    run[k] = x * re - y * im;
    run[k + 1] = x * im + y * re;
  }
}

/// With w = high * low, each element (x, y) becomes x * w + y * (i*w).
template <class T>
Index multiply_vectors(T* run, Index count, const TwiddleProduct& product, T high_re, T high_im) {
  using P = Pairs<T>;
  const T* const low = static_cast<const T*>(product.low);
  const T* const turned_low = static_cast<const T*>(product.turned_low);
  Index k = 0;
  for (; k + P::width <= 2 * count; k += P::width) {
    const auto l = P::load(low + k);
    const auto turned = P::load(turned_low + k);
    const auto element = P::load(run + k);
    const auto w = high_re * l + high_im * turned;
    const auto turned_w = high_re * turned - high_im * l;
    P::store(P::template both<0>(element) * w + P::template both<1>(element) * turned_w, run + k);
  }
  return k / 2;
}

template <class T, bool has_vectors>
void multiply(const TwiddleProduct* product) {
  T* const line = static_cast<T*>(product->line);
  const T* const low = static_cast<const T*>(product->low);
  const T* high = static_cast<const T*>(product->high);
  for (Index first = 0; first < product->count; first += product->run, high += 2) {
    T* const run = line + 2 * first;
    const Index rest = product->count - first;
    const Index count = rest < product->run ? rest : product->run;
    Index done = 0;
    if constexpr (has_vectors) done = multiply_vectors<T>(run, count, *product, high[0], high[1]);
    multiply_each(run, done, count, low, high[0], high[1]);
  }
}

constexpr TwiddleTable table{multiply<float, true>, multiply<double, true>,
#ifdef WEFT_ISA_BASELINE
                             multiply<long double, false>
#else
                             nullptr
#endif
};

}  // namespace

#define WEFT_JOINED(name, level) name##_##level
#define WEFT_ENTRY(name, level) WEFT_JOINED(name, level)
extern "C" const TwiddleTable* WEFT_ENTRY(weft_twiddle_products, WEFT_ISA_LEVEL)() {
  return &table;
}
