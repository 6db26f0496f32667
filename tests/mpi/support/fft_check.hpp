#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include <weft/weft.hpp>

#include "mpi/support/seed_of_all_ranks.hpp"
#include "support/random_problems.hpp"
#include "support/serial_reference.hpp"

namespace weft::test_support {

inline int rank_of(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank;
}
inline int size_of(MPI_Comm comm) {
  int size = 0;
  MPI_Comm_size(comm, &size);
  return size;
}

/// Returns whether this is the first rank of the test.
inline bool is_first() { return rank_of(MPI_COMM_WORLD) == 0; }
inline bool last_rank() { return rank_of(MPI_COMM_WORLD) == size_of(MPI_COMM_WORLD) - 1; }

/// Returns number `index` of a reproducible sequence in [-1, 1). It is a multiple of 2^-20, so it
/// is exact in every precision. Any rank can compute any number without the earlier ones.
inline double noise(std::uint64_t seed, std::uint64_t index) {
  std::uint64_t z = seed * 0x9e3779b97f4a7c15 + index + 0x632be59bd9b4e019;
  for (const std::uint64_t factor : {0xbf58476d1ce4e5b9, 0x94d049bb133111eb})
    z = (z ^ (z >> 29)) * factor;
  return static_cast<double>(static_cast<std::int64_t>(z >> 43)) * 0x1p-20 - 1;
}

/// Returns byte number `byte` of element `whole` of an array of bytes that tests move.
inline unsigned char byte_of(std::int64_t whole, std::int64_t byte) {
  return static_cast<unsigned char>(noise(9, static_cast<std::uint64_t>(whole * 64 + byte)) * 128 +
                                    128);
}

/// An array between two rows of guard bytes. Its elements are not set to zero. The array starts
/// `offset` modulo 4 elements after an address that is aligned to 64 bytes.
template <class E>
class GuardedArray {
 public:
  explicit GuardedArray(std::int64_t elements, std::int64_t offset = 0)
      : elements_(elements),
        start_(guard_bytes + offset * static_cast<std::int64_t>(sizeof(E))),
        memory_(static_cast<std::size_t>(start_ + guard_bytes) +
                    static_cast<std::size_t>(elements) * sizeof(E) + 64,
                guard_value) {
    const auto address = reinterpret_cast<std::uintptr_t>(memory_.data() + start_);
    start_ += static_cast<std::int64_t>((64 - address % 64) % 64) +
              offset % 4 * static_cast<std::int64_t>(sizeof(E));
    memory_.resize(static_cast<std::size_t>(start_ + guard_bytes) +
                       static_cast<std::size_t>(elements) * sizeof(E),
                   guard_value);
  }
  E* data() { return reinterpret_cast<E*>(memory_.data() + start_); }
  std::int64_t size() const { return elements_; }
  bool guards_intact() const {
    const auto end =
        static_cast<std::size_t>(start_) + static_cast<std::size_t>(elements_) * sizeof(E);
    auto is_guard = [](unsigned char byte) { return byte == guard_value; };
    return std::all_of(memory_.begin(), memory_.begin() + start_, is_guard) &&
           std::all_of(memory_.begin() + static_cast<std::ptrdiff_t>(end), memory_.end(), is_guard);
  }
  std::vector<unsigned char> bytes() const {
    const auto* first = memory_.data() + start_;
    return {first, first + static_cast<std::size_t>(elements_) * sizeof(E)};
  }

