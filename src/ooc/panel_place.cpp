#include "ooc/panel_place.hpp"

#include <algorithm>

namespace weft::ooc {
namespace {

std::int64_t parts(std::int64_t extent, std::int64_t width) { return (extent + width - 1) / width; }

/// Columns c and inner - c are in one panel, the former first.
PanelPlace mirrored_place(const FftPass& pass, std::int64_t outer, std::int64_t row,
                          std::int64_t column) {
  const std::int64_t leading = std::min(column, pass.inner - column);
  PanelPlace place{.panel = outer / pass.outer_width * parts(pass.inner / 2 + 1, pass.inner_width) +
                            leading / pass.inner_width};
  for (const Panel& part : panel_parts(pass, place.panel)) {
    if (column >= part.inner && column < part.inner + part.inners) {
      place.offset += ((outer - part.outer) * pass.radix + row) * part.inners + column - part.inner;
      place.elements = part.inner + part.inners - column;
      break;
    }
    place.offset += elements(pass, part);
  }
  return place;
}

}  // namespace

PanelPlace panel_place(const FftPass& pass, std::int64_t element) {
  const std::int64_t plane = pass.rest * pass.inner;
  const std::int64_t slab = pass.radix * plane;
  const std::int64_t outer = element / slab;
  const std::int64_t row = element / plane % pass.radix;
  const std::int64_t rest = element / pass.inner % pass.rest;
  const std::int64_t column = element % pass.inner;
  if (pass.unpacks_reals) return mirrored_place(pass, outer, row, column);
  const std::int64_t index =
      (outer / pass.outer_width * parts(pass.rest, pass.rest_width) + rest / pass.rest_width) *
          parts(pass.inner, pass.inner_width) +
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
