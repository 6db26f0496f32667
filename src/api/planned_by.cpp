#include "api/planned_by.hpp"

#include <algorithm>
#include <cstdlib>
#include <vector>

#include <weft/error.hpp>

#include "api/local_machine.hpp"
#include "base/text_file.hpp"
#include "comm/agreement.hpp"

namespace weft::api {
namespace {

constexpr const char* variable = "WEFT_MACHINE";
constexpr const char* fixed_rule = "fixed-rule";
constexpr std::int64_t file_bytes_max = 16 << 20;  // the limit of all machine files

/// Returns the value of the variable in rank 0's environment.
std::string named(const comm::Communicator& comm) {
  const char* value = std::getenv(variable);
  std::string word = comm.rank() == 0 && value != nullptr ? value : "";
  comm.broadcast(word, 0);
  return word;
}

Machine shipped_or_read(const std::string& name) {
  const std::vector<std::string> shipped = shipped_machines();
  if (std::find(shipped.begin(), shipped.end(), name) != shipped.end())
    return shipped_machine(name);
  const std::optional<std::string> text = read_text(name, file_bytes_max);
  if (text) return machine_from_json(*text);
  throw Error(
      ErrorCode::invalid_argument,
      "it must name a machine that ships with weft, a JSON file, local, or fixed-rule; there "
      "is no such file");
}

/// Returns the machine that rank 0 reads, because the other ranks may not see the file.
Machine machine_named(const std::string& name, const comm::Communicator& comm) {
  std::string text = comm::together(comm, [&] {
    if (comm.rank() != 0) return std::string();
    try {
      return to_json(shipped_or_read(name));
    } catch (const Error& error) {
      throw Error(ErrorCode::invalid_argument,
                  std::string(variable) + "=" + name + ": " + error.what());
    }
  });
  comm.broadcast(text, 0);
  return comm::together(comm, [&] { return machine_from_json(text); });
}

PlannedBy by_default(int threads, const std::string& engine, const comm::Communicator& comm) {
  const std::string name = named(comm);
  // A single rank has only one plan, so it needs no machine.
  if (name == fixed_rule || (name.empty() && comm.is_solo())) return {};
  if (name.empty())
    return {
        local_machine(comm, threads, engine),
        "no machine was named: planned from a measurement of 0.2 s; `weft probe` measures more"};
  const std::string note = std::string("planned by the machine that ") + variable + " names";
  if (name == "local") return {local_machine(comm, threads, engine), note};
  return {machine_named(name, comm), note};
}

}  // namespace

bool wants_all_ranks(const Planning& planning) {
  const bool is_named = planning.machine || planning.plan_by == PlanBy::local;
  return planning.all_ranks.value_or(!is_named);
}

bool names_fixed_rule(const comm::Communicator& comm) { return named(comm) == fixed_rule; }

PlannedBy planned_by(const Planning& planning, int threads, const std::string& engine,
                     const comm::Communicator& comm) {
  if (planning.machine) return {planning.machine};
  switch (planning.plan_by) {
    case PlanBy::fixed_rule:
      return {};
    case PlanBy::local:
      return {local_machine(comm, threads, engine)};
    case PlanBy::by_default:
      break;
  }
  return by_default(threads, engine, comm);
}

}  // namespace weft::api