 private:
  static constexpr std::int64_t guard_bytes = 128;
  static constexpr unsigned char guard_value = 0xa5;
  std::int64_t elements_;
  std::int64_t start_;
  std::vector<unsigned char> memory_;
};

/// The local part of a distributed array as a strided view.
struct LocalView {
  Box box;
  Shape strides;
  std::int64_t offset_of(const Shape& index) const {
    std::int64_t offset = 0;
    for (std::size_t a = 0; a < index.size(); ++a) offset += (index[a] - box.lower[a]) * strides[a];
    return offset;
  }
};

/// Calls visit(offset in C order of the whole array, local offset) for each element of the box.
template <class Visit>
void for_each_local(const Shape& shape, const LocalView& view, Visit&& visit) {
  if (view.box.empty()) return;
  Shape index = view.box.lower;
  while (true) {
    std::int64_t whole = 0;
    for (std::size_t a = 0; a < shape.size(); ++a) whole = whole * shape[a] + index[a];
    visit(whole, view.offset_of(index));
    int axis = view.box.dims() - 1;
    for (; axis >= 0; --axis) {
      if (++index[static_cast<std::size_t>(axis)] < view.box.upper[static_cast<std::size_t>(axis)])
        break;
      index[static_cast<std::size_t>(axis)] = view.box.lower[static_cast<std::size_t>(axis)];
    }
    if (axis < 0) return;
  }
}

template <class E>
constexpr int reals_of = 1;
template <class T>
constexpr int reals_of<std::complex<T>> = 2;

/// Fills the local part of the array whose elements are noise(seed, .).
template <class T>
void fill_noise(T* reals, int reals_an_element, const Shape& shape, const LocalView& view,
                std::uint64_t seed) {
  for_each_local(shape, view, [&](std::int64_t whole, std::int64_t local) {
    for (int part = 0; part < reals_an_element; ++part)
      reals[local * reals_an_element + part] =
          static_cast<T>(noise(seed, static_cast<std::uint64_t>(whole * reals_an_element + part)));
  });
}

template <class W>
WholeArray<W> whole_noise(int reals_an_element, const Shape& shape, std::uint64_t seed) {
  WholeArray<W> x(shape);
  for (std::size_t i = 0; i < x.re.size(); ++i) {
    x.re[i] = noise(seed, i * static_cast<std::size_t>(reals_an_element));
    x.im[i] = reals_an_element == 2 ? noise(seed, 2 * i + 1) : 0;
  }
  return x;
}

/// Returns the whole array on rank 0 of `comm`. The test sends its own messages for this.
template <class T, class W>
WholeArray<W> collect(const T* reals, int reals_an_element, const Layout& layout,
                      const LocalView& view, MPI_Comm comm) {
  std::vector<T> mine;
  for_each_local(layout.shape(), view, [&](std::int64_t, std::int64_t local) {
    for (int part = 0; part < reals_an_element; ++part)
      mine.push_back(reals[local * reals_an_element + part]);
  });
  if (rank_of(comm) != 0) {
    MPI_Send(mine.data(), static_cast<int>(mine.size() * sizeof(T)), MPI_BYTE, 0, 71, comm);
    return WholeArray<W>(Shape{1});
  }
  WholeArray<W> whole(layout.shape());
  for (int rank = 0; rank < size_of(comm); ++rank) {
    if (rank > 0) {
      mine.resize(static_cast<std::size_t>(layout.local_volume(rank) * reals_an_element));
      MPI_Recv(mine.data(), static_cast<int>(mine.size() * sizeof(T)), MPI_BYTE, rank, 71, comm,
               MPI_STATUS_IGNORE);
    }
    std::size_t next = 0;
    for_each_local(layout.shape(), {layout.box(rank), layout.strides(rank)},
                   [&](std::int64_t at, std::int64_t) {
                     whole.re[static_cast<std::size_t>(at)] = mine[next++];
                     if (reals_an_element == 2)
                       whole.im[static_cast<std::size_t>(at)] = mine[next++];
                   });
  }
  return whole;
}

/// Returns X for an array of two axes whose element (k1, k2) is X[k1 + n1*k2]. Returns any other
/// array unchanged.
template <class W>
WholeArray<W> in_natural_order(WholeArray<W> x, const Problem& problem) {
  if (x.shape.size() == problem.shape.size()) return x;
  const auto n1 = static_cast<std::size_t>(x.shape[0]);
  const auto n2 = static_cast<std::size_t>(x.shape[1]);
  WholeArray<W> natural(problem.shape);
  for (std::size_t k1 = 0; k1 < n1; ++k1)
    for (std::size_t k2 = 0; k2 < n2; ++k2) {
      natural.re[k1 + n1 * k2] = x.re[k1 * n2 + k2];
      natural.im[k1 + n1 * k2] = x.im[k1 * n2 + k2];
    }
  return natural;
}

/// Returns where element k of the spectrum of n reals is in half a spectrum: its index, and the
/// sign of its imaginary part.
inline std::pair<std::size_t, int> in_half(std::int64_t k, std::int64_t n) {
  return {static_cast<std::size_t>(std::min(k, n - k)), k <= n - k ? 1 : -1};
}

/// Calls visit(offset in the view, k, n) for each X[k] that r2c keeps of an axis that is treated as
/// n1 x n2.
template <class Visit>
void for_each_kept(const Shape& seen, Visit&& visit) {
  std::size_t at = 0;
  for (std::int64_t k1 = 0; k1 <= seen[0] / 2; ++k1)
    for (std::int64_t k2 = 0; k2 < seen[1]; ++k2) visit(at++, k1 + seen[0] * k2, volume(seen));
}

/// Returns X[0..n/2] in the form of r2c for an axis that is treated as n1 x n2.
template <class W>
WholeArray<W> view_of_half(const WholeArray<W>& half, const Shape& seen) {
  WholeArray<W> x({seen[0] / 2 + 1, seen[1]});
  for_each_kept(seen, [&](std::size_t at, std::int64_t k, std::int64_t n) {
    const auto [from, sign] = in_half(k, n);
    x.re[at] = half.re[from];
    x.im[at] = sign * half.im[from];
  });
  return x;
}

/// Inverts view_of_half(). If the view contains both X[k] and X[n-k], the result is the mean of
/// X[k] and the conjugate of X[n-k], as in c2r.
template <class W>
WholeArray<W> half_of_view(const WholeArray<W>& x, const Shape& seen) {
  WholeArray<W> half({volume(seen) / 2 + 1});
  std::vector<int> times(half.re.size(), 0);
  for_each_kept(seen, [&](std::size_t at, std::int64_t k, std::int64_t n) {
    const auto [to, sign] = in_half(k, n);
    half.re[to] += x.re[at];
    half.im[to] += sign * x.im[at];
    ++times[to];
  });
  for (std::size_t k = 0; k < times.size(); ++k) {
    half.re[k] /= times[k];
    half.im[k] /= times[k];
  }
  return half;
}

/// Returns the square root of the sum of all squares.
template <class W>
long double norm_of(const WholeArray<W>& array) {
  W sum = 0;
  for (std::size_t i = 0; i < array.re.size(); ++i)
    sum += array.re[i] * array.re[i] + array.im[i] * array.im[i];
  return std::sqrt(static_cast<long double>(sum));
}

template <class W>
double relative_error(const WholeArray<W>& got, const WholeArray<W>& wanted) {
  if (got.re.size() != wanted.re.size()) return INFINITY;
  WholeArray<W> difference = got;
  for (std::size_t i = 0; i < wanted.re.size(); ++i) {
    difference.re[i] -= wanted.re[i];
    difference.im[i] -= wanted.im[i];
  }
  return static_cast<double>(norm_of(difference) / norm_of(wanted));
}

/// A transform to be checked: its problem, and the memory of its arrays.
struct Case {
  Problem problem;
  bool in_place = false;
  bool backward_first = false;
  std::int64_t slack = 0;  ///< elements between an address aligned to 64 bytes and the array
  std::uint64_t seed = 1;
  bool own_workspace = true;
  std::optional<Machine> machine = {};  ///< if given, its model chooses the plan
  double budget_s = 0;                  ///< seconds for trials
  std::optional<Plan> plan = {};        ///< if given, this plan is run
};

inline std::string describe(const Case& c) {
  return to_json(c.problem) + (c.in_place ? " in place" : "") +
         (c.backward_first ? " backward first" : "") + " slack " + std::to_string(c.slack) +
         " seed " + std::to_string(c.seed);
}

inline FftOptions options_of(const Problem& problem, MPI_Comm comm) {
  FftOptions options;
  options.shape = problem.shape;
  options.axes = problem.axes;
  options.kinds = problem.kinds;
  options.element = problem.element;
  options.modes = problem.modes;
  options.support = problem.support;
  options.comm = comm;
  if (problem.has_input) options.input = problem.input;
  options.output = problem.output_choice == OutputChoice::given ? Output(problem.output)
                                                                : Output(problem.output_choice);
  options.norm = problem.norm;
  options.sign = problem.sign;
  options.threads = problem.threads;
  options.planning.effort = problem.effort;
  options.overwrite_input = problem.overwrite_input;
  options.exchange = problem.exchange;
  return options;
}

/// Runs forward and backward of one transform, each with its own noise as input. Compares with the
/// oracle, the direct DFT.
template <class T>
class CaseCheck {
 public:
  CaseCheck(Fft<T>& fft, const Case& given, MPI_Comm comm) : fft_(fft), case_(given), comm_(comm) {
    case_.problem = fft.plan().problem;
  }

