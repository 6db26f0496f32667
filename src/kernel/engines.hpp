#pragma once

#include <memory>

#include "kernel/engine.hpp"

namespace weft::kernel {

/// One maker for each engine of this build: a new engine adds a line in this file and one in
/// engine.cpp.
std::unique_ptr<Engine> make_fftw_engine();
#ifdef WEFT_HAVE_DUCC0
std::unique_ptr<Engine> make_ducc0_engine();
#endif

}  // namespace weft::kernel
