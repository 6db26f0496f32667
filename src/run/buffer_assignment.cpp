#include "run/buffer_assignment.hpp"

#include <algorithm>
#include <utility>

#include "plan/chunks.hpp"
#include "plan/methods/methods.hpp"
#include "run/message_buffers.hpp"
#include "run/stage_transforms.hpp"

namespace weft::run {

bool is_real_before(const Plan& plan, std::size_t position, Direction direction) {
  const std::size_t stages = plan.stages.size();
  const std::size_t boundary = direction == Direction::forward ? position : stages - position;
  const Element element =
      boundary < stages ? plan.stages[boundary].source_element : plan.stages.back().target_element;
  return element == Element::real;
}

Shape inplace_real_strides(const Layout& layout, const Problem& problem, std::int64_t rank) {
  const int halved = problem.halved_axis();
  if (halved < 0) return layout.strides(rank);
  Shape extents = layout.local_shape(rank);
  if (layout.order().back() == halved && layout.is_whole(halved) && extents[halved] > 0)
    extents[halved] = 2 * (problem.shape[halved] / 2 + 1);
  return dense_strides(extents, layout.order());
}

std::int64_t span_of(const Shape& extents, const Shape& strides) {
  std::int64_t elements = 0;
  for (std::size_t axis = 0; axis < extents.size(); ++axis)
    elements = std::max(elements, extents[axis] * strides[axis]);
  return elements;
}

kernel::Place users_array(const Plan& plan, const std::vector<Stage>& route, const Variant& variant,
                          bool is_input, std::int64_t rank) {
  const Problem& problem = plan.problem;
  const std::size_t last = route.size() - 1;
  // The caller's array can have another shape than the exchanged array: half a spectrum in natural
  // order, and the input and output of a convolution.
  const bool is_output = is_input == (variant.direction == Direction::backward);
  const bool is_apart = plan.convolves() || (unfolds(plan, last) && is_output);
  const Layout& layout = is_apart   ? (is_output ? plan.output() : plan.input())
                         : is_input ? route.front().source
                                    : route.back().target;
  const bool real = is_real_before(plan, is_input ? 0 : last + 1, variant.direction);
  return array_place(
      layout.box(rank),
      real && variant.in_place ? inplace_real_strides(layout, problem, rank) : layout.strides(rank),
      is_input ? input_buffer : output_buffer,
      real ? real_bytes(problem.precision) : complex_bytes(problem.precision));
}

namespace {

class BufferAssigner {
 public:
  BufferAssigner(const Plan& plan, const std::vector<Stage>& route, const Variant& variant,
                 std::int64_t rank, bool first_uses_work)
      : plan_(plan),
        route_(route),
        variant_(variant),
        rank_(rank),
        first_uses_work_(first_uses_work) {}

  BufferAssignment assigned();

 private:
  const Exchange& exchange_of(std::size_t position) const;
  void choose_message_buffers();
  std::int64_t output_bytes() const;
  void choose_chunks(StageExchange& each, std::size_t position) const;
  void choose_shared_buffers(std::size_t position);
  bool stays_home(std::size_t position) const;
  int free_shared_buffer(std::size_t position) const;
  void choose_node_buffers(std::size_t position);

