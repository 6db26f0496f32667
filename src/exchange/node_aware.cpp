#include <algorithm>

#include "base/rounding.hpp"
#include "exchange/methods.hpp"
#include "exchange/steps.hpp"

namespace weft::exchange {
namespace {

constexpr std::int64_t block_alignment_bytes = 64;

/// Returns the number of elements rounded up so that the next block begins on a cache line.
std::int64_t padded(std::int64_t elements, const ExchangeEndpoint& side) {
  const std::int64_t step = std::max<std::int64_t>(1, block_alignment_bytes / side.element_bytes);
  return rounded_up(elements, step);
}

/// The nodes. Each has `per_node` consecutive ranks; the last one may have fewer.
struct Nodes {
  std::int64_t ranks = 1;
  std::int64_t per_node = 1;

  explicit Nodes(const ExchangeEndpoint& side)
      : ranks(side.from.ranks()), per_node(side.ranks_per_node) {}
  std::int64_t count() const { return divided_up(ranks, per_node); }
  std::int64_t of(std::int64_t rank) const { return rank / per_node; }
  std::int64_t first(std::int64_t node) const { return node * per_node; }
  std::int64_t size(std::int64_t node) const { return std::min(per_node, ranks - first(node)); }
  /// Returns the rank of `node` that sends the message to node `other`, and receives the message
  /// from there.
  std::int64_t speaker(std::int64_t node, std::int64_t other) const {
    return first(node) + other % size(node);
  }
};

/// Returns the number of elements that rank `from` sends to rank `to`.
std::int64_t block_volume(const ExchangeEndpoint& side, std::int64_t from, std::int64_t to) {
  return intersect(side.from.box(from), side.to.box(to)).volume();
}

/// Returns the elements of the message from one node to another, including the gaps between blocks.
std::int64_t pair_elements(const ExchangeEndpoint& side, const Nodes& nodes, std::int64_t from,
                           std::int64_t to) {
  std::int64_t elements = 0;
  for (std::int64_t r = nodes.first(from); r < nodes.first(from) + nodes.size(from); ++r)
    for (std::int64_t p = nodes.first(to); p < nodes.first(to) + nodes.size(to); ++p)
      elements += padded(block_volume(side, r, p), side);
  return elements;
}

/// Returns the offset of the block from `source` to `target` in the message between their nodes.
std::int64_t offset_in_pair(const ExchangeEndpoint& side, const Nodes& nodes, std::int64_t source,
                            std::int64_t target) {
  const std::int64_t first_target = nodes.first(nodes.of(target));
  const std::int64_t targets = nodes.size(nodes.of(target));
  std::int64_t offset = 0;
  for (std::int64_t r = nodes.first(nodes.of(source)); r <= source; ++r)
    for (std::int64_t p = first_target; p < first_target + targets; ++p) {
      if (r == source && p == target) return offset;
      offset += padded(block_volume(side, r, p), side);
    }
  return offset;
}

/// The offsets at which the messages begin in one rank's buffer. A send buffer begins with a block
/// for each rank of the node. The messages follow, one for each other node with which this rank
/// exchanges.
struct Bases {
  std::int64_t node_elements = 0;     ///< of the blocks for this node's ranks; 0 in a receive
                                      ///< buffer
  std::vector<std::int64_t> by_node;  ///< -1: another rank exchanges with that node
  std::int64_t elements = 0;          ///< of the whole buffer
};

/// Returns the offset in a send buffer of the block for a neighbour, a rank of the same node. For
/// the number after the last neighbour, returns the end of these blocks.
std::int64_t offset_on_node(const ExchangeEndpoint& side, const Nodes& nodes, std::int64_t rank,
                            std::int64_t neighbour) {
  std::int64_t offset = 0;
  for (std::int64_t p = nodes.first(nodes.of(rank)); p < neighbour; ++p)
    offset += padded(block_volume(side, rank, p), side);
  return offset;
}

Bases bases(const ExchangeEndpoint& side, const Nodes& nodes, std::int64_t rank, bool sends) {
  const std::int64_t own_node = nodes.of(rank);
  Bases found;
  if (sends)
    found.node_elements =
        offset_on_node(side, nodes, rank, nodes.first(own_node) + nodes.size(own_node));
  found.elements = found.node_elements;
  for (std::int64_t other = 0; other < nodes.count(); ++other) {
    found.by_node.push_back(-1);
    if (other == own_node || nodes.speaker(own_node, other) != rank) continue;
    found.by_node.back() = found.elements;
    found.elements += sends ? pair_elements(side, nodes, own_node, other)
                            : pair_elements(side, nodes, other, own_node);
  }
  return found;
}

/// Returns the offsets for each rank of a node, in the order of ranks.
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

/// Returns the number of the buffer of a rank of this node. This rank's buffer has two numbers:
/// `own`, and one among the buffers of all ranks. Only `own` is always bound to memory, so it is
/// returned.
int buffer_of(const ExchangeEndpoint& side, std::int64_t rank, int own, int first_peer) {
  return rank == side.rank ? own : first_peer + static_cast<int>(rank);
}

/// Returns the block from `rank` to `neighbour`, in the send buffer of `rank`. Both are ranks of
/// this node.
kernel::Piece neighbour_piece(const ExchangeEndpoint& side, const Nodes& nodes, std::int64_t rank,
                              std::int64_t neighbour, const Box& box) {
  return dense_piece(box, buffer_of(side, rank, side.send_buffer, side.first_peer_buffer),
                     offset_on_node(side, nodes, rank, neighbour));
}

/// Returns the place in which a rank writes its blocks, or from which it reads them. For each other
/// node, the blocks of all ranks of this node are one message. The message is in the buffer of the
/// rank that exchanges with that node.
kernel::Place combined_place(const ExchangeEndpoint& side, const Nodes& nodes, bool sends,
                             const std::vector<Bases>& bases) {
  const std::int64_t own_node = nodes.of(side.rank);
  const auto [own, first_peer] = sends ? std::pair(side.send_buffer, side.first_peer_buffer)
                                       : std::pair(side.recv_buffer, side.first_peer_arrival);
  kernel::Place place{{}, side.element_bytes, side.narrow};
  for (const Overlap& overlap :
       sends ? overlaps(side.from, side.rank, side.to) : overlaps(side.to, side.rank, side.from)) {
    const auto [source, target] =
        sends ? std::pair(side.rank, overlap.peer) : std::pair(overlap.peer, side.rank);
    const std::int64_t other = nodes.of(overlap.peer);
    if (other == own_node) {
      place.pieces.push_back(neighbour_piece(side, nodes, source, target, overlap.box));
      continue;
    }
    const std::int64_t speaker = nodes.speaker(own_node, other);
    const Bases& of_speaker = bases[static_cast<std::size_t>(speaker - nodes.first(own_node))];
    place.pieces.push_back(dense_piece(overlap.box, buffer_of(side, speaker, own, first_peer),
                                       of_speaker.by_node[static_cast<std::size_t>(other)] +
                                           offset_in_pair(side, nodes, source, target)));
  }
  return place;
}

BufferNeeds combined_needs(const ExchangeEndpoint& side) {
  const Nodes nodes(side);
  const std::int64_t own_node = nodes.of(side.rank);
  const std::vector<Bases> sent = bases_of_node(side, nodes, own_node, true);
  const std::vector<Bases> received = bases_of_node(side, nodes, own_node, false);
  const auto me = static_cast<std::size_t>(side.rank - nodes.first(own_node));
  return {combined_place(side, nodes, true, sent), combined_place(side, nodes, false, received),
          sent[me].elements, received[me].elements};
}

WireBlocks combined_wire_blocks(const ExchangeEndpoint& side) {
  const Nodes nodes(side);
  const std::int64_t own_node = nodes.of(side.rank);
  const Bases sent = bases(side, nodes, side.rank, true);
  const Bases received = bases(side, nodes, side.rank, false);
  WireBlocks found;
  for (std::int64_t other = 0; other < nodes.count(); ++other) {
    const auto at = static_cast<std::size_t>(other);
    if (sent.by_node[at] < 0) continue;
    const int peer = static_cast<int>(nodes.speaker(other, own_node));
    found.send.push_back(
        {0, false, {peer, sent.by_node[at], {pair_elements(side, nodes, own_node, other)}, {1}}});
    found.recv.push_back(
        {0,
         false,
         {peer, received.by_node[at], {pair_elements(side, nodes, other, own_node)}, {1}}});
  }
  return found;
}

/// The messages between one rank and the ranks of other nodes, each with its offset. The send
/// buffer begins with the blocks for the ranks of the own node.
struct SeparateMessages {
  std::vector<std::pair<Overlap, std::int64_t>> send;
  std::vector<std::pair<Overlap, std::int64_t>> recv;
  std::int64_t send_elements = 0;  ///< of the whole buffer
  std::int64_t recv_elements = 0;
};

SeparateMessages separate_messages(const ExchangeEndpoint& side) {
  const Nodes nodes(side);
  const std::int64_t own_node = nodes.of(side.rank);
  SeparateMessages found;
  found.send_elements =
      offset_on_node(side, nodes, side.rank, nodes.first(own_node) + nodes.size(own_node));
  for (const Overlap& overlap : overlaps(side.from, side.rank, side.to))
    if (nodes.of(overlap.peer) != own_node) {
      found.send.emplace_back(overlap, found.send_elements);
      found.send_elements += padded(overlap.box.volume(), side);
    }
  for (const Overlap& overlap : overlaps(side.to, side.rank, side.from))
    if (nodes.of(overlap.peer) != own_node) {
      found.recv.emplace_back(overlap, found.recv_elements);
      found.recv_elements += padded(overlap.box.volume(), side);
    }
  return found;
}

BufferNeeds separate_needs(const ExchangeEndpoint& side) {
  const Nodes nodes(side);
  const std::int64_t own_node = nodes.of(side.rank);
  const SeparateMessages blocks = separate_messages(side);
  BufferNeeds needs{{{}, side.element_bytes, side.narrow},
                    {{}, side.element_bytes, side.narrow},
                    blocks.send_elements,
                    blocks.recv_elements};
  for (const Overlap& overlap : overlaps(side.from, side.rank, side.to))
    if (nodes.of(overlap.peer) == own_node)
      needs.outlet.pieces.push_back(
          neighbour_piece(side, nodes, side.rank, overlap.peer, overlap.box));
  for (const Overlap& overlap : overlaps(side.to, side.rank, side.from))
    if (nodes.of(overlap.peer) == own_node)
      needs.inlet.pieces.push_back(
          neighbour_piece(side, nodes, overlap.peer, side.rank, overlap.box));
  for (const auto& [overlap, offset] : blocks.send)
    needs.outlet.pieces.push_back(dense_piece(overlap.box, side.send_buffer, offset));
  for (const auto& [overlap, offset] : blocks.recv)
    needs.inlet.pieces.push_back(dense_piece(overlap.box, side.recv_buffer, offset));
  return needs;
}

WireBlocks separate_wire_blocks(const ExchangeEndpoint& side) {
  const SeparateMessages blocks = separate_messages(side);
  WireBlocks found;
  const auto wire = [](const Overlap& overlap, std::int64_t offset) {
    return WireBlock{
        0, false, {static_cast<int>(overlap.peer), offset, {overlap.box.volume()}, {1}}};
  };
  for (const auto& [overlap, offset] : blocks.send) found.send.push_back(wire(overlap, offset));
  for (const auto& [overlap, offset] : blocks.recv) found.recv.push_back(wire(overlap, offset));
  return found;
}

/// Exchanges messages between nodes. Within a node, the ranks only synchronise, after they have
/// written their blocks.
class NodeAware : public Executor {
 public:
  NodeAware(comm::Messages messages, comm::HandOver& hand_over, bool combined,
            std::int64_t bytes_from_others)
      : messages_(std::move(messages)),
        hand_over_(&hand_over),
        combined_(combined),
        bytes_from_others_(bytes_from_others) {}

