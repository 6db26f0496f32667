#include "isa/ducc0_lines.hpp"

#include <ducc0/infra/simd.h>

// weft transforms single lines, and lines that fill whole vectors. ducc0 also has transforms of
// shorter vectors. Without these, the code for AVX-512 is a third smaller and compiles in 0.6 of
// the time.
namespace ducc0::detail_simd {
// clang-format off
template <class T, int length>
  requires(length != static_cast<int>(native_simd<T>::size()))
constexpr inline bool simd_exists<T, length> = false;
// clang-format on
}  // namespace ducc0::detail_simd

#include <ducc0/fft/fft.h>
#include <ducc0/fft/fft1d_impl.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <utility>

#include "isa/split_row.hpp"
#include "isa/square.hpp"

// This file is compiled once for each instruction set, with WEFT_ISA_LEVEL = v1, v3 or v4. Only the
// entry leaves the object, so nothing here may be shared with another file.
//
// ducc0's array interface allocates in each call, so weft uses ducc0's one-dimensional plans
// directly. As that interface does, weft interleaves as many lines as a vector has lanes in a
// workspace. It transforms these lines together, and writes them to the output.

// This is the only function of ducc0's thread pool that ducc0's plans call. weft's threads work on
// batches of lines, so one thread does the work.
namespace ducc0::detail_threading {
// NOLINTNEXTLINE(performance-unnecessary-value-param)
void execStatic(std::size_t nwork, std::size_t, std::size_t, std::function<void(Scheduler&)> func) {
  class OneThread final : public Scheduler {
   public:
    explicit OneThread(std::size_t work) : rest_(0, work) {}
    std::size_t num_threads() const override { return 1; }
    std::size_t thread_num() const override { return 0; }
    Range getNext() override { return std::exchange(rest_, Range()); }

   private:
    Range rest_;
  };
  OneThread all(nwork);
  func(all);
}
}  // namespace ducc0::detail_threading

namespace {

using ducc0::Cmplx;
using weft::isa::DuccFunctions;
using weft::isa::DuccLines;
using weft::isa::DuccStatus;
using weft::isa::DuccTable;
using weft::isa::DuccTables;
using weft::isa::SplitRow;
using weft::isa::Square;
using Index = std::int64_t;

template <class T>
constexpr int lanes = static_cast<int>(ducc0::native_simd<T>::size());

template <class T, bool has_vectors>
struct VectorOf {
  using type = T;
};
template <class T>
struct VectorOf<T, true> {
  using type = typename ducc0::simd_select<T, lanes<T>>::type;
};
/// One number of each of `lanes` lines; T itself where the processor has no vectors of T.
template <class T>
using Vector = typename VectorOf<T, (lanes<T> > 1)>::type;

template <class T>
using ComplexTables = ducc0::detail_fft::pocketfft_c<T>;
template <class T>
using RealTables = ducc0::detail_fft::pocketfft_r<T>;
template <class T>
using Dct1Tables = ducc0::detail_fft::T_dct1<T>;
template <class T>
using Dst1Tables = ducc0::detail_fft::T_dst1<T>;
template <class T>
using Types23Tables = ducc0::detail_fft::T_dcst23<T>;
template <class T>
using Type4Tables = ducc0::detail_fft::T_dcst4<T>;
template <class T>
using HartleyTables = ducc0::detail_fft::pocketfft_fht<T>;  // real part less imaginary part

/// Above this, ducc0 may allocate to transform a single line, but not for a vector of lines.
constexpr Index scalar_length_max = 4096;

/// Lines that are transformed together: the start of each, counted in reals from the first. Lanes
/// without a line repeat the last line and are not written.
template <class T, class V>
struct Bundle {
  static constexpr int width = std::is_same_v<T, V> ? 1 : lanes<T>;
  static constexpr std::size_t row_reals = std::size_t{2} * width;  ///< across a tile

  Bundle(Index live_lines, const DuccLines& lines) : live(static_cast<int>(live_lines)) {
    for (int k = 0; k < width; ++k) {
      in[k] = std::min(k, live - 1) * lines.in_pitch;
      out[k] = std::min(k, live - 1) * lines.out_pitch;
    }
  }

  /// Interleaves complex lines across a tile: a row has the next number of every line.
  void gather_rows(const T* from, Index pitch, Cmplx<V>* to, Index points) const {
    if constexpr (width == 1) {
      for (Index j = 0; j < points; ++j) to[j] = {from[j * pitch], from[j * pitch + 1]};
    } else {
      std::array<T, row_reals> row{};
      for (Index j = 0; j < points; ++j) {
        const T* numbers = from + j * pitch;
        if (live < width) {
          std::copy_n(numbers, 2 * live, row.data());
          numbers = row.data();
        }
        SplitRow<T, width>::split(numbers, &to[j].r, &to[j].i);
      }
    }
  }

