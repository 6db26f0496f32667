#include "ooc/plan/array_assignment.hpp"

#include <algorithm>
#include <vector>

#include "base/direct_io.hpp"

namespace weft::ooc {
namespace {

/// The output, or one of the arrays of scratch space.
struct Spot {
  model::VolumeRole where = model::VolumeRole::output;
  std::size_t area = 0;
  bool operator==(const Spot&) const = default;
};

class ArrayAssigner {
 public:
  /// If `last_moves` is true, the last pass does not overwrite its input, though it could.
  ArrayAssigner(KPassPlan& plan, bool last_moves)
      : plan_(plan),
        last_moves_(last_moves),
        sources_(plan.passes.size()),
        targets_(plan.passes.size()) {}

  void place() {
    if (plan_.kernel_passes > 0) {
      kernel_ = {model::VolumeRole::scratch, 0};
      reserve(kernel_, plan_.target_bytes(plan_.passes[plan_.kernel_passes - 1]));
      place_chain(0, plan_.kernel_passes, kernel_);
    }
    place_chain(plan_.kernel_passes, plan_.passes.size(), {model::VolumeRole::output, 0});
    set_firsts();
  }

 private:
  /// Assigns arrays to passes [first, end), from the last one backwards.
  void place_chain(std::size_t first, std::size_t end, Spot target) {
    for (std::size_t i = end; i-- > first;) {
      KPass& pass = plan_.passes[i];
      targets_[i] = target;
      pass.target = target.where;
      if (i == first) {
        pass.source = source_of_first(pass);
        pass.journaled = pass.source == pass.target && plan_.problem.preserve_inputs;
        return;
      }
      const std::int64_t bytes = plan_.source_bytes(pass);
      const bool moves = last_moves_ && i + 1 == plan_.passes.size();
      Spot source = !moves && stays(pass, target) ? target : other_than(target, bytes, end);
      if (i == first + 1 && spoils_input(plan_.passes[first], source))
        source = scratch_other_than(target, end);
      pass.journaled = source == target && plan_.problem.preserve_inputs;
      target = source;
      reserve(target, bytes);
      sources_[i] = target;
      pass.source = target.where;
    }
  }

  model::VolumeRole source_of_first(const KPass& pass) const {
    if (pass.chirp == Chirp::kernel) return model::VolumeRole::nothing;
    return plan_.problem.in_place ? model::VolumeRole::output : model::VolumeRole::input;
  }

  /// Returns whether the first pass would overwrite input that it has not read yet.
  bool spoils_input(const KPass& first, Spot target) const {
    return source_of_first(first) == model::VolumeRole::output &&
           target.where == model::VolumeRole::output && !first.keeps_order();
  }

  bool stays(const KPass& pass, Spot target) const {
    const bool may_stay = !plan_.problem.preserve_inputs || plan_.problem.in_place;
    return pass.keeps_order() && may_stay && !pass.halves() && !pass.writes_reals &&
           fits(target, plan_.source_bytes(pass)) &&
           (pass.outer == 1 || plan_.source_bytes(pass) == plan_.target_bytes(pass));
  }

  bool fits(Spot spot, std::int64_t bytes) const {
    return spot.where == model::VolumeRole::scratch || bytes <= plan_.output_bytes();
  }

  Spot other_than(Spot target, std::int64_t bytes, std::size_t end) {
    const Spot output{model::VolumeRole::output, 0};
    if (target != output && fits(output, bytes)) return output;
    return scratch_other_than(target, end);
  }

  Spot scratch_other_than(Spot target, std::size_t end) {
    Spot spot{model::VolumeRole::scratch, 0};
    // The passes of the kernel end before the other passes begin. So the other passes may use the
    // same areas, except that of the finished kernel.
    const bool keeps_kernel = plan_.kernel_passes > 0 && end > plan_.kernel_passes;
    while (spot == target || (keeps_kernel && spot == kernel_)) ++spot.area;
    return spot;
  }

  void reserve(Spot spot, std::int64_t bytes) {
    if (spot.where != model::VolumeRole::scratch) return;
    if (areas_.size() <= spot.area) areas_.resize(spot.area + 1);
    areas_[spot.area] = std::max(areas_[spot.area], bytes);
  }

  void set_firsts() {
    std::vector<std::int64_t> offsets;
    for (const std::int64_t bytes : areas_) {
      offsets.push_back(direct_io_rounded(plan_.scratch_bytes));
      plan_.scratch_bytes = offsets.back() + bytes;
    }
    reserve_journal();
    const auto first = [&](model::VolumeRole where, Spot spot, std::int64_t element_bytes) {
      return where == model::VolumeRole::scratch ? offsets[spot.area] / element_bytes : 0;
    };
    for (std::size_t i = 0; i < plan_.passes.size(); ++i) {
      KPass& pass = plan_.passes[i];
      pass.source_first = first(pass.source, sources_[i], plan_.source_element_bytes(pass));
      pass.target_first = first(pass.target, targets_[i], plan_.target_element_bytes(pass));
      if (pass.convolves)
        pass.kernel_first = first(model::VolumeRole::scratch, kernel_, plan_.element_bytes);
    }
  }

  void reserve_journal() {
    for (const KPass& pass : plan_.passes)
      if (pass.journaled)
        plan_.journal_slot_bytes =
            std::max(plan_.journal_slot_bytes, memory_of(plan_, pass).panel_bytes);
    if (plan_.journal_slot_bytes == 0) return;
    plan_.journal_slot_bytes = direct_io_rounded(plan_.journal_slot_bytes);
    plan_.journal_first_byte = direct_io_rounded(plan_.scratch_bytes);
    plan_.scratch_bytes = plan_.journal_first_byte + 2 * plan_.journal_slot_bytes;
  }

  KPassPlan& plan_;
  bool last_moves_;
  std::vector<Spot> sources_;
  std::vector<Spot> targets_;
  std::vector<std::int64_t> areas_;  ///< bytes of each array in scratch space
  Spot kernel_;
};

}  // namespace

void assign_arrays(KPassPlan& plan) {
  KPassPlan other = plan;
  ArrayAssigner(plan, false).place();
  if (!plan.problem.in_place) return;
  // The first pass may have to write to another array than it reads. If the last pass also moves
  // its panels to another array, the plan takes more or less space, depending on the number of
  // passes. The plan with less scratch space is taken.
  ArrayAssigner(other, true).place();
  if (other.scratch_bytes < plan.scratch_bytes) plan = other;
}

}  // namespace weft::ooc
