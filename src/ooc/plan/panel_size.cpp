#include "ooc/plan/panel_size.hpp"

#include <algorithm>

#include "base/direct_io.hpp"
#include "base/roots.hpp"
#include "base/rounding.hpp"

namespace weft::ooc {
namespace {

/// A tile of this size stays in a second-level cache.
constexpr std::int64_t tile_target_bytes = std::int64_t{256} << 10;
/// A row across the lines of a tile has at least one cache line, and at most this length.
constexpr std::int64_t tile_row_bytes_max = 512;
constexpr std::int64_t cache_line_bytes = 64;
/// The tiles of all threads take at most memory divided by this number, unless a single line for
/// each thread takes more.
constexpr std::int64_t memory_over_tiles = 16;
/// memory_of() rounds the buffers of short panels up to multiples of this number, and the buffers
/// of long panels to direct_io_alignment_bytes.
constexpr std::int64_t panel_rounding_bytes = 64;

/// Returns whether the disks have only the first part of each slab. A panel then has one slab.
bool is_cut(const KPass& pass) {
  const std::int64_t all = pass.radix * pass.rest * pass.inner;
  const auto cut = [all](std::int64_t slab) { return slab > 0 && slab < all; };
  return !pass.halves() && (cut(pass.source_slab) || cut(pass.target_slab));
}

/// Returns a width of whole units, at most `most`. The width gives as many panels as `most` does,
/// but of similar widths. Ranks take panels in turn, so one rank could otherwise get all narrow
/// panels.
std::int64_t evened(std::int64_t columns, std::int64_t most, std::int64_t unit) {
  const std::int64_t panels = divided_up(columns, std::min(columns, most));
  return std::min(columns, divided_up(divided_up(columns, unit), panels) * unit);
}

/// Returns the number of arrays in a panel. In a convolution the second one is the kernel.
std::int64_t arrays(const KPass& pass) { return pass.convolves ? 2 : 1; }

/// Returns the number of runs in addition to whole rows: a part of a row, or the kernel.
std::int64_t extra_runs(const KPass& pass) { return is_cut(pass) || pass.convolves ? 1 : 0; }

}  // namespace

PanelSizer::PanelSizer(const KPassProblem& problem)
    : problem_(problem),
      element_bytes_(problem.element_bytes()),
      block_(problem.block_bytes / element_bytes_) {}

std::optional<KPass> PanelSizer::fitted(KPass pass) const {
  const std::int64_t columns = pass.rest * pass.inner;
  pass.tile_lines = tile_lines(pass.longest_line());
  pass.panel_elements = panel_elements(pass, 1 + extra_runs(pass));
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
      panel_elements(pass, std::max(pass.radix, pass.real_radix) + extra_runs(pass));
  // Reals have half the bytes of complex numbers, so a block has twice as many reals.
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

/// Fits columns and their mirrors into a panel: all columns, or whole blocks of them. The first
/// panel also has the last element of half a spectrum.
std::optional<KPass> PanelSizer::fitted_mirrored(KPass pass) const {
  pass.panel_elements = panel_elements(pass, 2 * pass.radix + 1);
  const std::int64_t all = pass.packs_reals ? pass.rest : pass.inner;
  std::int64_t& width = pass.packs_reals ? pass.rest_width : pass.inner_width;
  const std::int64_t most = (pass.panel_elements - 1) / pass.radix;
  width = most >= all ? all / 2 + 1 : most / 2 / block_ * block_;
  if (most < all && width == 0) return std::nullopt;
  return pass;
}

std::int64_t PanelSizer::tile_lines(std::int64_t length) const {
  const std::int64_t pitch = tile_pitch_bytes(length, element_bytes_);
  const std::int64_t allowed = problem_.memory_bytes / memory_over_tiles / problem_.threads / pitch;
  const std::int64_t wanted =
      std::clamp(tile_target_bytes / pitch, cache_line_bytes / element_bytes_,
                 tile_row_bytes_max / element_bytes_);
  return std::max<std::int64_t>(1, std::min(wanted, allowed));
}

/// Returns the number of elements for which a panel has memory. `runs` is its number of runs.
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
  // With a halved axis, a panel has mirrors, or blocks of reals with twice as many elements. It may
  // also have the last element of half a spectrum.
  const std::int64_t sides = problem_.halves() ? 2 : 1;
  const std::int64_t width = std::min(sides * block_, pass.rest * pass.inner);
  const std::int64_t panel =
      (pass.radix * width + sides - 1) * element_bytes_ + 2 * panel_rounding_bytes;
  std::int64_t others = bytes_without_panels(pass, 1, sides * (pass.radix + 1));
  if (problem_.halves())
    others += RootTables<double>::table_bytes(
        problem_.shape[static_cast<std::size_t>(problem_.halved_axis())]);
  // An eighth of the memory is left for the tiles, which can have more than the one line that is
  // counted here.
  return (problem_.buffers * panel + others) / 7 * 8 + direct_io_alignment_bytes;
}

}  // namespace weft::ooc
