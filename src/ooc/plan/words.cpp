#include "base/from_string.hpp"

#include "ooc/plan/pass_plan.hpp"

namespace weft {

template <>
struct Words<ooc::OutputOrder> {
  static constexpr const char* name = "order";
  static constexpr std::array table{Word{ooc::OutputOrder::natural, "natural"},
                                    Word{ooc::OutputOrder::transposed, "transposed"}};
};
template <>
struct Words<ooc::NumberKind> {
  static constexpr const char* name = "kind of number";
  static constexpr std::array table{
      Word{ooc::NumberKind::boolean, "boolean"}, Word{ooc::NumberKind::integer, "integer"},
      Word{ooc::NumberKind::natural, "natural"}, Word{ooc::NumberKind::real, "real"},
      Word{ooc::NumberKind::complex, "complex"}};
};
template <>
struct Words<ooc::TwiddleBy> {
  static constexpr const char* name = "twiddle";
  static constexpr std::array table{Word{ooc::TwiddleBy::none, "none"},
                                    Word{ooc::TwiddleBy::rest, "rest"},
                                    Word{ooc::TwiddleBy::inner, "inner"}};
};
template <>
struct Words<ooc::Chirp> {
  static constexpr const char* name = "chirp";
  static constexpr std::array table{
      Word{ooc::Chirp::none, "none"}, Word{ooc::Chirp::first, "first"},
      Word{ooc::Chirp::last, "last"}, Word{ooc::Chirp::kernel, "kernel"}};
};
template <>
struct Words<ooc::FilterKind> {
  static constexpr const char* name = "filter";
  static constexpr std::array table{Word{ooc::FilterKind::gaussian, "gaussian"},
                                    Word{ooc::FilterKind::band_pass, "band_pass"},
                                    Word{ooc::FilterKind::derivative, "derivative"},
                                    Word{ooc::FilterKind::laplacian, "laplacian"},
                                    Word{ooc::FilterKind::inverse_laplacian, "inverse_laplacian"},
                                    Word{ooc::FilterKind::helmholtz, "solve_helmholtz"}};
};

template ooc::OutputOrder from_string<ooc::OutputOrder>(std::string_view);
template ooc::NumberKind from_string<ooc::NumberKind>(std::string_view);
template ooc::TwiddleBy from_string<ooc::TwiddleBy>(std::string_view);
template ooc::Chirp from_string<ooc::Chirp>(std::string_view);
template ooc::FilterKind from_string<ooc::FilterKind>(std::string_view);

namespace ooc {

const char* to_string(OutputOrder value) { return word_of(value); }
const char* to_string(NumberKind value) { return word_of(value); }
const char* to_string(TwiddleBy value) { return word_of(value); }
const char* to_string(Chirp value) { return word_of(value); }
const char* to_string(FilterKind value) { return word_of(value); }

}  // namespace ooc
}  // namespace weft