  void run() {
    for (const bool forward : {!case_.backward_first, case_.backward_first}) {
      if (case_.problem.element == Element::real && !case_.problem.has_halved_axis())
        check<T, T>(forward);
      else if (!case_.problem.has_halved_axis())
        forward ? check<std::complex<T>, std::complex<T>>(true)
                : check<std::complex<T>, std::complex<T>>(false);
      else
        forward ? check<T, std::complex<T>>(true) : check<std::complex<T>, T>(false);
    }
  }

 private:
  using W = WiderThan<T>;

  LocalView view(const Layout& layout, bool real) const {
    const bool padded = real && case_.in_place && case_.problem.has_halved_axis();
    return {layout.box(fft_.rank()),
            padded ? fft_.inplace_real_strides() : layout.strides(fft_.rank())};
  }

  template <class In, class Out>
  void check(bool forward) {
    const Layout& from = forward ? fft_.input() : fft_.output();
    const Layout& to = forward ? fft_.output() : fft_.input();
    const LocalView from_view = view(from, reals_of<In> == 1);
    const LocalView to_view = view(to, reals_of<Out> == 1);
    const std::uint64_t seed = 2 * case_.seed + forward;
    if (case_.in_place) {
      GuardedArray<std::complex<T>> both(
          (fft_.inplace_bytes() + static_cast<std::int64_t>(sizeof(std::complex<T>)) - 1) /
              static_cast<std::int64_t>(sizeof(std::complex<T>)),
          case_.slack);
      auto* in = reinterpret_cast<In*>(both.data());
      auto* out = reinterpret_cast<Out*>(both.data());
      fill_noise(reinterpret_cast<T*>(in), reals_of<In>, from.shape(), from_view, seed);
      execute(forward, in, out);
      EXPECT_TRUE(both.guards_intact()) << describe(case_);
      compare<In, Out>(forward, reinterpret_cast<T*>(out), to, to_view, from.shape(), seed);
      return;
    }
    GuardedArray<In> in(from.local_volume(fft_.rank()), case_.slack);
    GuardedArray<Out> out(to.local_volume(fft_.rank()), case_.slack / 2);
    fill_noise(reinterpret_cast<T*>(in.data()), reals_of<In>, from.shape(), from_view, seed);
    const auto before = in.bytes();
    execute(forward, in.data(), out.data());
    EXPECT_TRUE(in.guards_intact() && out.guards_intact()) << describe(case_);
    EXPECT_TRUE(case_.problem.overwrite_input || in.bytes() == before) << describe(case_);
    compare<In, Out>(forward, reinterpret_cast<T*>(out.data()), to, to_view, from.shape(), seed);
  }

