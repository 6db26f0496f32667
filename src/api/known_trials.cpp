#include "api/known_trials.hpp"

#include <filesystem>
#include <map>
#include <mutex>
#include <optional>

#include <weft/error.hpp>
#include <weft/fft.hpp>

#include "api/cache_folder.hpp"
#include "api/identity.hpp"
#include "api/warning.hpp"
#include "base/hash.hpp"
#include "base/process_mutex.hpp"
#include "base/text_file.hpp"
#include "kernel/engine.hpp"

namespace weft::api {
namespace {

using planner::LineTrials;

constexpr std::int64_t file_bytes_max = 4 << 20;
constexpr double wait_s = 5;

std::filesystem::path file_of_this_processor() {
  std::string what = std::string(version()) + '\n' + processor_name() + '\n';
  for (const std::string& name : kernel::engine_names())
    what += name + ": " + kernel::engine(name).description() + '\n';
  return cache_folder() / ("line-trials-" + hash_digits(what) + ".json");
}

LineTrials trials_in(const std::optional<std::string>& text) {
  if (!text) return {};
  try {
    return planner::line_trials_from_json(*text);
  } catch (const Error&) {
    return {};
  }
}

/// Returns the trials in the file; none if it cannot be read.
LineTrials read(const std::filesystem::path& file) {
  try {
    return trials_in(read_text(file.string(), file_bytes_max));
  } catch (const Error&) {
    return {};
  }
}

/// The trials that this process knows, by their file: a program may change XDG_CACHE_HOME.
struct Known {
  ProcessMutex mutex;
  std::map<std::filesystem::path, LineTrials> by_file;

  LineTrials& of(const std::filesystem::path& file) {
    const auto found = by_file.find(file);
    return found != by_file.end() ? found->second : by_file.emplace(file, read(file)).first->second;
  }
};

/// Never destroyed: static objects of the user may make transforms at the end.
Known& known() {
  static auto& all = *new Known;
  return all;
}

}  // namespace

std::int64_t known_fastest(const planner::LineTrial& lines) {
  const std::filesystem::path file = file_of_this_processor();
  const std::lock_guard lock(known().mutex);
  const planner::LineTrial* trial = known().of(file).find(lines);
  return trial == nullptr ? -1 : trial->number_of_fastest();
}

void keep(const LineTrials& trials) {
  const std::filesystem::path file = file_of_this_processor();
  {
    const std::lock_guard lock(known().mutex);
    known().of(file).merge(trials);
  }
  warn_on_failure(
      "trials of local FFTs are not kept, so each process repeats them; set XDG_CACHE_HOME to a "
      "folder that can be written, or name an engine",
      [&] {
        std::filesystem::create_directories(file.parent_path());
        update_text(file.string(), file_bytes_max, wait_s,
                    [&](const std::optional<std::string>& before) {
                      LineTrials all = trials_in(before);
                      all.merge(trials);
                      return to_json(all) + "\n";
                    });
      });
}

}  // namespace weft::api