  void scatter_rows(const Cmplx<V>* from, T* to, Index pitch, Index points) const {
    if constexpr (width == 1) {
      for (Index j = 0; j < points; ++j) {
        to[j * pitch] = from[j].r;
        to[j * pitch + 1] = from[j].i;
      }
    } else {
      std::array<T, row_reals> row;
      for (Index j = 0; j < points; ++j) {
        if (live == width) {
          SplitRow<T, width>::join(&from[j].r, &from[j].i, to + j * pitch);
        } else {
          SplitRow<T, width>::join(&from[j].r, &from[j].i, row.data());
          std::copy_n(row.data(), 2 * live, to + j * pitch);
        }
      }
    }
  }

  /// Interleaves `count` reals of each line: vector i has the i-th real of every line.
  void gather(const T* from, V* to, Index count) const {
    Index i = 0;
    if constexpr (width > 1) {
      for (; i + width <= count; i += width) {
        Square<T, width> square;
        for (int k = 0; k < width; ++k) square.load(k, from + in[k] + i);
        square.transpose();
        for (int k = 0; k < width; ++k) square.store(k, to + i + k);
      }
    }
    for (; i < count; ++i) to[i] = gathered(from + i);
  }

  /// Writes `count` vectors to the lines.
  void scatter(const V* from, T* to, Index count) const {
    Index i = 0;
    if constexpr (width > 1) {
      for (; i + width <= count; i += width) {
        Square<T, width> square;
        for (int k = 0; k < width; ++k) square.load(k, from + i + k);
        square.transpose();
        for (int k = 0; k < live; ++k) square.store(k, to + out[k] + i);
      }
    }
    for (; i < count; ++i) put(from[i], to + i);
  }

  void put(const V& value, T* to) const {
    if constexpr (width == 1) {
      *to = value;
    } else {
      std::array<T, width> values;
      ducc0::storeu(value, values.data());
      for (int k = 0; k < live; ++k) to[out[k]] = values[k];
    }
  }

  int live;
  std::array<Index, width> in{};
  std::array<Index, width> out{};

