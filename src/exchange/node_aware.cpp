#include <algorithm>

#include "exchange/methods.hpp"
#include "exchange/steps.hpp"

namespace weft::exchange {
namespace {

constexpr std::int64_t block_alignment_bytes = 64;

/// So many elements that the next block begins on a cache line.
std::int64_t padded(std::int64_t elements, const ExchangeEndpoint& side) {
  const std::int64_t step = std::max<std::int64_t>(1, block_alignment_bytes / side.element_bytes);
  return (elements + step - 1) / step * step;
}

/// Nodes are runs of consecutive ranks; the last one may be shorter.
struct Nodes {
  std::int64_t ranks = 1;
  std::int64_t per_node = 1;

  explicit Nodes(const ExchangeEndpoint& side)
      : ranks(side.from.ranks()), per_node(side.ranks_per_node) {}
  std::int64_t count() const { return (ranks + per_node - 1) / per_node; }
  std::int64_t of(std::int64_t rank) const { return rank / per_node; }
  std::int64_t first(std::int64_t node) const { return node * per_node; }
  std::int64_t size(std::int64_t node) const { return std::min(per_node, ranks - first(node)); }
  /// The rank of a node that sends to another one, and that receives from it.
  std::int64_t speaker(std::int64_t node, std::int64_t other) const {
    return first(node) + other % size(node);
  }
};

std::int64_t shared_volume(const ExchangeEndpoint& side, std::int64_t from, std::int64_t to) {
  return intersect(side.from.box(from), side.to.box(to)).volume();
}

/// Elements of what all ranks of one node send to all ranks of another.
std::int64_t pair_elements(const ExchangeEndpoint& side, const Nodes& nodes, std::int64_t from,
                           std::int64_t to) {
  std::int64_t elements = 0;
  for (std::int64_t r = nodes.first(from); r < nodes.first(from) + nodes.size(from); ++r)
    for (std::int64_t p = nodes.first(to); p < nodes.first(to) + nodes.size(to); ++p)
      elements += padded(shared_volume(side, r, p), side);
  return elements;
}

/// Where the block of two ranks begins in the message of their nodes.
std::int64_t offset_in_pair(const ExchangeEndpoint& side, const Nodes& nodes, std::int64_t source,
                            std::int64_t target) {
  const std::int64_t first_target = nodes.first(nodes.of(target));
  const std::int64_t targets = nodes.size(nodes.of(target));
  std::int64_t offset = 0;
  for (std::int64_t r = nodes.first(nodes.of(source)); r <= source; ++r)
    for (std::int64_t p = first_target; p < first_target + targets; ++p) {
      if (r == source && p == target) return offset;
      offset += padded(shared_volume(side, r, p), side);
    }
  return offset;
}

/// What a rank keeps for its own node: a block for each of its ranks; then what it sends or what it
/// receives for its node, a message for each node that it speaks to.
struct Bases {
  std::int64_t own_elements = 0;
  std::vector<std::int64_t> by_node;  ///< -1: another rank speaks to that node
  std::int64_t elements = 0;
};

std::int64_t block_for_neighbour(const ExchangeEndpoint& side, const Nodes& nodes,
                                 std::int64_t rank, std::int64_t neighbour) {
  std::int64_t offset = 0;
  for (std::int64_t p = nodes.first(nodes.of(rank)); p < neighbour; ++p)
    offset += padded(shared_volume(side, rank, p), side);
  return offset;
}

Bases bases(const ExchangeEndpoint& side, const Nodes& nodes, std::int64_t rank, bool sends) {
  const std::int64_t mine = nodes.of(rank);
  Bases found;
  if (sends)
    found.own_elements =
        block_for_neighbour(side, nodes, rank, nodes.first(mine) + nodes.size(mine));
  found.elements = found.own_elements;
  for (std::int64_t other = 0; other < nodes.count(); ++other) {
    found.by_node.push_back(-1);
    if (other == mine || nodes.speaker(mine, other) != rank) continue;
    found.by_node.back() = found.elements;
    found.elements +=
        sends ? pair_elements(side, nodes, mine, other) : pair_elements(side, nodes, other, mine);
  }
  return found;
}

/// Those of all ranks of a node, by their number on it.
std::vector<Bases> bases_of_node(const ExchangeEndpoint& side, const Nodes& nodes,
                                 std::int64_t node, bool sends) {
  std::vector<Bases> found;
  for (std::int64_t r = nodes.first(node); r < nodes.first(node) + nodes.size(node); ++r)
    found.push_back(bases(side, nodes, r, sends));
  return found;
}

kernel::Piece dense_piece(const Box& box, int buffer, std::int64_t offset) {
  kernel::Piece piece{box, buffer, offset, Shape(static_cast<std::size_t>(box.dims()))};
  std::int64_t step = 1;
  for (int axis = box.dims() - 1; axis >= 0; --axis) {
    piece.strides[axis] = step;
    step *= box.extent(axis);
  }
  return piece;
}

/// The buffer of a rank of this node: this rank's own has two numbers, one of which is always bound.
int buffer_of(const ExchangeEndpoint& side, std::int64_t rank, int own, int first_peer) {
  return rank == side.rank ? own : first_peer + static_cast<int>(rank);
}

/// The block that `rank` keeps for `neighbour`, both of this node.
kernel::Piece neighbour_piece(const ExchangeEndpoint& side, const Nodes& nodes, std::int64_t rank,
                              std::int64_t neighbour, const Box& box) {
  return dense_piece(box, buffer_of(side, rank, side.send_buffer, side.first_peer_buffer),
                     block_for_neighbour(side, nodes, rank, neighbour));
}

/// Where a rank writes what it sends, or reads what it receives: blocks for other nodes lie together
/// by pairs of nodes, where a rank of this node speaks for all.
kernel::Place combined_end(const ExchangeEndpoint& side, const Nodes& nodes, bool sends,
                           const std::vector<Bases>& bases) {
  const std::int64_t mine = nodes.of(side.rank);
  const auto [own, first_peer] = sends ? std::pair(side.send_buffer, side.first_peer_buffer)
                                       : std::pair(side.recv_buffer, side.first_peer_arrival);
  kernel::Place place{{}, side.element_bytes, side.narrow};
  for (const Overlap& overlap :
       sends ? overlaps(side.from, side.rank, side.to) : overlaps(side.to, side.rank, side.from)) {
    const auto [source, target] =
        sends ? std::pair(side.rank, overlap.peer) : std::pair(overlap.peer, side.rank);
    const std::int64_t other = nodes.of(overlap.peer);
    if (other == mine) {
      place.pieces.push_back(neighbour_piece(side, nodes, source, target, overlap.box));
      continue;
    }
    const std::int64_t speaker = nodes.speaker(mine, other);
    const Bases& of_speaker = bases[static_cast<std::size_t>(speaker - nodes.first(mine))];
    place.pieces.push_back(dense_piece(overlap.box, buffer_of(side, speaker, own, first_peer),
                                       of_speaker.by_node[static_cast<std::size_t>(other)] +
                                           offset_in_pair(side, nodes, source, target)));
  }
  return place;
}

BufferNeeds combined_ends(const ExchangeEndpoint& side) {
  const Nodes nodes(side);
  const std::int64_t mine = nodes.of(side.rank);
  const std::vector<Bases> sent = bases_of_node(side, nodes, mine, true);
  const std::vector<Bases> received = bases_of_node(side, nodes, mine, false);
  const auto me = static_cast<std::size_t>(side.rank - nodes.first(mine));
  return {combined_end(side, nodes, true, sent), combined_end(side, nodes, false, received),
          sent[me].elements, received[me].elements};
}

WireBlocks combined_wire_blocks(const ExchangeEndpoint& side) {
  const Nodes nodes(side);
  const std::int64_t mine = nodes.of(side.rank);
  const Bases sent = bases(side, nodes, side.rank, true);
  const Bases received = bases(side, nodes, side.rank, false);
  WireBlocks found;
  for (std::int64_t other = 0; other < nodes.count(); ++other) {
    const auto at = static_cast<std::size_t>(other);
    if (sent.by_node[at] < 0) continue;
    const int peer = static_cast<int>(nodes.speaker(other, mine));
    found.send.push_back(
        {0, false, {peer, sent.by_node[at], {pair_elements(side, nodes, mine, other)}, {1}}});
    found.recv.push_back(
        {0, false, {peer, received.by_node[at], {pair_elements(side, nodes, other, mine)}, {1}}});
  }
  return found;
}

/// A rank's blocks for its node lie before those that it sends to other nodes by itself.
struct Separate {
  std::vector<std::pair<Overlap, std::int64_t>> send;  ///< with the offset; to other nodes
  std::vector<std::pair<Overlap, std::int64_t>> recv;
  std::int64_t send_elements = 0;
  std::int64_t recv_elements = 0;
};

Separate separate(const ExchangeEndpoint& side) {
  const Nodes nodes(side);
  const std::int64_t mine = nodes.of(side.rank);
  Separate found;
  found.send_elements =
      block_for_neighbour(side, nodes, side.rank, nodes.first(mine) + nodes.size(mine));
  for (const Overlap& overlap : overlaps(side.from, side.rank, side.to))
    if (nodes.of(overlap.peer) != mine) {
      found.send.emplace_back(overlap, found.send_elements);
      found.send_elements += padded(overlap.box.volume(), side);
    }
  for (const Overlap& overlap : overlaps(side.to, side.rank, side.from))
    if (nodes.of(overlap.peer) != mine) {
      found.recv.emplace_back(overlap, found.recv_elements);
      found.recv_elements += padded(overlap.box.volume(), side);
    }
  return found;
}

BufferNeeds separate_ends(const ExchangeEndpoint& side) {
  const Nodes nodes(side);
  const std::int64_t mine = nodes.of(side.rank);
  const Separate blocks = separate(side);
  BufferNeeds ends{{{}, side.element_bytes, side.narrow},
                   {{}, side.element_bytes, side.narrow},
                   blocks.send_elements,
                   blocks.recv_elements};
  for (const Overlap& overlap : overlaps(side.from, side.rank, side.to))
    if (nodes.of(overlap.peer) == mine)
      ends.outlet.pieces.push_back(
          neighbour_piece(side, nodes, side.rank, overlap.peer, overlap.box));
  for (const Overlap& overlap : overlaps(side.to, side.rank, side.from))
    if (nodes.of(overlap.peer) == mine)
      ends.inlet.pieces.push_back(
          neighbour_piece(side, nodes, overlap.peer, side.rank, overlap.box));
  for (const auto& [overlap, offset] : blocks.send)
    ends.outlet.pieces.push_back(dense_piece(overlap.box, side.send_buffer, offset));
  for (const auto& [overlap, offset] : blocks.recv)
    ends.inlet.pieces.push_back(dense_piece(overlap.box, side.recv_buffer, offset));
  return ends;
}

WireBlocks separate_wire_blocks(const ExchangeEndpoint& side) {
  const Separate blocks = separate(side);
  WireBlocks found;
  const auto wire = [](const Overlap& overlap, std::int64_t offset) {
    return WireBlock{
        0, false, {static_cast<int>(overlap.peer), offset, {overlap.box.volume()}, {1}}};
  };
  for (const auto& [overlap, offset] : blocks.send) found.send.push_back(wire(overlap, offset));
  for (const auto& [overlap, offset] : blocks.recv) found.recv.push_back(wire(overlap, offset));
  return found;
}

/// Messages between nodes; within them, ranks tell each other when blocks are ready.
class NodeAware : public Executor {
 public:
  NodeAware(comm::Messages messages, comm::HandOver& hand_over, bool combined)
      : messages_(std::move(messages)), hand_over_(&hand_over), combined_(combined) {}

