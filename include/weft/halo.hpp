#pragma once

// Leaves out MPI's old C++ bindings. A program with them would need another library.
#ifndef OMPI_SKIP_MPICXX
#define OMPI_SKIP_MPICXX 1
#endif
#ifndef MPICH_SKIP_MPICXX
#define MPICH_SKIP_MPICXX 1
#endif
#include <mpi.h>

#include <complex>
#include <cstdint>
#include <memory>
#include <vector>

#include "weft/layout.hpp"
#include "weft/plan.hpp"

namespace weft {

namespace api {
class HaloHandle;
}

/// Options of a halo, for designated initialisers.
struct HaloOptions {
  Layout layout;      ///< a process grid, or boxes that form a grid: each axis has the same cuts
                      ///< everywhere
  Shape below = {1};  ///< planes before each box: one number for each axis, or one for all
  Shape above = {};   ///< planes after each box; empty: as below
  /// Whether an axis is periodic: one value for each axis, or one for all.
  std::vector<bool> periodic = {true};
  std::int64_t element_bytes = sizeof(double);
  MPI_Comm comm = MPI_COMM_NULL;  ///< MPI_COMM_NULL: this process alone, without MPI
  Exchange exchange = {};         ///< forced choices of every exchange
};

/// The planes around each rank's box, which hold copies of elements of other ranks. Finite
/// differences need such planes, and so do methods that spread particles onto a grid.
///
/// Shapes      The local array of a rank is its box with the planes below and above it on each
///             axis. It is dense in the layout's memory order: shape() and strides(). The box
///             begins at element inner_offset(). A rank with an empty box has an empty array. A
///             width is at most the length of the axis, so planes may come from several ranks.
/// Memory      workspace_bytes(): about twice the bytes of the planes. fill and accumulate allocate
///             nothing after their first call.
/// Collective  construction, fill and accumulate, over the communicator. All ranks succeed or all
///             throw the same Error. Destruction is local and safe at any time.
/// Threads     as Fft.
/// Errors      invalid_argument, layout_mismatch (the layout is for another number of ranks),
///             disagreement, out_of_memory, unsupported (boxes that cut an axis at different
///             positions, no such method), mpi_failure.
/// Cost        two exchanges at the same time for each axis that is cut: one for the planes below,
///             one for those above. If planes come from several ranks, there are more exchanges. An
///             axis that is not cut costs a copy.
class Halo {
 public:
  explicit Halo(const HaloOptions& options);

  /// Copies the elements of other ranks into the planes, corners included. At an end that is not
  /// periodic, the planes outside the array are not changed. Elements have any type of
  /// element_bytes bytes. `array` may be null only if this rank's box is empty.
  void fill(void* array);

  /// Adds each element of the planes to the element that it copies, on the rank that owns it. Then
  /// sets the planes to zero. As a matrix, this is the transpose of fill. Planes outside the array
  /// have no owner and are not changed. The order of additions is fixed: the same layout and input
  /// give the same bits.
  void accumulate(float* array);
  void accumulate(double* array);
  void accumulate(long double* array);
  void accumulate(std::complex<float>* array);
  void accumulate(std::complex<double>* array);
  void accumulate(std::complex<long double>* array);

  int rank() const;
  const Layout& layout() const;
  const Shape& below() const;
  const Shape& above() const;
  const std::vector<bool>& periodic() const;
  const Shape& shape() const;
  const Shape& strides() const;       ///< in elements
  std::int64_t elements() const;      ///< of the local array
  std::int64_t inner_offset() const;  ///< in elements
  std::int64_t workspace_bytes() const;

 private:
  std::shared_ptr<api::HaloHandle> handle_;
};

}  // namespace weft