  void start(int, void* send, void* recv) override {
    send_ = send;
    recv_ = recv;
    hand_over_->arrive();
    if (combined_) return;  // other ranks may still write into this rank's message
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
    if (combined_) hand_over_->arrive();  // the messages of this rank have arrived
    hand_over_->wait();
  }
  comm::MessageTraffic traffic() const override { return messages_.traffic(); }
  std::int64_t bytes_from_others() const override { return bytes_from_others_; }

 private:
  comm::Messages messages_;
  comm::HandOver* hand_over_;
  bool combined_;
  std::int64_t bytes_from_others_;  ///< from ranks of this node
  void* send_ = nullptr;
  void* recv_ = nullptr;
};

}  // namespace

BufferNeeds node_aware_needs(const Exchange& exchange, const ExchangeEndpoint& side) {
  return exchange.nodes == NodeUse::combined ? combined_needs(side) : separate_needs(side);
}

std::unique_ptr<Executor> make_node_aware(const Exchange& exchange, const ExchangeEndpoint& side,
                                          const ExchangeResources& resources) {
  const bool combined = exchange.nodes == NodeUse::combined;
  const Nodes nodes(side);
  const std::int64_t node = nodes.of(side.rank);
  const std::int64_t first = nodes.first(node);
  const WireBlocks blocks = combined ? combined_wire_blocks(side) : separate_wire_blocks(side);
  const auto steps =
      message_steps(exchange, blocks, side, resources.comm.rank(), resources.comm.size());
  return std::make_unique<NodeAware>(comm::Messages(resources.comm, steps, side.element_bytes,
                                                    message_options(exchange, resources)),
                                     *resources.hand_over, combined,
                                     bytes_from_ranks(side, first, first + nodes.size(node)));
}

}  // namespace weft::exchange
