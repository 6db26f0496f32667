#include "api/known_trials.hpp"

#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include <weft/error.hpp>
#include <weft/fft.hpp>

#include "api/cache_file.hpp"
#include "api/identity.hpp"
#include "base/process_mutex.hpp"
#include "kernel/engine.hpp"

namespace weft::api {
namespace {

using planner::LineTrials;

CacheFile file_of_this_processor() {
  std::vector<std::string> depends_on{version(), processor_name()};
  for (const std::string& name : kernel::engine_names())
    depends_on.push_back(name + ": " + kernel::engine(name).description());
  return {"line-trials", depends_on};
}

/// Returns the trials in a text. Returns none if this version of weft cannot read the text.
LineTrials trials_in(const std::string& text) {
  try {
    return planner::line_trials_from_json(text);
  } catch (const Error&) {
    return {};
  }
}

/// The trials that this process knows, by their file. There may be several files, because a program
/// may change XDG_CACHE_HOME.
struct Known {
  ProcessMutex mutex;
  std::map<std::filesystem::path, LineTrials> by_file;

  LineTrials& of(const CacheFile& file) {
    const auto found = by_file.find(file.path());
    if (found != by_file.end()) return found->second;
    return by_file.emplace(file.path(), trials_in(file.text())).first->second;
  }
};

/// Returns the known trials. They are never destroyed, because static objects of the user may make
/// transforms when the program ends.
Known& known() {
  static auto& all = *new Known;
  return all;
}

}  // namespace

std::int64_t known_fastest(const planner::LineTrial& lines) {
  const CacheFile file = file_of_this_processor();
  const std::lock_guard lock(known().mutex);
  const planner::LineTrial* trial = known().of(file).find(lines);
  return trial == nullptr ? -1 : trial->number_of_fastest();
}

void keep(const LineTrials& trials) {
  const CacheFile file = file_of_this_processor();
  {
    const std::lock_guard lock(known().mutex);
    known().of(file).merge(trials);
  }
  file.update(
      "trials of local FFTs are not kept, so each process repeats them; set XDG_CACHE_HOME to a "
      "folder that can be written, or name an engine",
      [&](const std::string& before) {
        LineTrials all = trials_in(before);
        all.merge(trials);
        return to_json(all) + "\n";
      });
}

}  // namespace weft::api
