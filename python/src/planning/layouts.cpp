#include "planning/layouts.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include <weft/layout.hpp>
#include <weft/plan.hpp>

#include "common.hpp"
#include "value.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace weft::python {
namespace {

nb::tuple bounds_tuple(const weft::Box& box) {
  nb::list pairs;
  for (const auto& [lower, upper] : weft::python::to_bounds(box))
    pairs.append(nb::make_tuple(lower, upper));
  return nb::tuple(pairs);
}

weft::Layout layout_of_boxes(const weft::Shape& shape, const std::vector<Bounds>& boxes,
                             const std::vector<int>& order) {
  std::vector<weft::Box> converted;
  for (const Bounds& bounds : boxes) converted.push_back(weft::python::to_box(bounds));
  return weft::Layout::of_boxes(shape, std::move(converted), order);
}

}  // namespace

void bind_layout(nb::module_& m) {
  using weft::Layout;
  nb::class_<Layout> bound(m, "Layout",
                           "The assignment of a box of a global array to each rank, with the "
                           "memory order of each box.\n\n"
                           "A plain value: comparable, printable, made without MPI for any number "
                           "of ranks. Boxes are\nhalf-open, in logical axis order. Part r of p "
                           "parts of n indices is [n*r//p, n*(r+1)//p).");
  bound
      .def_static("grid", &Layout::grid, "shape"_a, "grid"_a, "order"_a = std::vector<int>{},
                  "ranks"_a = 0,
                  "Splits axis a of `shape` into grid[a] balanced parts. Ranks run over the grid "
                  "with the last\naxis fastest. `order` lists the axes from slowest to fastest in "
                  "memory (default: C order).\n"
                  "`ranks` may exceed the product of the grid: the ranks beyond it own nothing.")
      .def_static("slab", &Layout::slab, "shape"_a, "ranks"_a, "axis"_a = 0,
                  "Splits one axis over all ranks.")
      .def_static("pencil", &Layout::pencil, "shape"_a, "ranks"_a, "first_axis"_a = 0,
                  "second_axis"_a = 1,
                  "Splits two axes over a process grid as square as `ranks` allows.")
      .def_static("brick", &Layout::brick, "shape"_a, "ranks"_a,
                  "Splits the first three axes over a process grid as cubic as `ranks` allows.")
      .def_static("on_one", &Layout::on_one, "shape"_a, "ranks"_a, "owner"_a = 0,
                  "Puts the whole array on rank `owner`.")
      .def_static("of_boxes", &layout_of_boxes, "shape"_a, "boxes"_a,
                  "order"_a = std::vector<int>{},
                  "Takes one box per rank, each a sequence of (lo, hi) pairs. Boxes may be empty; "
                  "they must\nnot overlap and must leave no hole.")
      .def_prop_ro(
          "shape", [](const Layout& l) { return as_tuple(l.shape()); },
          "Extents of the global array.")
      .def_prop_ro("ranks", &Layout::ranks, "Number of ranks.")
      .def_prop_ro(
          "order", [](const Layout& l) { return as_tuple(l.order()); },
          "Axes from slowest to fastest in memory.")
      .def_prop_ro(
          "process_grid", [](const Layout& l) { return as_tuple(l.process_grid()); },
          "Parts along each axis; empty if boxes were given.")
      .def_prop_ro("family", &Layout::family, "slab, pencil, brick, grid, whole or boxes.")
      .def(
          "box", [](const Layout& l, std::int64_t rank) { return bounds_tuple(l.box(rank)); },
          "rank"_a,
          "Returns the (lo, hi) pairs of a rank's box; if the rank owns nothing, all are (0, 0) "
          "except that of components.")
      .def(
          "local_shape",
          [](const Layout& l, std::int64_t rank) { return as_tuple(l.local_shape(rank)); },
          "rank"_a, "Returns the extents of a rank's box.")
      .def(
          "strides", [](const Layout& l, std::int64_t rank) { return as_tuple(l.strides(rank)); },
          "rank"_a, "Strides in elements of a rank's local array, in logical axis order.")
      .def("local_volume", &Layout::local_volume, "rank"_a, "Number of elements of a rank's box.")
      .def("is_whole", &Layout::is_whole, "axis"_a,
           "Returns True when no rank holds only a part of this axis.")
      .def_prop_ro("empty_ranks", &Layout::empty_ranks, "Number of ranks that own nothing.")
      .def("with_order", &Layout::with_order, "order"_a,
           "Returns the same ownership in another memory order.")
      .def("of_one_component", &Layout::of_one_component,
           "Returns the layout without the axis of components.")
      .def("with_components", &Layout::with_components, "count"_a,
           "Returns the layout of several arrays, one after the other in memory: with a leading "
           "axis of this extent, which every rank holds whole.")
      .def_prop_ro(
          "components",
          [](const Layout& l) {
            return l.components() > 0 ? std::optional<std::int64_t>(l.components()) : std::nullopt;
          },
          "Extent of the leading axis that with_components added; None if there is none.")
      .def("same_boxes", &Layout::same_boxes, "other"_a,
           "Returns True when every rank has the same box in both layouts.")
      .def("describe", &Layout::describe, "Describes the layout in one line.")
      .def(
          "to_json", [](const Layout& l) { return weft::to_json(l); },
          "JSON text; it has the grid, or the boxes if they were given.")
      .def_static(
          "from_json", [](const std::string& text) { return weft::layout_from_json(text); },
          "text"_a, "Inverse of to_json.")
      .def("__repr__", [](const Layout& l) { return "<weft.Layout " + l.describe() + ">"; });
  bind_value(
      bound, [](const Layout& l) { return weft::to_json(l); },
      [](const std::string& text) { return weft::layout_from_json(text); });
}

}  // namespace weft::python
