#include "exchange/blocks.hpp"
#include "exchange/methods.hpp"
#include "layout/overlap.hpp"

namespace weft::exchange {
namespace {

kernel::Piece array_piece(const Layout& layout, std::int64_t rank, int buffer) {
  return {layout.box(rank), buffer, 0, layout.strides(rank)};
}

/// Returns the whole local array of this rank.
kernel::Place own_array(const Layout& layout, const ExchangeEndpoint& side, int buffer) {
  kernel::Place place{{}, side.element_bytes};
  if (!layout.box(side.rank).empty())
    place.pieces.push_back(array_piece(layout, side.rank, buffer));
  return place;
}

/// Returns the places of the elements of this rank's box in layout `mine`, if the arrays of all
/// ranks have layout `theirs`.
kernel::Place in_arrays_of_all(const Layout& mine, const Layout& theirs,
                               const ExchangeEndpoint& side, int own_buffer) {
  kernel::Place place{{}, side.element_bytes};
  for (const Overlap& overlap : overlaps(mine, side.rank, theirs)) {
    const int buffer = overlap.peer == side.rank
                           ? own_buffer
                           : side.first_peer_buffer + static_cast<int>(overlap.peer);
    kernel::Piece piece = array_piece(theirs, overlap.peer, buffer);
    for (int axis = 0; axis < piece.box.dims(); ++axis)
      piece.offset += (overlap.box.lower[axis] - piece.box.lower[axis]) * piece.strides[axis];
    piece.box = overlap.box;
    place.pieces.push_back(std::move(piece));
  }
  return place;
}

/// An exchange without moves: the ranks only synchronise after their stages.
class Shared : public Executor {
 public:
  Shared(comm::HandOver& hand_over, std::int64_t bytes_from_others)
      : hand_over_(&hand_over), bytes_from_others_(bytes_from_others) {}
  void start(int, void*, void*) override { hand_over_->arrive(); }
  void finish() override {
    flight_.update(true);
    hand_over_->wait();
    flight_.update(false);
  }
  comm::MessageTraffic traffic() const override { return {}; }
  std::int64_t bytes_from_others() const override { return bytes_from_others_; }

 private:
  comm::HandOver* hand_over_;
  std::int64_t bytes_from_others_;
};

}  // namespace

BufferNeeds shared_needs(const ExchangeEndpoint& side) {
  if (side.push)
    return {in_arrays_of_all(side.from, side.to, side, side.recv_buffer),
            own_array(side.to, side, side.recv_buffer), 0, side.to.local_volume(side.rank)};
  return {side.from == side.home ? own_array(side.from, side, side.send_buffer)
                                 : in_arrays_of_all(side.from, side.home, side, side.send_buffer),
          in_arrays_of_all(side.to, side.home, side, side.send_buffer),
          side.home.local_volume(side.rank), 0};
}

std::unique_ptr<Executor> make_shared(const Exchange&, const ExchangeEndpoint& side, const Group&,
                                      const ExchangeResources& resources) {
  return std::make_unique<Shared>(*resources.hand_over,
                                  bytes_from_ranks(side, 0, side.from.ranks()));
}

}  // namespace weft::exchange
