#include "run/program.hpp"

#include <algorithm>

#include "plan/chunks.hpp"
#include "plan/end_stages.hpp"
#include "plan/methods/methods.hpp"
#include "run/message_buffers.hpp"

namespace weft::run {

bool is_real_before(const Plan& plan, std::size_t position, Direction direction) {
  if (plan.problem.kind != Kind::r2c) return false;
  const std::size_t where = halving_stage(plan);
  return direction == Direction::forward ? position <= where
                                         : position + where >= plan.stages.size();
}

const Exchange& Program::knobs_of(const Plan& plan, std::size_t position) const {
  const bool forward = variant_.direction == Direction::forward;
  return plan.exchanges[forward ? position : plan.exchanges.size() - 1 - position];
}

void Program::add_links(const Plan& plan, std::int64_t rank) {
  const Precision precision = plan.problem.precision;
  for (std::size_t i = 0; i + 1 < route_.size(); ++i) {
    const bool real = is_real_before(plan, i + 1, variant_.direction);
    exchange::Side side;
    side.from = route_[i].target;
    side.to = route_[i + 1].source;
    side.rank = rank;
    side.narrow = knobs_of(plan, i).wire == WirePrecision::f32;
    side.element_bytes =
        (real ? real_bytes(precision) : complex_bytes(precision)) / (side.narrow ? 2 : 1);
    links_.push_back({knobs_of(plan, i), side, false, nullptr});
    choose_chunks(links_.back(), i);
    // In one exchange only: else the last stage might write where the block lies.
    links_.back().side.keep_own_block = route_.size() == 2 && links_.back().side.chunks > 1;
    // A collective call wants all blocks in the order of ranks.
    const Exchange& knobs = links_.back().knobs;
    links_.back().side.own_last = knobs.method == Method::messages &&
                                  knobs.wire_form == WireForm::packed &&
                                  links_.back().side.chunks == 1;
    if (links_.back().knobs.method == Method::shared) choose_shared_buffers(i, plan);
    if (is_node_aware(links_.back().knobs)) choose_node_buffers(i, plan);
  }
  choose_message_buffers(plan, rank);
  for (const Link& link : links_) {
    const exchange::Ends ends = exchange::ends(link.knobs, link.side);
    const auto grow = [&](int buffer, std::int64_t elements) {
      sizes_[buffer] = std::max(sizes_[buffer], elements * link.side.element_bytes);
    };
    grow(link.side.send_buffer, ends.send_elements);
    grow(link.side.recv_buffer, ends.recv_elements);
    if (link.side.own_buffer >= 0) grow(link.side.own_buffer, ends.own_elements);
  }
  if (sizes_[even_buffer] > 0 || sizes_[source_buffer] > 0)
    sizes_[apart_target] = sizes_[target_buffer];
}

/// Where exchanges in node memory use the caller's arrays, the others leave those alone.
void Program::choose_message_buffers(const Plan& plan, std::int64_t rank) {
  std::vector<Link*> links;
  for (Link& link : links_)
    if (link.knobs.method != Method::shared && !is_node_aware(link.knobs)) links.push_back(&link);
  if (links.empty()) return;
  // Behind another exchange in place, blocks leave from the caller's array in chunks.
  if (links.size() > 1 && variant_.in_place) links.back()->both_sides = false;
  std::vector<MessageNeeds> needs;
  for (const Link* link : links) {
    const exchange::Ends ends = exchange::ends(link->knobs, link->side);
    const std::int64_t bytes = link->side.element_bytes;
    needs.push_back({ends.send_elements * bytes, ends.recv_elements * bytes,
                     (ends.send_elements - ends.own_elements) * bytes, link->side.chunks > 1,
                     first_uses_work_, link->both_sides || link->side.keep_own_block});
  }
  const std::vector<MessageBuffers> chosen =
      message_buffers(needs, is_shared() ? 0 : output_bytes(plan, rank), variant_.in_place);
  for (std::size_t i = 0; i < links.size(); ++i) {
    links[i]->side.send_buffer = chosen[i].send;
    links[i]->side.recv_buffer = chosen[i].recv;
    links[i]->side.own_buffer = chosen[i].own;
  }
}

/// What the caller's output holds on this rank.
std::int64_t Program::output_bytes(const Plan& plan, std::int64_t rank) const {
  const auto bytes = [&](bool is_input) {
    const kernel::Place place = users_array(plan, is_input, rank);
    if (place.pieces.empty()) return std::int64_t{0};
    const kernel::Piece& array = place.pieces[0];
    return span_of(array.box.shape(), array.strides) * place.element_bytes;
  };
  const std::int64_t output = bytes(false);
  // In place the array holds the larger of both, where the rank has both.
  return variant_.in_place && output > 0 ? std::max(output, bytes(true)) : output;
}

std::int64_t span_of(const Shape& extents, const Shape& strides) {
  std::int64_t elements = 0;
  for (std::size_t axis = 0; axis < extents.size(); ++axis)
    elements = std::max(elements, extents[axis] * strides[axis]);
  return elements;
}

kernel::Place Program::users_array(const Plan& plan, bool is_input, std::int64_t rank) const {
  const Problem& problem = plan.problem;
  const std::size_t last = route_.size() - 1;
  // Half a spectrum in its natural order has another shape than what is exchanged, and so have the
  // ends of a convolution.
  const bool is_output = is_input == (variant_.direction == Direction::backward);
  const bool is_apart = plan.convolves() || (unfolds(plan, last) && is_output);
  const Layout& layout = is_apart   ? (is_output ? plan.output() : plan.input())
                         : is_input ? route_.front().source
                                    : route_.back().target;
  const bool real = is_real_before(plan, is_input ? 0 : last + 1, variant_.direction);
  return array_place(layout.box(rank),
                     real && variant_.in_place ? inplace_real_strides(layout, problem, rank)
                                               : layout.strides(rank),
                     is_input ? input_buffer : output_buffer,
                     real ? real_bytes(problem.precision) : complex_bytes(problem.precision));
}

void Program::choose_chunks(Link& link, std::size_t position) const {
  if (link.knobs.chunks == 1) return;
  const Chunking chunking = chunking_of(route_[position], route_[position + 1]);
  link.side.chunk_axis = chunking.axis;
  link.side.chunks =
      static_cast<int>(std::min(link.knobs.chunks, slices(chunking, link.side.from)));
  link.both_sides = chunking.both && link.side.chunks > 1;
}

/// Whose arrays the ranks work in together. The array stays where the first exchange has left it:
/// each rank writes its tiles back to where they came from, until the last stage, or until real
/// numbers become complex ones, which lie otherwise.
void Program::choose_shared_buffers(std::size_t position, const Plan& plan) {
  exchange::Side& side = links_[position].side;
  const std::size_t last_link = route_.size() - 2;
  auto is_real = [&](std::size_t link) {
    return is_real_before(plan, link + 1, variant_.direction);
  };
  const bool lies_like_target =
      route_.front().target == route_.back().source && is_real(position) == is_real(last_link);
  const Way way{variant_.direction == Direction::backward, variant_.in_place};
  const bool writes_outputs = writes_into_outputs(plan, way);
  side.home = side.from;
  side.send_buffer = free_shared_buffer(position);
  side.push = position == last_link && writes_outputs;
  if (side.push) {
    side.recv_buffer = target_buffer;
  } else if (position == 0 && reads_from_inputs(plan, way)) {
    side.send_buffer = source_buffer;
    peers_read_source_last_ = last_link == 0;
  } else if (position == 0 && lies_like_target && writes_outputs) {
    side.send_buffer = target_buffer;  // tiles go back to where they came from
  } else if (stays_home(position)) {
    const exchange::Side& before = links_[position - 1].side;
    side.home = before.home;
    // The caller's input is only read; its ranks have as much workspace in the same order.
    side.send_buffer = before.send_buffer == source_buffer ? even_buffer : before.send_buffer;
  }
  side.first_peer_buffer =
      first_peer_buffer(side.push ? side.recv_buffer : side.send_buffer, plan.problem.ranks);
}

/// Can the stage before the exchange write back to where it reads?
bool Program::stays_home(std::size_t position) const {
  if (position == 0 || links_[position - 1].knobs.method != Method::shared) return false;
  const exchange::Side& before = links_[position - 1].side;
  return before.home.shape() == links_[position].side.from.shape() &&
         before.element_bytes == links_[position].side.element_bytes;
}

/// Workspace that the stage before the exchange does not read.
int Program::free_shared_buffer(std::size_t position) const {
  if (position == 0) return even_buffer;
  const int before = links_[position - 1].side.send_buffer;
  return before == even_buffer || before == source_buffer ? odd_buffer : even_buffer;
}

/// Blocks for ranks of this node lie where they can be read; those of combined messages are put
/// together by all ranks of the node.
void Program::choose_node_buffers(std::size_t position, const Plan& plan) {
  exchange::Side& side = links_[position].side;
  const std::int64_t ranks = plan.problem.ranks;
  side.ranks_per_node = plan.problem.ranks_per_node;
  side.send_buffer = free_shared_buffer(position);
  const bool combined = links_[position].knobs.nodes == NodeUse::combined;
  side.recv_buffer = combined ? arrival_buffer : own_buffer;
  side.first_peer_buffer = first_peer_buffer(side.send_buffer, ranks);
  side.first_peer_arrival = first_peer_buffer(arrival_buffer, ranks);
}

}  // namespace weft::run
