#include "kernel/engine.hpp"

#include <atomic>
#include <cstdlib>
#include <limits>

#include "kernel/engines.hpp"
#include "kernel/forks.hpp"
#include "kernel/line_cache.hpp"
#include "weft/error.hpp"

namespace weft::kernel {
namespace {

constexpr int precisions = 3;

std::atomic<bool> planning_failure{false};

bool planning_must_fail() {
  if (planning_failure.load()) return true;
  const char* value = std::getenv("WEFT_TEST_FAIL_FFT_PLAN");
  return value != nullptr && std::string_view(value) == "1";
}

[[noreturn]] void reject(const std::string& rule, const LineProblem& problem) {
  throw Error(ErrorCode::invalid_argument, rule + "; given: " + describe(problem));
}

/// Returns whether lines of `pitch` elements of `element_bytes` end within the 64-bit address
/// range.
bool addressable(std::int64_t count, std::int64_t pitch, std::int64_t element_bytes) {
  return pitch <= std::numeric_limits<std::int64_t>::max() / element_bytes / count;
}

void check(const LineProblem& problem) {
  if (problem.length < 1 || problem.count < 1)
    reject("lines and points of a line must be at least 1", problem);
  if (problem.in_pitch < input_elements(problem) || problem.out_pitch < output_elements(problem)) {
    reject("lines must not overlap: pitches must be at least " +
               std::to_string(input_elements(problem)) + " and " +
               std::to_string(output_elements(problem)),
           problem);
  }
  if (!addressable(problem.count, problem.in_pitch, input_element_bytes(problem)) ||
      !addressable(problem.count, problem.out_pitch, output_element_bytes(problem))) {
    reject("the lines must fit into 2^63 bytes: ask for fewer lines", problem);
  }
  if (problem.in_place && problem.in_pitch * input_element_bytes(problem) !=
                              problem.out_pitch * output_element_bytes(problem)) {
    reject("in place, both pitches must be the same number of bytes", problem);
  }
}

/// Returns the engines, which are never destroyed. A static object of the user can hold a transform
/// that outlives weft's own static objects.
const std::vector<Engine*>& engines() {
  end_threads_before_forks();
  static const std::vector<Engine*>& all = *new std::vector<Engine*>{
      make_fftw_engine().release(),
#ifdef WEFT_HAVE_DUCC0
      make_ducc0_engine().release(),
#endif
  };
  return all;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const auto& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

}  // namespace

const char* to_string(LineKind kind) {
  switch (kind) {
    case LineKind::c2c_forward:
      return "c2c forward";
    case LineKind::c2c_backward:
      return "c2c backward";
    case LineKind::r2c:
      return "r2c";
    case LineKind::c2r:
      return "c2r";
  }
  return "unknown";
}

std::string describe(const LineProblem& problem) {
  return std::string(to_string(problem.kind)) + ", " + weft::to_string(problem.precision) + ", " +
         std::to_string(problem.count) + " lines of " + std::to_string(problem.length) +
         " points, pitches " + std::to_string(problem.in_pitch) + " and " +
         std::to_string(problem.out_pitch) + (problem.in_place ? ", in place" : ", out of place");
}

std::int64_t input_elements(const LineProblem& problem) {
  return problem.kind == LineKind::c2r ? problem.length / 2 + 1 : problem.length;
}

std::int64_t output_elements(const LineProblem& problem) {
  return problem.kind == LineKind::r2c ? problem.length / 2 + 1 : problem.length;
}

std::int64_t input_element_bytes(const LineProblem& problem) {
  return problem.kind == LineKind::r2c ? real_bytes(problem.precision)
                                       : complex_bytes(problem.precision);
}

std::int64_t output_element_bytes(const LineProblem& problem) {
  return problem.kind == LineKind::c2r ? real_bytes(problem.precision)
                                       : complex_bytes(problem.precision);
}

std::int64_t input_bytes(const LineProblem& problem) {
  return ((problem.count - 1) * problem.in_pitch + input_elements(problem)) *
         input_element_bytes(problem);
}

std::int64_t output_bytes(const LineProblem& problem) {
  return ((problem.count - 1) * problem.out_pitch + output_elements(problem)) *
         output_element_bytes(problem);
}

Engine::Engine() {
  for (int i = 0; i < precisions; ++i) caches_.push_back(std::make_unique<LineCache>());
}

Engine::~Engine() = default;

std::shared_ptr<const LineTransform> Engine::lines(const LineProblem& problem) {
  check(problem);
  if (!supports(problem.precision)) {
    throw Error(ErrorCode::unsupported,
                "the FFT engine " + name() + " has no " + weft::to_string(problem.precision) +
                    " transforms in this build: choose another precision or engine");
  }
  if (planning_must_fail()) {
    throw Error(ErrorCode::fft_failure,
                name() + " made no plan, as a test asked for: " + describe(problem));
  }
  auto& cache = *caches_[static_cast<std::size_t>(problem.precision)];
  return cache.get(problem, [this](const LineProblem& wanted) { return make(wanted); });
}

std::vector<std::string> engine_names() {
  std::vector<std::string> names;
  for (const Engine* each : engines()) names.push_back(each->name());
  return names;
}

Engine& engine(std::string_view name) {
  for (Engine* each : engines()) {
    if (each->name() == name) return *each;
  }
  throw Error(ErrorCode::unsupported,
              "this build of weft has no FFT engine \"" + std::string(name) + "\": it has " +
                  joined(engine_names()) + "; name one of these (in WEFT_ENGINE or the call)");
}

Engine& default_engine() {
  const char* wanted = std::getenv("WEFT_ENGINE");
  if (wanted != nullptr && *wanted != '\0') return engine(wanted);
  return *engines().front();
}

void set_planning_failure(bool on) { planning_failure.store(on); }

}  // namespace weft::kernel
