#include "probe/network_probe.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <thread>

#include "base/memory.hpp"
#include "comm/exchanges.hpp"
#include "probe/fit.hpp"

namespace weft::probe {
namespace {

/// Returns the peer of this rank; -1 if there is none.
int partner(const comm::Communicator& comm, const ProbedRanks& placement, bool within_node) {
  const std::int64_t node = comm.rank() / placement.ranks_per_node;
  const std::int64_t place = comm.rank() % placement.ranks_per_node;
  const std::int64_t other = within_node ? node * placement.ranks_per_node + (place ^ 1)
                                         : (node ^ 1) * placement.ranks_per_node;
  const bool there =
      other < comm.size() && (within_node ? (place ^ 1) < placement.ranks_per_node : place == 0);
  return there ? static_cast<int>(other) : -1;
}

/// Makes `messages` concurrent messages of 8 bytes to a peer, and as many from it.
comm::Messages burst(const comm::Communicator& comm, int peer, int messages) {
  std::vector<comm::MessageStep> steps;
  for (std::int64_t i = 0; peer >= 0 && i < messages; ++i)
    steps.push_back({0, {peer, i, {1}, {1}}, {peer, messages + i, {1}, {1}}});
  return {comm, steps, sizeof(double), {.at_once = 0}};
}

/// Copies a separate block of `bytes` bytes on each of `workers` threads.
void copy_on(std::int64_t workers, std::int64_t bytes, const AlignedBuffer& memory) {
  std::vector<std::thread> others;
  const auto copy = [&](std::int64_t worker) {
    char* const from = memory.as<char>() + 2 * worker * bytes;
    std::memcpy(from + bytes, from, static_cast<std::size_t>(bytes));
  };
  for (std::int64_t worker = 1; worker < workers; ++worker) others.emplace_back(copy, worker);
  if (workers > 0) copy(0);
  for (std::thread& other : others) other.join();
}

}  // namespace

ProbedRanks placement_of(const comm::Communicator& comm) {
  if (comm.is_solo()) return {};
  const std::int64_t on_first = comm.broadcast_value(std::int64_t{comm.node_group().size()}, 0);
  return {on_first, (comm.size() + on_first - 1) / on_first};
}

Link measure_link(Timing& timing, const Extent& extent, const comm::Communicator& comm,
                  const ProbedRanks& placement, bool within_node) {
  const std::int64_t there = within_node ? placement.ranks_per_node : placement.nodes;
  if (there < 2) return {};
  const int peer = partner(comm, placement, within_node);
  const std::int64_t longest = extent.message_bytes.back();
  const AlignedBuffer send(longest);
  const AlignedBuffer receive(longest);
  std::memset(send.data(), 0, static_cast<std::size_t>(longest));
  std::memset(receive.data(), 0, static_cast<std::size_t>(longest));
  timing.share_among(static_cast<int>(extent.message_bytes.size()));
  if (!within_node) timing.load_links(extent.link_round_s);
  std::vector<MessageTime> times;
  for (const std::int64_t bytes : extent.message_bytes) {
    const double seconds =
        timing.seconds(within_node ? "message within a node" : "message between nodes",
                       static_cast<double>(bytes), [&] {
                         if (peer >= 0)
                           comm.exchange_pair(peer, send.data(), bytes, receive.data(), bytes, 1);
                       });
    times.push_back({static_cast<double>(bytes), seconds});
  }
  // If the start of a message hides its bytes, for example while a rank waits for a core, the bytes
  // of short messages seem free. But the bytes of many such messages in a row still pass the link.
  const double least_slope = within_node ? any_slope : slope_of_the_longest(times);
  return {fit_pieces(times, least_slope), true, 0};
}

double measure_request(Timing& timing, const comm::Communicator& comm,
                       const ProbedRanks& placement) {
  if (comm.is_solo()) return 0;
  constexpr int many = 32;
  const int peer = partner(comm, placement, placement.nodes < 2);
  std::vector<double> data(2 * std::size_t{many}, 0.0);
  timing.share_among(2);
  std::vector<double> seconds;
  for (const int messages : {1, many}) {
    const comm::Messages work = burst(comm, peer, messages);
    seconds.push_back(timing.seconds("messages at once", messages,
                                     [&] { work.execute(data.data(), data.data()); }));
  }
  return std::max(0.0, (seconds[1] - seconds[0]) / (many - 1));
}

std::vector<double> measure_memory(Timing& timing, const Extent& extent,
                                   const comm::Communicator& comm, const ProbedRanks& placement,
                                   int threads, std::int64_t cores) {
  const AlignedBuffer memory(2 * extent.stream_bytes * threads);
  std::memset(memory.data(), 0, static_cast<std::size_t>(memory.size()));
  const std::int64_t most = std::min(cores, placement.ranks_per_node * threads);
  const std::int64_t before = comm.rank() % placement.ranks_per_node * threads;
  timing.share_among(static_cast<int>(most));
  std::vector<double> rates;
  for (std::int64_t busy = 1; busy <= most; ++busy) {
    const std::int64_t workers = std::clamp<std::int64_t>(busy - before, 0, threads);
    const double seconds = timing.seconds("copy beyond caches", static_cast<double>(busy),
                                          [&] { copy_on(workers, extent.stream_bytes, memory); });
    rates.push_back(static_cast<double>(2 * extent.stream_bytes * busy) / seconds);
  }
  return rates;
}

double measure_barrier(Timing& timing, const comm::Communicator& comm) {
  if (comm.is_solo()) return 0;
  timing.share_among(1);
  const double seconds = timing.seconds("barrier", comm.size(), [&] { comm.barrier(); });
  return seconds / std::log2(static_cast<double>(comm.size()));
}

}  // namespace weft::probe
