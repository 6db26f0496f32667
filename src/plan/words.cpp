#include "plan/words.hpp"

#include "base/from_string.hpp"

namespace weft {

const char* to_string(Norm value) { return word_of(value); }
const char* to_string(OutputChoice value) { return word_of(value); }
const char* to_string(Method value) { return word_of(value); }
const char* to_string(WireForm value) { return word_of(value); }
const char* to_string(Schedule value) { return word_of(value); }
const char* to_string(Requests value) { return word_of(value); }
const char* to_string(NodeUse value) { return word_of(value); }
const char* to_string(WirePrecision value) { return word_of(value); }
const char* to_string(Limit value) { return word_of(value); }
const char* to_string(Preset value) { return word_of(value); }
const char* to_string(Boundary value) { return word_of(value); }
const char* to_string(GridPoints value) { return word_of(value); }
const char* to_string(PoissonOrder value) { return word_of(value); }

template Kind from_string<Kind>(std::string_view);
template Element from_string<Element>(std::string_view);
template Norm from_string<Norm>(std::string_view);
template OutputChoice from_string<OutputChoice>(std::string_view);
template Method from_string<Method>(std::string_view);
template WireForm from_string<WireForm>(std::string_view);
template Schedule from_string<Schedule>(std::string_view);
template Requests from_string<Requests>(std::string_view);
template NodeUse from_string<NodeUse>(std::string_view);
template WirePrecision from_string<WirePrecision>(std::string_view);
template Limit from_string<Limit>(std::string_view);
template Preset from_string<Preset>(std::string_view);
template Boundary from_string<Boundary>(std::string_view);
template GridPoints from_string<GridPoints>(std::string_view);
template PoissonOrder from_string<PoissonOrder>(std::string_view);

}  // namespace weft
