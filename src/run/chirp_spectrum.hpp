#pragma once

#include <memory>

#include <weft/plan.hpp>

#include "comm/communicator.hpp"
#include "kernel/engine.hpp"
#include "kernel/line_spectrum.hpp"
#include "kernel/lines.hpp"

namespace weft::run {

/// Returns the factors of this rank's lines in a plan that convolves. They are the spectrum of the
/// chirp's conjugate at -n_in < j < n_out, divided by the m points of the convolution. Forward uses
/// these factors. Backward swaps n_in and n_out and conjugates the chirp, so it uses the conjugates
/// of these factors. Returns null for other plans.
///
/// Collective  all succeed or all throw the same error.
/// Memory      one complex number for each element of the convolution on this rank; twice that, and
///             a workspace, during the computation.
/// Cost        a distributed transform of m points, with one exchange.
std::shared_ptr<const kernel::LineSpectrum> chirp_spectrum(const Plan& plan,
                                                           const comm::Communicator& comm,
                                                           const kernel::LocalOptions& local);

}  // namespace weft::run
