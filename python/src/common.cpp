#include "common.hpp"

#include <string_view>

namespace nb = nanobind;

namespace weft::python {

Bounds to_bounds(const Box& box) {
  Bounds bounds;
  for (int axis = 0; axis < box.dims(); ++axis)
    bounds.emplace_back(box.lower[axis], box.upper[axis]);
  return bounds;
}

Box to_box(const Bounds& bounds) {
  Box box;
  for (const auto& [lower, upper] : bounds) {
    box.lower.push_back(lower);
    box.upper.push_back(upper);
  }
  return box;
}

std::optional<Error> to_error(const GivenError& given) {
  if (!given) return {};
  for (int code = 1; code <= static_cast<int>(ErrorCode::internal); ++code)
    if (given->first == error_name(static_cast<ErrorCode>(code)))
      return Error(static_cast<ErrorCode>(code), given->second);
  return Error(ErrorCode::internal, given->second);
}

void translate_errors() {
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const Error& error) {
      const nb::object make = nb::module_::import_("weft.errors").attr("class_of");
      // Messages may contain names of files and values of the environment, which may be invalid
      // UTF-8.
      const std::string_view words = error.what();
      const auto text = nb::steal(PyUnicode_DecodeUTF8(
          words.data(), static_cast<Py_ssize_t>(words.size()), "backslashreplace"));
      if (text.is_valid()) PyErr_SetObject(make(error_name(error.code())).ptr(), text.ptr());
    }
  });
}

}  // namespace weft::python
