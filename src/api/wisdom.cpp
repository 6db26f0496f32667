#include "api/wisdom.hpp"

#include "api/warning.hpp"
#include "comm/agreement.hpp"

namespace weft::api {
std::optional<Plan> plan_from_wisdom(const std::string& path, const Problem& problem,
                                     const MachineIdentity& machine,
                                     const comm::Communicator& comm) {
  std::string text;
  if (comm.rank() == 0)
    warn_on_failure("planned without this wisdom", [&] {
      const Wisdom wisdom = read_wisdom(path);
      if (const Plan* plan = wisdom.find(problem, machine)) text = to_json(*plan);
    });
  comm.broadcast(text, 0);
  if (text.empty()) return {};
  Plan plan = comm::together(comm, [&] { return plan_from_json(text); });
  plan.chosen_by = "wisdom";
  return plan;
}

void add_to_wisdom(const std::string& path, const Plan& plan, const MachineIdentity& machine,
                   const comm::Communicator& comm) {
  if (comm.rank() != 0) return;
  warn_on_failure("the decision is not kept", [&] {
    Wisdom wisdom;
    wisdom.add({machine, plan});
    merge_into_file(path, wisdom);
  });
}

}  // namespace weft::api
