#include "ooc_choice/alternatives.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>

#include <weft/error.hpp>

#include "bmmc/plan/analysis.hpp"
#include "bmmc/plan/cost.hpp"
#include "ooc/plan/cost.hpp"
#include "ooc/plan/k_pass_planner.hpp"

namespace weft::ooc_choice {
namespace {

constexpr std::int64_t kib = 1024;
/// Block sizes in the order of preference, which decides if their times are about equal.
constexpr std::array free_blocks = {1024 * kib, 512 * kib,  256 * kib, 128 * kib,
                                    64 * kib,   32 * kib,   16 * kib,  8 * kib,
                                    4 * kib,    2048 * kib, 4096 * kib};
constexpr double as_fast = 1.01;
constexpr std::size_t most_others = 5;
/// Groupings are tried up to this number of axes. With more axes there are too many of them, and
/// none is better.
constexpr std::size_t most_grouped_axes = 4;

std::string seconds_word(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g s", seconds);
  return text;
}

std::string counted_passes(std::int64_t passes) {
  return std::to_string(passes) + (passes == 1 ? " pass" : " passes");
}

std::string lines_of(const ooc::KPass& pass) {
  std::string words;
  for (const ooc::PanelAxis& axis : pass.axes)
    words += (words.empty() ? "" : "x") + std::to_string(axis.length);
  return words;
}

/// Returns the kind of a plan, such as "2 passes of lines of 4096, 8192".
std::string kind_of(const ooc::KPassPlan& plan) {
  std::string words = counted_passes(std::ssize(plan.passes)) + " of lines of ";
  for (std::size_t i = 0; i < plan.passes.size(); ++i)
    words += (i == 0 ? "" : ", ") + lines_of(plan.passes[i]);
  return words + (plan.problem.order == ooc::OutputOrder::transposed ? ", transposed order" : "");
}

/// Returns all groupings of axes: sizes of groups that add up to `axes`.
std::vector<std::vector<std::size_t>> groupings(std::size_t axes) {
  std::vector<std::vector<std::size_t>> all;
  for (std::size_t cuts = 0; cuts < std::size_t{1} << (axes - 1); ++cuts) {
    std::vector<std::size_t> groups = {1};
    for (std::size_t i = 0; i + 1 < axes; ++i)
      if ((cuts >> i & 1) != 0)
        groups.push_back(1);
      else
        ++groups.back();
    all.push_back(groups);
  }
  return all;
}

class AlternativeSearch {
 public:
  AlternativeSearch(const ooc::KPassProblem& problem, bool blocks_are_free, const Machine& machine,
                    const model::DiskAssignment& storage)
      : problem_(problem), machine_(machine), storage_(storage) {
    if (blocks_are_free)
      blocks_.assign(free_blocks.begin(), free_blocks.end());
    else
      blocks_ = {problem.block_bytes};
  }

  DiskAlternatives found() {
    for (const std::int64_t block : blocks_) {
      add_passes(block);
      add_superlevels(block);
    }
    DiskAlternatives result;
    result.considered = considered_;
    if (!take_best(result)) {
      ooc::KPassProblem least = problem_;
      least.block_bytes = *std::min_element(blocks_.begin(), blocks_.end());
      ooc::plan_passes(least);  // throws with the reason
      throw Error(ErrorCode::internal, "a plan exists that was not found");
    }
    add_others(result);
    return result;
  }

 private:
  /// Adds plans with the problem's number of buffers, and with three buffers, which have wider
  /// panels.
  void add_passes(std::int64_t block) {
    add_passes(block, problem_.buffers);
    if (storage_.asynchronous && problem_.buffers > 3) add_passes(block, 3);
  }

  void add_passes(std::int64_t block, int buffers) {
    ooc::KPassProblem problem = problem_;
    problem.block_bytes = block;
    problem.buffers = buffers;
    const auto axes = static_cast<std::size_t>(
        std::count_if(problem.axes.begin(), problem.axes.end(), [&](int axis) {
          return problem.shape[static_cast<std::size_t>(axis)] > 1 ||
                 keeps_elements(problem.kind_of(axis));
        }));
    add_plan(problem, "");
    if (axes > 1 && axes <= most_grouped_axes && problem.groups.empty() && !problem.halves())
      for (const auto& groups : groupings(axes)) {
        problem.groups = groups;
        add_plan(problem, "");
      }
    problem.groups = problem_.groups;
    if (axes == 1 && problem.shape.size() == 1 && problem.is_c2c() && !problem.filter &&
        problem.order == ooc::OutputOrder::natural) {
      problem.order = ooc::OutputOrder::transposed;
      add_plan(problem, "the transposed order was not asked for");
    }
  }

  void add_plan(const ooc::KPassProblem& problem, const std::string& ineligible_because) {
    const auto plan = attempted([&] { return ooc::plan_passes(problem); });
    if (!plan || (!ineligible_because.empty() && plan->transposed_rows == 1)) return;
    const ooc::KPassPlanCost cost = cost_of(*plan, machine_, storage_);
    DiskAlternative alternative{.method = "k-pass",
                                .words = kind_of(*plan),
                                .order = problem.order,
                                .passes = std::ssize(plan->passes),
                                .block_bytes = problem.block_bytes,
                                .seconds = cost.seconds(),
                                .ineligible_because = ineligible_because,
                                .plan = *plan};
    for (const ooc::KPassCost& pass : cost.passes) {
      alternative.disk_s += pass.read_s + pass.write_s;
      alternative.compute_s += pass.arithmetic_s + pass.memory_s;
    }
    add(std::move(alternative));
  }

