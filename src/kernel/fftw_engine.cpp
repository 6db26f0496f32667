#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string>

#include "base/memory.hpp"
#include "base/process_mutex.hpp"
#include "kernel/engines.hpp"
#include "kernel/fftw_library.hpp"
#include "weft/error.hpp"

// FFTW, or another library with its interface, as an engine.
//
// FFTW's planner is not thread-safe, so plans are made and destroyed under a mutex. Each precision
// has its own mutex, because the three libraries share no state.
//
// A program may use FFTW itself. So weft calls no function that changes FFTW for the whole process,
// such as fftw_cleanup or fftw_make_planner_thread_safe. There is one exception: learn() adds
// wisdom. The program must not plan in one thread while weft plans in another. It must not call
// fftw_cleanup while it holds transforms of weft. Before the program makes a transform of weft, it
// should set fftw_plan_with_nthreads back to 1. Executing is always safe.

namespace weft::kernel {
namespace {

/// Returns the mutex for the planner of one precision. It is never destroyed, because static
/// objects may drop plans when the program ends.
ProcessMutex& planner_mutex(Precision precision) {
  static auto& mutexes = *new std::array<ProcessMutex, 3>;
  return mutexes[static_cast<std::size_t>(precision)];
}

/// Returns whether FFTW_UNALIGNED is needed. If some lines do not begin at multiples of 16 bytes,
/// FFTW 3.3.8 (Ubuntu 22.04) still treats them as aligned. It then crashes while it plans r2c with
/// FFTW_PATIENT.
bool must_say_unaligned(const LineProblem& problem) {
  constexpr std::int64_t simd_bytes = 16;
  return problem.kind == LineKind::r2c && problem.effort == Effort::exhaustive &&
         problem.in_pitch * real_bytes(problem.precision) % simd_bytes != 0;
}

/// Returns the flags. c2r may destroy its input, because FFTW is faster then, and weft's tiles are
/// scratch memory.
unsigned planner_flags(const LineProblem& problem) {
  const unsigned memory =
      (problem.kind == LineKind::c2r ? fftw::destroy_input : fftw::preserve_input) |
      (must_say_unaligned(problem) ? fftw::unaligned : 0U);
  switch (problem.effort) {
    case Effort::estimate:
      return fftw::estimate | memory;
    case Effort::measure:
      return fftw::measure | memory;
    case Effort::exhaustive:
      return fftw::patient | memory;
  }
  return fftw::estimate | memory;
}

/// Returns FFTW's number of a transform of reals to reals.
int r2r_kind(Kind kind) {
  return fftw::r2r_kinds.at(static_cast<std::size_t>(kind) - static_cast<std::size_t>(Kind::dct1));
}

/// One FFTW plan for all lines, so that FFTW knows the pitch and thus the alignment of every line.
class FftwLines final : public LineTransform {
 public:
  FftwLines(const FftwFunctions& functions, const LineProblem& problem)
      : functions_(functions),
        kind_(problem.kind),
        precision_(problem.precision),
        plan_(planned(problem)) {
    if (plan_ == nullptr) {
      throw Error(ErrorCode::fft_failure,
                  std::string(functions.version) + " made no plan for " + describe(problem));
    }
  }

  ~FftwLines() override {
    const std::lock_guard lock(planner_mutex(precision_));
    functions_.destroy(plan_);
  }

  void execute(void* in, void* out) const override {
    if (kind_.is_c2c())
      functions_.execute_c2c(plan_, in, out);
    else if (kind_ == LineKind::r2c)
      functions_.execute_r2c(plan_, in, out);
    else if (kind_ == LineKind::c2r)
      functions_.execute_c2r(plan_, in, out);
    else
      functions_.execute_r2r(plan_, in, out);
  }

