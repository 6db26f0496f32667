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

/// Returns whether this is the last stage of half a spectrum in natural order. This stage joins
/// rows with mirrored rows (see plan/folded_view.hpp). It transforms nothing, but it is always a
/// pass.
bool unfolds(const Plan& plan, std::size_t stage);

/// Returns whether the stage before the last one writes into the outputs. With a shared exchange it
/// writes each tile to its destination, so a last stage that only copies needs no pass. The arrays
/// of other ranks are known only from the second stage on. Reals in place exclude this, because
/// their rows are padded.
bool writes_into_outputs(const Plan& plan, Variant variant);

/// Returns whether the second stage reads from the inputs. With a shared exchange it reads the
/// arrays of all ranks, so a first stage that only copies needs no pass. In place this needs a
/// stage in between, because no rank may write before all ranks have read.
bool reads_from_inputs(const Plan& plan, Variant variant);

/// Returns whether a stage without transforms copies the array: always, unless the stage next to it
/// reads from the inputs or writes into the outputs.
bool copies_always(const Plan& plan, std::size_t stage, Variant variant);

}  // namespace weft
