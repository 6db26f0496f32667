#include "run/line_kinds.hpp"

#include <weft/error.hpp>

#include "plan/kinds.hpp"

namespace weft::run {

using kernel::LineKind;

kernel::LineKind line_kind(Kind kind, Direction direction) {
  const bool forward = direction == Direction::forward;
  switch (forward ? kind : traits_of(kind).inverse) {
    case Kind::c2c:
      return forward ? LineKind::c2c_forward : LineKind::c2c_backward;
    case Kind::r2c:
      return forward ? LineKind::r2c : LineKind::c2r;
    case Kind::dct1:
      return LineKind::dct1;
    case Kind::dct2:
      return LineKind::dct2;
    case Kind::dct3:
      return LineKind::dct3;
    case Kind::dct4:
      return LineKind::dct4;
    case Kind::dst1:
      return LineKind::dst1;
    case Kind::dst2:
      return LineKind::dst2;
    case Kind::dst3:
      return LineKind::dst3;
    case Kind::dst4:
      return LineKind::dst4;
  }
  throw Error(ErrorCode::internal, "no transform of lines of this kind");
}

}  // namespace weft::run
