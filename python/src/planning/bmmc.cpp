#include "planning/bmmc.hpp"

#include <algorithm>
#include <cstdint>
#include <string>

#include "bmmc/plan/min_pass_factorisation.hpp"
#include "bmmc/plan/mld_factorisation.hpp"
#include "bmmc/plan/permutations.hpp"
#include "value.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace weft::python {
namespace {

/// Row i has the bits of x that contribute to bit i of A x.
using Rows = std::vector<bmmc::Bits>;

Rows to_rows(const bmmc::BitMatrix& matrix) {
  Rows rows;
  for (int i = 0; i < matrix.rows(); ++i) rows.push_back(matrix.row(i));
  return rows;
}

bmmc::BitMatrix to_matrix(const Rows& rows) {
  if (rows.size() > bmmc::bits_max)
    throw Error(ErrorCode::invalid_argument,
                "a matrix has at most 64 rows; given " + std::to_string(rows.size()));
  return bmmc::BitMatrix::from_rows(rows, static_cast<int>(rows.size()));
}

/// Plans for the fewest I/Os on one processor, and for the fewest sent records on several
/// processors.
PermutationPlan planned_permutation(const Rows& rows, bmmc::Bits complement,
                                    std::int64_t memory_records, std::int64_t block_records,
                                    std::int64_t disks, std::int64_t processors) {
  const auto records = std::int64_t{1} << std::min<std::size_t>(rows.size(), 62);
  PermutationPlan plan = {
      bmmc::disk_model(records, memory_records, block_records, disks, processors),
      {to_matrix(rows), complement},
      {},
      {}};
  plan.passes = processors == 1 ? bmmc::best_factors(plan.permutation, plan.disks)
                                : bmmc::factored(plan.permutation, plan.disks);
  if (processors > 1)
    for (const bmmc::PermutationPass& pass : plan.passes)
      plan.crossings.push_back(bmmc::processor_traffic(pass, plan.disks));
  return plan;
}

/// Returns the arguments of planned_permutation().
nb::object state_of(const PermutationPlan& plan) {
  const auto size = [](int lg) { return std::int64_t{1} << lg; };
  const bmmc::DiskModel& disks = plan.disks;
  return nb::make_tuple(nb::tuple(nb::cast(to_rows(plan.permutation.matrix))),
                        plan.permutation.complement, size(disks.m), size(disks.b), size(disks.d),
                        size(disks.p));
}

PermutationPlan plan_of(const nb::tuple& state) {
  const auto number = [&](int at) { return nb::cast<std::int64_t>(state[at]); };
  return planned_permutation(nb::cast<Rows>(state[0]), nb::cast<bmmc::Bits>(state[1]), number(2),
                             number(3), number(4), number(5));
}

template <class Number>
Number sum_of(const PermutationPlan& plan, Number bmmc::ProcessorTraffic::*what) {
  Number sum = 0;
  for (const bmmc::ProcessorTraffic& each : plan.crossings) sum += each.*what;
  return sum;
}

void bind_plan(nb::module_& m) {
  nb::class_<PermutationPlan> bound(m, "OutOfCorePermutation",
                                    "The passes over the disks of a permutation of records.");
  bound
      .def_prop_ro(
          "kinds",
          [](const PermutationPlan& plan) {
            nb::list kinds;
            for (const bmmc::PermutationPass& pass : plan.passes)
              kinds.append(bmmc::word_of(pass.kind));
            return nb::tuple(kinds);
          },
          "The kind of each pass: MRC, MLD, MLD^-1 or grouped.")
      .def_prop_ro(
          "pass_count", [](const PermutationPlan& plan) { return plan.passes.size(); },
          "Number of passes; each reads and writes all records once.")
      .def_prop_ro(
          "parallel_ios",
          [](const PermutationPlan& plan) { return bmmc::parallel_ios(plan.passes, plan.disks); },
          "Parallel I/Os; each moves at most one block of each disk.")
      .def_prop_ro(
          "messages",
          [](const PermutationPlan& plan) {
            return sum_of(plan, &bmmc::ProcessorTraffic::messages);
          },
          "The records that the busiest processor sends.")
      .def_prop_ro(
          "sent_records",
          [](const PermutationPlan& plan) {
            return sum_of(plan, &bmmc::ProcessorTraffic::records);
          },
          "The records that a processor sends, on average.")
      .def("__repr__", [](const PermutationPlan& plan) {
        return "<weft.ooc.Permutation 2^" + std::to_string(plan.disks.n) + " records, " +
               std::to_string(plan.passes.size()) + " passes>";
      });
  bind_value(bound, &state_of, &plan_of);
}

}  // namespace

void bind_bmmc(nb::module_& m) {
  bind_plan(m);
  m.def("plan_permutation", &planned_permutation, "rows"_a, "complement"_a, "memory_records"_a,
        "block_records"_a, "disks"_a, "processors"_a,
        "Factors a permutation over GF(2) into passes; pure.");
  m.def(
      "bit_reversal", [](int n) { return to_rows(bmmc::bit_reversal(n)); }, "n"_a,
      "Returns the rows of the matrix that reverses n bits.");
  m.def(
      "right_rotation", [](int n, int by) { return to_rows(bmmc::right_rotation(n, by)); }, "n"_a,
      "by"_a, "Returns the rows of the matrix that moves bit k to bit k - by.");
  m.def(
      "axes_permutation",
      [](const std::vector<int>& lg_extents, const std::vector<int>& order) {
        return to_rows(bmmc::axes_permutation(lg_extents, order));
      },
      "lg_extents"_a, "order"_a,
      "Returns the rows of the matrix that reorders the axes of an array.");
  m.def(
      "gray_code", [](int n) { return to_rows(bmmc::gray_code(n)); }, "n"_a,
      "Returns the rows of the matrix of the binary reflected Gray code.");
  m.def(
      "inverse_bits", [](const Rows& rows) { return to_rows(bmmc::inverse(to_matrix(rows))); },
      "rows"_a, "Returns the rows of the inverse over GF(2).");
}

}  // namespace weft::python
