#include <weft/machine.hpp>

#include "base/words.hpp"

namespace weft {

template <>
struct Words<Network> {
  static constexpr const char* name = "network";
  static constexpr std::array table{Word{Network::crossbar, "crossbar"}, Word{Network::hub, "hub"},
                                    Word{Network::fat_tree, "fat_tree"},
                                    Word{Network::torus, "torus"},
                                    Word{Network::dragonfly, "dragonfly"}};
};
template Network from_string<Network>(std::string_view);

const char* to_string(Network network) { return word_of(network); }

}  // namespace weft
