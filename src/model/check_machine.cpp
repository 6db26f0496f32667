#include <cmath>
#include <map>
#include <set>

#include <weft/error.hpp>
#include <weft/machine.hpp>

#include "model/topology.hpp"
#include "plan/readable.hpp"

namespace weft {
namespace {

[[noreturn]] void refuse(const std::string& key, const std::string& rule,
                         const std::string& given) {
  throw Error(ErrorCode::invalid_argument, "machine." + key + ": " + rule + "; given " + given);
}

/// Bounds for every time and rate of a machine. Within these bounds sums and products stay finite.
constexpr double least = 1e-30;
constexpr double most = 1e30;

/// Checks a time or rate that may be 0 because it is unknown.
void at_least_zero(const std::string& key, double value) {
  if (!(value >= 0) || value > most)
    refuse(key, "this must be a finite number from 0 to 1e30", readable_number(value));
}

void positive(const std::string& key, double value) {
  if (!(value >= least) || value > most)
    refuse(key, "this must be a finite number above 0, from 1e-30 to 1e30", readable_number(value));
}

void at_least(const std::string& key, std::int64_t value, std::int64_t least) {
  if (value < least)
    refuse(key, "this must be at least " + std::to_string(least), std::to_string(value));
}

std::string element(const std::string& key, std::size_t number) {
  return key + "[" + std::to_string(number) + "]";
}

void check_lines(const std::string& key, const std::vector<LineTime>& lines) {
  std::set<std::pair<Kind, std::int64_t>> seen;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    at_least(element(key, i) + ".length", lines[i].length, 1);
    positive(element(key, i) + ".seconds", lines[i].seconds);
    if (!seen.insert({lines[i].kind, lines[i].length}).second)
      refuse(
          element(key, i), "each length must appear once for each kind",
          std::string(to_string(lines[i].kind)) + " " + std::to_string(lines[i].length) + " again");
  }
}

void check_arithmetic(const std::vector<Arithmetic>& all) {
  if (all.empty()) refuse("arithmetic", "at least one precision is needed", "none");
  std::set<std::pair<Precision, Effort>> seen;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string key = element("arithmetic", i);
    positive(key + ".operation_s", all[i].operation_s);
    check_lines(key + ".lines", all[i].lines);
    if (!seen.insert({all[i].precision, all[i].effort}).second)
      refuse(key, "each precision must appear once for each effort",
             std::string(to_string(all[i].precision)) + " " + to_string(all[i].effort) + " again");
  }
}

void check_copying(const std::vector<Copying>& all) {
  if (all.empty()) refuse("copying", "at least one size is needed", "none");
  std::map<Precision, std::int64_t> least;  // sizes of a precision are in ascending order
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string key = element("copying", i);
    at_least(key + ".bytes", all[i].bytes, least[all[i].precision]);
    least[all[i].precision] = all[i].bytes + 1;
    positive(key + ".contiguous_s_per_byte", all[i].contiguous_s_per_byte);
    positive(key + ".transposed_s_per_byte", all[i].transposed_s_per_byte);
    positive(key + ".ragged_s_per_byte", all[i].ragged_s_per_byte);
    at_least_zero(key + ".handed_over_s_per_byte", all[i].handed_over_s_per_byte);
  }
}

void check_link(const std::string& key, const Link& link) {
  if (link.pieces.empty() || link.pieces[0].from_bytes != 0)
    refuse(key + ".pieces", "the first piece is from 0 bytes on",
           link.pieces.empty() ? "none" : std::to_string(link.pieces[0].from_bytes));
  at_least_zero(key + ".processor_s_per_byte", link.processor_s_per_byte);
  for (std::size_t i = 0; i < link.pieces.size(); ++i) {
    const std::string piece = element(key + ".pieces", i);
    at_least_zero(piece + ".start_s", link.pieces[i].start_s);
    positive(piece + ".s_per_byte", link.pieces[i].s_per_byte);
    if (i > 0 && link.pieces[i].from_bytes <= link.pieces[i - 1].from_bytes)
      refuse(piece + ".from_bytes", "pieces are in ascending order",
             std::to_string(link.pieces[i].from_bytes));
  }
}

