#pragma once

#include <cstddef>
#include <string>

#include <weft/plan.hpp>

#include "base/direction.hpp"

namespace weft {

/// One of the four variants in which a plan is executed.
struct Variant {
  Direction direction = Direction::forward;
  bool in_place = false;  ///< input and output are one allocation; real rows padded as in FFTW

  bool is_backward() const { return direction == Direction::backward; }
};
/// "forward", "backward in place".
std::string to_string(Variant variant);

/// Returns whether the exchange moves reals.
bool carries_reals(const Plan& plan, std::size_t exchange);

/// Returns whether this is the last stage of half a spectrum in natural order. It combines rows and
/// mirrored rows: it transforms nothing, but is always a pass.
bool unfolds(const Plan& plan, std::size_t stage);

/// Returns whether the stage before the last one writes into the outputs. With a shared exchange it
/// writes each tile to its destination, so a last stage without work is no pass. Peers' arrays are
/// known from the second stage on. In place this is impossible, because the rows of reals are
/// padded.
bool writes_into_outputs(const Plan& plan, Variant variant);

/// Returns whether the second stage reads from the inputs. With a shared exchange it reads them in
/// place, so a first stage without work is no pass. In-place transforms cannot do this: no rank may
/// write before all have read.
bool reads_from_inputs(const Plan& plan, Variant variant);

/// Returns whether a stage without axes copies the array in any case.
bool copies_always(const Plan& plan, std::size_t stage, Variant variant);

}  // namespace weft