  template <class In, class Out>
  void execute(bool forward, In* in, Out* out) {
    if constexpr (std::is_same_v<In, Out>) {
      forward ? fft_.forward(in, out) : fft_.backward(in, out);
    } else if constexpr (reals_of<In> == 1) {
      fft_.forward(in, out);
    } else {
      fft_.backward(in, out);
    }
  }

  /// Returns the allowed error relative to `kept`. Rounding errors scale with the whole result. If
  /// only a part is kept, this part may be small by chance, so its relative error may be larger.
  template <class Array>
  double allowed(bool forward, const Array& x, const Array& kept) const {
    const Problem& problem = case_.problem;
    const double relative = allowed_error(problem.precision, problem.points());
    if (problem.has_whole_axes()) return relative;
    Problem uncut = problem;
    (forward ? uncut.modes : uncut.support).clear();
    return relative *
           static_cast<double>(norm_of(reference_transform(uncut, forward, x)) / norm_of(kept));
  }

  template <class In, class Out>
  void compare(bool forward, const T* result, const Layout& to, const LocalView& to_view,
               const Shape& from_shape, std::uint64_t seed) {
    const auto collected = collect<T, W>(result, reals_of<Out>, to, to_view, comm_);
    if (rank_of(comm_) != 0) return;
    const Problem& problem = case_.problem;
    const Shape seen = fft_.plan().view();
    const bool half_seen = problem.has_halved_axis() && !seen.empty() && fft_.output().dims() == 2;
    const bool x_seen = half_seen && !forward;
    const auto noise = whole_noise<W>(reals_of<In>, from_shape, seed);
    const auto x = x_seen ? half_of_view(noise, seen) : in_natural_order(noise, problem);
    auto wanted = reference_transform(problem, forward, x);
    if (half_seen && forward) wanted = view_of_half(wanted, seen);
    const auto got = half_seen ? collected : in_natural_order(collected, problem);
    EXPECT_LT(relative_error(got, wanted), allowed(forward, x, wanted))
        << (forward ? "forward " : "backward ") << describe(case_) << "\n"
        << fft_.explain();
  }

