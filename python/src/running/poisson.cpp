#include "running/poisson.hpp"

#include <nanobind/stl/complex.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/poisson.hpp"
#include "base/precision_words.hpp"
#include "common.hpp"
#include "plan/words.hpp"
#include "running/handles.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace weft::python {
namespace {

/// The boundary conditions at both ends of each axis, as words.
using EndWords = std::vector<std::pair<std::string, std::string>>;

PoissonProblem problem_of(const Shape& shape, const EndWords& boundary, const std::string& points,
                          const std::vector<double>& lengths, const std::string& order,
                          bool is_complex, const std::string& precision,
                          const std::optional<Layout>& layout, int threads) {
  PoissonProblem problem;
  problem.shape = shape;
  for (const auto& [lower, upper] : boundary)
    problem.boundary.emplace_back(from_string<Boundary>(lower), from_string<Boundary>(upper));
  problem.points = from_string<GridPoints>(points);
  problem.lengths = lengths;
  problem.order = from_string<PoissonOrder>(order);
  problem.element = is_complex ? Element::complex : Element::real;
  problem.precision = from_string<Precision>(precision);
  problem.layout = layout;
  problem.threads = threads;
  return problem;
}

}  // namespace

void bind_poisson(nb::module_& m) {
  using api::PoissonHandle;
  nb::class_<PoissonProblem>(m, "PoissonProblem", "The options of a Poisson solver.")
      .def(
          "__init__",
          [](PoissonProblem* self, const Shape& shape, const EndWords& boundary,
             const std::string& points, const std::vector<double>& lengths,
             const std::string& order, bool is_complex, const std::string& precision,
             const std::optional<Layout>& layout, int threads) {
            new (self) PoissonProblem(problem_of(shape, boundary, points, lengths, order,
                                                 is_complex, precision, layout, threads));
          },
          "shape"_a, "boundary"_a, "points"_a, "lengths"_a, "order"_a, "is_complex"_a,
          "precision"_a, "layout"_a.none(), "threads"_a);
  nb::class_<PoissonHandle> bound(m, "PoissonHandle",
                                  "A Poisson solver; weft.PoissonSolver is its interface.");
  refuse_pickles(bound, "a solver", "make it there with the same arguments");
  bound
      .def(
          "__init__",
          [](PoissonHandle* self, const PoissonProblem* problem, std::optional<int> comm,
             const GivenError& error) {
            const PoissonProblem given = problem == nullptr ? PoissonProblem{} : *problem;
            nb::gil_scoped_release release;
            new (self) PoissonHandle(given, group_of(comm), to_error(error));
          },
          "problem"_a.none(), "comm"_a.none(), "error"_a.none(),
          "Collective. `error` is an error that this rank found in its arguments.")
      .def_prop_ro(
          "rank", [](const PoissonHandle& h) { return h.comm().rank(); }, "This rank.")
      .def_prop_ro(
          "layout", [](const PoissonHandle& h) { return h.layout(); }, "The layout of rho and u.")
      .def_prop_ro("workspace_bytes", &PoissonHandle::workspace_bytes,
                   nb::call_guard<nb::gil_scoped_release>(), "Bytes of this rank's workspace.")
      .def(
          "solve",
          [](PoissonHandle& h, std::uintptr_t rho, std::uintptr_t u, const GivenError& error) {
            nb::gil_scoped_release release;
            return h.solve(pointer(rho), writable(u), to_error(error));
          },
          "rho"_a, "u"_a, "error"_a.none(), "Collective. Returns the mean that was removed.")
      .def("explain", &PoissonHandle::explain, nb::call_guard<nb::gil_scoped_release>(),
           "Describes the stages and exchanges of a solution.");
}

}  // namespace weft::python
