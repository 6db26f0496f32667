#include "ooc/plan/panel_place.hpp"

#include <algorithm>

#include "base/rounding.hpp"

namespace weft::ooc {
namespace {

/// The place in a panel with mirrors. Columns c and columns - c are in one panel, c first. Half a
/// spectrum of packed reals has one more element, the last one of the first panel.
PanelPlace mirrored_place(const KPass& pass, std::int64_t outer, std::int64_t in_slab) {
  const std::int64_t columns = pass.packs_reals ? pass.rest : pass.inner;
  const std::int64_t width = pass.packs_reals ? pass.rest_width : pass.inner_width;
  const bool is_last = in_slab == pass.radix * columns;
  const std::int64_t row = in_slab / columns;
  const std::int64_t column = is_last ? 0 : in_slab % columns;
  PanelPlace place{.panel = outer / pass.outer_width * divided_up(columns / 2 + 1, width) +
                            std::min(column, columns - column) / width};
  for (const Panel& part : panel_parts(pass, place.panel)) {
    const std::int64_t first = pass.packs_reals ? part.rest : part.inner;
    const std::int64_t count = pass.packs_reals ? part.rests : part.inners;
    if (!is_last && column >= first && column < first + count) {
      place.offset += ((outer - part.outer) * pass.radix + row) * count + column - first;
      place.elements = first + count - column;
      return place;
    }
    place.offset += elements(pass, part);
  }
  place.elements = 1;
  return place;
}

}  // namespace

PanelPlace panel_place(const KPass& pass, std::int64_t element) {
  const std::int64_t plane = pass.rest * pass.inner;
  const std::int64_t slab = pass.source_slab > 0 ? pass.source_slab : pass.radix * plane;
  const std::int64_t outer = element / slab;
  const std::int64_t in_slab = element % slab;
  if (pass.mirrors()) return mirrored_place(pass, outer, in_slab);
  const std::int64_t row = in_slab / plane;
  const std::int64_t rest = in_slab / pass.inner % pass.rest;
  const std::int64_t column = in_slab % pass.inner;
  const std::int64_t index =
      (outer / pass.outer_width * divided_up(pass.rest, pass.rest_width) + rest / pass.rest_width) *
          divided_up(pass.inner, pass.inner_width) +
      column / pass.inner_width;
  const Panel panel = panel_of(pass, index);
  PanelPlace place{.panel = index};
  place.offset = (((outer - panel.outer) * pass.radix + row) * panel.rests + rest - panel.rest) *
                     panel.inners +
                 column - panel.inner;
  if (panel.inners < pass.inner)
    place.elements = panel.inner + panel.inners - column;
  else if (panel.rests < pass.rest)
    place.elements = (panel.rest + panel.rests - rest) * pass.inner - column;
  else
    place.elements = (panel.outer + panel.outers) * slab - element;
  return place;
}

}  // namespace weft::ooc
