#pragma once

#include <string>

namespace weft::comm {

/// Says on standard error why, with the rank, and ends the program on all ranks: in the middle of an
/// exchange there is no way back, and the others would wait for ever.
[[noreturn]] void end_all_ranks(int rank, const std::string& why);

}  // namespace weft::comm
