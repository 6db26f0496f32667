#pragma once

#include <memory>

#include <weft/plan.hpp>

#include "comm/communicator.hpp"
#include "kernel/engine.hpp"
#include "kernel/line_spectrum.hpp"
#include "kernel/lines.hpp"

namespace weft::run {

/// What a plan that convolves multiplies the lines of this rank by: the spectrum of the chirp's
/// conjugate at -n_in < j < n_out, divided by the m points of the convolution. That of forward; backward
/// swaps n_in and n_out and conjugates the chirp, whose spectrum is the conjugate. Null for other plans.
///
/// Collective  all succeed or all throw the same error.
/// Memory      as many complex numbers as the rank has of the convolution; twice that, and a workspace,
///             while it is made.
/// Cost        a transform of m points that the ranks share, with one exchange.
std::shared_ptr<const kernel::LineSpectrum> chirp_spectrum(const Plan& plan,
                                                           const comm::Communicator& comm,
                                                           const kernel::LocalOptions& local);

}  // namespace weft::run