  const Plan& plan_;
  const std::vector<Stage>& route_;
  const Variant variant_;
  const std::int64_t rank_;
  const bool first_uses_work_;
  BufferAssignment found_;
};

const Exchange& BufferAssigner::exchange_of(std::size_t position) const {
  const bool forward = variant_.direction == Direction::forward;
  return plan_.exchanges[forward ? position : plan_.exchanges.size() - 1 - position];
}

BufferAssignment BufferAssigner::assigned() {
  const Precision precision = plan_.problem.precision;
  for (std::size_t i = 0; i + 1 < route_.size(); ++i) {
    const bool real = is_real_before(plan_, i + 1, variant_.direction);
    exchange::ExchangeEndpoint side;
    side.from = route_[i].target;
    side.to = route_[i + 1].source;
    side.rank = rank_;
    side.narrow = exchange_of(i).wire == WirePrecision::f32;
    side.element_bytes =
        (real ? real_bytes(precision) : complex_bytes(precision)) / (side.narrow ? 2 : 1);
    found_.exchanges.push_back({exchange_of(i), side});
    StageExchange& each = found_.exchanges.back();
    choose_chunks(each, i);
    // Only for a single exchange: otherwise the last stage might overwrite the block.
    each.side.keep_own_block = route_.size() == 2 && each.side.chunks > 1;
    // A collective call needs all blocks in the order of ranks.
    const Exchange& choices = each.choices;
    each.side.own_last =
        sends_messages(choices) && choices.wire_form == WireForm::packed && each.side.chunks == 1;
    if (reads_peers(choices)) choose_shared_buffers(i);
    if (is_node_aware(choices)) choose_node_buffers(i);
  }
  choose_message_buffers();
  for (const StageExchange& each : found_.exchanges) {
    const exchange::BufferNeeds ends = exchange::buffer_needs(each.choices, each.side);
    const auto grow = [&](int buffer, std::int64_t elements) {
      found_.sizes[buffer] = std::max(found_.sizes[buffer], elements * each.side.element_bytes);
    };
    grow(each.side.send_buffer, ends.send_elements);
    grow(each.side.recv_buffer, ends.recv_elements);
    if (each.side.own_buffer >= 0) grow(each.side.own_buffer, ends.own_elements);
  }
  if (found_.sizes[even_buffer] > 0 || found_.sizes[source_buffer] > 0)
    found_.sizes[apart_target] = found_.sizes[target_buffer];
  return std::move(found_);
}

/// Chooses the buffers of messages. If exchanges in node memory use the caller's arrays, messages
/// do not.
void BufferAssigner::choose_message_buffers() {
  std::vector<StageExchange*> by_messages;
  for (StageExchange& each : found_.exchanges)
    if (!reads_peers(each.choices) && !is_node_aware(each.choices)) by_messages.push_back(&each);
  if (by_messages.empty()) return;
  // In place and after another exchange, chunks are sent from the caller's array.
  if (by_messages.size() > 1 && variant_.in_place) by_messages.back()->both_sides = false;
  std::vector<MessageNeeds> needs;
  for (const StageExchange* each : by_messages) {
    const exchange::BufferNeeds ends = exchange::buffer_needs(each->choices, each->side);
    const std::int64_t bytes = each->side.element_bytes;
    needs.push_back({ends.send_elements * bytes, ends.recv_elements * bytes,
                     (ends.send_elements - ends.own_elements) * bytes, each->side.chunks > 1,
                     first_uses_work_, each->both_sides || each->side.keep_own_block});
  }
  const std::vector<MessageBuffers> chosen =
      message_buffers(needs, found_.is_shared() ? 0 : output_bytes(), variant_.in_place);
  for (std::size_t i = 0; i < by_messages.size(); ++i) {
    by_messages[i]->side.send_buffer = chosen[i].send;
    by_messages[i]->side.recv_buffer = chosen[i].recv;
    by_messages[i]->side.own_buffer = chosen[i].own;
  }
}

/// Returns the size of the caller's output on this rank.
std::int64_t BufferAssigner::output_bytes() const {
  const auto bytes = [&](bool is_input) {
    const kernel::Place place = users_array(plan_, route_, variant_, is_input, rank_);
    if (place.pieces.empty()) return std::int64_t{0};
    const kernel::Piece& array = place.pieces[0];
    return span_of(array.box.shape(), array.strides) * place.element_bytes;
  };
  const std::int64_t output = bytes(false);
  // In place, the array holds the larger of input and output, if the rank has both.
  return variant_.in_place && output > 0 ? std::max(output, bytes(true)) : output;
}

void BufferAssigner::choose_chunks(StageExchange& each, std::size_t position) const {
  if (each.choices.chunks == 1) return;
  const Chunking chunking = chunking_of(route_[position], route_[position + 1]);
  each.side.chunk_axis = chunking.axis;
  each.side.chunks =
      static_cast<int>(std::min(each.choices.chunks, slices(chunking, each.side.from)));
  each.both_sides = chunking.both && each.side.chunks > 1;
}

/// Chooses the arrays in which the ranks work together. The data stay where the first exchange left
/// them: each rank writes its tiles back to their place. This ends at the last stage, or when real
/// numbers become complex, which changes the positions.
void BufferAssigner::choose_shared_buffers(std::size_t position) {
  exchange::ExchangeEndpoint& side = found_.exchanges[position].side;
  const std::size_t last_exchange = route_.size() - 2;
  auto is_real = [&](std::size_t exchange) {
    return is_real_before(plan_, exchange + 1, variant_.direction);
  };
  const bool lies_like_target =
      route_.front().target == route_.back().source && is_real(position) == is_real(last_exchange);
  const bool writes_outputs = writes_into_outputs(plan_, variant_);
  side.home = side.from;
  side.send_buffer = free_shared_buffer(position);
  side.push = position == last_exchange && writes_outputs;
  if (side.push) {
    side.recv_buffer = target_buffer;
  } else if (position == 0 && reads_from_inputs(plan_, variant_)) {
    side.send_buffer = source_buffer;
    found_.peers_read_source_last = last_exchange == 0;
  } else if (position == 0 && lies_like_target && writes_outputs) {
    side.send_buffer = target_buffer;  // tiles return to their place
  } else if (stays_home(position)) {
    const exchange::ExchangeEndpoint& before = found_.exchanges[position - 1].side;
    side.home = before.home;
    // The caller's input is only read; ranks have workspace of the same size in the same order.
    side.send_buffer = before.send_buffer == source_buffer ? even_buffer : before.send_buffer;
  }
  side.first_peer_buffer =
      first_peer_buffer(side.push ? side.recv_buffer : side.send_buffer, plan_.problem.ranks);
}

/// Returns whether the stage before the exchange can write back to the place that it reads.
bool BufferAssigner::stays_home(std::size_t position) const {
  if (position == 0 || !reads_peers(found_.exchanges[position - 1].choices)) return false;
  const exchange::ExchangeEndpoint& before = found_.exchanges[position - 1].side;
  return before.home.shape() == found_.exchanges[position].side.from.shape() &&
         before.element_bytes == found_.exchanges[position].side.element_bytes;
}

/// Returns workspace that the stage before the exchange does not read.
int BufferAssigner::free_shared_buffer(std::size_t position) const {
  if (position == 0) return even_buffer;
  const int before = found_.exchanges[position - 1].side.send_buffer;
  return before == even_buffer || before == source_buffer ? odd_buffer : even_buffer;
}

/// Chooses the buffers in node memory. Ranks of this node read their blocks there, and all ranks of
/// the node together write combined messages there.
void BufferAssigner::choose_node_buffers(std::size_t position) {
  exchange::ExchangeEndpoint& side = found_.exchanges[position].side;
  const std::int64_t ranks = plan_.problem.ranks;
  side.ranks_per_node = plan_.problem.ranks_per_node;
  side.send_buffer = free_shared_buffer(position);
  const bool combined = found_.exchanges[position].choices.nodes == NodeUse::combined;
  side.recv_buffer = combined ? arrival_buffer : own_buffer;
  side.first_peer_buffer = first_peer_buffer(side.send_buffer, ranks);
  side.first_peer_arrival = first_peer_buffer(arrival_buffer, ranks);
}

}  // namespace

bool BufferAssignment::is_shared() const {
  return std::any_of(exchanges.begin(), exchanges.end(), [](const StageExchange& each) {
    return reads_peers(each.choices) || is_node_aware(each.choices);
  });
}

BufferAssignment assign_buffers(const Plan& plan, const std::vector<Stage>& route,
                                const Variant& variant, std::int64_t rank, bool first_uses_work) {
  return BufferAssigner(plan, route, variant, rank, first_uses_work).assigned();
}

}  // namespace weft::run