  void add_superlevels(std::int64_t block) {
    if (problem_.shape.size() != 1 || problem_.axes.size() != 1 || !problem_.is_c2c() ||
        problem_.filter || problem_.order == ooc::OutputOrder::transposed ||
        problem_.memory_bytes < 1)
      return;
    const auto floor = [](std::int64_t value) {
      return static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(value)));
    };
    bmmc::SuperlevelFft fft{.points = problem_.shape[0],
                            .memory_bytes = floor(problem_.memory_bytes),
                            .block_bytes = block,
                            .disks = floor(std::ssize(storage_.output)),
                            .record_bytes = complex_bytes(problem_.precision)};
    if (storage_.asynchronous) {
      fft.butterfly_buffers *= 2;
      fft.permutation_buffers *= 2;
    }
    for (const bmmc::FftMethod method : bmmc::fft_methods) add_superlevels(fft, method);
  }

  void add_superlevels(const bmmc::SuperlevelFft& fft, bmmc::FftMethod method) {
    const auto analysis = attempted([&] { return bmmc::analyze(fft, method); });
    if (!analysis) return;
    const bmmc::SuperlevelsCost cost =
        cost_of(fft, *analysis, problem_.precision, problem_.threads, machine_, storage_);
    DiskAlternative alternative{
        .method = std::string("bmmc:") + to_string(method),
        .words = counted_passes(analysis->passes) + ", " + std::to_string(analysis->depths.size()) +
                 " of them superlevels",
        .passes = analysis->passes,
        .block_bytes = fft.block_bytes,
        .seconds = cost.seconds,
        .disk_s = cost.disk_s,
        .compute_s = cost.compute_s,
        .message_s = cost.message_s,
        .ineligible_because = "it is done only where it is asked for by name"};
    // On one process the variants are alike, so equal ones are kept once.
    const bool is_known =
        std::any_of(alternatives_.begin(), alternatives_.end(), [&](const DiskAlternative& other) {
          return other.method != alternative.method && other.words == alternative.words &&
                 other.method.starts_with("bmmc:") &&
                 other.seconds <= alternative.seconds * as_fast;
        });
    if (is_known)
      ++considered_;
    else
      add(std::move(alternative));
  }

  /// Returns the result of make(), or nullopt if sizes do not fit.
  template <class Make>
  static auto attempted(Make&& make) -> std::optional<decltype(make())> {
    try {
      return make();
    } catch (const Error& error) {
      if (error.code() != ErrorCode::invalid_argument) throw;
      return std::nullopt;
    }
  }

  /// Adds an alternative, unless there is one of the same kind whose block is as good.
  void add(DiskAlternative alternative) {
    ++considered_;
    const auto same =
        std::find_if(alternatives_.begin(), alternatives_.end(), [&](const DiskAlternative& other) {
          return other.method == alternative.method && other.words == alternative.words;
        });
    if (same == alternatives_.end())
      alternatives_.push_back(std::move(alternative));
    else if (alternative.seconds * as_fast < same->seconds)
      *same = std::move(alternative);
  }

  bool take_best(DiskAlternatives& result) {
    double least = -1;
    for (const DiskAlternative& alternative : alternatives_)
      if (alternative.ineligible_because.empty() && (least < 0 || alternative.seconds < least))
        least = alternative.seconds;
    const auto best = std::find_if(
        alternatives_.begin(), alternatives_.end(), [&](const DiskAlternative& alternative) {
          return alternative.ineligible_because.empty() && alternative.seconds <= least * as_fast;
        });
    if (best == alternatives_.end()) return false;
    result.best = std::move(*best);
    alternatives_.erase(best);
    return true;
  }

  void add_others(DiskAlternatives& result) {
    std::stable_sort(alternatives_.begin(), alternatives_.end(),
                     [](const DiskAlternative& one, const DiskAlternative& other) {
                       return one.seconds < other.seconds;
                     });
    for (DiskAlternative& alternative : alternatives_) {
      if (result.others.size() == most_others) break;
      alternative.loses_by = difference(alternative, result.best);
      result.others.push_back(std::move(alternative));
    }
  }

  static std::string difference(const DiskAlternative& alternative, const DiskAlternative& best) {
    const double disk_s = alternative.disk_s - best.disk_s;
    const double compute_s = alternative.compute_s - best.compute_s;
    const std::string more =
        "+" + seconds_word(std::max({disk_s, compute_s, alternative.message_s}));
    if (alternative.seconds <= best.seconds) return "nothing";
    if (disk_s >= compute_s && disk_s >= alternative.message_s)
      return "disk " + more +
             (alternative.passes > best.passes ? ": " + counted_passes(alternative.passes) +
                                                     " instead of " + std::to_string(best.passes)
                                               : ": shorter runs");
    return (compute_s >= alternative.message_s ? "arithmetic and memory " : "messages ") + more;
  }

  const ooc::KPassProblem& problem_;
  const Machine& machine_;
  const model::DiskAssignment& storage_;
  std::vector<std::int64_t> blocks_;
  std::vector<DiskAlternative> alternatives_;  ///< the best of each kind
  std::int64_t considered_ = 0;
};

}  // namespace

DiskAlternatives find_disk_alternatives(const ooc::KPassProblem& problem, bool blocks_are_free,
                                        const Machine& machine,
                                        const model::DiskAssignment& storage) {
  check(machine);
  check(storage);
  return AlternativeSearch(problem, blocks_are_free, machine, storage).found();
}

}  // namespace weft::ooc_choice
