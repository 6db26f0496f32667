#pragma once

#include <memory>

#include "kernel/engine.hpp"

namespace weft::kernel {

struct FftwLibrary;

/// Make the engines; return null if the engine's library is not installed. A new engine needs a
/// maker here, and the name of this maker in found_engines() in engines.cpp.
std::unique_ptr<Engine> make_fftw_engine();
std::unique_ptr<Engine> make_ducc0_engine();

/// Makes the engine of a library with FFTW's interface. The library must outlive the engine.
std::unique_ptr<Engine> engine_of(const FftwLibrary& library);

}  // namespace weft::kernel
