#include "model/dragonfly.hpp"

namespace weft::model {

void Dragonfly::send(std::int64_t from, std::int64_t to, double messages) {
  const std::int64_t group = from / topology_.switches;
  const std::int64_t other = to / topology_.switches;
  if (group == other) return pass(from, to, messages);
  const std::int64_t out = gateway(group, other);
  const std::int64_t in = gateway(other, group);
  pass(from, out, messages);
  pass(out, in, messages);
  pass(in, to, messages);
}

BusiestLink Dragonfly::busiest() const {
  double most = 0;
  std::pair<std::int64_t, std::int64_t> busiest;
  for (const auto& [switches, load] : loads_) {
    if (load <= most) continue;
    most = load;
    busiest = switches;
  }
  if (most == 0) return {};
  return {most / topology_.link, "the link from switch " + std::to_string(busiest.first) +
                                     " to switch " + std::to_string(busiest.second)};
}

std::int64_t Dragonfly::gateway(std::int64_t group, std::int64_t other) const {
  const std::int64_t number = other < group ? other : other - 1;
  return group * topology_.switches + number % topology_.switches;
}

void Dragonfly::pass(std::int64_t from, std::int64_t to, double messages) {
  if (from != to) loads_[{from, to}] += messages;
}

}  // namespace weft::model
