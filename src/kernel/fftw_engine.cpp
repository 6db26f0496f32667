#include <fftw3.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string>

#include "base/memory.hpp"
#include "base/process_mutex.hpp"
#include "kernel/engines.hpp"
#include "weft/error.hpp"

// FFTW as an engine.
//
// FFTW's planner is not thread-safe: plans are made and destroyed under a mutex, one for each
// precision because the three libraries share no state. weft never calls fftw_cleanup,
// fftw_make_planner_thread_safe or any other function that changes FFTW for the whole process,
// since the program may use FFTW itself. Such a program must not plan in one thread while weft
// plans in another. It must not call fftw_cleanup while it holds transforms of weft's. It should
// set fftw_plan_with_nthreads back to 1 before it makes them. Executing is always safe.

namespace weft::kernel {
namespace {

/// The names of one of the three FFTW libraries.
template <class Real>
struct Fftw;

template <>
struct Fftw<float> {
  using NativeComplex = fftwf_complex;
  using NativePlan = fftwf_plan;
  static constexpr auto plan_c2c = fftwf_plan_guru64_dft;
  static constexpr auto plan_r2c = fftwf_plan_guru64_dft_r2c;
  static constexpr auto plan_c2r = fftwf_plan_guru64_dft_c2r;
  static constexpr auto execute_c2c = fftwf_execute_dft;
  static constexpr auto execute_r2c = fftwf_execute_dft_r2c;
  static constexpr auto execute_c2r = fftwf_execute_dft_c2r;
  static constexpr auto destroy = fftwf_destroy_plan;
  static constexpr auto version = fftwf_version;
  static constexpr auto export_wisdom = fftwf_export_wisdom_to_string;
  static constexpr auto import_wisdom = fftwf_import_wisdom_from_string;
};

template <>
struct Fftw<double> {
  using NativeComplex = fftw_complex;
  using NativePlan = fftw_plan;
  static constexpr auto plan_c2c = fftw_plan_guru64_dft;
  static constexpr auto plan_r2c = fftw_plan_guru64_dft_r2c;
  static constexpr auto plan_c2r = fftw_plan_guru64_dft_c2r;
  static constexpr auto execute_c2c = fftw_execute_dft;
  static constexpr auto execute_r2c = fftw_execute_dft_r2c;
  static constexpr auto execute_c2r = fftw_execute_dft_c2r;
  static constexpr auto destroy = fftw_destroy_plan;
  static constexpr auto version = fftw_version;
  static constexpr auto export_wisdom = fftw_export_wisdom_to_string;
  static constexpr auto import_wisdom = fftw_import_wisdom_from_string;
};

template <>
struct Fftw<long double> {
  using NativeComplex = fftwl_complex;
  using NativePlan = fftwl_plan;
  static constexpr auto plan_c2c = fftwl_plan_guru64_dft;
  static constexpr auto plan_r2c = fftwl_plan_guru64_dft_r2c;
  static constexpr auto plan_c2r = fftwl_plan_guru64_dft_c2r;
  static constexpr auto execute_c2c = fftwl_execute_dft;
  static constexpr auto execute_r2c = fftwl_execute_dft_r2c;
  static constexpr auto execute_c2r = fftwl_execute_dft_c2r;
  static constexpr auto destroy = fftwl_destroy_plan;
  static constexpr auto version = fftwl_version;
  static constexpr auto export_wisdom = fftwl_export_wisdom_to_string;
  static constexpr auto import_wisdom = fftwl_import_wisdom_from_string;
};

/// Guards the planner of one library. Never destroyed: static objects may drop plans at the end.
template <class Real>
ProcessMutex& planner_mutex() {
  static ProcessMutex& mutex = *new ProcessMutex;
  return mutex;
}

/// Returns whether FFTW_UNALIGNED is needed. FFTW 3.3.8 (Ubuntu 22.04) crashes while it plans r2c
/// patiently for lines that begin at odd places, because it takes them for aligned ones.
bool must_say_unaligned(const LineProblem& problem) {
  constexpr std::int64_t simd_bytes = 16;
  return problem.kind == LineKind::r2c && problem.effort == Effort::exhaustive &&
         problem.in_pitch * real_bytes(problem.precision) % simd_bytes != 0;
}

/// Returns the flags. c2r may destroy its input: FFTW is faster with that, and weft's tiles are
/// scratch memory in that case.
unsigned planner_flags(const LineProblem& problem) {
  const unsigned memory =
      (problem.kind == LineKind::c2r ? FFTW_DESTROY_INPUT : FFTW_PRESERVE_INPUT) |
      (must_say_unaligned(problem) ? FFTW_UNALIGNED : 0U);
  switch (problem.effort) {
    case Effort::estimate:
      return FFTW_ESTIMATE | memory;
    case Effort::measure:
      return FFTW_MEASURE | memory;
    case Effort::exhaustive:
      return FFTW_PATIENT | memory;
  }
  return FFTW_ESTIMATE | memory;
}

/// One FFTW plan for all lines, so that FFTW knows the pitch and thus the alignment of every line.
template <class Real>
class FftwLines final : public LineTransform {
  using Library = Fftw<Real>;
  using NativeComplex = typename Library::NativeComplex;
  using NativePlan = typename Library::NativePlan;

