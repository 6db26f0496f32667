#pragma once

#include <weft/precision.hpp>

#include "ooc/plan/pass_plan.hpp"

namespace weft::ooc {

/// Completes the input to a whole panel of complex numbers. Reals become complex numbers, and
/// elements that are not on the disks become zero. In half a spectrum, elements 0 and N/2 are
/// halved. Then the transform of the whole spectrum is twice the real part of the transform of this
/// half.
void complete_source(const KPass& pass, const std::vector<Panel>& parts, Precision precision,
                     void* memory);

/// Packs the real parts of a panel one after the other.
void keep_real_parts(const KPass& pass, const std::vector<Panel>& parts, Precision precision,
                     void* memory);

}  // namespace weft::ooc
