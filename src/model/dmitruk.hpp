#pragma once

#include <cstdint>

namespace weft::model {

/// A cluster as Dmitruk et al. (paper 000, section 3) describe it. Times in seconds.
struct DmitrukMachine {
  double t_c = 0;  ///< for one operation of an FFT, counted as in Eq. 4
  double t_a = 0;  ///< to copy a word from memory to memory
  double t_w = 0;  ///< to send a word of 4 bytes
  double t_s = 0;  ///< to start a message
  /// B >= 1: the factor by which a blocking schedule slows down messages. The paper multiplies t_c
  /// by B, but its text is about sending. So B multiplies t_w in this model.
  double blocking = 1;
};

/// The paper's cluster of 400 MHz Celerons and fast Ethernet, with its constants for 128^3 points.
inline constexpr DmitrukMachine dmitruk_celerons{6.5e-9, 70e-9, 0.34e-6, 100e-6};

// Real transforms of n^3 points in p slabs, with n and p at least 1. Results are in seconds, unless
// a comment says otherwise.

double dmitruk_computing(const DmitrukMachine&, std::int64_t n, std::int64_t p);  ///< Eq. 4
double dmitruk_sending(const DmitrukMachine&, std::int64_t n, std::int64_t p);    ///< Eq. 5
double dmitruk_total(const DmitrukMachine&, std::int64_t n, std::int64_t p);      ///< Eq. 3
/// Eq. 6: limit of the total for large n and p.
double dmitruk_limit(const DmitrukMachine&, std::int64_t n, std::int64_t p);
/// Eq. 7: the speed-up T_1 / T_p, with n + 2 in place of n. T_p is the total on p nodes. T_1 is the
/// time of the same algorithm on one node.
double dmitruk_speed_up(const DmitrukMachine&, std::int64_t n, std::int64_t p);
/// T_1 / (p T_p) by Eqs. 3 to 5.
double dmitruk_efficiency(const DmitrukMachine&, std::int64_t n, std::int64_t p);
/// Operations per second. As in Fig. 6, a transform has 5/2 n^3 lg(n^3) operations.
double dmitruk_flops(const DmitrukMachine&, std::int64_t n, std::int64_t p);

}  // namespace weft::model