  void start(int, void* send, void* recv) override {
    send_ = send;
    recv_ = recv;
    hand_over_->arrive();
    if (combined_) return;  // others may still be writing what this rank sends
    messages_.start(0, send, recv);
    flight_.update(!messages_.is_idle());
  }
  void progress() override {
    messages_.progress();
    flight_.update(!messages_.is_idle());
  }
  void finish() override {
    if (combined_) {
      hand_over_->wait();
      flight_.update(true);
      messages_.start(0, send_, recv_);
    }
    messages_.finish();
    flight_.update(false);
    if (combined_) hand_over_->arrive();  // what this rank has received is there
    hand_over_->wait();
  }
  comm::MessageTraffic traffic() const override { return messages_.traffic(); }

 private:
  comm::Messages messages_;
  comm::HandOver* hand_over_;
  bool combined_;
  void* send_ = nullptr;
  void* recv_ = nullptr;
};

}  // namespace

BufferNeeds node_aware_ends(const Exchange& exchange, const ExchangeEndpoint& side) {
  return exchange.nodes == NodeUse::combined ? combined_ends(side) : separate_ends(side);
}

std::unique_ptr<Executor> make_node_aware(const Exchange& exchange, const ExchangeEndpoint& side,
                                          const ExchangeResources& means) {
  const bool combined = exchange.nodes == NodeUse::combined;
  const WireBlocks blocks = combined ? combined_wire_blocks(side) : separate_wire_blocks(side);
  const auto steps = message_steps(exchange, blocks, side, means.comm.rank(), means.comm.size());
  return std::make_unique<NodeAware>(
      comm::Messages(means.comm, steps, side.element_bytes, message_options(exchange, means)),
      *means.hand_over, combined);
}

}  // namespace weft::exchange
