#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "common.hpp"

namespace weft::python {

/// Returns the hash of a value's text. 0.0 and -0.0 are equal, but their texts differ. So the hash
/// ignores the sign of every number that begins with 0.
inline std::size_t hash_of(std::string text) {
  for (std::size_t at = 0; (at = text.find("-0.0", at)) != std::string::npos;) text.erase(at, 1);
  return std::hash<std::string>{}(text);
}
inline std::size_t hash_of(const nanobind::object& state) { return nanobind::hash(state); }

/// Gives a class of plain values comparison, hash, copy and pickle in Python. A value is immutable,
/// so its copy is the value itself. `write` returns its JSON text or a tuple; `read` is the
/// inverse.
template <class T, class Write, class Read>
void bind_value(nanobind::class_<T>& bound, Write write, Read read) {
  namespace nb = nanobind;
  using namespace nb::literals;
  bound
      .def(
          "__eq__", [](const T& a, const T& b) { return a == b; }, nb::is_operator())
      .def("__hash__", [write](const T& value) { return hash_of(write(value)); })
      .def("__copy__", [](const nb::object& self) { return self; })
      .def(
          "__deepcopy__", [](const nb::object& self, nb::handle) { return self; }, "memo"_a)
      .def("__reduce__",
           [write](const T& value) {
             const nb::object restored =
                 nb::module_::import_("weft._support.pickles").attr("restored");
             return nb::make_tuple(restored, nb::make_tuple(nb::type<T>(), write(value)));
           })
      .def_static("_restored", read, "state"_a, "Restores a value from the state of a pickle.");
}

}  // namespace weft::python
