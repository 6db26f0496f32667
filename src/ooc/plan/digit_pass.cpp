#include "ooc/plan/digit_pass.hpp"

namespace weft::ooc {

KPass digit_pass(const std::vector<std::int64_t>& radices, std::size_t i, std::int64_t before,
                 std::int64_t after) {
  KPass pass;
  pass.outer = before;
  for (std::size_t k = 0; k < i; ++k) pass.outer *= radices[k];
  pass.radix = radices[i];
  std::int64_t later = 1;
  for (std::size_t k = i + 1; k < radices.size(); ++k) later *= radices[k];
  pass.inner = later * after;
  pass.axes = {{1, pass.radix, 1}};
  if (later > 1) {
    pass.twiddle = TwiddleBy::inner;
    pass.twiddle_length = pass.radix * later;
    pass.twiddle_columns = after;
  }
  return pass;
}

}  // namespace weft::ooc
