#pragma once

#include <cstddef>
#include <string>

#include <weft/plan.hpp>

#include "base/direction.hpp"

namespace weft {

/// One of the four variants in which a plan is executed.
struct Variant {
  Direction direction = Direction::forward;
  bool in_place = false;  ///< input and output are one allocation, with real rows padded as in FFTW

  bool is_backward() const { return direction == Direction::backward; }
};
/// "forward", "backward in place".
std::string to_string(Variant variant);

/// Returns whether the exchange moves real numbers.
bool carries_reals(const Plan& plan, std::size_t exchange);

/// Returns whether this is the last stage of a plan whose output is half a spectrum in natural
/// order, on a view. This stage joins columns with mirrored columns (see plan/folded_view.hpp). It
/// transforms nothing, but it is always a pass.
bool unfolds(const Plan& plan, std::size_t stage);

/// Returns whether the stage before the last one writes into the outputs. With a shared exchange it
/// writes each tile to its destination, so a last stage that only copies needs no pass. Needs at
/// least two exchanges, because the arrays of other ranks are known only from the second stage on.
/// Not possible in place if the last exchange moves reals, because rows of reals are padded.
bool writes_into_outputs(const Plan& plan, Variant variant);

/// Returns whether the second stage reads from the inputs. With a shared exchange it reads the
/// arrays of all ranks, so a first stage that only copies needs no pass. In place, a later stage
/// must write the outputs, because no rank may write there before all ranks have read. Also not
/// possible in place if the first exchange moves reals.
bool reads_from_inputs(const Plan& plan, Variant variant);

/// Returns whether a stage without transforms copies the array. It does, unless the stage next to
/// it reads from the inputs or writes into the outputs.
bool copies_always(const Plan& plan, std::size_t stage, Variant variant);

}  // namespace weft
