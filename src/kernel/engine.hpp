#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/line_problem.hpp"
#include "weft/precision.hpp"

namespace weft::kernel {

class LineCache;

/// The address of every line buffer is a multiple of this number.
inline constexpr std::int64_t line_alignment_bytes = 64;

/// A batch of lines ready to be transformed; Engine::lines shares it among all callers with the
/// same problem.
class LineTransform {
 public:
  LineTransform() = default;
  LineTransform(const LineTransform&) = delete;
  LineTransform& operator=(const LineTransform&) = delete;
  virtual ~LineTransform() = default;

  /// Transforms all lines.
  ///
  /// Memory         in and out start at multiples of 64 bytes and hold input_bytes and
  ///                output_bytes. in == out if the problem is in place, otherwise they do not
  ///                overlap. Gaps between lines are not written. c2r may destroy the lines of `in`;
  ///                the other kinds leave it unchanged out of place. weft allocates nothing after
  ///                the first call in a thread; FFTW takes small buffers of its own for some
  ///                lengths (large primes).
  /// Real elements  c2r ignores the imaginary parts of element 0 and, for even lengths, of element
  ///                length/2.
  /// Thread-safety  any number of threads may execute one transform on different buffers; all get
  ///                the same bits.
  virtual void execute(void* in, void* out) const = 0;

  /// Transforms the first `count` lines alone, under the same rules. Returns false, and does
  /// nothing, if the library's plans have a fixed number of lines.
  virtual bool execute_first(void* /*in*/, void* /*out*/, std::int64_t /*count*/) const {
    return false;
  }
};

/// The interface to a library for local transforms.
class Engine {
 public:
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  virtual ~Engine();

  virtual std::string name() const = 0;
  /// Library, version and instruction sets, for `weft info`.
  virtual std::string description() const = 0;
  virtual bool supports(Precision precision) const = 0;
  /// Returns whether a precision that the engine supports has cosine, sine and Hartley transforms.
  virtual bool has_cosines(Precision) const { return true; }
  /// Returns the number of lines that one call should transform, if there are many lines. The
  /// smaller this group is, the fewer lines remain after the last whole group.
  virtual std::int64_t lines_together(Precision precision, std::int64_t length,
                                      TileForm form) const = 0;
  /// Returns the results of the library's planning in this process. Another process that passes
  /// them to learn() makes the same plans. Empty for a library that does not learn.
  virtual std::string learnt(Precision) const { return {}; }
  /// Errors  invalid_argument for results of another version, or for another processor.
  virtual void learn(Precision, const std::string&) {}

  /// Returns the transform for the problem. It is made once and shared: the same request returns
  /// the same object while this object is in use, or is one of those that LineCache keeps.
  /// Thread-safe: if several threads make the same request, only one of them makes the transform.
  ///
  /// Errors  invalid_argument if length, count or a pitch breaks the rules of LineProblem;
  ///         unsupported for a precision that the engine lacks; fft_failure if the library makes no
  ///         plan; out_of_memory if there is no room to plan.
  std::shared_ptr<const LineTransform> lines(const LineProblem& problem);

 protected:
  Engine();

 private:
  /// Makes a transform of a checked problem. Called by one thread at a time for each precision.
  virtual std::shared_ptr<const LineTransform> make(const LineProblem& problem) = 0;

  std::vector<std::unique_ptr<LineCache>> caches_;  ///< one for each precision
};

/// The word that means the fastest engine for each kind and length of lines.
inline constexpr std::string_view auto_engine = "auto";
/// Returns the value of the environment variable WEFT_ENGINE, or "auto" without it.
std::string wanted_engine();
/// Returns the engine of that name, "fftw" or "ducc0". If weft does not have this engine here,
/// throws unsupported with the names of the engines that it has. Throws as fftw_library() and
/// instruction_set() do.
Engine& engine(std::string_view name);
/// Returns the engine for lines without a trial: that of wanted_engine(), or for "auto" FFTW if it
/// is installed, otherwise ducc0.
Engine& default_engine();
/// Returns the engine for lines of one kind without a trial: default_engine(), or for "auto" the
/// first engine that has this kind. Throws unsupported if no engine has it.
Engine& default_engine(Kind kind, Precision precision);
/// Throws unsupported: cosine, sine and Hartley transforms need another engine than this one.
[[noreturn]] void refuse_cosines(const Engine& engine);
/// Returns whether weft has an engine of that name here, with this precision.
bool has_engine(std::string_view name, Precision precision);
/// Returns the names of the engines that weft has here, the default first.
std::vector<std::string> engine_names();

/// Simulates, for tests, a library that makes no plan. While on, Engine::lines throws fft_failure,
/// also for problems planned before. The environment variable WEFT_TEST_FAIL_FFT_PLAN=1 does the
/// same.
void set_planning_failure(bool on);

}  // namespace weft::kernel
