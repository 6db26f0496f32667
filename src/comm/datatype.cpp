#include "comm/datatype.hpp"

#include <algorithm>

#include "base/checked.hpp"
#include "comm/environment.hpp"
#include "comm/mpi_check.hpp"

namespace weft::comm {
namespace {

/// Makes a type of `count` copies of `old`, `stride_bytes` apart. None of its counts exceeds
/// `limit`.
Datatype repeated(const Datatype& old, std::int64_t count, std::int64_t stride_bytes,
                  std::int64_t limit) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  if (count <= limit) {
    check_mpi(MPI_Type_create_hvector(checked_cast<int>(count),
                                      1,  // block length
                                      checked_cast<MPI_Aint>(stride_bytes), old.get(), &type),
              "MPI_Type_create_hvector");
    return Datatype(type);
  }
  const std::int64_t pieces = count / limit;
  const std::int64_t rest = count % limit;
  const std::int64_t piece_bytes = checked_mul(limit, stride_bytes, "a strided box in bytes");
  Datatype whole = repeated(repeated(old, limit, stride_bytes, limit), pieces, piece_bytes, limit);
  if (rest == 0) return whole;
  const Datatype remainder = repeated(old, rest, stride_bytes, limit);
  const int lengths[2] = {1, 1};
  const MPI_Aint offsets[2] = {
      0, checked_cast<MPI_Aint>(checked_mul(pieces, piece_bytes, "a strided box in bytes"))};
  const MPI_Datatype types[2] = {whole.get(), remainder.get()};
  check_mpi(MPI_Type_create_struct(2,  // members: the whole pieces and the rest
                                   lengths, offsets, types, &type),
            "MPI_Type_create_struct");
  return Datatype(type);
}

}  // namespace

Datatype::~Datatype() {
  if (type_ != MPI_DATATYPE_NULL && is_running()) MPI_Type_free(&type_);
}

void Datatype::commit() { check_mpi(MPI_Type_commit(&type_), "MPI_Type_commit"); }

Datatype element_type(std::int64_t bytes) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  check_mpi(MPI_Type_contiguous(checked_cast<int>(bytes, "bytes of an element"), MPI_BYTE, &type),
            "MPI_Type_contiguous");
  Datatype element(type);
  element.commit();
  return element;
}

std::vector<StridedAxis> simplified(const std::vector<std::int64_t>& extents,
                                    const std::vector<std::int64_t>& strides) {
  std::vector<StridedAxis> axes;  // here the fastest axis comes first
  for (std::size_t i = extents.size(); i-- > 0;) {
    if (extents[i] == 1) continue;
    const bool continues = !axes.empty() && strides[i] == axes.back().extent * axes.back().stride;
    if (continues) {
      axes.back().extent *= extents[i];
    } else {
      axes.push_back({extents[i], strides[i]});
    }
  }
  std::reverse(axes.begin(), axes.end());
  return axes;
}

Datatype strided_type(std::int64_t offset, const std::vector<std::int64_t>& extents,
                      const std::vector<std::int64_t>& strides, std::int64_t element_bytes,
                      std::int64_t limit) {
  // With a limit of 1 the division into pieces would never end.
  limit = std::max<std::int64_t>(limit, 2);
  Datatype type = element_type(element_bytes);
  const std::vector<StridedAxis> axes = simplified(extents, strides);
  for (std::size_t i = axes.size(); i-- > 0;) {
    type = repeated(type, axes[i].extent,
                    checked_mul(axes[i].stride, element_bytes, "a stride in bytes"), limit);
  }
  const int length = 1;
  const MPI_Aint displacement =
      checked_cast<MPI_Aint>(checked_mul(offset, element_bytes, "an offset in bytes"));
  MPI_Datatype shifted = MPI_DATATYPE_NULL;
  check_mpi(MPI_Type_create_hindexed(1,  // blocks
                                     &length, &displacement, type.get(), &shifted),
            "MPI_Type_create_hindexed");
  Datatype result(shifted);
  result.commit();
  return result;
}

}  // namespace weft::comm
