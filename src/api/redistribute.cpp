#include "api/redistribute.hpp"

#include <weft/fft.hpp>

#include "base/memory.hpp"
#include "comm/agreement.hpp"
#include "comm/collective_call.hpp"
#include "comm/exchanges.hpp"
#include "comm/from_mpi.hpp"
#include "layout/check.hpp"
#include "layout/overlap.hpp"

namespace weft::api {
namespace {

/// Returns the overlaps of this rank's array of `mine` with the arrays of `other`: strided boxes of
/// the local array.
std::vector<comm::StridedBlock> strided_blocks(const Layout& mine, const Layout& other,
                                               std::int64_t rank) {
  std::vector<comm::StridedBlock> blocks;
  const Shape lower = mine.box(rank).lower;
  const Shape strides = mine.strides(rank);
  for (const Overlap& overlap : overlaps(mine, rank, other)) {
    std::int64_t offset = 0;
    for (std::size_t axis = 0; axis < lower.size(); ++axis)
      offset += (overlap.box.lower[axis] - lower[axis]) * strides[axis];
    blocks.push_back({static_cast<int>(overlap.peer), offset, overlap.box.shape(), strides});
  }
  return blocks;
}

void check(const void* source, const Layout& from, const void* target, const Layout& to,
           std::int64_t element_bytes, const comm::Communicator& comm) {
  if (element_bytes < 1)
    throw Error(ErrorCode::invalid_argument,
                "an element must have at least 1 byte; given " + std::to_string(element_bytes));
  for (const Layout* layout : {&from, &to})
    if (layout->ranks() != comm.size())
      throw Error(ErrorCode::layout_mismatch,
                  "a layout must be for the " + std::to_string(comm.size()) +
                      " ranks of the communicator; given " + layout->describe() + " for " +
                      std::to_string(layout->ranks()));
  if (from.shape() != to.shape())
    throw Error(ErrorCode::layout_mismatch,
                "source and target must be layouts of one array; given the shapes " +
                    to_string(from.shape()) + " and " + to_string(to.shape()));
  if ((source == nullptr && from.local_volume(comm.rank()) > 0) ||
      (target == nullptr && to.local_volume(comm.rank()) > 0))
    throw Error(ErrorCode::invalid_argument,
                "the pointer of a local array that is not empty must not be null");
  if (overlap(source, from.local_volume(comm.rank()) * element_bytes, target,
              to.local_volume(comm.rank()) * element_bytes))
    throw Error(ErrorCode::invalid_argument,
                "source and target arrays must not overlap; on this rank they do; give two arrays");
}

}  // namespace

void redistribute(const void* source, const Layout& from, void* target, const Layout& to,
                  std::int64_t element_bytes, const comm::Communicator& comm,
                  const std::optional<Error>& wrong, const char* call) {
  const comm::CollectiveCall turn(comm, call, wrong);
  comm::require_same(comm,
                     {{"source layout", to_json(from)},
                      {"target layout", to_json(to)},
                      {"element size", std::to_string(element_bytes)}},
                     "weft::redistribute");
  comm::together(comm, [&] { check(source, from, target, to, element_bytes, comm); });
  const comm::StridedAllToAll exchange(comm, strided_blocks(from, to, comm.rank()),
                                       strided_blocks(to, from, comm.rank()), element_bytes);
  exchange.execute(source, target);
}

Layout layout_of_local_boxes(const Shape& shape, const Box& mine, const comm::Communicator& comm,
                             const std::vector<int>& order, const std::optional<Error>& wrong) {
  const comm::CollectiveCall turn(comm, "layout_of_local_boxes", wrong);
  comm::require_same(comm,
                     {{"shape", to_string(shape)}, {"memory order", "(" + join(order, ", ") + ")"}},
                     "weft::layout_of_local_boxes");
  comm::together(comm, [&] { check_box(mine, shape); });
  Shape bounds = mine.lower;
  bounds.insert(bounds.end(), mine.upper.begin(), mine.upper.end());
  const std::size_t dims = shape.size();
  std::vector<std::int64_t> all(bounds.size() * comm.size());
  comm.all_gather_bytes(
      bounds.data(), static_cast<std::int64_t>(bounds.size() * sizeof(std::int64_t)), all.data());
  std::vector<Box> boxes;
  for (auto at = all.begin(); at != all.end(); at += 2 * dims)
    boxes.push_back({Shape(at, at + dims), Shape(at + dims, at + 2 * dims)});
  return Layout::of_boxes(shape, std::move(boxes), order);  // if this fails, it fails on all ranks
}

}  // namespace weft::api

namespace weft {

void redistribute(const void* source, const Layout& from, void* target, const Layout& to,
                  std::int64_t element_bytes, MPI_Comm comm) {
  api::redistribute(source, from, target, to, element_bytes, comm::communicator_of(comm));
}

void gather(const void* local, const Layout& layout, void* whole, std::int64_t element_bytes,
            MPI_Comm comm, int root) {
  Layout on_root;
  const auto wrong =
      comm::error_of([&] { on_root = Layout::on_one(layout.shape(), layout.ranks(), root); });
  api::redistribute(local, layout, whole, on_root, element_bytes, comm::communicator_of(comm),
                    wrong, "gather");
}

void scatter(const void* whole, void* local, const Layout& layout, std::int64_t element_bytes,
             MPI_Comm comm, int root) {
  Layout on_root;
  const auto wrong =
      comm::error_of([&] { on_root = Layout::on_one(layout.shape(), layout.ranks(), root); });
  api::redistribute(whole, on_root, local, layout, element_bytes, comm::communicator_of(comm),
                    wrong, "scatter");
}

Layout layout_of_local_boxes(const Shape& shape, const Box& mine, MPI_Comm comm,
                             const std::vector<int>& order) {
  return api::layout_of_local_boxes(shape, mine, comm::communicator_of(comm), order);
}

}  // namespace weft
