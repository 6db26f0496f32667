#include "ooc/plan/distributed_cost.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include <weft/error.hpp>

#include "model/cost.hpp"
#include "model/pipeline.hpp"
#include "ooc/plan/distribute_plan.hpp"
#include "ooc/plan/panel_cost.hpp"

namespace weft::ooc {
namespace {

/// One round of one side of a pass.
struct RoundWork {
  model::DiskWork disks;  ///< of all ranks
  // Traffic of each rank with ranks of its node (near) and of other nodes (far).
  std::vector<RankTraffic> near_sent;
  std::vector<RankTraffic> near_got;
  std::vector<RankTraffic> far_sent;
  std::vector<RankTraffic> far_got;
  std::int64_t batches = 1;
  bool copies = false;  ///< panels go through buffers of messages
};

/// Counts messages as BatchExchange sends them, and runs as DiskTransfers joins them.
class RoundCounter {
 public:
  RoundCounter(const PassSide& side, std::int64_t ranks_per_node)
      : side_(side), ranks_per_node_(ranks_per_node), ends_(static_cast<std::size_t>(side.ranks)) {
    for (auto* each : {&work_.near_sent, &work_.near_got, &work_.far_sent, &work_.far_got})
      each->resize(ends_.size());
  }

  RoundWork count(std::int64_t number) {
    ExchangeRound(side_, number).for_each_piece([&](const RoundPiece& piece) { add(piece); });
    return work_;
  }

 private:
  struct RunEnd {
    std::int64_t offset = -1;  ///< end of the last run on the disks of a rank
    std::int64_t at = -1;      ///< the same position in the buffer of that rank
  };

  void add(const RoundPiece& piece) {
    RunEnd& end = ends_[static_cast<std::size_t>(piece.disk_rank)];
    if (end.offset != piece.volume_offset || end.at != piece.buffer_offset) ++work_.disks.runs;
    end = {piece.volume_offset + piece.bytes, piece.buffer_offset + piece.bytes};
    work_.disks.bytes += static_cast<double>(piece.bytes);
    work_.batches = std::max(work_.batches, piece.batch + 1);
    work_.copies = work_.copies || piece.batch > 0 || piece.disk_rank != piece.panel_rank;
    if (piece.panel_rank != piece.disk_rank) add_sent(piece);
  }

  void add_sent(const RoundPiece& piece) {
    const bool reads = side_.side == SideRole::reading;
    const auto sender = static_cast<std::size_t>(reads ? piece.disk_rank : piece.panel_rank);
    const auto receiver = static_cast<std::size_t>(reads ? piece.panel_rank : piece.disk_rank);
    const bool is_near = piece.disk_rank / ranks_per_node_ == piece.panel_rank / ranks_per_node_;
    if (piece.panel_rank != last_panel_rank_) last_batch_.assign(ends_.size(), -1);
    last_panel_rank_ = piece.panel_rank;
    std::int64_t& last = last_batch_[static_cast<std::size_t>(piece.disk_rank)];
    const RankTraffic more{piece.batch != last ? 1 : 0, piece.bytes};
    last = piece.batch;
    (is_near ? work_.near_sent : work_.far_sent)[sender] += more;
    (is_near ? work_.near_got : work_.far_got)[receiver] += more;
  }

  const PassSide& side_;
  std::int64_t ranks_per_node_;
  std::vector<RunEnd> ends_;
  std::vector<std::int64_t> last_batch_;  ///< by disk rank, for this panel rank
  int last_panel_rank_ = -1;
  RoundWork work_;
};

class DistributedPassCostModel {
 public:
  DistributedPassCostModel(const KPassPlan& plan, std::size_t pass, std::int64_t ranks_per_node,
                           const Machine& machine, const model::DiskAssignment& storage)
      : plan_(plan),
        pass_(plan.passes[pass]),
        ranks_per_node_(ranks_per_node),
        machine_(machine),
        storage_(storage),
        panel_(plan, pass_, machine, storage, std::min<std::int64_t>(plan.ranks, ranks_per_node)),
        rounds_(PanelSchedule(pass_, plan.ranks).rounds()),
        panels_of_round_(static_cast<double>(panel_.panels()) / static_cast<double>(rounds_)),
        share_(panels_of_round_ /
               static_cast<double>(std::min<std::int64_t>(plan.ranks, panel_.panels()))) {}

  KPassCost cost(const PassSide& source, const PassSide& target) const {
    const RoundWork read = RoundCounter(source, ranks_per_node_).count(typical());
    const RoundWork written = RoundCounter(target, ranks_per_node_).count(typical());
    std::vector<double> reading = disk_seconds(pass_.source, model::DiskAccess::read, read);
    std::vector<double> writing = disk_seconds(pass_.target, model::DiskAccess::write, written);
    const double arithmetic_s = panel_.arithmetic_s();
    const double memory_s =
        panel_.memory_s() + ((read.copies ? 1 : 0) + (written.copies ? 1 : 0)) * panel_.copied_s();
    const double message_s = message_seconds(read) + message_seconds(written);
    model::PipelineTimes round{.read_s = busiest(reading),
                               .write_s = busiest(writing),
                               .disk_s = 0,
                               .compute_s = arithmetic_s + memory_s + message_s,
                               .latency_s = panel_.latency_s()};
    const double waited_s = after_first(round.read_s, read) + after_first(round.write_s, written);
    std::transform(reading.begin(), reading.end(), writing.begin(), reading.begin(), std::plus{});
    round.disk_s = storage_.asynchronous ? busiest(reading) : round.read_s + round.write_s;
    const double journal_s = journal_seconds();
    const auto rounds = static_cast<double>(rounds_);
    KPassCost cost{.read_s = rounds * round.read_s,
                   .write_s = rounds * (round.write_s + journal_s),
                   .arithmetic_s = rounds * arithmetic_s,
                   .memory_s = rounds * memory_s,
                   .message_s = rounds * message_s,
                   .ends_s = 0,
                   .seconds = model::pipelined_seconds(round, rounds_, storage_.asynchronous) +
                              rounds * (waited_s + journal_s)};
    if (storage_.asynchronous) cost.ends_s = round.read_s + round.write_s + 2 * round.latency_s;
    if (round.compute_s > round.disk_s + waited_s + journal_s)
      cost.limit = message_s > std::max(arithmetic_s, memory_s) ? PassLimit::messages
                   : arithmetic_s > memory_s                    ? PassLimit::arithmetic
                                                                : PassLimit::memory;
    return cost;
  }

