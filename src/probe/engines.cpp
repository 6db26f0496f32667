#include "probe/engines.hpp"

#include <algorithm>

#include "probe/line_trial.hpp"

namespace weft::probe {
namespace {

/// Returns rank 0's engines, because ranks may have different ones. Collective.
std::vector<std::string> names_of(const std::string& word, const comm::Communicator& comm) {
  if (word != kernel::auto_engine) return {word};
  std::vector<std::string> names = kernel::engine_names();
  names.resize(
      static_cast<std::size_t>(comm.broadcast_value(static_cast<std::int64_t>(names.size()), 0)));
  for (std::string& each : names) comm.broadcast(each, 0);
  return names;
}

}  // namespace

std::vector<kernel::Engine*> common_engines(const std::string& word, Precision precision,
                                            const comm::Communicator& comm) {
  std::vector<kernel::Engine*> found;
  for (const std::string& name : names_of(word, comm))
    if (comm.min(std::int64_t{kernel::has_engine(name, precision)}) == 1)
      found.push_back(&kernel::engine(name));
  return found;
}

kernel::LocalOptions fastest_for(const std::vector<std::int64_t>& lengths, Precision precision,
                                 const std::vector<kernel::Engine*>& engines, int threads,
                                 const comm::Communicator& comm) {
  constexpr std::int64_t lines = 32;
  kernel::LocalOptions options{
      .engine = engines.front(), .precision = precision, .threads = threads};
  if (engines.size() == 1) return options;
  std::vector<kernel::LineChoice> ways;
  for (kernel::Engine* engine : engines) ways.push_back({engine});
  for (const std::int64_t length : lengths) {
    const std::vector<double> seconds =
        line_trial({Kind::c2c, precision, Effort::estimate, length, lines}, ways, comm);
    const auto best = std::min_element(seconds.begin(), seconds.end()) - seconds.begin();
    options.choices.push_back({Kind::c2c, false, length, ways[static_cast<std::size_t>(best)]});
  }
  return options;
}

}  // namespace weft::probe
