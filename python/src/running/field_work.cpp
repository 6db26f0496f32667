#include "running/field_work.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <weft/error.hpp>

#include "running/handles.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace weft::python {
namespace {

/// Calls a Python function with the address of a tile. The reference is borrowed: FieldFunction in
/// Python keeps the object alive.
void call_python(PyObject* callable, const Tile& tile) {
  const nb::gil_scoped_acquire acquire;
  const nb::object answer =
      nb::borrow<nb::callable>(callable)(reinterpret_cast<std::uintptr_t>(&tile));
  const auto error = nb::cast<GivenError>(answer);
  if (error) throw *to_error(error);
}

using CFunction = int (*)(const Tile*, void*);

void call_c(CFunction function, void* user, const Tile& tile) {
  const int code = function(&tile, user);
  if (code != 0)
    throw Error(ErrorCode::invalid_argument,
                "the C function returned " + std::to_string(code) + " instead of 0");
}

FieldFunction with_properties(FieldFunction function, bool is_pointwise, std::int64_t results,
                              bool largest) {
  function.is_pointwise = is_pointwise;
  function.results = results;
  function.combine = largest ? Combine::max : Combine::sum;
  return function;
}

FieldWork work_of(const GivenWork& given) {
  FieldWork work;
  if (given.function) work.function = *given.function;
  if (given.before) work.before = *given.before;
  if (given.after) work.after = *given.after;
  work.fields_there = given.fields_there;
  work.fields_back = given.fields_back;
  work.least_tile_bytes = given.least_tile_bytes;
  return work;
}

std::vector<double> apply(api::Handle& handle, bool in_spectrum, const GivenWork& given,
                          const std::vector<std::uintptr_t>& in,
                          const std::vector<std::uintptr_t>& out, const GivenError& error) {
  std::vector<const void*> inputs;
  std::vector<void*> outputs;
  for (const std::uintptr_t address : in) inputs.push_back(pointer(address));
  for (const std::uintptr_t address : out) outputs.push_back(writable(address));
  const nb::gil_scoped_release release;
  return handle.apply(in_spectrum ? ApplyIn::spectrum : ApplyIn::space, work_of(given), inputs,
                      outputs, to_error(error));
}

std::string explain_apply(const api::Handle& handle, bool in_spectrum, std::int64_t inputs,
                          std::int64_t outputs, bool has_before, bool has_after,
                          std::int64_t fields_there, std::int64_t fields_back) {
  FieldWork work;
  if (has_before) work.before.emplace();
  if (has_after) work.after.emplace();
  work.fields_there = fields_there;
  work.fields_back = fields_back;
  return handle.explain_apply(in_spectrum ? ApplyIn::spectrum : ApplyIn::space, work, inputs,
                              outputs);
}

}  // namespace

void bind_field_work(nb::module_& m, nb::class_<api::Handle>& handle) {
  nb::class_<FieldFunction>(m, "FieldFunction", "A function of tiles of fields.")
      .def_static(
          "of_python",
          [](const nb::callable& callable, bool is_pointwise, std::int64_t results, bool largest) {
            PyObject* const borrowed = callable.ptr();
            return with_properties(
                {.call = [borrowed](const Tile& tile) { call_python(borrowed, tile); }},
                is_pointwise, results, largest);
          },
          "callable"_a, "is_pointwise"_a, "results"_a, "largest"_a, nb::keep_alive<0, 1>(),
          "Wraps a callable that takes the address of a tile. The callable returns None, or the "
          "code and text of an error.")
      .def_static(
          "of_address",
          [](std::uintptr_t address, std::uintptr_t user, bool is_pointwise, std::int64_t results,
             bool largest) {
            // NOLINTNEXTLINE(performance-no-int-to-ptr)
            const auto function = reinterpret_cast<CFunction>(address);
            return with_properties(
                {.call = [function, data = writable(user)](
                             const Tile& tile) { call_c(function, data, tile); }},
                is_pointwise, results, largest);
          },
          "address"_a, "user"_a, "is_pointwise"_a, "results"_a, "largest"_a,
          "Wraps a C function of a tile and the address `user`. It returns 0 unless it fails.");
  nb::class_<GivenWork>(m, "FieldWork", "The functions of a round trip.")
      .def(
          "__init__",
          [](GivenWork* self, const FieldFunction* function, const FieldFunction* before,
             const FieldFunction* after, std::int64_t fields_there, std::int64_t fields_back,
             std::int64_t least_tile_bytes) {
            new (self)
                GivenWork{function, before, after, fields_there, fields_back, least_tile_bytes};
          },
          "function"_a.none(), "before"_a.none(), "after"_a.none(), "fields_there"_a,
          "fields_back"_a, "least_tile_bytes"_a, nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>(),
          nb::keep_alive<1, 4>());
  handle.def("apply", &apply, "in_spectrum"_a, "work"_a, "inputs"_a, "outputs"_a, "error"_a.none(),
             "Collective: runs a round trip. Returns the results of all functions.");
  handle.def("explain_apply", &explain_apply, "in_spectrum"_a, "inputs"_a, "outputs"_a,
             "has_before"_a, "has_after"_a, "fields_there"_a, "fields_back"_a,
             "Describes a round trip and its predicted times.");
}

}  // namespace weft::python
