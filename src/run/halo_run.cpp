#include "run/halo_run.hpp"

#include <algorithm>
#include <utility>

#include "base/checked.hpp"
#include "comm/agreement.hpp"
#include "comm/node_memory.hpp"
#include "plan/methods/methods.hpp"
#include "run/in_step.hpp"

namespace weft::run {
namespace {

// Numbers of buffers: the caller's array, then two buffers for each round that is exchanged, then
// these buffers of every rank. Direction and method decide which of the two buffers has the planes
// that are sent.
constexpr int array_buffer = 0;
constexpr int first_buffer = 1;

/// Largest number of rounds at the same time. More would only fill the queues of MPI.
constexpr std::size_t most_at_once = 64;

bool is_in_node_memory(const HaloRound& round) {
  return !round.is_local && uses_node_memory(round.exchange);
}

}  // namespace

HaloRun::HaloRun(const HaloProblem& problem, std::vector<HaloRound> rounds,
                 const comm::Communicator& comm)
    : comm_(comm), element_bytes_(problem.element_bytes), ranks_per_node_(problem.ranks_per_node) {
  comm::together(comm, [&] {
    const Shape strides = halo_strides(problem, comm.rank());
    for (const int axis : problem.layout.order())
      strides_.push_back(strides[static_cast<std::size_t>(axis)]);
    const auto exchanged =
        std::count_if(rounds.begin(), rounds.end(), [](const auto& r) { return !r.is_local; });
    sizes_.assign(static_cast<std::size_t>(2 * exchanged), 0);
    std::int64_t number = 0;
    for (HaloRound& round : rounds) {
      rounds_.emplace_back().round = std::move(round);
      bind(rounds_.back(), number);
      if (!rounds_.back().round.is_local) ++number;
    }
    batches_ = batches();
  });
  allocate();
  exchange::ExchangeResources resources{comm, shared_ ? &shared_->hand_over() : nullptr};
  resources.exposed = exposed_;
  resources.first_exposed = first_buffer;
  for (const AxisRounds& batch : batches_)
    for (std::size_t i = batch.first; i < batch.last; ++i) {
      if (rounds_[i].round.is_local) continue;
      resources.tag = static_cast<int>(i - batch.first);
      for (HaloMove* move : {&rounds_[i].fill, &rounds_[i].back})
        move->executor = exchange::make_executor(rounds_[i].round.exchange, move->side, resources);
    }
}

/// Returns a box of a round as a part of the local array.
kernel::Place HaloRun::array_place(const Box& box, const Shape& position) const {
  kernel::Place place{{}, element_bytes_};
  if (box.empty()) return place;
  std::int64_t offset = 0;
  for (std::size_t axis = 0; axis < position.size(); ++axis)
    offset += position[axis] * strides_[axis];
  place.pieces.push_back({box, array_buffer, offset, strides_});
  return place;
}

void HaloRun::bind(BoundRound& bound, std::int64_t number) {
  const HaloRound& round = bound.round;
  const int rank = comm_.rank();
  const Box owned = round.owners.box(rank);
  bound.planes = round.receivers.box(rank);
  const kernel::Place owner = array_place(owned, round.sent_from);
  const kernel::Place planes = array_place(bound.planes, round.received_at);
  if (!planes.pieces.empty()) bound.first_byte = planes.pieces[0].offset * element_bytes_;
  if (round.is_local) {
    bound.fill.pack = kernel::Sweep(owned, {}, owner, planes, {});
    bound.back.sum = kernel::BoxSum(owned, planes, owner);
    return;
  }
  const auto buffer = static_cast<int>(2 * number);
  const auto ranks = comm_.size();
  const auto peers_of = [&](int index) {
    return first_buffer + static_cast<int>(sizes_.size()) + (buffer + index) * ranks;
  };
  const auto connect = [&](HaloMove& move, const Layout& from, const Layout& to, int sends) {
    exchange::ExchangeEndpoint& side = move.side;
    const int receives = 1 - sends;
    side.from = side.home = from;
    side.to = to;
    side.rank = rank;
    side.element_bytes = element_bytes_;
    side.send_buffer = first_buffer + buffer + sends;
    side.recv_buffer = first_buffer + buffer + receives;
    side.chunks = static_cast<int>(round.exchange.chunks);
    side.chunk_axis = round.chunk_axis;
    side.push = reads_peers(round.exchange);
    side.first_peer_buffer = peers_of(side.push ? receives : sends);
    side.ranks_per_node = ranks_per_node_;
    side.first_peer_arrival = peers_of(receives);
    exchange::BufferNeeds ends = exchange::buffer_needs(round.exchange, side);
    const auto grow = [&](int index, std::int64_t elements) {
      std::int64_t& size =
          sizes_[static_cast<std::size_t>(buffer) + static_cast<std::size_t>(index)];
      size =
          std::max(size, AlignedBuffer::aligned(checked_mul(elements, element_bytes_, "a halo")));
    };
    grow(sends, ends.send_elements);
    grow(receives, ends.recv_elements);
    return ends;
  };
  const exchange::BufferNeeds there = connect(bound.fill, round.owners, round.receivers, 0);
  bound.fill.pack = kernel::Sweep(owned, {}, owner, there.outlet, {});
  bound.fill.unpack = kernel::Sweep(bound.planes, {}, there.inlet, planes, {});
  const exchange::BufferNeeds back = connect(bound.back, round.receivers, round.owners, 1);
  bound.back.pack = kernel::Sweep(bound.planes, {}, planes, back.outlet, {});
  bound.back.sum = kernel::BoxSum(owned, back.inlet, owner);
}

/// Allocates the buffers of the rounds and binds their numbers. Collective.
void HaloRun::allocate() {
  for (const std::int64_t size : sizes_) workspace_bytes_ += size;
  comm::require_memory_together(comm_, workspace_bytes_, "the workspace of a halo");
  if (std::any_of(rounds_.begin(), rounds_.end(), [](const BoundRound& bound) {
        return !bound.round.is_local && puts_blocks(bound.round.exchange);
      })) {
    // Rounds of an axis are under way together, so each buffer has its own window.
    buffers_.assign(first_buffer, nullptr);
    for (const std::int64_t size : sizes_)
      buffers_.push_back(exposed_.emplace_back(comm_, size).data());
    return;
  }
  std::vector<std::int64_t> offsets;
  std::int64_t next = 0;
  for (const std::int64_t size : sizes_) offsets.push_back(std::exchange(next, next + size));
  buffers_.assign(first_buffer + sizes_.size(), nullptr);
  char* own = nullptr;
  if (std::none_of(rounds_.begin(), rounds_.end(),
                   [](const BoundRound& bound) { return is_in_node_memory(bound.round); })) {
    comm::together(comm_, [&] { memory_ = AlignedBuffer(workspace_bytes_); });
    own = memory_.as<char>();
  } else {
    const comm::Communicator node = comm_.node_group();
    // If one node lacks memory, all ranks throw.
    comm::together(comm_, [&] { shared_.emplace(node, workspace_bytes_); });
    std::vector<std::int64_t> of_all(offsets.size() * static_cast<std::size_t>(node.size()));
    node.all_gather_bytes(offsets.data(),
                          static_cast<std::int64_t>(offsets.size() * sizeof(std::int64_t)),
                          of_all.data());
    const auto ranks = static_cast<std::size_t>(comm_.size());
    const auto first_rank = static_cast<std::size_t>(comm_.rank() - node.rank());
    buffers_.resize(buffers_.size() + offsets.size() * ranks, nullptr);
    for (int rank = 0; rank < node.size(); ++rank)
      for (std::size_t i = 0; i < offsets.size(); ++i)
        buffers_[first_buffer + offsets.size() + i * ranks + first_rank +
                 static_cast<std::size_t>(rank)] =
            shared_->data_of(rank) + of_all[static_cast<std::size_t>(rank) * offsets.size() + i];
    own = shared_->data_of(node.rank());
  }
  for (std::size_t i = 0; i < offsets.size(); ++i)
    buffers_[first_buffer + i] = own == nullptr ? nullptr : own + offsets[i];
}

/// Returns batches of rounds of one axis. A batch has at most `most_at_once` rounds.
std::vector<HaloRun::AxisRounds> HaloRun::batches() const {
  std::vector<AxisRounds> found;
  for (std::size_t i = 0; i < rounds_.size(); ++i) {
    const bool joins = i > 0 && rounds_[i].round.axis == rounds_[i - 1].round.axis &&
                       i - found.back().first < most_at_once;
    if (!joins) found.push_back({i, i});
    found.back().last = i + 1;
  }
  return found;
}

void HaloRun::start(BoundRound& bound, HaloMove& move, bool overlaps, bool clears) {
  move.pack.execute(buffers_.data(), kernel::Scratch({}, nullptr));
  if (clears) clear(bound);
  move.executor->forget_flight();
  move.executor->set_overlaps(overlaps);
  for (int chunk = 0; chunk < move.side.chunks; ++chunk)
    move.executor->start(chunk, buffers_[static_cast<std::size_t>(move.side.send_buffer)],
                         buffers_[static_cast<std::size_t>(move.side.recv_buffer)]);
}

void HaloRun::clear(const BoundRound& bound) const {
  if (bound.planes.empty()) return;
  kernel::clear_box(static_cast<char*>(buffers_[array_buffer]) + bound.first_byte, strides_,
                    bound.planes.shape(), element_bytes_);
}

/// Waits until no rank uses this rank's buffers in node memory any more.
void HaloRun::begin(void* array) {
  buffers_[array_buffer] = array;
  if (shared_) shared_->hand_over().wait();
}

void HaloRun::end() {
  if (shared_) shared_->hand_over().arrive();
}

void HaloRun::fill(void* array) {
  in_step(comm_, [&] {
    const kernel::Scratch scratch({}, nullptr);
    begin(array);
    for (const AxisRounds& batch : batches_) {
      const bool overlaps = batch.last - batch.first > 1;
      for (std::size_t i = batch.first; i < batch.last; ++i)
        if (!rounds_[i].round.is_local) start(rounds_[i], rounds_[i].fill, overlaps, false);
      for (std::size_t i = batch.first; i < batch.last; ++i) {
        HaloMove& move = rounds_[i].fill;
        if (rounds_[i].round.is_local) {
          move.pack.execute(buffers_.data(), scratch);
          continue;
        }
        move.executor->finish();
        move.unpack.execute(buffers_.data(), scratch);
      }
    }
    end();
  });
}

void HaloRun::accumulate(void* array, Precision precision) {
  in_step(comm_, [&] {
    begin(array);
    for (auto batch = batches_.rbegin(); batch != batches_.rend(); ++batch) {
      const bool overlaps = batch->last - batch->first > 1;
      for (std::size_t i = batch->first; i < batch->last; ++i)
        if (!rounds_[i].round.is_local) start(rounds_[i], rounds_[i].back, overlaps, true);
      for (std::size_t i = batch->first; i < batch->last; ++i) {
        HaloMove& move = rounds_[i].back;
        if (!rounds_[i].round.is_local) move.executor->finish();
        move.sum.execute(buffers_.data(), precision);
        if (rounds_[i].round.is_local) clear(rounds_[i]);
      }
    }
    end();
  });
}

}  // namespace weft::run
