#include <weft/machine.hpp>

#include "base/from_string.hpp"
#include "model/disk_assignment.hpp"

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

template <>
struct Words<model::VolumeRole> {
  static constexpr const char* name = "volume";
  static constexpr std::array table{
      Word{model::VolumeRole::input, "input"}, Word{model::VolumeRole::scratch, "scratch"},
      Word{model::VolumeRole::output, "output"}, Word{model::VolumeRole::nothing, "nothing"}};
};
template model::VolumeRole from_string<model::VolumeRole>(std::string_view);

const char* to_string(Network network) { return word_of(network); }
const char* model::to_string(VolumeRole role) { return word_of(role); }

}  // namespace weft
