#include "run/program.hpp"

#include <algorithm>
#include <cmath>

#include "plan/methods/methods.hpp"

namespace weft::run {
namespace {

using kernel::AxisTransform;
using kernel::LineKind;

std::vector<Stage> route_of(const Plan& plan, Direction direction) {
  std::vector<Stage> route = plan.stages;
  if (direction == Direction::forward) return route;
  std::reverse(route.begin(), route.end());
  for (Stage& stage : route) {
    std::swap(stage.source, stage.target);
    std::reverse(stage.axes.begin(), stage.axes.end());
  }
  return route;
}

/// Is the array real in this layout? The halved axis tells, or the position where n == n/2+1.
bool is_real_before(const Problem& problem, const std::vector<Stage>& route, std::size_t position,
                    Direction direction) {
  if (problem.kind != Kind::r2c) return false;
  auto halves = [&](const Stage& stage) {
    return std::find(stage.axes.begin(), stage.axes.end(), problem.halved_axis()) !=
           stage.axes.end();
  };
  const auto where = std::find_if(route.begin(), route.end(), halves) - route.begin();
  const auto here = static_cast<std::ptrdiff_t>(position);
  return direction == Direction::forward ? here <= where : here > where;
}

AxisTransform axis_transform(const Problem& problem, int axis, Direction direction) {
  AxisTransform t;
  t.axis = axis;
  t.length = problem.shape[axis];
  const int sign = direction == Direction::forward ? problem.sign : -problem.sign;
  t.kind = sign < 0 ? LineKind::c2c_forward : LineKind::c2c_backward;
  if (problem.kind == Kind::r2c && axis == problem.halved_axis()) {
    // Libraries have r2c with the exponent - and c2r with +; the others are their conjugates.
    t.kind = direction == Direction::forward ? LineKind::r2c : LineKind::c2r;
    t.conjugate_output = t.kind == LineKind::r2c && sign > 0;
    t.conjugate_input = t.kind == LineKind::c2r && sign < 0;
  }
  return t;
}

std::string stage_name(std::size_t number, const Stage& stage) {
  std::string name = "stage " + std::to_string(number);
  if (stage.axes.empty()) return name + ": no axis";
  name += stage.axes.size() == 1 ? ": axis" : ": axes";
  for (int axis : stage.axes) name += " " + std::to_string(axis);
  return name;
}

std::size_t last_with_axes(const std::vector<Stage>& route) {
  std::size_t last = 0;
  for (std::size_t i = 0; i < route.size(); ++i)
    if (!route[i].axes.empty()) last = i;
  return last;
}

}  // namespace

Shape inplace_real_strides(const Layout& layout, const Problem& problem, std::int64_t rank) {
  const int halved = problem.halved_axis();
  Shape extents = layout.local_shape(rank);
  if (layout.order().back() == halved && layout.is_whole(halved) && extents[halved] > 0)
    extents[halved] = 2 * (problem.shape[halved] / 2 + 1);
  return dense_strides(extents, layout.order());
}

long double scale_of(const Problem& problem, Direction direction) {
  const auto points = static_cast<long double>(problem.points());
  switch (problem.norm) {
    case Norm::none:
      return 1;
    case Norm::ortho:
      return 1 / std::sqrt(points);
    case Norm::backward:
      return direction == Direction::backward ? 1 / points : 1;
    case Norm::forward:
      return direction == Direction::forward ? 1 / points : 1;
  }
  return 1;
}

Program::Program(const Plan& plan, const Variant& variant, std::int64_t rank,
                 const kernel::LocalOptions& options)
    : variant_(variant), route_(route_of(plan, variant.direction)) {
  add_links(plan, rank);
  for (std::size_t position = 0; position < route_.size(); ++position)
    add_stage(plan, position, rank, options);
}

void Program::add_links(const Plan& plan, std::int64_t rank) {
  const Precision precision = plan.problem.precision;
  for (std::size_t i = 0; i + 1 < route_.size(); ++i) {
    const bool forward = variant_.direction == Direction::forward;
    const Exchange& knobs = plan.exchanges[forward ? i : plan.exchanges.size() - 1 - i];
    const bool real = is_real_before(plan.problem, route_, i + 1, variant_.direction);
    const bool to_last_stage = i + 2 == route_.size();
    links_.push_back({knobs,
                      {route_[i].target, route_[i + 1].source, rank,
                       real ? real_bytes(precision) : complex_bytes(precision), send_buffer,
                       recv_buffer, to_last_stage},
                      nullptr});
    const exchange::Ends ends = exchange::ends(knobs, links_.back().side);
    const std::int64_t bytes = links_.back().side.element_bytes;
    sizes_[send_buffer] = std::max(sizes_[send_buffer], ends.send_elements * bytes);
    sizes_[recv_buffer] = std::max(sizes_[recv_buffer], ends.recv_elements * bytes);
  }
}

void Program::add_stage(const Plan& plan, std::size_t position, std::int64_t rank,
                        const kernel::LocalOptions& options) {
  const Problem& problem = plan.problem;
  const Stage& stage = route_[position];
  const bool first = position == 0;
  const bool last = position + 1 == route_.size();
  auto users_array = [&](const Layout& layout, int buffer, bool real) {
    const bool padded = real && variant_.in_place;
    return array_place(layout.box(rank),
                       padded ? inplace_real_strides(layout, problem, rank) : layout.strides(rank),
                       buffer,
                       real ? real_bytes(problem.precision) : complex_bytes(problem.precision));
  };
  StageSpec spec;
  spec.source = stage.source.box(rank);
  spec.target = stage.target.box(rank);
  for (int axis : stage.axes)
    spec.transforms.push_back(axis_transform(problem, axis, variant_.direction));
  if (position == last_with_axes(route_) && !stage.axes.empty())
    spec.transforms.back().scale = scale_of(problem, variant_.direction);
  const bool real_in = is_real_before(problem, route_, position, variant_.direction);
  const bool real_out = is_real_before(problem, route_, position + 1, variant_.direction);
  spec.inlet = first ? users_array(stage.source, input_buffer, real_in)
                     : exchange::ends(links_[position - 1].knobs, links_[position - 1].side).inlet;
  spec.outlet = last ? users_array(stage.target, output_buffer, real_out)
                     : exchange::ends(links_[position].knobs, links_[position].side).outlet;
  spec.in_place = first && last && variant_.in_place;
  // A padded row has room for the complex numbers; in place the caller gives his input up anyway.
  spec.inlet_is_ours = !first || variant_.in_place || problem.overwrite_input;
  spec.outlet_is_array = last;
  spec.idle_buffer = first ? recv_buffer : spare_buffer;
  stages_.push_back({stage_name(position, stage), make_sweeps(spec, options, sizes_)});
  for (const kernel::Sweep& sweep : stages_.back().sweeps) scratch_.grow_to(sweep.scratch_size());
}

void Program::connect(const comm::Communicator& comm) {
  for (Link& link : links_) link.executor = exchange::make_executor(link.knobs, link.side, comm);
}

void Program::connect_like(const Program& other) {
  for (std::size_t i = 0; i < links_.size(); ++i) links_[i].executor = other.links_[i].executor;
}

std::vector<StepRecord> Program::empty_records() const {
  std::vector<StepRecord> records;
  for (std::size_t i = 0; i < stages_.size(); ++i) {
    records.push_back({.name = stages_[i].name});
    if (i + 1 < stages_.size())
      records.push_back({.name = std::string("exchange: ") + find_method(links_[i].knobs).name,
                         .is_exchange = true});
  }
  return records;
}

void Program::execute(void* const* buffers, const kernel::Scratch& scratch,
                      StepRecord* records) const {
  for (std::size_t i = 0; i < stages_.size(); ++i) {
    const double start = records ? now_s() : 0;
    kernel::MemoryTraffic traffic;
    for (const kernel::Sweep& sweep : stages_[i].sweeps) traffic += sweep.execute(buffers, scratch);
    if (records) {
      StepRecord& r = *records++;
      r.start_s = start;
      r.end_s = now_s();
      r.bytes_read = traffic.read_bytes;
      r.bytes_written = traffic.written_bytes;
    }
    if (i + 1 == stages_.size()) break;
    const exchange::Executor& executor = *links_[i].executor;
    const double sent = records ? now_s() : 0;
    executor.execute(buffers[send_buffer], buffers[recv_buffer]);
    if (records) {
      StepRecord& r = *records++;
      r.start_s = sent;
      r.end_s = now_s();
      r.bytes_read = r.bytes_written = executor.copied_bytes();
      r.bytes_sent = executor.traffic().bytes;
      r.messages = executor.traffic().messages;
    }
  }
}

}  // namespace weft::run
