#include "bmmc/plan/subspace.hpp"

namespace weft::bmmc {

Subspace Subspace::of_bits(int first, int last) {
  Subspace result;
  for (int bit = first; bit < last; ++bit) result.add(Bits{1} << bit);
  return result;
}

Subspace Subspace::spanned(const std::vector<Bits>& vectors) {
  Subspace result;
  for (const Bits x : vectors) result.add(x);
  return result;
}

std::vector<Bits> Subspace::basis() const {
  std::vector<Bits> vectors;
  for (Bits rest = pivot_bits_; rest != 0; rest &= rest - 1)
    vectors.push_back(with_pivot_[std::countr_zero(rest)]);
  return vectors;
}

bool Subspace::add(Bits x) {
  x = reduced(x);
  if (x == 0) return false;
  const int pivot = std::countr_zero(x);
  // Vectors with a higher pivot are 0 at bit `pivot` and below. Only vectors with a lower pivot may
  // have this bit.
  for (Bits rest = pivot_bits_ & bit_range(0, pivot); rest != 0; rest &= rest - 1) {
    Bits& other = with_pivot_[std::countr_zero(rest)];
    if ((other >> pivot & 1) != 0) other ^= x;
  }
  pivot_bits_ |= Bits{1} << pivot;
  with_pivot_[pivot] = x;
  return true;
}

void Subspace::add(const Subspace& other) {
  for (const Bits x : other.basis()) add(x);
}

Subspace Subspace::image(const BitMatrix& a) const {
  const BitMatrix columns = transposed(a);
  Subspace result;
  for (Bits rest = pivot_bits_; rest != 0; rest &= rest - 1) {
    Bits image = 0;
    for (Bits x = with_pivot_[std::countr_zero(rest)] & bit_range(0, a.columns()); x != 0;
         x &= x - 1)
      image ^= columns.row(std::countr_zero(x));
    result.add(image);
  }
  return result;
}

int rank_on(const Subspace& space, const BitMatrix& a, int first, int last) {
  return space.image(a.block(first, last, 0, a.columns())).dimension();
}

Subspace intersection(const Subspace& a, const Subspace& b) {
  // The intersection consists of those sums of a's basis that are 0 modulo b.
  const std::vector<Bits> basis = a.basis();
  std::vector<Bits> columns;
  for (const Bits x : basis) columns.push_back(b.reduced(x));
  Subspace result;
  for (const Bits combination : kernel(BitMatrix::from_columns(bits_max, columns))) {
    Bits x = 0;
    for (std::size_t k = 0; k < columns.size(); ++k)
      if ((combination >> k & 1) != 0) x ^= basis[k];
    result.add(x);
  }
  return result;
}

}  // namespace weft::bmmc
