#pragma once

#include <string>

#include <weft/fft.hpp>

#include "comm/communicator.hpp"
#include "kernel/lines.hpp"

namespace weft::api {

/// Returns the word of a call, or that of kernel::wanted_engine() on rank 0 if it is empty: "auto"
/// or an engine's name. Collective.
///
/// Errors  unsupported, on all ranks, if some rank lacks an engine of this name.
std::string engine_word(const std::string& given, const comm::Communicator& comm);

/// Returns the names and versions of the engines that the word allows, for the identity of a
/// machine.
std::string engine_versions(const std::string& word);

/// Throws unsupported unless an engine that the word allows has this precision.
void require_precision(const std::string& word, Precision precision);

/// Returns whether engines may be compared: not if planning is by the fixed rule, in which nothing
/// is measured. Collective.
bool may_try_engines(const Planning& planning, const comm::Communicator& comm);

/// Completes a plan with the engine of each kind and length of its lines, and the form of their
/// tiles. For "auto" they are the fastest of an earlier trial. Without one there is a trial now,
/// which is kept for the user. If `may_try` is false, the first of engine_names() transforms all
/// lines, along a tile. The same on all ranks. Collective.
///
/// Cost    reads a file once in a process; a trial takes up to 0.3 s for each kind and length, and
///         the planning of the lines.
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
