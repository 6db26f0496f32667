#pragma once

#include <cstddef>
#include <string>

#include <weft/plan.hpp>

namespace weft {

enum class Direction { forward, backward };

/// One of the four variants in which a plan is executed.
struct Variant {
  Direction direction = Direction::forward;
  bool in_place = false;  ///< input and output are one allocation; real rows padded as in FFTW

  bool is_backward() const { return direction == Direction::backward; }
};
/// "forward", "backward in place".
std::string to_string(Variant variant);

/// Of r2c the stage that makes complex numbers of reals: it halves the axis, or multiplies by a chirp.
std::size_t halving_stage(const Plan& plan);

/// True when the exchange moves reals: r2c has not halved its axis yet.
bool carries_reals(const Plan& plan, std::size_t exchange);

/// True of the last stage of half a spectrum in natural order, which puts rows and mirrored rows
/// together: it transforms nothing, but is always a pass.
bool unfolds(const Plan& plan, std::size_t stage);

/// A last stage that does nothing need not be a pass of its own: by a shared exchange the stage
/// before it writes each tile to where it belongs. Others' arrays are known from the second
/// stage on; in place the rows of reals are padded.
bool writes_into_outputs(const Plan& plan, Variant variant);

/// A first stage that does nothing need not be a pass either: by a shared exchange the second one
/// reads the inputs where they lie. In place, nobody may write there before all have read.
bool reads_from_inputs(const Plan& plan, Variant variant);

/// True when a stage without axes copies the array wherever that lies.
bool copies_always(const Plan& plan, std::size_t stage, Variant variant);

}  // namespace weft
