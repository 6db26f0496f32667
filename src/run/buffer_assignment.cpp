#include "run/buffer_assignment.hpp"

#include <algorithm>
#include <utility>

#include "kernel/fold.hpp"
#include "plan/chunks.hpp"
#include "plan/methods/methods.hpp"
#include "run/message_buffers.hpp"

namespace weft::run {

namespace {

class BufferAssigner {
 public:
  BufferAssigner(const Problem& problem, const RankRoute& route, std::int64_t rank,
                 bool first_uses_work)
      : problem_(problem), route_(route), rank_(rank), first_uses_work_(first_uses_work) {}

  BufferAssignment assigned();

 private:
  const Stage& stage(std::size_t position) const { return route_.stages[position].stage; }
  void choose_message_buffers();
  std::int64_t output_bytes() const;
  void choose_chunks(StageExchange& each, std::size_t position) const;
  void choose_shared_buffers(std::size_t position);
  bool stays_home(std::size_t position) const;
  int free_shared_buffer(std::size_t position) const;
  void choose_node_buffers(std::size_t position);
  void add_stage(std::size_t position);

  const Problem& problem_;
  const RankRoute& route_;
  const std::int64_t rank_;
  const bool first_uses_work_;
  BufferAssignment found_;
};

BufferAssignment BufferAssigner::assigned() {
  const Precision precision = problem_.precision;
  for (std::size_t i = 0; i < route_.last(); ++i) {
    const bool real = route_.is_real_before(i + 1);
    exchange::ExchangeEndpoint side;
    side.from = stage(i).target;
    side.to = stage(i + 1).source;
    side.rank = rank_;
    side.narrow = route_.exchanges[i].wire == WirePrecision::f32;
    side.element_bytes =
        (real ? real_bytes(precision) : complex_bytes(precision)) / (side.narrow ? 2 : 1);
    found_.exchanges.push_back({route_.exchanges[i], side});
    StageExchange& each = found_.exchanges.back();
    choose_chunks(each, i);
    // The own block stays only if there is a single exchange. Otherwise the last stage might
    // overwrite this block.
    each.side.keep_own_block = route_.last() == 1 && each.side.chunks > 1;
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
  for (std::size_t position = 0; position < route_.stages.size(); ++position) add_stage(position);
  return std::move(found_);
}

/// Chooses the buffers of messages. If there are exchanges in node memory too, messages do not use
/// the caller's output.
void BufferAssigner::choose_message_buffers() {
  std::vector<StageExchange*> by_messages;
  for (StageExchange& each : found_.exchanges)
    if (!uses_node_memory(each.choices)) by_messages.push_back(&each);
  if (by_messages.empty()) return;
  // In place and after another exchange, chunks are sent from the caller's array. So the last stage
  // cannot write into this array yet.
  if (by_messages.size() > 1 && route_.variant.in_place) by_messages.back()->both_sides = false;
  std::vector<MessageNeeds> needs;
  for (const StageExchange* each : by_messages) {
    const exchange::BufferNeeds ends = exchange::buffer_needs(each->choices, each->side);
    const std::int64_t bytes = each->side.element_bytes;
    needs.push_back({ends.send_elements * bytes, ends.recv_elements * bytes,
                     (ends.send_elements - ends.own_elements) * bytes, each->side.chunks > 1,
                     first_uses_work_, each->both_sides || each->side.keep_own_block,
                     puts_blocks(each->choices)});
  }
  const std::vector<MessageBuffers> chosen =
      message_buffers(needs, found_.is_shared() || !route_.lends_output ? 0 : output_bytes(),
                      route_.variant.in_place);
  for (std::size_t i = 0; i < by_messages.size(); ++i) {
    by_messages[i]->side.send_buffer = chosen[i].send;
    by_messages[i]->side.recv_buffer = chosen[i].recv;
    by_messages[i]->side.own_buffer = chosen[i].own;
  }
}

/// Returns the size of the caller's output on this rank.
std::int64_t BufferAssigner::output_bytes() const {
  const auto bytes = [](const kernel::Place& place) {
    if (place.pieces.empty()) return std::int64_t{0};
    const kernel::Piece& array = place.pieces[0];
    return span_of(array.box.shape(), array.strides) * place.element_bytes;
  };
  const std::int64_t output = bytes(route_.output);
  // In place, the array holds the larger of input and output, if the rank has both.
  return route_.variant.in_place && output > 0 ? std::max(output, bytes(route_.input)) : output;
}

void BufferAssigner::choose_chunks(StageExchange& each, std::size_t position) const {
  if (each.choices.chunks == 1) return;
  const Chunking chunking = chunking_of(stage(position), stage(position + 1));
  each.side.chunk_axis = chunking.axis;
  each.side.chunks =
      static_cast<int>(std::min(each.choices.chunks, slices(chunking, each.side.from)));
  each.both_sides = chunking.both && each.side.chunks > 1;
}

/// Chooses the arrays in which the ranks work together. After the first exchange, each stage writes
/// its tiles back to the places from which it read them. The exceptions are the last stage, and a
/// stage in which real numbers become complex, because there positions change.
void BufferAssigner::choose_shared_buffers(std::size_t position) {
  exchange::ExchangeEndpoint& side = found_.exchanges[position].side;
  const std::size_t last_exchange = route_.last() - 1;
  auto is_real = [&](std::size_t exchange) { return route_.is_real_before(exchange + 1); };
  const bool starts_in_target_layout =
      stage(0).target == stage(route_.last()).source && is_real(position) == is_real(last_exchange);
  side.home = side.from;
  side.send_buffer = free_shared_buffer(position);
  side.push = position == last_exchange && route_.writes_outputs;
  if (side.push) {
    side.recv_buffer = target_buffer;
  } else if (position == 0 && route_.reads_inputs) {
    side.send_buffer = source_buffer;
    found_.peers_read_source_last = last_exchange == 0;
  } else if (position == 0 && starts_in_target_layout && route_.writes_outputs) {
    side.send_buffer = target_buffer;  // tiles return to their place
  } else if (stays_home(position)) {
    const exchange::ExchangeEndpoint& before = found_.exchanges[position - 1].side;
    side.home = before.home;
    // The caller's input is only read. So tiles go to workspace of the same size and order.
    side.send_buffer = before.send_buffer == source_buffer ? even_buffer : before.send_buffer;
  }
  side.first_peer_buffer =
      first_peer_buffer(side.push ? side.recv_buffer : side.send_buffer, problem_.ranks);
}

/// Returns whether the stage before the exchange can write to the place from which it reads.
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
  const std::int64_t ranks = problem_.ranks;
  side.ranks_per_node = problem_.ranks_per_node;
  side.send_buffer = free_shared_buffer(position);
  const bool combined = found_.exchanges[position].choices.nodes == NodeUse::combined;
  side.recv_buffer = combined ? arrival_buffer : own_buffer;
  side.first_peer_buffer = first_peer_buffer(side.send_buffer, ranks);
  side.first_peer_arrival = first_peer_buffer(arrival_buffer, ranks);
}

bool uses_work(const kernel::Place& place) {
  return std::any_of(place.pieces.begin(), place.pieces.end(),
                     [](const kernel::Piece& piece) { return piece.buffer == work_buffer; });
}

/// Adds a stage with the places that it reads and writes.
void BufferAssigner::add_stage(std::size_t position) {
  const RouteStage& each = route_.stages[position];
  const StageExchange* before = position == 0 ? nullptr : &found_.exchanges[position - 1];
  const StageExchange* after = position == route_.last() ? nullptr : &found_.exchanges[position];
  const auto needs = [](const StageExchange& exchange) {
    return exchange::buffer_needs(exchange.choices, exchange.side);
  };
  StageSpec spec;
  spec.source = each.stage.source.box(rank_);
  spec.target = each.stage.target.box(rank_);
  spec.transforms = each.transforms;
  spec.inlet = before ? needs(*before).inlet : route_.input;
  spec.outlet = after ? needs(*after).outlet : route_.output;
  spec.hermitian_order = each.hermitian_order;
  spec.chirp = each.chirp;
  if (each.stage.folds) {  // its transforms need the columns in natural order
    kernel::Place& folded = each.direction == Direction::forward ? spec.outlet : spec.inlet;
    folded =
        kernel::unfolded(folded, each.stage.axes[0], each.stage.source.shape()[each.stage.axes[0]]);
  }
  const bool to_target = after && after->side.send_buffer == target_buffer;
  const bool from_source = before && before->side.send_buffer == source_buffer;
  const bool arrived_in_output = before && before->side.recv_buffer == output_buffer;
  const bool in_place = route_.variant.in_place;
  spec.in_place = (!before && (!after || to_target) && in_place) || (!after && arrived_in_output);
  // In place, the input is overwritten anyway. A padded row has room for the complex numbers.
  spec.may_overwrite_inlet = (before && !from_source) || route_.lends_input;
  // In a shared exchange the outlet is a single array too, if it is this rank's own array.
  spec.outlet_is_array =
      !after || (reads_peers(after->choices) && !after->side.push && spec.outlet.pieces.size() < 2);
  found_.stages.push_back(spec);
  const bool work_is_idle = !found_.is_shared() && found_.parts_of(position).count == 1 &&
                            !uses_work(spec.inlet) && !uses_work(spec.outlet);
  found_.stages.back().idle_buffer = work_is_idle ? work_buffer : spare_buffer;
}

}  // namespace

/// Only the last stage can use chunks as they arrive. Another stage would write into the send
/// buffer while messages still leave it.
StageParts BufferAssignment::parts_of(std::size_t stage) const {
  if (stage < exchanges.size()) {
    const exchange::ExchangeEndpoint& out = exchanges[stage].side;
    if (out.chunks > 1) return {out.chunks, out.chunk_axis, true};
  }
  if (stage == exchanges.size() && stage > 0 && exchanges[stage - 1].both_sides) {
    const exchange::ExchangeEndpoint& in = exchanges[stage - 1].side;
    return {in.chunks, in.chunk_axis, false};
  }
  return {};
}

bool BufferAssignment::is_shared() const {
  return std::any_of(exchanges.begin(), exchanges.end(),
                     [](const StageExchange& each) { return uses_node_memory(each.choices); });
}

bool BufferAssignment::is_exposed() const {
  return std::any_of(exchanges.begin(), exchanges.end(),
                     [](const StageExchange& each) { return puts_blocks(each.choices); });
}

BufferAssignment assign_buffers(const Problem& problem, const RankRoute& route, std::int64_t rank,
                                bool first_uses_work) {
  return BufferAssigner(problem, route, rank, first_uses_work).assigned();
}

BufferAssignment assign_buffers(const Plan& plan, Variant variant, std::int64_t rank) {
  return assign_buffers(plan.problem, route_of(plan, variant, rank, nullptr), rank, false);
}

}  // namespace weft::run
