#include "base/from_string.hpp"
#include "base/precision_words.hpp"

namespace weft {

const char* to_string(Precision value) { return word_of(value); }
const char* to_string(Effort value) { return word_of(value); }

template Precision from_string<Precision>(std::string_view);
template Effort from_string<Effort>(std::string_view);

std::int64_t real_bytes(Precision precision) {
  switch (precision) {
    case Precision::f32:
      return 4;
    case Precision::f64:
      return 8;
    case Precision::f80:
      return 16;
  }
  throw Error(ErrorCode::invalid_argument, "the precision must be one of " +
                                               all_words<Precision>() + "; given the number " +
                                               std::to_string(static_cast<int>(precision)));
}

}  // namespace weft
