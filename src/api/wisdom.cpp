#include "api/wisdom.hpp"

#include <cstdio>
#include <exception>
#include <mutex>
#include <set>

#include "comm/agreement.hpp"

namespace weft::api {
namespace {

/// One line on standard error, once for each reason: many transforms may name one file.
void warn(const std::string& reason, const char* consequence) {
  static std::mutex mutex;
  static std::set<std::string> said;
  const std::lock_guard<std::mutex> lock(mutex);
  if (!said.insert(reason).second) return;
  std::fprintf(stderr, "weft: warning: %s; %s\n", reason.c_str(), consequence);
  std::fflush(stderr);
}

/// Does what no transform fails for.
template <class F>
void tried(const char* consequence, F&& action) {
  try {
    action();
  } catch (const std::exception& error) {
    warn(error.what(), consequence);
  }
}

}  // namespace

std::optional<Plan> remembered(const std::string& path, const Problem& problem,
                               const MachineIdentity& machine, const comm::Communicator& comm) {
  std::string text;
  if (comm.rank() == 0)
    tried("planned without this wisdom", [&] {
      const Wisdom wisdom = read_wisdom(path);
      if (const Plan* plan = wisdom.find(problem, machine)) text = to_json(*plan);
    });
  comm.broadcast(text, 0);
  if (text.empty()) return {};
  Plan plan = comm::together(comm, [&] { return plan_from_json(text); });
  plan.chosen_by = "wisdom";
  return plan;
}

void remember(const std::string& path, const Plan& plan, const MachineIdentity& machine,
              const comm::Communicator& comm) {
  if (comm.rank() != 0) return;
  tried("the decision is not kept", [&] {
    Wisdom wisdom;
    wisdom.add({machine, plan});
    merge_into_file(path, wisdom);
  });
}

}  // namespace weft::api