 public:
  explicit FftwLines(const LineProblem& problem) : kind_(problem.kind), plan_(planned(problem)) {
    if (plan_ == nullptr) {
      throw Error(ErrorCode::fft_failure,
                  std::string(Library::version) + " made no plan for " + describe(problem));
    }
  }

  ~FftwLines() override {
    const std::lock_guard lock(planner_mutex<Real>());
    Library::destroy(plan_);
  }

  void execute(void* in, void* out) const override {
    switch (kind_) {
      case LineKind::c2c_forward:
      case LineKind::c2c_backward:
        Library::execute_c2c(plan_, static_cast<NativeComplex*>(in),
                             static_cast<NativeComplex*>(out));
        break;
      case LineKind::r2c:
        Library::execute_r2c(plan_, static_cast<Real*>(in), static_cast<NativeComplex*>(out));
        break;
      case LineKind::c2r:
        Library::execute_c2r(plan_, static_cast<NativeComplex*>(in), static_cast<Real*>(out));
        break;
    }
  }

 private:
  static NativePlan planned(const LineProblem& problem) {
    const auto bytes = problem.in_place ? std::max(input_bytes(problem), output_bytes(problem))
                                        : input_bytes(problem);
    // FFTW reads alignment and aliasing from these arrays, and times transforms in them if it
    // measures.
    const AlignedBuffer scratch(bytes);
    const AlignedBuffer separate(problem.in_place ? 0 : output_bytes(problem));
    void* in = scratch.data();
    void* out = problem.in_place ? in : separate.data();
    const fftw_iodim64 line{problem.length, 1, 1};
    const fftw_iodim64 lines{problem.count, problem.in_pitch, problem.out_pitch};
    const unsigned flags = planner_flags(problem);
    const std::lock_guard lock(planner_mutex<Real>());
    switch (problem.kind) {
      case LineKind::c2c_forward:
      case LineKind::c2c_backward:
        return Library::plan_c2c(
            1, &line, 1, &lines, static_cast<NativeComplex*>(in), static_cast<NativeComplex*>(out),
            problem.kind == LineKind::c2c_forward ? FFTW_FORWARD : FFTW_BACKWARD, flags);
      case LineKind::r2c:
        return Library::plan_r2c(1, &line, 1, &lines, static_cast<Real*>(in),
                                 static_cast<NativeComplex*>(out), flags);
      case LineKind::c2r:
        return Library::plan_c2r(1, &line, 1, &lines, static_cast<NativeComplex*>(in),
                                 static_cast<Real*>(out), flags);
    }
    return nullptr;
  }

  LineKind kind_;
  NativePlan plan_;
};

template <class Real>
std::string wisdom_of() {
  const std::lock_guard lock(planner_mutex<Real>());
  const std::unique_ptr<char, decltype(&std::free)> text(Fftw<Real>::export_wisdom(), &std::free);
  return text ? text.get() : "";
}

template <class Real>
void take_wisdom(const std::string& text) {
  const std::lock_guard lock(planner_mutex<Real>());
  if (Fftw<Real>::import_wisdom(text.c_str()) == 0)
    throw Error(ErrorCode::invalid_argument,
                "wisdom of FFTW must be of the same version and instruction sets; " +
                    std::string(Fftw<Real>::version) + " refuses this one; plan without it");
}

class FftwEngine final : public Engine {
 public:
  std::string name() const override { return "fftw"; }

  /// Returns FFTW's own version string, which names the instruction sets of its build.
  std::string description() const override {
    return std::string(Fftw<double>::version) + "; " + Fftw<float>::version + "; " +
           Fftw<long double>::version;
  }

  bool supports(Precision) const override { return true; }

  std::string learnt(Precision precision) const override {
    return precision == Precision::f32   ? wisdom_of<float>()
           : precision == Precision::f64 ? wisdom_of<double>()
                                         : wisdom_of<long double>();
  }

  void learn(Precision precision, const std::string& text) override {
    if (precision == Precision::f32)
      take_wisdom<float>(text);
    else if (precision == Precision::f64)
      take_wisdom<double>(text);
    else
      take_wisdom<long double>(text);
  }

 private:
  std::shared_ptr<const LineTransform> make(const LineProblem& problem) override {
    switch (problem.precision) {
      case Precision::f32:
        return std::make_shared<FftwLines<float>>(problem);
      case Precision::f64:
        return std::make_shared<FftwLines<double>>(problem);
      case Precision::f80:
        return std::make_shared<FftwLines<long double>>(problem);
    }
    throw Error(ErrorCode::internal, "a precision that FFTW's engine does not know");
  }
};

}  // namespace

std::unique_ptr<Engine> make_fftw_engine() { return std::make_unique<FftwEngine>(); }

}  // namespace weft::kernel
