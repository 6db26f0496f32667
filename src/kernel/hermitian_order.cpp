#include "kernel/hermitian_order.hpp"

#include <omp.h>

#include <algorithm>
#include <utility>

#include <weft/precision.hpp>

namespace weft::kernel {
namespace {

/// Number of pairs that are processed together. Then the cache lines with both columns of a pair
/// are read from memory only once. A tile of both sides fits in the first-level cache.
constexpr std::int64_t block_pairs = 8;
constexpr std::int64_t tile_rows = 64;

Range common(const Range& a, const Range& b) {
  return {std::max(a.lo, b.lo), std::max(std::max(a.lo, b.lo), std::min(a.hi, b.hi))};
}

}  // namespace

/// The part of the box in one piece: a range of rows, the direct columns of some pairs, and the
/// mirrored columns of some pairs.
struct HermitianOrderPass::Part {
  const Piece& columns;
  const Piece& natural;
  Range rows;
  Range direct;
  Range mirrored;
};

HermitianOrderPass::HermitianOrderPass(const HermitianOrder& half, const Box& box,
                                       const Place& columns, const Place& natural, int threads)
    : half_(half),
      threads_(threads),
      from_bytes_((half.to_natural ? columns : natural).element_bytes),
      to_bytes_((half.to_natural ? natural : columns).element_bytes),
      narrow_from_((half.to_natural ? columns : natural).narrow),
      narrow_to_((half.to_natural ? natural : columns).narrow),
      pairs_{box.lower[1] / 2, (box.upper[1] + 1) / 2} {
  for (const Piece& piece : columns.pieces) {
    const Box shared = intersect(piece.box, box);
    if (!shared.empty()) add_piece(piece, shared, natural.pieces[0]);
  }
}

void HermitianOrderPass::add_piece(const Piece& columns, const Box& box, const Piece& natural) {
  const Part part{columns,
                  natural,
                  {box.lower[0], box.upper[0]},
                  {(box.lower[1] + 1) / 2, (box.upper[1] + 1) / 2},
                  {box.lower[1] / 2, box.upper[1] / 2}};
  add_direct(part);
  add_mirrored(part);
}

void HermitianOrderPass::add_direct(const Part& part) {
  const auto [n1, n2, to_natural] = half_;
  const int doubled = to_natural ? 1 : 2;
  const Range all = part.direct;
  add(part, {1, (n1 + 1) / 2}, all, false, 1);
  // Elements that are their own mirror image count once. These are X[0] and, for odd n2, X[n/2].
  add(part, {0, 1}, common(all, {0, 1}), false, 1);
  add(part, {0, 1}, common(all, {1, n2}), false, doubled);
  if (n1 % 2 != 0) return;
  const Range middle{n1 / 2, n1 / 2 + 1};
  add(part, middle, common(all, {0, n2 / 2}), false, doubled);
  add(part, middle, common(all, {n2 / 2, n2}), false, 1);
}

void HermitianOrderPass::add_mirrored(const Part& part) {
  const auto [n1, n2, to_natural] = half_;
  const Range all = part.mirrored;
  add(part, {1, (n1 + 1) / 2}, all, true, 1);
  // For an even n2, X[n/2] is in row 0 after all others.
  const std::int64_t last = n2 % 2 == 0 ? n2 / 2 - 1 : n2 / 2;
  add(part, {0, 1}, common(all, {last, n2 / 2}), true, 1);
  if (to_natural) return;
  add(part, {0, 1}, common(all, {0, last}), true, 0);
  if (n1 % 2 == 0) add(part, {n1 / 2, n1 / 2 + 1}, all, true, 0);
}

void HermitianOrderPass::add(const Part& part, const Range& wanted_rows, const Range& pairs,
                             bool mirrored, int times) {
  const Range rows = common(wanted_rows, part.rows);
  if (rows.size() <= 0 || pairs.size() <= 0) return;
  const Piece& columns = part.columns;
  const std::int64_t column = 2 * pairs.lo + (mirrored ? 1 : 0);
  RowEnd folded{columns.buffer,
                columns.offset + (rows.lo - columns.box.lower[0]) * columns.strides[0] +
                    (column - columns.box.lower[1]) * columns.strides[1],
                columns.strides[0], 2 * columns.strides[1]};
  const std::int64_t k = half_.n1 * pairs.lo + (mirrored ? half_.n1 - rows.lo : rows.lo);
  RowEnd natural{part.natural.buffer, part.natural.offset + k - part.natural.box.lower[0],
                 mirrored ? -1 : 1, half_.n1};
  if (!half_.to_natural) std::swap(folded, natural);
  moves_.push_back({folded, natural, rows.size(), pairs, times, mirrored});
}

template <class From, class To>
void HermitianOrderPass::execute_move(const Move& move, const Range& pairs, void* const* buffers) {
  const From* const from = static_cast<const From*>(buffers[move.from.buffer]);
  To* const to = static_cast<To*>(buffers[move.to.buffer]);
  const To re_times = static_cast<To>(move.times);
  const To im_times = move.conjugates ? -re_times : re_times;
  const auto at = [&](const RowEnd& end, std::int64_t row, std::int64_t pair) {
    return 2 * (end.offset + row * end.row_stride + (pair - move.pairs.lo) * end.pair_stride);
  };
  for (std::int64_t first = 0; first < move.rows; first += tile_rows)
    for (std::int64_t pair = pairs.lo; pair < pairs.hi; ++pair)
      for (std::int64_t row = first; row < std::min(first + tile_rows, move.rows); ++row) {
        To* const target = to + at(move.to, row, pair);
        if (move.times == 0) {
          target[0] = target[1] = 0;
          continue;
        }
        const From* const source = from + at(move.from, row, pair);
        target[0] = re_times * static_cast<To>(source[0]);
        target[1] = im_times * static_cast<To>(source[1]);
      }
}

template <class From, class To>
void HermitianOrderPass::execute_as(void* const* buffers) const {
#pragma omp parallel for schedule(static) num_threads(threads_) if (threads_ > 1)
  for (std::int64_t pair = pairs_.lo; pair < pairs_.hi; pair += block_pairs)
    for (const Move& move : moves_)
      execute_move<From, To>(move, common(move.pairs, {pair, pair + block_pairs}), buffers);
}

MemoryTraffic HermitianOrderPass::execute(void* const* buffers) const {
  if (narrow_from_) {
    execute_as<float, double>(buffers);
  } else if (narrow_to_) {
    execute_as<double, float>(buffers);
  } else if (to_bytes_ == complex_bytes(Precision::f32)) {
    execute_as<float, float>(buffers);
  } else if (to_bytes_ == complex_bytes(Precision::f64)) {
    execute_as<double, double>(buffers);
  } else {
    using Extended = long double;
    execute_as<Extended, Extended>(buffers);
  }
  MemoryTraffic traffic;
  for (const Move& move : moves_) {
    if (move.times != 0) traffic.read_bytes += move.rows * move.pairs.size() * from_bytes_;
    traffic.written_bytes += move.rows * move.pairs.size() * to_bytes_;
  }
  return traffic;
}

}  // namespace weft::kernel
