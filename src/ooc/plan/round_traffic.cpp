#include "ooc/plan/round_traffic.hpp"

#include <algorithm>

namespace weft::ooc {
namespace {

/// Each block of a batch is sent as one message, and MPI counts its bytes in an int.
constexpr std::int64_t most_batch_bytes = std::int64_t{1} << 30;

}  // namespace

/// Cuts the runs of panels where the disk rank changes, and where the disk rank's buffer is full.
class ExchangeRound::Cutter {
 public:
  Cutter(const PassSide& side, const std::function<void(const RoundPiece&)>& visit)
      : side_(side),
        batch_bytes_(batch_bytes(side)),
        visit_(visit),
        filled_(static_cast<std::size_t>(side.ranks)) {}

  void cut_panel(std::int64_t panel, int rank) {
    const KPass& pass = side_.k_pass();
    piece_.panel_rank = rank;
    piece_.panel_offset = 0;
    const std::vector<Panel> parts = panel_parts(pass, panel);
    const bool reads = side_.side == SideRole::reading;
    const std::int64_t element_bytes =
        reads ? side_.plan->source_element_bytes(pass) : side_.plan->target_element_bytes(pass);
    for (const RunGrid& grid : reads ? reads_of(pass, parts) : writes_of(pass, parts))
      cut_grid(grid, element_bytes);
  }

 private:
  void cut_grid(const RunGrid& grid, std::int64_t element_bytes) {
    grid.for_each([&](std::int64_t first) {
      std::int64_t at = first * element_bytes;
      std::int64_t left = grid.length * element_bytes;
      while (left > 0) {
        const OwnedPart part = side_.ownership->part_at(at, left);
        cut_part(part);
        at += part.bytes;
        left -= part.bytes;
      }
    });
  }

  void cut_part(const OwnedPart& part) {
    std::int64_t& filled = filled_[static_cast<std::size_t>(part.rank)];
    std::int64_t done = 0;
    while (done < part.bytes) {
      piece_.disk_rank = part.rank;
      piece_.batch = filled / batch_bytes_;
      piece_.buffer_offset = filled % batch_bytes_;
      piece_.volume_offset = part.offset + done;
      piece_.bytes = std::min(part.bytes - done, batch_bytes_ - piece_.buffer_offset);
      visit_(piece_);
      piece_.panel_offset += piece_.bytes;
      filled += piece_.bytes;
      done += piece_.bytes;
    }
  }

  const PassSide& side_;
  std::int64_t batch_bytes_;
  const std::function<void(const RoundPiece&)>& visit_;
  std::vector<std::int64_t> filled_;  ///< bytes in the buffers of each disk rank
  RoundPiece piece_;
};

ExchangeRound::ExchangeRound(const PassSide& side, std::int64_t number)
    : side_(side), number_(number) {}

void ExchangeRound::for_each_piece(const std::function<void(const RoundPiece&)>& visit) const {
  const PanelSchedule schedule(side_.k_pass(), side_.ranks);
  Cutter cutter(side_, visit);
  for (int rank = 0; rank < side_.ranks; ++rank)
    if (const auto panel = schedule.panel(number_, rank)) cutter.cut_panel(*panel, rank);
}

ExchangeRound::RoundBatches ExchangeRound::batches(int rank) const {
  const std::vector<std::int64_t> none(static_cast<std::size_t>(side_.ranks));
  RoundBatches found;
  for_each_piece([&](const RoundPiece& piece) {
    if (piece.batch >= std::ssize(found.batches))
      found.batches.resize(static_cast<std::size_t>(piece.batch) + 1, {none, none});
    RoundBatch& batch = found.batches[static_cast<std::size_t>(piece.batch)];
    if (piece.panel_rank == rank)
      batch.of_panel[static_cast<std::size_t>(piece.disk_rank)] += piece.bytes;
    if (piece.disk_rank == rank)
      batch.on_disks[static_cast<std::size_t>(piece.panel_rank)] += piece.bytes;
    if (piece.panel_rank != piece.disk_rank) found.crosses = true;
  });
  return found;
}

std::int64_t batch_bytes(const PassSide& side) {
  return std::min(memory_of(*side.plan, side.k_pass()).panel_bytes, most_batch_bytes);
}

RoundsOnDisks rounds_on_disks(const PassSide& side) {
  RoundsOnDisks found;
  const std::int64_t batch = batch_bytes(side);
  const std::int64_t rounds = PanelSchedule(side.k_pass(), side.ranks).rounds();
  for (std::int64_t number = 0; number < rounds; ++number) {
    std::vector<std::int64_t> bytes(static_cast<std::size_t>(side.ranks));
    ExchangeRound(side, number).for_each_piece([&](const RoundPiece& piece) {
      bytes[static_cast<std::size_t>(piece.disk_rank)] += piece.bytes;
    });
    for (const std::int64_t each : bytes) {
      found.most_bytes = std::max(found.most_bytes, each);
      found.earlier_bytes += std::max<std::int64_t>(0, each - 1) / batch * batch;
    }
  }
  return found;
}

RankTraffic& RankTraffic::operator+=(const RankTraffic& more) {
  messages += more.messages;
  bytes += more.bytes;
  return *this;
}

std::vector<RankTraffic> traffic_of(const PassSide& side) {
  std::vector<RankTraffic> sent(static_cast<std::size_t>(side.ranks));
  const PanelSchedule schedule(side.k_pass(), side.ranks);
  for (std::int64_t number = 0; number < schedule.rounds(); ++number) {
    std::vector<std::int64_t> last_batch;  // by disk rank, for this panel rank
    int panel_rank = -1;
    ExchangeRound(side, number).for_each_piece([&](const RoundPiece& piece) {
      if (piece.panel_rank != panel_rank) last_batch.assign(sent.size(), -1);
      panel_rank = piece.panel_rank;
      if (piece.panel_rank == piece.disk_rank) return;
      const int sender = side.side == SideRole::reading ? piece.disk_rank : piece.panel_rank;
      RankTraffic& of_sender = sent[static_cast<std::size_t>(sender)];
      std::int64_t& last = last_batch[static_cast<std::size_t>(piece.disk_rank)];
      if (piece.batch != last) ++of_sender.messages;
      last = piece.batch;
      of_sender.bytes += piece.bytes;
    });
  }
  return sent;
}

}  // namespace weft::ooc
