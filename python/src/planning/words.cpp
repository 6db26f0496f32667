#include "planning/words.hpp"

#include <nanobind/stl/string.h>

#include <cstdint>
#include <string>

#include <weft/plan.hpp>

#include "base/precision_words.hpp"
#include "plan/words.hpp"

namespace weft::python {
namespace {

namespace nb = nanobind;
using namespace nb::literals;

template <class E>
nb::tuple words() {
  nb::list found;
  for (const auto& entry : Words<E>::table) found.append(nb::str(entry.word));
  return nb::tuple(found);
}

/// Reads the choices by their words.
Exchange forced_exchange(const std::string& method, const std::string& wire_form,
                         const std::string& schedule, const std::string& requests,
                         std::int64_t chunks, const std::string& preset, const std::string& wire,
                         const std::string& nodes, std::int64_t piece_bytes) {
  return {.method = from_string<Method>(method),
          .wire_form = from_string<WireForm>(wire_form),
          .schedule = from_string<Schedule>(schedule),
          .requests = from_string<Requests>(requests),
          .chunks = chunks,
          .nodes = from_string<NodeUse>(nodes),
          .wire = from_string<WirePrecision>(wire),
          .piece_bytes = piece_bytes,
          .preset = from_string<Preset>(preset)};
}

}  // namespace

void bind_words(nb::module_& m) {
  nb::dict all;
  all["kind"] = words<Kind>();
  all["norm"] = words<Norm>();
  all["output"] = words<OutputChoice>();
  all["effort"] = words<Effort>();
  all["method"] = words<Method>();
  all["wire_form"] = words<WireForm>();
  all["schedule"] = words<Schedule>();
  all["requests"] = words<Requests>();
  all["nodes"] = words<NodeUse>();
  all["wire"] = words<WirePrecision>();
  all["preset"] = words<Preset>();
  m.attr("WORDS") = all;
  m.def("forced_exchange", &forced_exchange, "method"_a, "wire_form"_a, "schedule"_a, "requests"_a,
        "chunks"_a, "preset"_a, "wire"_a, "nodes"_a, "piece_bytes"_a,
        "Collects the forced choices of exchanges; checked when they are decided.");
}

}  // namespace weft::python
