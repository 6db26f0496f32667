#include "exchange/packed.hpp"

namespace weft::exchange {
namespace {

/// MPI_Alltoallw of boxes of two plain local arrays: nothing is packed by weft. Slow where MPI
/// packs slowly, but so direct that the other methods are checked against it.
class CollectiveDatatype : public Executor {
 public:
  CollectiveDatatype(const Side& side, const Group& group)
      : all_to_all_(group.comm, boxes(side, group, side.from, side.to),
                    boxes(side, group, side.to, side.from), side.element_bytes) {}

  void execute(void* send, void* recv) const override { all_to_all_.execute(send, recv); }
  comm::Traffic traffic() const override { return all_to_all_.traffic(); }

 private:
  static std::vector<comm::StridedBlock> boxes(const Side& side, const Group& group,
                                               const Layout& mine, const Layout& other) {
    std::vector<comm::StridedBlock> found;
    const Box local = mine.box(side.rank);
    Shape strides(local.dims());
    std::int64_t step = 1;
    for (int axis = local.dims() - 1; axis >= 0; --axis) {
      strides[axis] = step;
      step *= local.extent(axis);
    }
    for (const Overlap& overlap : overlaps(mine, side.rank, other)) {
      std::int64_t offset = 0;
      for (int axis = 0; axis < local.dims(); ++axis)
        offset += (overlap.box.lower[axis] - local.lower[axis]) * strides[axis];
      found.push_back({group.index_of(overlap.peer), offset, overlap.box.shape(), strides});
    }
    return found;
  }

  comm::StridedAllToAll all_to_all_;
};

}  // namespace

std::unique_ptr<Executor> make_collective_datatype(const Side& side, const Group& group,
                                                   const Means&) {
  return std::make_unique<CollectiveDatatype>(side, group);
}

}  // namespace weft::exchange
