#include "planning/words.hpp"

#include "base/precision_words.hpp"
#include "plan/words.hpp"

namespace weft::python {
namespace {

namespace nb = nanobind;

template <class E>
nb::tuple words() {
  nb::list found;
  for (const auto& entry : Words<E>::table) found.append(nb::str(entry.word));
  return nb::tuple(found);
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
}

}  // namespace weft::python
