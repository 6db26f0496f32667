// This file is empty in builds without ducc0, so that sources can be listed by a pattern.
#ifdef WEFT_HAVE_DUCC0

#include <ducc0/fft/fft1d_impl.h>

#include <algorithm>
#include <array>
#include <map>
#include <new>

#include "base/memory.hpp"
#include "kernel/engines.hpp"
#include "weft/error.hpp"

// ducc0's FFT as an engine.
//
// ducc0's array interface allocates in each call, so weft uses the one-dimensional plans below it.
// It interleaves as many lines as a vector has lanes in a workspace, transforms them together, and
// writes them out, as that interface does. ducc0's threads are not used: weft's threads work on
// batches of lines.

#ifndef WEFT_DUCC0_VERSION
#define WEFT_DUCC0_VERSION "of unknown version"
#endif

namespace weft::kernel {
namespace {

using ducc0::Cmplx;
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
using ComplexPlan = ducc0::detail_fft::pocketfft_c<T>;
template <class T>
using RealPlan = ducc0::detail_fft::pocketfft_r<T>;

/// Above this, ducc0 may allocate to transform a single line, but not for a vector of lines.
constexpr Index scalar_length_max = 4096;

/// Lines that are transformed together: the start of each, counted in reals from the first. Lanes
/// without a line repeat the last line and are not written.
template <class T, class V>
struct Bundle {
  static constexpr int width = std::is_same_v<T, V> ? 1 : lanes<T>;

  Bundle(Index live_lines, Index in_pitch, Index out_pitch) : live(static_cast<int>(live_lines)) {
    for (int k = 0; k < width; ++k) {
      in[k] = std::min(k, live - 1) * in_pitch;
      out[k] = std::min(k, live - 1) * out_pitch;
    }
  }

  V load(const T* from) const {
    if constexpr (width == 1) {
      return *from;
    } else {
      std::array<T, width> values;
      for (int k = 0; k < width; ++k) values[k] = from[in[k]];
      return ducc0::loadu<V>(values.data());
    }
  }

  void store(const V& value, T* to) const {
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
};

/// Returns memory of the calling thread. It grows to the largest size asked for and is freed with
/// the thread.
void* workspace(Index bytes) {
  thread_local AlignedBuffer memory;
  if (memory.size() < bytes) {
    memory = AlignedBuffer();  // frees the old memory first: both together may not fit
    memory = AlignedBuffer(bytes);
  }
  return memory.data();
}

template <class T>
class DuccLines : public LineTransform {
 public:
  DuccLines(const LineProblem& problem, Index workspace_elements)
      : problem_(problem),
        in_pitch_(problem.in_pitch * (input_element_bytes(problem) / Index{sizeof(T)})),
        out_pitch_(problem.out_pitch * (output_element_bytes(problem) / Index{sizeof(T)})),
        workspace_bytes_(workspace_elements * Index{sizeof(Cmplx<Vector<T>>)}) {}

 protected:
  /// Calls work(first input, first output, bundle, workspace) for bundles until all are done.
  template <class Work>
  void for_each_bundle(void* in, void* out, Work work) const {
    const auto* from = static_cast<const T*>(in);
    auto* to = static_cast<T*>(out);
    void* memory = workspace(workspace_bytes_);
    for (Index line = 0; line < problem_.count;) {
      const Index live = std::min<Index>(problem_.count - line, lanes<T>);
      const bool single = live < lanes<T> && problem_.length <= scalar_length_max;
      if (single) {
        work(from + line * in_pitch_, to + line * out_pitch_,
             Bundle<T, T>(1, in_pitch_, out_pitch_), memory);
      } else {
        work(from + line * in_pitch_, to + line * out_pitch_,
             Bundle<T, Vector<T>>(live, in_pitch_, out_pitch_), memory);
      }
      line += single ? 1 : live;
    }
  }

  LineProblem problem_;

 private:
  Index in_pitch_;   ///< in reals
  Index out_pitch_;  ///< in reals
  Index workspace_bytes_;
};

template <class T>
class ComplexLines final : public DuccLines<T> {
 public:
  ComplexLines(const LineProblem& problem, std::shared_ptr<const ComplexPlan<T>> plan)
      : DuccLines<T>(problem, problem.length + static_cast<Index>(plan->bufsize())),
        plan_(std::move(plan)) {}

  void execute(void* in, void* out) const override {
    this->for_each_bundle(in, out, [this](const T* from, T* to, const auto& bundle, void* memory) {
      this->transform(from, to, bundle, memory);
    });
  }

 private:
  template <class V>
  void transform(const T* from, T* to, const Bundle<T, V>& bundle, void* memory) const {
    const Index n = this->problem_.length;
    auto* line = static_cast<Cmplx<V>*>(memory);
    for (Index i = 0; i < n; ++i)
      line[i] = {bundle.load(from + 2 * i), bundle.load(from + 2 * i + 1)};
    const bool forward = this->problem_.kind == LineKind::c2c_forward;
    const Cmplx<V>* result = plan_->exec(line, line + n, T(1), forward);
    for (Index i = 0; i < n; ++i) {
      bundle.store(result[i].r, to + 2 * i);
      bundle.store(result[i].i, to + 2 * i + 1);
    }
  }

