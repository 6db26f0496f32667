#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "comm/mpi.hpp"

namespace weft::comm {

/// Owns an MPI datatype. Freeing is local; after MPI_Finalize nothing is freed.
class Datatype {
 public:
  Datatype() = default;
  explicit Datatype(MPI_Datatype type) : type_(type) {}
  Datatype(Datatype&& other) noexcept : type_(std::exchange(other.type_, MPI_DATATYPE_NULL)) {}
  Datatype& operator=(Datatype&& other) noexcept {
    std::swap(type_, other.type_);
    return *this;
  }
  Datatype(const Datatype&) = delete;
  Datatype& operator=(const Datatype&) = delete;
  ~Datatype();

  MPI_Datatype get() const { return type_; }
  void commit();

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

/// Makes the type of one element: `bytes` contiguous bytes, committed.
Datatype element_type(std::int64_t bytes);

/// Makes the type of a strided box that begins `offset` elements after the start of the buffer,
/// committed. The type is sent with count 1 and displacement 0, so that no int of the call can
/// overflow. Counts above `limit` (at least 2) are split into pieces of `limit` and a rest. All
/// extents are at least 1. Axes are in the order of the message, from slowest to fastest.
Datatype strided_type(std::int64_t offset, const std::vector<std::int64_t>& extents,
                      const std::vector<std::int64_t>& strides, std::int64_t element_bytes,
                      std::int64_t limit);

/// An axis of a strided box, in elements.
struct StridedAxis {
  std::int64_t extent = 1;
  std::int64_t stride = 1;
};

/// Returns the same elements in the same order with as few axes as possible. Drops axes of extent
/// 1. Joins two neighbouring axes if the outer stride continues the inner axis.
std::vector<StridedAxis> simplified(const std::vector<std::int64_t>& extents,
                                    const std::vector<std::int64_t>& strides);

}  // namespace weft::comm
