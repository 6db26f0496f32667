#include "running/operators.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <string>

#include <weft/operators.hpp>

#include "running/handles.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace weft::python {
namespace {

/// Returns this rank's numbers. Python passes them as an address.
operators::SpectrumArray array_of(const Plan& plan, std::int64_t rank, std::uintptr_t address,
                                  bool is_complex) {
  return {rank, pointer(address), is_complex ? Element::complex : Element::real,
          plan.problem.precision};
}

}  // namespace

void bind_operators(nb::module_& m) {
  nb::module_ made = m.def_submodule("operators", "Functions of spectra.");
  made.def("derivative", &operators::derivative, "plan"_a, "axis"_a, "order"_a, "lengths"_a);
  made.def("gradient", &operators::gradient, "plan"_a, "lengths"_a);
  made.def("divergence", &operators::divergence, "plan"_a, "lengths"_a);
  made.def("curl", &operators::curl, "plan"_a, "lengths"_a);
  made.def("project", &operators::project, "plan"_a, "lengths"_a);
  made.def("laplacian", &operators::laplacian, "plan"_a, "lengths"_a);
  made.def("inverse_laplacian", &operators::inverse_laplacian, "plan"_a, "lengths"_a);
  made.def("solve_helmholtz", &operators::solve_helmholtz, "plan"_a, "alpha"_a, "lengths"_a);
  made.def("gaussian", &operators::gaussian, "plan"_a, "sigma"_a, "lengths"_a);
  made.def("band_pass", &operators::band_pass, "plan"_a, "low"_a, "high"_a, "lengths"_a);
  made.def("shift", &operators::shift, "plan"_a, "offsets"_a);
  using OfArray = FieldFunction (*)(const Plan&, const operators::SpectrumArray&);
  const auto of_array = [&](const char* name, OfArray make) {
    made.def(
        name,
        [make](const Plan& plan, std::int64_t rank, std::uintptr_t address, bool is_complex) {
          return make(plan, array_of(plan, rank, address, is_complex));
        },
        "plan"_a, "rank"_a, "address"_a, "is_complex"_a);
  };
  of_array("transfer", &operators::transfer);
  of_array("convolution", &operators::convolution);
  of_array("correlation", &operators::correlation);
}

}  // namespace weft::python