  std::shared_ptr<const ComplexPlan<T>> plan_;
};

/// r2c and c2r. ducc0 stores the half spectrum as r0, r1, i1, r2, i2, ...; even lengths end in an
/// r.
template <class T>
class RealLines final : public DuccLines<T> {
 public:
  RealLines(const LineProblem& problem, std::shared_ptr<const RealPlan<T>> plan)
      : DuccLines<T>(problem, problem.length + static_cast<Index>(plan->bufsize())),
        plan_(std::move(plan)) {}

  void execute(void* in, void* out) const override {
    this->for_each_bundle(in, out, [this](const T* from, T* to, const auto& bundle, void* memory) {
      if (this->problem_.kind == LineKind::r2c) {
        forward(from, to, bundle, memory);
      } else {
        backward(from, to, bundle, memory);
      }
    });
  }

 private:
  template <class V>
  void forward(const T* from, T* to, const Bundle<T, V>& bundle, void* memory) const {
    const Index n = this->problem_.length;
    auto* line = static_cast<V*>(memory);
    for (Index i = 0; i < n; ++i) line[i] = bundle.load(from + i);
    const V* result = plan_->exec(line, line + n, T(1), true);
    bundle.store(result[0], to);
    bundle.store(V(T(0)), to + 1);
    for (Index i = 1; i < n; ++i) bundle.store(result[i], to + i + 1);
    if (n % 2 == 0) bundle.store(V(T(0)), to + n + 1);
  }

  template <class V>
  void backward(const T* from, T* to, const Bundle<T, V>& bundle, void* memory) const {
    const Index n = this->problem_.length;
    auto* line = static_cast<V*>(memory);
    line[0] = bundle.load(from);
    for (Index i = 1; i < n; ++i) line[i] = bundle.load(from + i + 1);
    const V* result = plan_->exec(line, line + n, T(1), false);
    for (Index i = 0; i < n; ++i) bundle.store(result[i], to + i);
  }

  std::shared_ptr<const RealPlan<T>> plan_;
};

/// Returns the plan of a length. ducc0's plans depend on the length alone: transforms that differ
/// in count, pitch or direction share one. Needs no lock: Engine::make is called by one thread at a
/// time for each precision, and so for each type of plan.
template <class Plan>
std::shared_ptr<const Plan> plan_of_length(Index length) {
  using Plans = std::map<Index, std::weak_ptr<const Plan>>;
  static Plans& plans = *new Plans;  // never destroyed, like the engines
  if (const auto found = plans.find(length); found != plans.end()) {
    if (auto plan = found->second.lock()) return plan;
  }
  std::erase_if(plans, [](const auto& entry) { return entry.second.expired(); });
  auto plan = std::make_shared<const Plan>(static_cast<std::size_t>(length));
  plans[length] = plan;
  return plan;
}

template <class T>
std::shared_ptr<const LineTransform> make_lines(const LineProblem& problem) {
  if (problem.kind == LineKind::r2c || problem.kind == LineKind::c2r) {
    return std::make_shared<RealLines<T>>(problem, plan_of_length<RealPlan<T>>(problem.length));
  }
  return std::make_shared<ComplexLines<T>>(problem, plan_of_length<ComplexPlan<T>>(problem.length));
}

class DuccEngine final : public Engine {
 public:
  std::string name() const override { return "ducc0"; }

  std::string description() const override {
    return "ducc0 " WEFT_DUCC0_VERSION ", vectors of " + std::to_string(lanes<double>) + " f64, " +
           std::to_string(lanes<float>) + " f32";
  }

  bool supports(Precision) const override { return true; }

 private:
  std::shared_ptr<const LineTransform> make(const LineProblem& problem) override {
    try {
      switch (problem.precision) {
        case Precision::f32:
          return make_lines<float>(problem);
        case Precision::f64:
          return make_lines<double>(problem);
        case Precision::f80:
          return make_lines<long double>(problem);
      }
    } catch (const Error&) {
      throw;
    } catch (const std::bad_alloc&) {
      throw Error(ErrorCode::out_of_memory,
                  "no memory for the tables of ducc0 for " + describe(problem));
    } catch (const std::exception& failure) {
      throw Error(ErrorCode::fft_failure, "ducc0 made no plan for " + describe(problem) + ": " +
                                              std::string(failure.what()));
    }
    throw Error(ErrorCode::internal, "a precision that ducc0's engine does not know");
  }
};

}  // namespace

std::unique_ptr<Engine> make_ducc0_engine() { return std::make_unique<DuccEngine>(); }

}  // namespace weft::kernel

#endif  // WEFT_HAVE_DUCC0
