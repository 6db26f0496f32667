#include "api/c_support.hpp"
#include "api/redistribute.hpp"
#include "comm/from_mpi.hpp"

namespace weft::api {
namespace {

/// Reads both layouts on this rank. Then it moves the array on all ranks, or fails on all ranks.
/// `call` is the name of the user's call.
template <class ReadFrom, class ReadTo>
int move_array(const char* call, const void* source, void* target, std::int64_t element_bytes,
               MPI_Comm comm, ReadFrom&& read_from, ReadTo&& read_to) noexcept {
  return guarded([&] {
    const auto group = comm::communicator_or_solo(comm);
    Layout from;
    Layout to;
    const auto mine = error_of([&] {
      from = read_from();
      to = read_to();
    });
    redistribute(source, from, target, to, element_bytes, group, mine, call);
  });
}

const Layout& given(const weft_layout* layout, const char* name) {
  require(layout, name);
  return layout->value;
}

Layout all_on_root(const weft_layout* layout, int root) {
  const Layout& spread = given(layout, "layout");
  return Layout::on_one(spread.shape(), spread.ranks(), root);
}

}  // namespace
}  // namespace weft::api

using namespace weft::api;

int weft_redistribute(const void* source, const weft_layout* from, void* target,
                      const weft_layout* to, int64_t element_bytes, MPI_Comm comm) {
  return move_array(
      "redistribute", source, target, element_bytes, comm, [&] { return given(from, "from"); },
      [&] { return given(to, "to"); });
}

int weft_gather(const void* local, const weft_layout* layout, void* whole, int64_t element_bytes,
                int root, MPI_Comm comm) {
  return move_array(
      "gather", local, whole, element_bytes, comm, [&] { return given(layout, "layout"); },
      [&] { return all_on_root(layout, root); });
}

int weft_scatter(const void* whole, void* local, const weft_layout* layout, int64_t element_bytes,
                 int root, MPI_Comm comm) {
  return move_array(
      "scatter", whole, local, element_bytes, comm, [&] { return all_on_root(layout, root); },
      [&] { return given(layout, "layout"); });
}