void check_all_to_all(const std::vector<AllToAll>& fits) {
  for (std::size_t i = 0; i < fits.size(); ++i) {
    const std::string key = element("all_to_all", i);
    const bool goes_on = i > 0 && fits[i].ranks == fits[i - 1].ranks;
    at_least(key + ".ranks", fits[i].ranks, i == 0 ? 2 : fits[i - 1].ranks);
    if (goes_on)
      at_least(key + ".from_bytes", fits[i].from_bytes, fits[i - 1].from_bytes + 1);
    else if (fits[i].from_bytes != 0)
      refuse(key + ".from_bytes", "the first fit for each number of ranks must start at 0 bytes",
             std::to_string(fits[i].from_bytes));
    positive(key + ".s_per_byte", fits[i].s_per_byte);
    // A fit may give an intercept below 0; paper 004 saw one.
    if (!std::isfinite(fits[i].start_s))
      refuse(key + ".start_s", "this must be a finite number", readable_number(fits[i].start_s));
  }
}

void check_blocking(const std::vector<Blocking>& lengths) {
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    const Blocking& at = lengths[i];
    const std::string key = element("blocking", i);
    at_least(key + ".message_bytes", at.message_bytes,
             i == 0 ? 0 : lengths[i - 1].message_bytes + 1);
    const std::pair<const char*, double> factors[] = {{"pairwise", at.pairwise},
                                                      {"cyclic", at.cyclic},
                                                      {"scattered", at.scattered},
                                                      {"collective", at.collective}};
    for (const auto& [schedule, factor] : factors) positive(key + "." + schedule, factor);
  }
}

void check_disks(const std::vector<Disk>& disks) {
  std::set<std::string> seen;
  for (std::size_t i = 0; i < disks.size(); ++i) {
    const Disk& disk = disks[i];
    const std::string key = element("disks", i);
    if (!seen.insert(disk.directory).second)
      refuse(key + ".directory", "each directory must appear once",
             "\"" + disk.directory + "\" again");
    at_least_zero(key + ".latency_s", disk.latency_s);
    at_least(key + ".in_flight", disk.in_flight, 1);
    at_least_zero(key + ".read_access_s", disk.read_access_s);
    positive(key + ".read_bytes_per_s", disk.read_bytes_per_s);
    at_least_zero(key + ".write_access_s", disk.write_access_s);
    positive(key + ".write_bytes_per_s", disk.write_bytes_per_s);
  }
}

}  // namespace

void check(const Machine& machine) {
  at_least("cores_per_node", machine.cores_per_node, 1);
  at_least("memory_bytes", machine.memory_bytes, 0);
  at_least("l2_bytes", machine.l2_bytes, 0);
  at_least("l3_bytes", machine.l3_bytes, 0);
  check_arithmetic(machine.arithmetic);
  check_copying(machine.copying);
  for (std::size_t i = 0; i < machine.memory_bytes_per_s.size(); ++i)
    positive(element("memory_bytes_per_s", i), machine.memory_bytes_per_s[i]);
  check_link("within_node", machine.within_node);
  check_link("between_nodes", machine.between_nodes);
  model::check(machine.topology);
  check_blocking(machine.blocking);
  check_all_to_all(machine.all_to_all);
  at_least_zero("planning_s", machine.planning_s);
  at_least("physical_cores_per_node", machine.physical_cores_per_node, 0);
  at_least_zero("call_s", machine.call_s);
  at_least_zero("barrier_s", machine.barrier_s);
  at_least_zero("request_s", machine.request_s);
  check_disks(machine.disks);
  for (std::size_t i = 0; i < machine.samples.size(); ++i) {
    at_least_zero(element("samples", i) + ".seconds", machine.samples[i].seconds);
    at_least_zero(element("samples", i) + ".spread", machine.samples[i].spread);
  }
}

}  // namespace weft
