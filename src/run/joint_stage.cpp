#include "run/joint_stage.hpp"

#include <algorithm>
#include <utility>

#include "kernel/block_shape.hpp"
#include "run/local_arrays.hpp"

namespace weft::run {
namespace {

using kernel::AxisTransform;
using kernel::ChainFunction;
using kernel::ChainPart;
using kernel::Place;

/// A pass of a joint stage before it has places: parts of fields, and a function between each two.
struct DraftPass {
  std::vector<ChainPart> parts;
  std::vector<ChainFunction> functions;
};

/// Returns transforms in groups that go through the cache together.
std::vector<std::vector<AxisTransform>> grouped(const StageSpec& spec, std::int64_t fields,
                                                const kernel::LocalOptions& options) {
  const std::vector<AxisTransform>& transforms = spec.transforms;
  std::vector<std::vector<AxisTransform>> groups;
  for (std::size_t first = 0; first < transforms.size();) {
    const Box box = box_after(spec.source, transforms, 0, first);
    const std::size_t next =
        first + kernel::fusable(box, transforms, first, spec.inlet, options, fields);
    groups.emplace_back(transforms.begin() + static_cast<std::ptrdiff_t>(first),
                        transforms.begin() + static_cast<std::ptrdiff_t>(next));
    first = next;
  }
  return groups;
}

/// Returns the backward transforms in the same groups as the forward ones, in the opposite order.
std::vector<std::vector<AxisTransform>> mirrored(
    const std::vector<std::vector<AxisTransform>>& groups,
    const std::vector<AxisTransform>& transforms_back) {
  std::vector<std::vector<AxisTransform>> mirror;
  auto next = transforms_back.begin();
  for (auto group = groups.rbegin(); group != groups.rend(); ++group) {
    const auto end = next + static_cast<std::ptrdiff_t>(group->size());
    mirror.emplace_back(next, end);
    next = end;
  }
  return mirror;
}

std::vector<DraftPass> drafts_of(const JointSpec& spec, const kernel::LocalOptions& options) {
  const FieldCounts& counts = spec.counts;
  const std::int64_t fields = spec.is_after_turn ? counts.out : counts.in;
  // A pass uses the planes of one field at a time, and the function uses the planes of all fields
  // once. So it is enough if half of these planes stay in cache.
  const std::int64_t together = spec.turn ? (counts.in + counts.out + 1) / 2 : 1;
  const auto there = grouped(spec.stage, together, options);
  std::vector<DraftPass> drafts;
  if (spec.first) drafts.push_back({{{counts.stored_in, {}}}, {*spec.first}});
  for (const auto& group : there) {
    const bool joins = spec.first && drafts.size() == 1 && drafts[0].parts.size() == 1;
    if (!joins) drafts.emplace_back();
    drafts.back().parts.push_back({fields, group});
  }
  if (there.empty()) {  // a stage without axes
    if (spec.first) drafts.back().parts.push_back({fields, {}});
    drafts.push_back({{{fields, {}}}, {}});
    if (spec.last) drafts.push_back({{{fields, {}}}, {}});
  }
  if (spec.turn) {
    drafts.back().functions.push_back(*spec.turn);
    const auto back = mirrored(there, spec.transforms_back);
    for (std::size_t i = 0; i < back.size(); ++i) {
      if (i > 0) drafts.emplace_back();
      drafts.back().parts.push_back({counts.out, back[i]});
    }
  }
  if (spec.last) {
    drafts.back().functions.push_back(*spec.last);
    drafts.back().parts.push_back({counts.stored_out, {}});
  }
  return drafts;
}

/// Returns the local box after a pass.
Box after_pass(Box box, const DraftPass& draft) {
  for (const ChainPart& part : draft.parts)
    box = box_after(box, part.transforms, 0, part.transforms.size());
  return box;
}

/// Returns a box with room for the array between any two passes.
Box room_between(const JointSpec& spec, const std::vector<DraftPass>& drafts) {
  Box box = spec.stage.source;
  Box room = box;
  bool is_first = true;
  for (std::size_t i = 0; i + 1 < drafts.size(); ++i) {
    box = after_pass(box, drafts[i]);
    for (int axis = 0; axis < box.dims(); ++axis)
      room.upper[axis] = is_first ? box.upper[axis] : std::max(room.upper[axis], box.upper[axis]);
    for (int axis = 0; axis < box.dims(); ++axis) room.lower[axis] = box.lower[axis];
    is_first = false;
  }
  return room;
}

/// Returns the stage with its first two axes in the better order: the axis with the smaller stride
/// first, and last on the way back. The outermost passes also access the fields of the functions
/// before and after. So with this order most accesses are to adjacent memory.
JointSpec with_smaller_stride_outside(JointSpec spec) {
  std::vector<AxisTransform>& there = spec.stage.transforms;
  std::vector<AxisTransform>& back = spec.transforms_back;
  if (!spec.turn || there.size() < 3 || back.size() != there.size()) return spec;
  AxisTransform* const last = &back.back();
  const auto is_free = [](const AxisTransform& t) {
    return t.kind.is_c2c() && !kernel::numbers_lines(t);
  };
  const bool are_free = is_free(there[0]) && is_free(there[1]) && is_free(last[0]) &&
                        is_free(last[-1]) && last[0].axis == there[0].axis &&
                        last[-1].axis == there[1].axis;
  const Shape& strides = spec.stage.inlet.pieces[0].strides;
  if (!are_free || strides[there[1].axis] >= strides[there[0].axis] || strides[there[1].axis] == 1)
    return spec;
  std::swap(there[0], there[1]);
  std::swap(last[0], last[-1]);
  return spec;
}

/// Returns the bytes of the widest element between passes.
std::int64_t widest_bytes(const JointSpec& spec, Precision precision) {
  std::int64_t widest =
      std::max(spec.stage.inlet.element_bytes * (spec.stage.inlet.narrow ? 2 : 1),
               spec.stage.outlet.element_bytes * (spec.stage.outlet.narrow ? 2 : 1));
  for (const AxisTransform& t : spec.stage.transforms)
    widest = std::max(widest, kernel::widest_element_bytes(t, precision));
  return widest;
}

}  // namespace

JointStage::JointStage(const JointSpec& given, const kernel::ChainTables& tables,
                       const kernel::LocalOptions& options, BufferSizes& sizes) {
  if (given.stage.source.empty()) return;
  const JointSpec spec = with_smaller_stride_outside(given);
  const std::vector<DraftPass> drafts = drafts_of(spec, options);
  Place between;
  if (drafts.size() > 1)
    between = dense_array(room_between(spec, drafts), spec.stage.idle_buffer,
                          widest_bytes(spec, options.precision), sizes);
  Box box = spec.stage.source;
  for (std::size_t i = 0; i < drafts.size(); ++i) {
    const DraftPass& draft = drafts[i];
    const Place& from = i == 0 ? spec.stage.inlet : between;
    const Place& to = i + 1 == drafts.size() ? spec.stage.outlet : between;
    kernel::LocalOptions pass_options = options;
    if (kernel::streams(box, from, to, false))
      pass_options.outlet_stores = kernel::Stores::streaming;
    JointPass pass;
    pass.fields = draft.parts.front().fields;
    pass.functions = draft.functions;
    if (draft.functions.empty()) {
      pass.sweep.emplace(box, draft.parts.front().transforms, from, to, pass_options);
      scratch_.grow_to(pass.sweep->scratch_size());
    } else {
      pass.chain.emplace(
          kernel::ChainSpec{box, draft.parts, draft.functions, from, to, spec.least_block_bytes},
          tables, options.precision, pass_options);
      scratch_.grow_to(pass.chain->scratch_size());
    }
    passes_.push_back(std::move(pass));
    box = after_pass(box, draft);
  }
}

std::int64_t JointStage::result_count() const {
  std::int64_t count = 0;
  for (const JointPass& pass : passes_)
    if (pass.chain) count += pass.chain->blocks() * pass.chain->result_count();
  return count;
}

kernel::MemoryTraffic JointStage::execute(std::span<void* const* const> arrays,
                                          const kernel::Scratch& scratch, kernel::ChainCall& call,
                                          double* results) const {
  kernel::MemoryTraffic traffic;
  for (const JointPass& pass : passes_) {
    if (pass.chain) {
      traffic += pass.chain->execute(arrays, arrays, scratch, call, results);
      results += pass.chain->blocks() * pass.chain->result_count();
      continue;
    }
    for (std::int64_t field = 0; field < pass.fields; ++field)
      traffic += pass.sweep->execute(arrays[static_cast<std::size_t>(field)], scratch);
  }
  return traffic;
}

}  // namespace weft::run
