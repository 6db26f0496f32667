#pragma once

#include <memory>

#include "kernel/engine.hpp"

namespace weft::kernel {

struct FftwLibrary;

/// Makers of the engines; null if the engine's library is not installed. A new engine needs a line
/// here and its name in found_engines() in engines.cpp.
std::unique_ptr<Engine> make_fftw_engine();
std::unique_ptr<Engine> make_ducc0_engine();

/// Makes the engine of a library with FFTW's interface. The library must live as long.
std::unique_ptr<Engine> engine_of(const FftwLibrary& library);

}  // namespace weft::kernel
