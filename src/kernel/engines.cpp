#include "kernel/engines.hpp"

#include <algorithm>
#include <cstdlib>

#include "kernel/forks.hpp"
#include "weft/error.hpp"

namespace weft::kernel {
namespace {

/// Returns the engines of this process, the default first.
std::vector<Engine*> found_engines() {
  std::vector<Engine*> found;
  for (auto maker : {&make_fftw_engine, &make_ducc0_engine})
    if (auto engine = maker()) found.push_back(engine.release());
  return found;
}

/// Returns the engines. They are never destroyed, because a static object of the user can hold a
/// transform that outlives weft's static objects.
const std::vector<Engine*>& engines() {
  end_threads_before_forks();
  static const std::vector<Engine*>& all = *new std::vector<Engine*>(found_engines());
  return all;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const auto& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

}  // namespace

std::vector<std::string> engine_names() {
  std::vector<std::string> names;
  for (const Engine* each : engines()) names.push_back(each->name());
  return names;
}

bool has_engine(std::string_view name, Precision precision) {
  return std::any_of(engines().begin(), engines().end(), [&](const Engine* each) {
    return each->name() == name && each->supports(precision);
  });
}

Engine& engine(std::string_view name) {
  for (Engine* each : engines()) {
    if (each->name() == name) return *each;
  }
  throw Error(ErrorCode::unsupported,
              "the FFT engine must be auto, or one that weft has here, " + joined(engine_names()) +
                  "; given \"" + std::string(name) + "\"; " +
                  (name == "fftw" ? "install FFTW, or name its library in WEFT_FFTW_LIBRARY"
                                  : "name one of these, in WEFT_ENGINE or the call"));
}

std::string wanted_engine() {
  const char* word = std::getenv("WEFT_ENGINE");
  return word != nullptr && *word != '\0' ? word : std::string(auto_engine);
}

Engine& default_engine() {
  const std::string wanted = wanted_engine();
  return wanted == auto_engine ? *engines().front() : engine(wanted);
}

Engine& default_engine(Kind kind, Precision precision) {
  Engine& first = default_engine();
  if (!keeps_elements(kind) || first.has_cosines(precision)) return first;
  if (wanted_engine() == auto_engine)
    for (Engine* each : engines())
      if (each->supports(precision) && each->has_cosines(precision)) return *each;
  refuse_cosines(first);
}

void refuse_cosines(const Engine& engine) {
  throw Error(ErrorCode::unsupported,
              "cosine and sine transforms need an engine that has them; the engine " +
                  engine.name() + " here has none: " + engine.description() +
                  "; use engine ducc0 or auto, in the call or in WEFT_ENGINE");
}

}  // namespace weft::kernel
