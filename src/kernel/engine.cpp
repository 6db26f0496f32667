#include "kernel/engine.hpp"

#include <atomic>
#include <cstdlib>
#include <limits>

#include "kernel/line_cache.hpp"
#include "weft/error.hpp"

namespace weft::kernel {
namespace {

constexpr int precision_count = 3;

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
  const std::int64_t least = traits_of(problem.kind.kind).least_length;
  if (problem.length < least)
    reject(std::string("a line of kind ") + weft::to_string(problem.kind.kind) +
               " must have at least " + std::to_string(least) + " points",
           problem);
  if (problem.parts && !is_r2r(problem.kind))
    reject("only transforms of reals to reals take the parts of complex numbers", problem);
  const bool across = problem.form == TileForm::across;
  if (across && !problem.kind.is_c2c()) reject("lines across a tile must be c2c", problem);
  const std::int64_t least_in = across ? problem.count : input_elements(problem);
  const std::int64_t least_out = across ? problem.count : output_elements(problem);
  if (problem.in_pitch < least_in || problem.out_pitch < least_out) {
    reject("lines must not overlap: pitches must be at least " + std::to_string(least_in) +
               " and " + std::to_string(least_out),
           problem);
  }
  const std::int64_t pitches = across ? problem.length : problem.count;
  if (!addressable(pitches, problem.in_pitch, input_element_bytes(problem)) ||
      !addressable(pitches, problem.out_pitch, output_element_bytes(problem))) {
    reject("the lines must fit into 2^63 bytes: ask for fewer lines", problem);
  }
  if (problem.in_place && problem.in_pitch * input_element_bytes(problem) !=
                              problem.out_pitch * output_element_bytes(problem)) {
    reject("in place, both pitches must be the same number of bytes", problem);
  }
}

}  // namespace

Engine::Engine() {
  for (int i = 0; i < precision_count; ++i) caches_.push_back(std::make_unique<LineCache>());
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

void set_planning_failure(bool on) { planning_failure.store(on); }

}  // namespace weft::kernel
