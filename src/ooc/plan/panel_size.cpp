#include "ooc/plan/panel_size.hpp"

#include <algorithm>

#include "base/direct_io.hpp"
#include "base/roots.hpp"

namespace weft::ooc {
namespace {

/// A tile should stay in a second-level cache, and be so wide that rows across it are whole cache
/// lines. It uses at most this share of memory.
constexpr std::int64_t tile_target_bytes = std::int64_t{256} << 10;
constexpr std::int64_t tile_row_bytes = 512;
constexpr std::int64_t cache_line_bytes = 64;
constexpr std::int64_t tile_memory_share = 16;
/// Panels are rounded up to this.
constexpr std::int64_t panel_rounding_bytes = 64;

/// Returns whether part of a slab is not on the disks; then a panel has one slab.
bool is_cut(const KPass& pass) {
  const std::int64_t all = pass.radix * pass.rest * pass.inner;
  const auto cut = [all](std::int64_t slab) { return slab > 0 && slab < all; };
  return !pass.halves() && (cut(pass.source_slab) || cut(pass.target_slab));
}

/// Returns a width of whole units, at most `most`, that needs no more panels than `most` does and
/// makes them alike. Ranks take panels in turn, and one rank could get all the narrow ones.
std::int64_t evened(std::int64_t columns, std::int64_t most, std::int64_t unit) {
  const auto rounded_up = [](std::int64_t a, std::int64_t b) {
    return a / b + (a % b != 0 ? 1 : 0);
  };
  const std::int64_t panels = rounded_up(columns, std::min(columns, most));
  return std::min(columns, rounded_up(rounded_up(columns, unit), panels) * unit);
}

/// Arrays in a panel: two in a convolution, which also has the kernel.
std::int64_t arrays(const KPass& pass) { return pass.convolves ? 2 : 1; }

/// Runs in addition to those of whole rows.
std::int64_t more_runs(const KPass& pass) { return is_cut(pass) || pass.convolves ? 1 : 0; }

}  // namespace

PanelSizer::PanelSizer(const KPassProblem& problem)
    : problem_(problem),
      element_bytes_(problem.element_bytes()),
      block_(problem.block_bytes / element_bytes_) {}

std::optional<KPass> PanelSizer::fitted(KPass pass) const {
  const std::int64_t columns = pass.rest * pass.inner;
  pass.tile_lines = tile_lines(pass.longest_line());
  pass.panel_elements = panel_elements(pass, 1 + more_runs(pass));
  if (pass.mirrors()) return fitted_mirrored(pass);
  if (pass.radix <= pass.panel_elements / arrays(pass) / columns) {
    if (!is_cut(pass))
      pass.outer_width =
          evened(pass.outer, pass.panel_elements / arrays(pass) / columns / pass.radix, 1);
    pass.rest_width = pass.rest;
    pass.inner_width = pass.inner;
    return pass;
  }
  if (pass.convolves) return std::nullopt;
  pass.panel_elements =
      panel_elements(pass, std::max(pass.radix, pass.real_radix) + more_runs(pass));
  // A run of reals has half the bytes of one of complex numbers.
  const std::int64_t block = pass.reads_reals || pass.writes_reals ? 2 * block_ : block_;
  const std::int64_t blocks = pass.panel_elements / pass.radix / block;
  if (blocks < 1) return std::nullopt;
  if (pass.inner > blocks * block) {
    pass.inner_width = evened(pass.inner, blocks * block, block);
  } else {
    pass.inner_width = pass.inner;
    const bool divides = block % pass.inner == 0;
    const std::int64_t unit = divides ? block / pass.inner : 1;
    const std::int64_t most =
        divides ? blocks * unit : pass.panel_elements / pass.radix / pass.inner;
    pass.rest_width = evened(pass.rest, most, unit);
  }
  return pass;
}

/// Takes all columns, or two blocks of them, and the last element.
std::optional<KPass> PanelSizer::fitted_mirrored(KPass pass) const {
  pass.panel_elements = panel_elements(pass, 2 * pass.radix + 1);
  const std::int64_t all = pass.packs_reals ? pass.rest : pass.inner;
  std::int64_t& width = pass.packs_reals ? pass.rest_width : pass.inner_width;
  const std::int64_t columns = (pass.panel_elements - 1) / pass.radix;
  width = columns >= all ? all / 2 + 1 : columns / 2 / block_ * block_;
  if (columns < all && width == 0) return std::nullopt;
  return pass;
}

std::int64_t PanelSizer::tile_lines(std::int64_t length) const {
  const std::int64_t pitch = tile_pitch_bytes(length, element_bytes_);
  const std::int64_t allowed = problem_.memory_bytes / tile_memory_share / problem_.threads / pitch;
  const std::int64_t wanted =
      std::clamp(tile_target_bytes / pitch, cache_line_bytes / element_bytes_,
                 tile_row_bytes / element_bytes_);
  return std::max<std::int64_t>(1, std::min(wanted, allowed));
}

/// Returns the elements that memory leaves for each panel.
std::int64_t PanelSizer::panel_elements(const KPass& pass, std::int64_t runs) const {
  const std::int64_t left =
      problem_.memory_bytes - bytes_without_panels(pass, pass.tile_lines, runs);
  const std::int64_t bytes = left / problem_.buffers;
  if (bytes < panel_rounding_bytes) return 0;
  const std::int64_t rounding =
      bytes < direct_io_alignment_bytes * 256 ? panel_rounding_bytes : direct_io_alignment_bytes;
  return bytes / rounding * rounding / element_bytes_;
}

std::int64_t PanelSizer::bytes_without_panels(const KPass& pass, std::int64_t lines,
                                              std::int64_t runs) const {
  const std::int64_t pitch = tile_pitch_bytes(pass.longest_line(), element_bytes_);
  std::int64_t bytes = problem_.threads * (lines + 1) * pitch + runs * listed_run_bytes;
  if (pass.has_twiddles()) bytes += RootTables<double>::table_bytes(pass.twiddle_length);
  if (pass.chirp != Chirp::none) bytes += RootTables<double>::table_bytes(2 * pass.chirp_length);
  return bytes;
}

std::int64_t PanelSizer::enough_bytes(const KPass& pass) const {
  // With reals, include mirrors or runs twice as long, and the last element.
  const std::int64_t sides = problem_.halves() ? 2 : 1;
  const std::int64_t width = std::min(sides * block_, pass.rest * pass.inner);
  const std::int64_t panel =
      (pass.radix * width + sides - 1) * element_bytes_ + 2 * panel_rounding_bytes;
  std::int64_t others = bytes_without_panels(pass, 1, sides * (pass.radix + 1));
  if (problem_.halves())
    others += RootTables<double>::table_bytes(
        problem_.shape[static_cast<std::size_t>(problem_.halved_axis())]);
  // Wider tiles use their own share of memory.
  return (problem_.buffers * panel + others) / 7 * 8 + direct_io_alignment_bytes;
}

}  // namespace weft::ooc
