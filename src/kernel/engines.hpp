#pragma once

#include <memory>

#include "kernel/engine.hpp"

namespace weft::kernel {

/// One maker for each engine: a new engine adds a line in this file and one in engines.cpp. A maker
/// returns null if the engine's library is not installed.
std::unique_ptr<Engine> make_fftw_engine();
std::unique_ptr<Engine> make_ducc0_engine();

}  // namespace weft::kernel