 private:
  V gathered(const T* from) const {
    if constexpr (width == 1) {
      return *from;
    } else {
      std::array<T, width> values;
      for (int k = 0; k < width; ++k) values[k] = from[in[k]];
      return ducc0::loadu<V>(values.data());
    }
  }
};

template <class T, class V>
void transform(const ComplexTables<T>& tables, const DuccLines& lines, const T* from, T* to,
               const Bundle<T, V>& bundle, void* workspace) {
  const Index n = lines.length;
  auto* reals = static_cast<V*>(workspace);  // a complex number is two of them
  auto* line = static_cast<Cmplx<V>*>(workspace);
  if (lines.across)
    bundle.gather_rows(from, lines.in_pitch, line, n);
  else
    bundle.gather(from, reals, 2 * n);
  const Cmplx<V>* result = tables.exec(line, line + n, T(1), lines.forward);
  if (lines.across)
    bundle.scatter_rows(result, to, lines.out_pitch, n);
  else
    bundle.scatter(reinterpret_cast<const V*>(result), to, 2 * n);
}

/// r2c and c2r. ducc0 stores the half spectrum as r0, r1, i1, r2, i2, ...; even lengths end in an
/// r.
template <class T, class V>
void transform(const RealTables<T>& tables, const DuccLines& lines, const T* from, T* to,
               const Bundle<T, V>& bundle, void* workspace) {
  const Index n = lines.length;
  auto* line = static_cast<V*>(workspace);
  if (lines.forward) {
    bundle.gather(from, line, n);
    const V* result = tables.exec(line, line + n, T(1), true);
    bundle.scatter(result, to, 1);
    bundle.put(V(T(0)), to + 1);
    bundle.scatter(result + 1, to + 2, n - 1);
    if (n % 2 == 0) bundle.put(V(T(0)), to + n + 1);
  } else {
    bundle.gather(from, line, 1);
    bundle.gather(from + 2, line + 1, n - 1);
    bundle.scatter(tables.exec(line, line + n, T(1), false), to, n);
  }
}

/// ducc0's type of a cosine or sine transform.
int type_of(weft_kind kind) { return kind - (kind < WEFT_DST1 ? WEFT_DCT1 : WEFT_DST1) + 1; }

template <class Tables, class V, class T>
V* executed(const Tables& tables, weft_kind kind, V* line, V* buffer, T scale) {
  return tables.exec(line, buffer, scale, false, type_of(kind), kind < WEFT_DST1, 1);
}

template <class V, class T>
V* executed(const HartleyTables<T>& tables, weft_kind, V* line, V* buffer, T scale) {
  return tables.exec(line, buffer, scale);
}

/// Transforms of reals to reals. ducc0 may leave the result in the line or behind it.
template <class T, class V, class Tables>
void transform(const Tables& tables, const DuccLines& lines, const T* from, T* to,
               const Bundle<T, V>& bundle, void* workspace) {
  const Index n = lines.length;
  auto* line = static_cast<V*>(workspace);
  const auto transformed = [&] { return executed(tables, lines.kind, line, line + n, T(1)); };
  if (!lines.parts) {
    bundle.gather(from, line, n);
    bundle.scatter(transformed(), to, n);
    return;
  }
  auto* numbers = line + n + static_cast<Index>(tables.bufsize());
  bundle.gather(from, numbers, 2 * n);
  for (int part = 0; part < 2; ++part) {
    for (Index j = 0; j < n; ++j) line[j] = numbers[2 * j + part];
    const V* result = transformed();
    for (Index j = 0; j < n; ++j) numbers[2 * j + part] = result[j];
  }
  bundle.scatter(numbers, to, 2 * n);
}

template <class T, class Tables>
void transform_all(const Tables& tables, const DuccLines& lines, const T* from, T* to,
                   void* workspace) {
  for (Index line = 0; line < lines.count;) {
    const Index live = std::min<Index>(lines.count - line, lanes<T>);
    // A vector with idle lanes is faster than two lines one by one.
    const bool single = live == 1 && lines.length <= scalar_length_max;
    const T* const in = from + line * (lines.across ? 2 : lines.in_pitch);
    T* const out = to + line * (lines.across ? 2 : lines.out_pitch);
    if (single)
      transform(tables, lines, in, out, Bundle<T, T>(1, lines), workspace);
    else
      transform(tables, lines, in, out, Bundle<T, Vector<T>>(live, lines), workspace);
    line += single ? 1 : live;
  }
}

template <class T, class Tables>
DuccTables made_of(Index length) {
  auto tables = std::make_unique<Tables>(static_cast<std::size_t>(length));
  // Room for a complex line and its buffer, or for a real line, its buffer and two parts.
  const Index elements = 2 * length + static_cast<Index>(tables->bufsize());
  return {tables.release(), elements * Index{sizeof(Cmplx<Vector<T>>)}};
}

/// Calls `f` with a pointer to the tables' type.
template <class T, class F>
auto with_tables(weft_kind kind, F f) {
  switch (kind) {
    case WEFT_C2C:
      return f(static_cast<ComplexTables<T>*>(nullptr));
    case WEFT_R2C:
      return f(static_cast<RealTables<T>*>(nullptr));
    case WEFT_DCT1:
      return f(static_cast<Dct1Tables<T>*>(nullptr));
    case WEFT_DST1:
      return f(static_cast<Dst1Tables<T>*>(nullptr));
    case WEFT_DCT2:
    case WEFT_DCT3:
    case WEFT_DST2:
    case WEFT_DST3:
      return f(static_cast<Types23Tables<T>*>(nullptr));
    case WEFT_DHT:
      return f(static_cast<HartleyTables<T>*>(nullptr));
    case WEFT_DCT4:
    case WEFT_DST4:
      break;
  }
  return f(static_cast<Type4Tables<T>*>(nullptr));
}

weft_kind sharing(weft_kind kind) {
  switch (kind) {
    case WEFT_DCT3:
    case WEFT_DST2:
    case WEFT_DST3:
      return WEFT_DCT2;
    case WEFT_DST4:
      return WEFT_DCT4;
    default:
      return kind;
  }
}

template <class T>
DuccStatus make(Index length, weft_kind kind, DuccTables* made, char* what, Index what_bytes) {
  try {
    *made = with_tables<T>(kind, [&]<class Tables>(Tables*) { return made_of<T, Tables>(length); });
    return DuccStatus::done;
  } catch (const std::bad_alloc&) {
    return DuccStatus::no_memory;
  } catch (const std::exception& failure) {
    std::strncpy(what, failure.what(), static_cast<std::size_t>(what_bytes) - 1);
    what[what_bytes - 1] = '\0';
    return DuccStatus::failed;
  }
}

template <class T>
void free_tables(void* tables, weft_kind kind) {
  with_tables<T>(kind, [&]<class Tables>(Tables*) { delete static_cast<Tables*>(tables); });
}

template <class T>
void execute(const void* tables, const DuccLines* lines, const void* in, void* out,
             void* workspace) {
  const T* const from = static_cast<const T*>(in);
  T* const to = static_cast<T*>(out);
  with_tables<T>(lines->kind, [&]<class Tables>(Tables*) {
    transform_all(*static_cast<const Tables*>(tables), *lines, from, to, workspace);
  });
}

template <class T>
constexpr DuccFunctions functions{lanes<T>, make<T>, free_tables<T>, execute<T>};

constexpr DuccTable table{functions<float>, functions<double>,
#ifdef WEFT_ISA_BASELINE
                          functions<long double>,
#else
                          {},
#endif
                          sharing};

}  // namespace

#define WEFT_JOINED(name, level) name##_##level
#define WEFT_ENTRY(name, level) WEFT_JOINED(name, level)
extern "C" const DuccTable* WEFT_ENTRY(weft_ducc0_lines, WEFT_ISA_LEVEL)() { return &table; }