 private:
  /// Returns a round in which every rank has a panel, if there is one. With more than two rounds
  /// this is the second one, because panels of the first round may lack mirrors.
  std::int64_t typical() const { return rounds_ > 2 ? 1 : 0; }

  std::vector<double> disk_seconds(model::VolumeRole where, model::DiskAccess access,
                                   const RoundWork& work) const {
    std::vector<double> seconds(storage_.disks.size());
    if (where == model::VolumeRole::scratch) {
      add_seconds(storage_, where, access, work.disks, plan_.problem.block_bytes, seconds);
      for (double& each : seconds) each *= share_;
    } else {
      panel_.add_disk(where, access, seconds);
      for (double& each : seconds) each *= panels_of_round_;
    }
    return seconds;
  }

  /// Returns the time until all disks have finished. Without asynchronous I/O each rank accesses
  /// its disks one after the other.
  double busiest(const std::vector<double>& seconds) const {
    const double most = *std::max_element(seconds.begin(), seconds.end());
    if (storage_.asynchronous) return most;
    return std::max(most, std::accumulate(seconds.begin(), seconds.end(), 0.0) / plan_.ranks);
  }

  /// Returns the time of the batches after the first one of a round. These batches do not overlap
  /// with other work.
  double after_first(double seconds, const RoundWork& work) const {
    if (!storage_.asynchronous) return 0;
    return seconds * (1 - 1 / static_cast<double>(work.batches));
  }

  /// Returns the time until a round is in the journals of all ranks.
  double journal_seconds() const {
    if (!pass_.journaled) return 0;
    std::vector<double> seconds(storage_.disks.size());
    panel_.add_journal(seconds);
    return busiest(seconds) * panels_of_round_ + panel_.latency_s();
  }

  /// Returns the time of the slowest node's messages. On a full-duplex link, data leave and arrive
  /// at the same time. On other links, the two times add up.
  double message_seconds(const RoundWork& work) const {
    double most = 0;
    for (std::size_t first = 0; first < work.near_sent.size(); first += per_node()) {
      const std::size_t end = std::min(first + per_node(), work.near_sent.size());
      double near_s = 0;
      double sent_s = 0;
      double got_s = 0;
      double processor_s = 0;
      for (std::size_t rank = first; rank < end; ++rank) {
        near_s = std::max({near_s, seconds(machine_.within_node, work.near_sent[rank]),
                           seconds(machine_.within_node, work.near_got[rank])});
        sent_s += seconds(machine_.between_nodes, work.far_sent[rank]);
        got_s += seconds(machine_.between_nodes, work.far_got[rank]);
        processor_s = std::max(processor_s, static_cast<double>(work.far_got[rank].bytes) *
                                                machine_.between_nodes.processor_s_per_byte);
      }
      const double link_s =
          machine_.between_nodes.full_duplex ? std::max(sent_s, got_s) : sent_s + got_s;
      most = std::max(most, near_s + link_s + processor_s);
    }
    const double meeting_s = machine_.barrier_s * std::log2(std::max(2, plan_.ranks));
    return most * share_ + (work.copies ? static_cast<double>(work.batches) * meeting_s : 0);
  }

  std::size_t per_node() const { return static_cast<std::size_t>(ranks_per_node_); }

  static double seconds(const Link& link, const RankTraffic& traffic) {
    return model::message_seconds(link, traffic.messages, traffic.bytes);
  }

  const KPassPlan& plan_;
  const KPass& pass_;
  std::int64_t ranks_per_node_;
  const Machine& machine_;
  const model::DiskAssignment& storage_;
  PanelCostModel panel_;
  std::int64_t rounds_;
  double panels_of_round_;  ///< on average
  double share_;            ///< average size of a round, as a share of the typical one
};

}  // namespace

KPassPlanCost distributed_cost(const KPassPlan& plan, std::int64_t ranks_per_node,
                               const Machine& machine, const model::DiskAssignment& storage,
                               const OwnershipPtr& input, const OwnershipPtr& output) {
  check(machine);
  check(storage);
  if (ranks_per_node < 1)
    throw Error(
        ErrorCode::invalid_argument,
        "a node has 1 rank or more; given " + std::to_string(ranks_per_node) + "; give 1 or more");
  KPassPlanCost cost;
  for (std::size_t pass = 0; pass < plan.passes.size(); ++pass)
    cost.passes.push_back(
        DistributedPassCostModel(plan, pass, ranks_per_node, machine, storage)
            .cost(reading_side(plan, pass, input), writing_side(plan, pass, output)));
  return cost;
}

}  // namespace weft::ooc
