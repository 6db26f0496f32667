#pragma once

// weft: distributed and out-of-core FFTs. The C++ interface.

#include "weft/error.hpp"
#include "weft/fft.hpp"
#include "weft/halo.hpp"
#include "weft/layout.hpp"
#include "weft/machine.hpp"
#include "weft/operators.hpp"
#include "weft/plan.hpp"
#include "weft/poisson.hpp"
#include "weft/round_trip.hpp"
#include "weft/tile_rows.hpp"
#include "weft/wisdom.hpp"
