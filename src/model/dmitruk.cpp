#include "model/dmitruk.hpp"

#include <cmath>

namespace weft::model {
namespace {

double cube(double n) { return n * n * n; }

double operations(double n) { return 2.5 * cube(n) * std::log2(cube(n)); }

/// Returns the words of the array as it is sent. Each row of n words is sent with two more words.
double words(double n) { return (n + 2) * n * n; }

}  // namespace

double dmitruk_computing(const DmitrukMachine& machine, std::int64_t n, std::int64_t p) {
  const auto extent = static_cast<double>(n);
  const auto ranks = static_cast<double>(p);
  return operations(extent) / ranks * machine.t_c +
         (2 / ranks + (ranks - 1) / (ranks * ranks)) * words(extent) * machine.t_a;
}

double dmitruk_sending(const DmitrukMachine& machine, std::int64_t n, std::int64_t p) {
  const auto ranks = static_cast<double>(p);
  const double words_to_one = words(static_cast<double>(n)) / (ranks * ranks);
  return 2 * (ranks - 1) * (words_to_one * machine.t_w * machine.blocking + machine.t_s);
}

double dmitruk_total(const DmitrukMachine& machine, std::int64_t n, std::int64_t p) {
  return dmitruk_computing(machine, n, p) + dmitruk_sending(machine, n, p);
}

double dmitruk_limit(const DmitrukMachine& machine, std::int64_t n, std::int64_t p) {
  const auto extent = static_cast<double>(n);
  const auto ranks = static_cast<double>(p);
  return (operations(extent) * machine.t_c +
          cube(extent) * (3 * machine.t_a + 2 * machine.t_w * machine.blocking)) /
             ranks +
         2 * ranks * machine.t_s;
}

double dmitruk_speed_up(const DmitrukMachine& machine, std::int64_t n, std::int64_t p) {
  const auto extent = static_cast<double>(n);
  const auto ranks = static_cast<double>(p);
  const double alone = 2.5 * std::log2(cube(extent)) * machine.t_c + 2 * machine.t_a;
  const double sent = machine.t_a + 2 * machine.t_w * machine.blocking +
                      2 * ranks * ranks / cube(extent) * machine.t_s;
  return ranks / (1 + (ranks - 1) / (alone * ranks) * sent);
}

double dmitruk_efficiency(const DmitrukMachine& machine, std::int64_t n, std::int64_t p) {
  return dmitruk_total(machine, n, 1) / (static_cast<double>(p) * dmitruk_total(machine, n, p));
}

double dmitruk_flops(const DmitrukMachine& machine, std::int64_t n, std::int64_t p) {
  return operations(static_cast<double>(n)) / dmitruk_total(machine, n, p);
}

}  // namespace weft::model
