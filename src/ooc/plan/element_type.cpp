#include "ooc/plan/element_type.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include <weft/error.hpp>

namespace weft::ooc {
namespace {

struct NamedType {
  const char* name;
  NumberKind kind;
  std::int64_t bytes;
};

constexpr std::array<NamedType, 14> known_types = {{{"b1", NumberKind::boolean, 1},
                                                    {"i1", NumberKind::integer, 1},
                                                    {"i2", NumberKind::integer, 2},
                                                    {"i4", NumberKind::integer, 4},
                                                    {"i8", NumberKind::integer, 8},
                                                    {"u1", NumberKind::natural, 1},
                                                    {"u2", NumberKind::natural, 2},
                                                    {"u4", NumberKind::natural, 4},
                                                    {"u8", NumberKind::natural, 8},
                                                    {"f2", NumberKind::real, 2},
                                                    {"f4", NumberKind::real, 4},
                                                    {"f8", NumberKind::real, 8},
                                                    {"c8", NumberKind::complex, 8},
                                                    {"c16", NumberKind::complex, 16}}};

}  // namespace

ElementType element_type(const std::string& name) {
  constexpr char other_order = std::endian::native == std::endian::little ? '>' : '<';
  const std::string order = "<>|=";
  if (!name.empty() && order.find(name[0]) != std::string::npos)
    for (const NamedType& known : known_types)
      if (name.substr(1) == known.name)
        return {known.kind, known.bytes, known.bytes > 1 && name[0] == other_order};
  throw Error(ErrorCode::invalid_argument,
              "elements that are converted are numbers of up to 8 bytes, or two of 4 or 8; given " +
                  name + "; convert them before");
}

bool is_known(const ElementType& type) {
  if (type.is_swapped && type.bytes == 1) return false;
  return std::any_of(known_types.begin(), known_types.end(), [&](const NamedType& known) {
    return known.kind == type.kind && known.bytes == type.bytes;
  });
}

}  // namespace weft::ooc