  Fft<T>& fft_;
  Case case_;
  MPI_Comm comm_;
};

template <class T>
Fft<T> fft_of(const Case& given, MPI_Comm comm) {
  if (given.plan) return Fft<T>(*given.plan, comm);
  FftOptions options = options_of(given.problem, comm);
  options.own_workspace = given.own_workspace;
  options.planning.machine = given.machine;
  options.planning.budget_s = given.budget_s;
  return Fft<T>(options);
}

template <class T>
void check_case_as(const Case& given, MPI_Comm comm) {
  Fft<T> fft = fft_of<T>(given, comm);
  std::vector<unsigned char> memory;
  if (!given.own_workspace) {
    memory.resize(static_cast<std::size_t>(fft.workspace_bytes()) + 64);
    auto* start = memory.data();
    start += (64 - reinterpret_cast<std::uintptr_t>(start) % 64) % 64;
    fft.use_workspace(start, fft.workspace_bytes());
  }
  CaseCheck<T>(fft, given, comm).run();
}

/// Checks one transform. Collective over `comm`. Rank 0 reports wrong results. Every rank reports
/// changes of its guards and inputs.
inline void check_case(const Case& given, MPI_Comm comm) {
  try {
    switch (given.problem.precision) {
      case Precision::f32:
        return check_case_as<float>(given, comm);
      case Precision::f64:
        return check_case_as<double>(given, comm);
      case Precision::f80:
        return check_case_as<long double>(given, comm);
    }
  } catch (const Error& error) {
    ADD_FAILURE() << error.what() << "\n" << describe(given);
  }
}

/// Returns a random problem for these ranks. Its shape has at most `volume_max` points.
inline Case random_case(std::int64_t ranks, std::int64_t volume_max, Random& random) {
  Case c;
  do c.problem = random_problem(random);
  while (volume(c.problem.shape) > volume_max);
  Problem& p = c.problem;
  p.ranks = ranks;
  p.effort = Effort::estimate;
  p.threads = static_cast<int>(draw(random, 1, 2));
  if (volume(p.shape) > 1000 && p.precision == Precision::f80)
    p.precision = Precision::f64;  // the oracle for long double is slow
  p.axes = checked(Problem{.shape = p.shape, .axes = p.axes}).axes;
  if (p.has_input) p.input = random_layout(p.input_shape(), ranks, random);
  if (p.output_choice == OutputChoice::given)
    p.output = random_layout(p.output_shape(), ranks, random);
  if (same_is_impossible(p)) p.output_choice = OutputChoice::any;
  c.in_place = draw(random, 0, 2) == 0;
  c.backward_first = draw(random, 0, 1) == 1;
  c.slack = draw(random, 0, 1) ? 0 : draw(random, 1, 3);
  c.seed = random() % 1000000;
  c.own_workspace = draw(random, 0, 4) > 0;
  return c;
}

}  // namespace weft::test_support
