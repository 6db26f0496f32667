#include <algorithm>
#include <string>

#include "api/c_support.hpp"
#include "api/halo.hpp"
#include "comm/from_mpi.hpp"

struct weft_halo {
  weft::api::HaloHandle handle;
};

namespace weft::api {
namespace {

HaloProblem problem_from(const weft_layout* layout, const std::int64_t* below,
                         const std::int64_t* above, const int* periodic, std::int64_t element_bytes,
                         const weft_exchange* exchange) {
  require(layout, "layout");
  const int dims = layout->value.dims();
  HaloProblem problem;
  problem.layout = layout->value;
  problem.below = shape_from(dims, below, "below");
  if (above != nullptr) problem.above = shape_from(dims, above, "above");
  for (int axis = 0; axis < dims; ++axis)
    problem.periodic.push_back(periodic == nullptr || periodic[axis] != 0);
  problem.element_bytes = element_bytes;
  if (exchange != nullptr) problem.exchange = exchange_of(*exchange);
  return problem;
}

/// Copies a number of a halo to the caller.
template <class F>
int give(const weft_halo* halo, const void* result, const char* name, F&& copy) noexcept {
  return guarded([&] {
    require(halo, "halo");
    require(result, name);
    copy(halo->handle);
  });
}

}  // namespace
}  // namespace weft::api

using namespace weft::api;

int weft_halo_create(const weft_layout* layout, const int64_t* below, const int64_t* above,
                     const int* periodic, int64_t element_bytes, const weft_exchange* exchange,
                     MPI_Comm comm, weft_halo** halo) {
  return guarded([&] {
    const auto group = weft::comm::communicator_or_solo(comm);
    weft::HaloProblem problem;
    const auto mine = error_of([&] {
      require(halo, "halo");
      problem = problem_from(layout, below, above, periodic, element_bytes, exchange);
    });
    *halo = new weft_halo{HaloHandle(problem, group, mine)};
  });
}

void weft_halo_destroy(weft_halo* halo) { delete halo; }

int weft_halo_fill(weft_halo* halo, void* array) {
  return guarded([&] {
    require(halo, "halo");
    halo->handle.fill(array);
  });
}

int weft_halo_accumulate(weft_halo* halo, void* array, int precision) {
  return guarded([&] {
    require(halo, "halo");
    auto chosen = weft::Precision::f64;
    const auto mine = error_of([&] { set_enum(chosen, precision, "precision"); });
    halo->handle.accumulate(array, chosen, mine);
  });
}

int weft_halo_shape(const weft_halo* halo, int64_t* shape) {
  return give(halo, shape, "shape", [&](const HaloHandle& handle) {
    std::copy(handle.shape().begin(), handle.shape().end(), shape);
  });
}

int weft_halo_strides(const weft_halo* halo, int64_t* strides) {
  return give(halo, strides, "strides", [&](const HaloHandle& handle) {
    std::copy(handle.strides().begin(), handle.strides().end(), strides);
  });
}

int weft_halo_elements(const weft_halo* halo, int64_t* elements) {
  return give(halo, elements, "elements",
              [&](const HaloHandle& handle) { *elements = handle.elements(); });
}

int weft_halo_inner_offset(const weft_halo* halo, int64_t* offset) {
  return give(halo, offset, "offset",
              [&](const HaloHandle& handle) { *offset = handle.inner_offset(); });
}

int weft_halo_workspace_bytes(const weft_halo* halo, int64_t* bytes) {
  return give(halo, bytes, "bytes",
              [&](const HaloHandle& handle) { *bytes = handle.workspace_bytes(); });
}
