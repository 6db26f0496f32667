#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <weft/precision.hpp>

#include "comm/communicator.hpp"
#include "kernel/engine.hpp"
#include "kernel/lines.hpp"

namespace weft::probe {

/// Returns the engines that a word allows ("auto" or a name) and that all ranks have in this
/// precision. They are in the order of rank 0. Collective.
std::vector<kernel::Engine*> common_engines(const std::string& word, Precision precision,
                                            const comm::Communicator& comm);

/// Returns options for complex lines of these lengths by the fastest of the engines. Collective.
///
/// Errors  as line_trial().
kernel::LocalOptions fastest_for(const std::vector<std::int64_t>& lengths, Precision precision,
                                 const std::vector<kernel::Engine*>& engines, int threads,
                                 const comm::Communicator& comm);

}  // namespace weft::probe
