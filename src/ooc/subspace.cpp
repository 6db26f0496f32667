#include "ooc/subspace.hpp"

#include <algorithm>
#include <bit>

namespace weft::ooc {

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

Bits Subspace::pivot_bits() const {
  Bits bits = 0;
  for (const int pivot : pivots_) bits |= Bits{1} << pivot;
  return bits;
}

Bits Subspace::reduced(Bits x) const {
  for (std::size_t k = 0; k < basis_.size(); ++k)
    if ((x >> pivots_[k] & 1) != 0) x ^= basis_[k];
  return x;
}

bool Subspace::add(Bits x) {
  x = reduced(x);
  if (x == 0) return false;
  const int pivot = std::countr_zero(x);
  for (Bits& other : basis_)
    if ((other >> pivot & 1) != 0) other ^= x;
  const auto place = std::lower_bound(pivots_.begin(), pivots_.end(), pivot) - pivots_.begin();
  basis_.insert(basis_.begin() + place, x);
  pivots_.insert(pivots_.begin() + place, pivot);
  return true;
}

void Subspace::add(const Subspace& other) {
  for (const Bits x : other.basis_) add(x);
}

Subspace Subspace::image(const BitMatrix& a) const {
  std::vector<Bits> images;
  for (const Bits x : basis_) images.push_back(a.apply(x));
  return spanned(images);
}

int rank_on(const Subspace& space, const BitMatrix& a, int first, int last) {
  return space.image(a.block(first, last, 0, a.columns())).dimension();
}

Subspace intersection(const Subspace& a, const Subspace& b) {
  // Sums of a's basis that vanish modulo b.
  std::vector<Bits> columns;
  for (const Bits x : a.basis()) columns.push_back(b.reduced(x));
  Subspace result;
  for (const Bits combination : kernel(BitMatrix::from_columns(bits_max, columns))) {
    Bits x = 0;
    for (std::size_t k = 0; k < columns.size(); ++k)
      if ((combination >> k & 1) != 0) x ^= a.basis()[k];
    result.add(x);
  }
  return result;
}

}  // namespace weft::ooc
