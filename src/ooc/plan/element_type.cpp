#include "ooc/plan/element_type.hpp"

#include <array>
#include <bit>

#include <weft/error.hpp>

namespace weft::ooc {
namespace {

struct Known {
  const char* name;
  ElementType::Kind kind;
  std::int64_t bytes;
};

constexpr std::array<Known, 14> known_types = {{{"b1", ElementType::Kind::boolean, 1},
                                                {"i1", ElementType::Kind::integer, 1},
                                                {"i2", ElementType::Kind::integer, 2},
                                                {"i4", ElementType::Kind::integer, 4},
                                                {"i8", ElementType::Kind::integer, 8},
                                                {"u1", ElementType::Kind::natural, 1},
                                                {"u2", ElementType::Kind::natural, 2},
                                                {"u4", ElementType::Kind::natural, 4},
                                                {"u8", ElementType::Kind::natural, 8},
                                                {"f2", ElementType::Kind::real, 2},
                                                {"f4", ElementType::Kind::real, 4},
                                                {"f8", ElementType::Kind::real, 8},
                                                {"c8", ElementType::Kind::complex, 8},
                                                {"c16", ElementType::Kind::complex, 16}}};

}  // namespace

ElementType element_type(const std::string& name) {
  constexpr char other_order = std::endian::native == std::endian::little ? '>' : '<';
  const std::string order = "<>|=";
  if (!name.empty() && order.find(name[0]) != std::string::npos)
    for (const Known& known : known_types)
      if (name.substr(1) == known.name)
        return {known.kind, known.bytes, known.bytes > 1 && name[0] == other_order};
  throw Error(ErrorCode::invalid_argument,
              "elements that are converted are numbers of up to 8 bytes, or two of 4 or 8; given " +
                  name + "; convert them before");
}

}  // namespace weft::ooc
