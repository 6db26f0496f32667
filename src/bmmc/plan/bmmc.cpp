#include "bmmc/plan/bmmc.hpp"

#include <bit>
#include <string>

#include <weft/error.hpp>

namespace weft::bmmc {
namespace {

/// Limit of lg N, so that counts times 2 and times a number of passes do not overflow.
constexpr int n_max = 61;

std::string power(int lg) { return "2^" + std::to_string(lg); }

[[noreturn]] void refuse(const std::string& rule, const std::string& given,
                         const std::string& remedy) {
  throw Error(ErrorCode::invalid_argument, rule + "; given " + given + "; " + remedy);
}

int logarithm(std::int64_t value, const std::string& what) {
  if (value < 1 || !std::has_single_bit(static_cast<std::uint64_t>(value)))
    refuse(what + " must be a power of two", std::to_string(value),
           value < 1 ? "give at least 1"
                     : "for example " +
                           std::to_string(std::bit_floor(static_cast<std::uint64_t>(value))));
  return std::countr_zero(static_cast<std::uint64_t>(value));
}

}  // namespace

void check(const DiskModel& disks) {
  if (disks.n < 0 || disks.m < 0 || disks.b < 0 || disks.d < 0 || disks.p < 0)
    refuse("every size of a disk model must be at least 1 record, disk or processor",
           "a negative logarithm", "give logarithms of at least 0");
  if (disks.n > n_max)
    refuse("a disk model has at most " + power(n_max) + " records", power(disks.n), "give fewer");
  if (disks.p > disks.d)
    refuse("each processor needs a disk of its own: P <= D",
           power(disks.p) + " processors and " + power(disks.d) + " disks",
           "count a shared disk once for each processor, or give fewer processors");
  if (disks.m < disks.b + disks.d + 1)
    refuse("memory must hold two blocks of each disk: M >= 2BD",
           "M = " + power(disks.m) + " records, B = " + power(disks.b) + ", D = " + power(disks.d),
           "give more memory, smaller blocks or fewer disks");
  if (disks.n < disks.m)
    refuse("memory is at most as large as the data: M <= N",
           "M = " + power(disks.m) + " and N = " + power(disks.n) + " records",
           "give M = N, or transform in memory");
}

DiskModel disk_model(std::int64_t records, std::int64_t memory_records, std::int64_t block_records,
                     std::int64_t disks, std::int64_t processors) {
  DiskModel model;
  model.n = logarithm(records, "the number of records");
  model.b = logarithm(block_records, "the number of records of a block");
  model.d = logarithm(disks, "the number of disks");
  model.p = logarithm(processors, "the number of processors");
  model.m = logarithm(memory_records, "the number of records in memory");
  check(model);
  return model;
}

void check(const Bmmc& permutation, const DiskModel& disks) {
  const BitMatrix& a = permutation.matrix;
  if (a.rows() != disks.n || a.columns() != disks.n)
    refuse(
        "the matrix of a permutation of 2^n records is n x n, here n = " + std::to_string(disks.n),
        std::to_string(a.rows()) + " x " + std::to_string(a.columns()), "give an n x n matrix");
  if (const int found = rank(a); found != disks.n)
    refuse("the matrix of a permutation must be nonsingular over GF(2): rank " +
               std::to_string(disks.n),
           "rank " + std::to_string(found), "give one that maps no two indices to one target");
  if ((permutation.complement & ~bit_range(0, disks.n)) != 0)
    refuse("the complement of a permutation of 2^n records has n bits, here n = " +
               std::to_string(disks.n),
           std::to_string(permutation.complement), "give fewer bits");
}

Bmmc composed(const Bmmc& first, const Bmmc& second) {
  return {second.matrix * first.matrix, second.target(first.complement)};
}

Bmmc inverse(const Bmmc& permutation) {
  const BitMatrix back = inverse(permutation.matrix);
  return {back, back.apply(permutation.complement)};
}

bool is_mrc(const BitMatrix& a, const DiskModel& disks) { return rank_phi(a, disks) == 0; }

bool is_mld(const BitMatrix& a, const DiskModel& disks) {
  const BitMatrix upper = a.block(disks.b, disks.m, 0, disks.m);
  const BitMatrix both = a.block(disks.b, disks.n, 0, disks.m);
  return rank(upper) == disks.m - disks.b && rank(both) == disks.m - disks.b;
}

bool is_mld_inverse(const BitMatrix& a, const DiskModel& disks) {
  return is_mld(inverse(a), disks);
}

bool is_bpc(const BitMatrix& a) {
  if (!is_nonsingular(a)) return false;
  for (int row = 0; row < a.rows(); ++row)
    if (!std::has_single_bit(a.row(row))) return false;
  return true;
}

int rank_phi(const BitMatrix& a, const DiskModel& disks) {
  return rank(a.block(disks.m, disks.n, 0, disks.m));
}

int rank_gamma(const BitMatrix& a, const DiskModel& disks) {
  return rank(a.block(disks.b, disks.n, 0, disks.b));
}

}  // namespace weft::bmmc
