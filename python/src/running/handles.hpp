#pragma once

#include <cstdint>
#include <optional>

#include "comm/from_mpi.hpp"

namespace weft::python {

/// Returns the communicator of a Fortran handle, by which Python identifies it. None means this
/// process alone.
inline comm::Communicator group_of(const std::optional<int>& fortran_handle) {
  if (!fortran_handle) return comm::Communicator::solo();
  return comm::communicator_of(MPI_Comm_f2c(*fortran_handle));
}

// Python passes memory as an address.
inline const void* pointer(std::uintptr_t address) {
  return reinterpret_cast<const void*>(address);  // NOLINT(performance-no-int-to-ptr)
}
inline void* writable(std::uintptr_t address) {
  return reinterpret_cast<void*>(address);  // NOLINT(performance-no-int-to-ptr)
}

}  // namespace weft::python
