#include <weft/wisdom.hpp>

#include "plan/check_plan.hpp"

namespace weft {
namespace {

std::string key(const MachineIdentity& machine, const Problem& problem) {
  return to_json(machine) + to_json(problem);
}

}  // namespace

std::vector<WisdomEntry> Wisdom::entries() const {
  std::vector<WisdomEntry> all;
  all.reserve(entries_.size());
  for (const auto& [name, entry] : entries_) all.push_back(entry);
  return all;
}

const Plan* Wisdom::find(const Problem& problem, const MachineIdentity& machine) const {
  const auto found = entries_.find(key(machine, checked(problem)));
  return found == entries_.end() ? nullptr : &found->second.plan;
}

void Wisdom::add(const WisdomEntry& entry) {
  check_plan(entry.plan);
  entries_.insert_or_assign(key(entry.machine, entry.plan.problem), entry);
}

void Wisdom::merge(const Wisdom& other) {
  for (const auto& [name, entry] : other.entries_) entries_.insert_or_assign(name, entry);
}

}  // namespace weft
