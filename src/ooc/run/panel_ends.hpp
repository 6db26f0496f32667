#pragma once

#include <weft/precision.hpp>

#include "ooc/plan/pass_plan.hpp"

namespace weft::ooc {

/// Completes the input to a whole panel of complex numbers: reals become complex, elements that are
/// not on the disks zero. In half a spectrum, elements 0 and N/2 are halved: twice the real part of
/// its transform then is that of the whole spectrum.
void complete_source(const KPass& pass, const std::vector<Panel>& parts, Precision precision,
                     void* memory);

/// Packs the real parts of a panel one after the other.
void keep_real_parts(const KPass& pass, const std::vector<Panel>& parts, Precision precision,
                     void* memory);

}  // namespace weft::ooc
