#include "running/halo.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/halo.hpp"
#include "base/precision_words.hpp"
#include "common.hpp"
#include "running/handles.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace weft::python {

void bind_halo(nb::module_& m) {
  using api::HaloHandle;
  nb::class_<HaloHandle> bound(m, "HaloHandle",
                               "A halo bound to a communicator; weft.Halo is its interface.");
  refuse_pickles(bound, "a halo", "send its layout and widths, and make it there");
  bound
      .def(
          "__init__",
          [](HaloHandle* self, const std::optional<Layout>& layout, const Shape& below,
             const Shape& above, const std::vector<bool>& periodic, std::int64_t element_bytes,
             const std::string& dtype, const std::optional<Exchange>& exchange,
             std::optional<int> comm, const GivenError& error) {
            HaloProblem problem{.layout = layout.value_or(Layout{}),
                                .below = below,
                                .above = above,
                                .periodic = periodic,
                                .element_bytes = element_bytes,
                                .exchange = exchange.value_or(Exchange{})};
            nb::gil_scoped_release release;
            new (self) HaloHandle(problem, group_of(comm), to_error(error), dtype);
          },
          "layout"_a.none(), "below"_a, "above"_a, "periodic"_a, "element_bytes"_a, "dtype"_a,
          "exchange"_a.none(), "comm"_a.none(), "error"_a.none(),
          "Collective. `error` is an error that this rank found in its arguments.")
      .def_prop_ro(
          "rank", [](const HaloHandle& h) { return h.comm().rank(); }, "This rank.")
      .def_prop_ro(
          "below", [](const HaloHandle& h) { return h.problem().below; },
          "Planes before the box, by axis.")
      .def_prop_ro(
          "above", [](const HaloHandle& h) { return h.problem().above; },
          "Planes after the box, by axis.")
      .def_prop_ro(
          "periodic", [](const HaloHandle& h) { return h.problem().periodic; },
          "Whether planes outside the array are those at its other end, by axis.")
      .def_prop_ro("shape", &HaloHandle::shape, "Shape of this rank's local array.")
      .def_prop_ro("strides", &HaloHandle::strides, "Strides of the local array in elements.")
      .def_prop_ro("workspace_bytes", &HaloHandle::workspace_bytes, "Bytes of the workspace.")
      .def(
          "fill",
          [](HaloHandle& h, std::uintptr_t address, const GivenError& error) {
            nb::gil_scoped_release release;
            h.fill(writable(address), to_error(error));
          },
          "address"_a, "error"_a.none(), "Collective: fills the planes of a local array.")
      .def(
          "accumulate",
          [](HaloHandle& h, std::uintptr_t address, const std::string& precision,
             const GivenError& error) {
            nb::gil_scoped_release release;
            h.accumulate(writable(address), from_string<Precision>(precision), to_error(error));
          },
          "address"_a, "precision"_a, "error"_a.none(),
          "Collective: adds the planes to their owners' elements and sets them to zero.");
}

}  // namespace weft::python
