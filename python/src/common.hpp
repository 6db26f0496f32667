#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>
#include <weft/error.hpp>
#include <weft/layout.hpp>

namespace weft::python {

/// Python's form of a box: one (lo, hi) pair per axis.
using Bounds = std::vector<std::pair<std::int64_t, std::int64_t>>;
Bounds to_bounds(const Box& box);
Box to_box(const Bounds& bounds);

/// Returns the values as a Python tuple.
template <class T>
nanobind::tuple as_tuple(const std::vector<T>& values) {
  nanobind::list list;
  for (const T& value : values) list.append(nanobind::cast(value));
  return nanobind::tuple(list);
}

/// An error that Python passes to a collective call: the name of its code, and its message.
using GivenError = std::optional<std::pair<std::string, std::string>>;
std::optional<Error> to_error(const GivenError& given);

/// Makes a class refuse pickling and copying, because its objects belong to this process. The
/// message of the error is that of `weft._support.pickles`.
template <class T>
void refuse_pickles(nanobind::class_<T>& bound, const char* what, const char* remedy) {
  using namespace nanobind::literals;
  bound.def(
      "__reduce_ex__",
      [what, remedy](nanobind::handle, nanobind::handle) {
        nanobind::module_::import_("weft._support.pickles").attr("refuse")(what, remedy);
      },
      "protocol"_a, "Raises InvalidArgument.");
}

/// Translates weft::Error into the class of weft.errors with the same code.
void translate_errors();

}  // namespace weft::python
