#include "ooc/place_passes.hpp"

#include <algorithm>
#include <vector>

namespace weft::ooc {
namespace {

constexpr std::int64_t page_bytes = 4096;

/// The output, or one of the arrays of scratch space.
struct Spot {
  Where where = Where::output;
  std::size_t area = 0;
  bool operator==(const Spot&) const = default;
};

class Placer {
 public:
  explicit Placer(FftPasses& plan)
      : plan_(plan), sources_(plan.passes.size()), targets_(plan.passes.size()) {}

  void place() {
    if (plan_.kernel_passes > 0) {
      kernel_ = {Where::scratch, 0};
      reserve(kernel_, plan_.target_bytes(plan_.passes[plan_.kernel_passes - 1]));
      place_chain(0, plan_.kernel_passes, kernel_);
    }
    place_chain(plan_.kernel_passes, plan_.passes.size(), {Where::output, 0});
    set_firsts();
  }

 private:
  /// Passes [first, end), from the last one on.
  void place_chain(std::size_t first, std::size_t end, Spot target) {
    for (std::size_t i = end; i-- > first;) {
      FftPass& pass = plan_.passes[i];
      targets_[i] = target;
      pass.target = target.where;
      if (i == first) {
        pass.source = pass.chirp == Chirp::kernel ? Where::nothing : Where::input;
        return;
      }
      const std::int64_t bytes = plan_.source_bytes(pass);
      if (!stays(pass, target)) target = other_than(target, bytes, end);
      reserve(target, bytes);
      sources_[i] = target;
      pass.source = target.where;
    }
  }

  bool stays(const FftPass& pass, Spot target) const {
    return pass.keeps_order() && !plan_.problem.keep_sources && !pass.halves() &&
           !pass.writes_reals && fits(target, plan_.source_bytes(pass)) &&
           (pass.outer == 1 || plan_.source_bytes(pass) == plan_.target_bytes(pass));
  }

  bool fits(Spot spot, std::int64_t bytes) const {
    return spot.where == Where::scratch || bytes <= plan_.output_bytes();
  }

  Spot other_than(Spot target, std::int64_t bytes, std::size_t end) {
    const Spot output{Where::output, 0};
    if (target != output && fits(output, bytes)) return output;
    Spot spot{Where::scratch, 0};
    // The passes of the kernel are over when others begin, so they may share all areas but its own.
    const bool keeps_kernel = plan_.kernel_passes > 0 && end > plan_.kernel_passes;
    while (spot == target || (keeps_kernel && spot == kernel_)) ++spot.area;
    return spot;
  }

  void reserve(Spot spot, std::int64_t bytes) {
    if (spot.where != Where::scratch) return;
    if (areas_.size() <= spot.area) areas_.resize(spot.area + 1);
    areas_[spot.area] = std::max(areas_[spot.area], bytes);
  }

  void set_firsts() {
    std::vector<std::int64_t> offsets;
    for (const std::int64_t bytes : areas_) {
      offsets.push_back((plan_.scratch_bytes + page_bytes - 1) / page_bytes * page_bytes);
      plan_.scratch_bytes = offsets.back() + bytes;
    }
    const auto first = [&](Where where, Spot spot, std::int64_t element_bytes) {
      return where == Where::scratch ? offsets[spot.area] / element_bytes : 0;
    };
    for (std::size_t i = 0; i < plan_.passes.size(); ++i) {
      FftPass& pass = plan_.passes[i];
      pass.source_first = first(pass.source, sources_[i], plan_.source_element_bytes(pass));
      pass.target_first = first(pass.target, targets_[i], plan_.target_element_bytes(pass));
      if (pass.convolves) pass.kernel_first = first(Where::scratch, kernel_, plan_.element_bytes);
    }
  }

  FftPasses& plan_;
  std::vector<Spot> sources_;
  std::vector<Spot> targets_;
  std::vector<std::int64_t> areas_;  ///< their bytes
  Spot kernel_;
};

}  // namespace

void place_passes(FftPasses& plan) { Placer(plan).place(); }

}  // namespace weft::ooc
