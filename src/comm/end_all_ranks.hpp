#pragma once

#include <string>

namespace weft::comm {

/// Prints the reason and the rank on standard error, and ends the program on all ranks. This is
/// needed after an error in an exchange, because an exchange that has begun cannot be cancelled,
/// and the other ranks would wait for ever.
[[noreturn]] void end_all_ranks(int rank, const std::string& why);

}  // namespace weft::comm