 private:
  void* planned(const LineProblem& problem) const {
    const auto bytes = problem.in_place ? std::max(input_bytes(problem), output_bytes(problem))
                                        : input_bytes(problem);
    // From these arrays FFTW takes the alignment, and whether input and output overlap. If it
    // measures, it times transforms in them.
    const AlignedBuffer scratch(bytes);
    const AlignedBuffer separate(problem.in_place ? 0 : output_bytes(problem));
    void* in = scratch.data();
    void* out = problem.in_place ? in : separate.data();
    const bool across = problem.form == TileForm::across;
    // One of the two loops has stride 1: across a tile the loop over lines, otherwise the loop
    // along a line.
    const FftwLoop contiguous{across ? problem.count : problem.length, 1, 1};
    const FftwLoop pitched{across ? problem.length : problem.count, problem.in_pitch,
                           problem.out_pitch};
    const FftwLoop& line = across ? pitched : contiguous;
    const FftwLoop& lines = across ? contiguous : pitched;
    const unsigned flags = planner_flags(problem);
    const std::lock_guard lock(planner_mutex(precision_));
    const LineKind kind = problem.kind;
    const int sign = kind.direction == Direction::forward ? fftw::forward : fftw::backward;
    if (kind.is_c2c()) return functions_.plan_c2c(1, &line, 1, &lines, in, out, sign, flags);
    if (kind == LineKind::r2c) return functions_.plan_r2c(1, &line, 1, &lines, in, out, flags);
    if (kind == LineKind::c2r) return functions_.plan_c2r(1, &line, 1, &lines, in, out, flags);
    return planned_r2r(problem, in, out, flags);
  }

  /// Plans real lines. For complex lines, plans to transform the real and the imaginary parts
  /// separately, each as a line of reals with stride 2.
  void* planned_r2r(const LineProblem& problem, void* in, void* out, unsigned flags) const {
    const std::ptrdiff_t parts = problem.parts ? 2 : 1;
    const FftwLoop line{problem.length, parts, parts};
    const std::array loops{
        FftwLoop{problem.count, problem.in_pitch * parts, problem.out_pitch * parts},
        FftwLoop{parts, 1, 1}};
    const int kind = r2r_kind(problem.kind.kind);
    return functions_.plan_r2r(1, &line, problem.parts ? 2 : 1, loops.data(), in, out, &kind,
                               flags);
  }

  const FftwFunctions& functions_;
  LineKind kind_;
  Precision precision_;
  void* plan_;
};

class FftwEngine final : public Engine {
 public:
  explicit FftwEngine(const FftwLibrary& library) : library_(library) {}

  std::string name() const override { return "fftw"; }

  /// Returns the library's own version string of each precision, which names the instruction sets
  /// of its build.
  std::string description() const override {
    std::string versions;
    for (const Precision precision : {Precision::f64, Precision::f32, Precision::f80})
      if (library_.has(precision))
        versions += (versions.empty() ? "" : "; ") + std::string(library_.of(precision).version);
    return versions + " (" + library_.file +
           (has_cosines(Precision::f64) ? ")" : ", no cosine transforms)");
  }

  bool supports(Precision precision) const override { return library_.has(precision); }

  bool has_cosines(Precision precision) const override {
    return supports(precision) && library_.of(precision).plan_r2r != nullptr;
  }

  /// The shorter contiguous lines are, the more of them one call should transform. In the form
  /// `across`, one call transforms 16 lines of any length, because vectors hold numbers of adjacent
  /// lines.
  std::int64_t lines_together(Precision, std::int64_t length, TileForm form) const override {
    return form == TileForm::across ? 16 : length <= 32 ? 16 : length <= 128 ? 8 : 4;
  }

  std::string learnt(Precision precision) const override {
    const FftwFunctions& functions = library_.of(precision);
    if (functions.export_wisdom == nullptr) return {};
    const std::lock_guard lock(planner_mutex(precision));
    const std::unique_ptr<char, decltype(&std::free)> text(functions.export_wisdom(), &std::free);
    return text ? text.get() : "";
  }

  void learn(Precision precision, const std::string& text) override {
    const FftwFunctions& functions = library_.of(precision);
    const std::lock_guard lock(planner_mutex(precision));
    if (functions.import_wisdom == nullptr)
      throw Error(ErrorCode::invalid_argument, "wisdom needs a library that imports it; " +
                                                   description() + " does not; plan without it");
    if (functions.import_wisdom(text.c_str()) == 0)
      throw Error(ErrorCode::invalid_argument,
                  "wisdom of FFTW must be of the same version and instruction sets; " +
                      description() + " refuses this one; plan without it");
  }

 private:
  std::shared_ptr<const LineTransform> make(const LineProblem& problem) override {
    return std::make_shared<FftwLines>(library_.of(problem.precision), problem);
  }

  const FftwLibrary& library_;
};

}  // namespace

std::unique_ptr<Engine> engine_of(const FftwLibrary& library) {
  return std::make_unique<FftwEngine>(library);
}

std::unique_ptr<Engine> make_fftw_engine() {
  const FftwLibrary* library = fftw_library();
  return library == nullptr ? nullptr : engine_of(*library);
}

}  // namespace weft::kernel
