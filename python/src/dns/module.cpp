// weft._dns: the kernels of weft.dns. Links no MPI.
#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "dns/kernels.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using weft::Tile;
using weft::dns::Evaluation;
using weft::dns::Kernels;
using weft::dns::SimulationGrid;
using weft::dns::Update;

namespace {

/// (source, decay, factor) of each term.
using TermValues = std::vector<std::tuple<int, int, double>>;

Update update_of(int target, const TermValues& terms) {
  Update update{};
  constexpr std::size_t most = std::size(update.term);
  if (terms.size() > most) throw std::invalid_argument("an update has at most 5 terms");
  update.target = target;
  for (const auto& [source, decay, factor] : terms)
    update.term[update.terms++] = {source, decay, factor};
  return update;
}

/// weft's core calls this with a tile and the kernels.
template <class T, void (Kernels<T>::*kernel)(const Tile&) const>
int call(const weft_tile* tile, void* user) {
  try {
    (static_cast<const Kernels<T>*>(user)->*kernel)(*tile);
  } catch (...) {
    return 1;
  }
  return 0;
}

/// Releases the kernels of a capsule.
template <class T>
void release(PyObject* capsule) {
  nb::find(static_cast<Kernels<T>*>(PyCapsule_GetContext(capsule))).dec_ref();
}

/// Returns a function of weft's tiles with its data, in the form of scipy.LowLevelCallable. It
/// keeps the kernels alive.
template <class T, void (Kernels<T>::*kernel)(const Tile&) const>
nb::object capsule_of(Kernels<T>& kernels) {
  nb::object made = nb::steal(PyCapsule_New(reinterpret_cast<void*>(&call<T, kernel>),
                                            "int (const weft_tile *, void *)", nullptr));
  if (!made.is_valid() || PyCapsule_SetContext(made.ptr(), &kernels) != 0) throw nb::python_error();
  nb::find(kernels).inc_ref();
  PyCapsule_SetDestructor(made.ptr(), &release<T>);
  return made;
}

template <class T>
void bind_kernels(nb::module_& m, const char* name) {
  nb::class_<Kernels<T>>(m, name, "The kernels of a simulation, for one precision.")
      .def(
          "__init__",
          [](Kernels<T>* self, const SimulationGrid& grid, const std::string& instruction_set) {
            new (self) Kernels<T>(grid, weft::dns::row_table(instruction_set));
          },
          "grid"_a, "instruction_set"_a)
      .def(
          "set_register",
          [](Kernels<T>& self, int number, const std::vector<std::uintptr_t>& addresses) {
            std::vector<void*> arrays;
            for (const std::uintptr_t address : addresses)
              arrays.push_back(
                  reinterpret_cast<void*>(address));  // NOLINT(performance-no-int-to-ptr)
            self.set_register(number, arrays);
          },
          "number"_a, "addresses"_a, "Sets the memory of a register's fields.")
      .def(
          "set_evaluation",
          [](Kernels<T>& self, int input, const std::vector<std::pair<int, TermValues>>& updates,
             double decay_time, double scale, int added, const weft::dns::NumbersByAxis& shift,
             double shell_width, std::int64_t shells) {
            Evaluation evaluation{decay_time, input, scale, added, {}, shift, shell_width, shells};
            for (const auto& [target, terms] : updates)
              evaluation.updates.push_back(update_of(target, terms));
            self.set_evaluation(evaluation);
          },
          "input"_a, "updates"_a, "decay_time"_a, "scale"_a, "added"_a, "shift"_a, "shell_width"_a,
          "shells"_a, "Prepares one evaluation of the right-hand side.")
      .def_prop_ro("sums", &Kernels<T>::sums, "The number of results of advance.")
      .def("inverse", &capsule_of<T, &Kernels<T>::inverse>,
           "Makes velocities, vorticities and scalars from velocities and scalars.")
      .def("space", &capsule_of<T, &Kernels<T>::space>, "Makes the products of fields in space.")
      .def("advance", &capsule_of<T, &Kernels<T>::advance>,
           "Makes the right-hand side, and updates the registers.");
}

}  // namespace

NB_MODULE(_dns, m) {
  m.doc() = "Kernels of weft.dns.";
  nb::class_<SimulationGrid>(m, "SimulationGrid",
                             "The grid and the fields of a simulation, on one rank.")
      .def(
          "__init__",
          [](SimulationGrid* self, std::vector<std::int64_t> lower,
             std::vector<std::int64_t> strides, weft::dns::NumbersByAxis derivatives,
             weft::dns::NumbersByAxis squares, weft::dns::NumbersByAxis kept,
             std::vector<double> steps, std::vector<double> diffusivities,
             weft::dns::NumbersByAxis gradients) {
            new (self) SimulationGrid{std::move(lower),         std::move(strides),
                                      std::move(derivatives),   std::move(squares),
                                      std::move(kept),          std::move(steps),
                                      std::move(diffusivities), std::move(gradients)};
          },
          "lower"_a, "strides"_a, "derivatives"_a, "squares"_a, "kept"_a, "steps"_a,
          "diffusivities"_a, "gradients"_a);
  bind_kernels<float>(m, "KernelsOfFloat");
  bind_kernels<double>(m, "KernelsOfDouble");
  m.attr("VELOCITY_SUMS") = weft::dns::velocity_sums;
  m.attr("SCALAR_SUMS") = weft::dns::scalar_sums;
  m.attr("SCALARS_MAX") = weft::dns::most_scalars;
}
