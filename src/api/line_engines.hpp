#pragma once

#include <string>

#include <weft/fft.hpp>

#include "comm/communicator.hpp"
#include "kernel/lines.hpp"

namespace weft::api {

/// Returns `given`, or if it is empty rank 0's kernel::wanted_engine(). The result is "auto" or an
/// engine's name. Collective.
///
/// Errors  unsupported, on all ranks, if some rank lacks an engine of this name.
std::string engine_word(const std::string& given, const comm::Communicator& comm);

/// Returns the names and versions of the engines that the word allows, for the identity of a
/// machine.
std::string engine_versions(const std::string& word);

/// Throws unsupported unless an engine that the word allows has this precision.
void require_precision(const std::string& word, Precision precision);

/// Returns whether engines may be compared. They may not if the plan follows the fixed rule, which
/// measures nothing. Collective.
bool may_try_engines(const Planning& planning, const comm::Communicator& comm);

/// Completes a plan with the engine of each kind and length of its lines, and the form of their
/// tiles. They are the fastest of the allowed engines and forms in an earlier trial. If there was no
/// trial, there is one now, and its result is kept in the user's cache. If `may_try` is false, the
/// first allowed engine that has the kind transforms the lines, along a tile. The same on all ranks.
/// Collective.
///
/// Cost    reads a file once in a process. A trial takes up to 0.3 s for each kind and length. It also
///         plans the lines.
/// Errors  those of Engine::lines() and out_of_memory.
void choose_line_engines(Plan& plan, const std::string& word, bool may_try,
                         const comm::Communicator& comm);

/// Checks the engines of a plan that was made before, and notes other versions of them. Collective.
///
/// Errors  unsupported, on all ranks, if a rank lacks an engine of the plan.
void check_line_engines(Plan& plan, const comm::Communicator& comm);

/// Returns the options of local FFTs for a plan with engines.
kernel::LocalOptions local_options(const Plan& plan);

}  // namespace weft::api
