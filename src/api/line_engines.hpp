#pragma once

#include <string>

#include <weft/fft.hpp>

#include "comm/communicator.hpp"
#include "kernel/lines.hpp"

namespace weft::api {

/// Returns `given` or, if `given` is empty, kernel::wanted_engine() of rank 0. The result is "auto"
/// or the name of an engine. Collective.
///
/// Errors  unsupported, on all ranks, if some rank lacks an engine of this name.
std::string engine_word(const std::string& given, const comm::Communicator& comm);

/// Returns the names and versions of the engines that the word allows, for the identity of a
/// machine.
std::string engine_versions(const std::string& word);

/// Throws unsupported unless an engine that the word allows has this precision.
void require_precision(const std::string& word, Precision precision);

/// Returns whether trials may compare engines. The result is false if the caller or WEFT_MACHINE
/// asks for the fixed rule, which measures nothing. Collective.
bool may_try_engines(const Planning& planning, const comm::Communicator& comm);

/// Completes a plan: chooses an engine, and a form of tiles, for each kind and length of its lines.
/// If `may_try` is false, takes the first allowed engine that has the kind, with lines along the
/// tile. If `may_try` is true, takes the fastest allowed choice of an earlier trial. If there was
/// no such trial, makes a trial, and stores its result in the user's cache. For lines of more than
/// 2^18 points, the trial of a shorter length decides. All ranks make the same choice. Collective.
///
/// Cost    reads a file once in a process. A trial takes up to 0.3 s for each kind and length, and
///         the time to plan the lines.
/// Errors  those of Engine::lines() and out_of_memory.
void choose_line_engines(Plan& plan, const std::string& word, bool may_try,
                         const comm::Communicator& comm);

/// Checks the engines of an existing plan. If an engine has another version now, adds a note to the
/// plan. Collective.
///
/// Errors  unsupported, on all ranks, if a rank lacks an engine of the plan.
void check_line_engines(Plan& plan, const comm::Communicator& comm);

/// Returns the options of local FFTs for a plan with engines.
kernel::LocalOptions local_options(const Plan& plan);

}  // namespace weft::api
