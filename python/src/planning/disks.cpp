#include "planning/disks.hpp"
#include "base/direct_io.hpp"

#include <memory>
#include <mutex>

#include "base/turns.hpp"
#include "disk/striped_set.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace weft::python {
namespace {

using disk::SetIndex;
using disk::SetOptions;
using disk::StripedSet;

SetOptions options_of(const std::string& backend, int depth, bool verify) {
  return {.backend = disk::backend_from_string(backend), .depth = depth, .verify = verify};
}

disk::Mode mode_of(bool writable) { return writable ? disk::Mode::write : disk::Mode::read; }

/// A set in Python. Calls of several threads are serialised.
struct OpenSet {
  std::unique_ptr<StripedSet> set;
  mutable Turns turns = {};
};

/// Transfers one run. Other Python threads run at the same time.
void transfer(const OpenSet& open, bool write, std::int64_t offset, std::uintptr_t address,
              std::int64_t bytes) {
  const nb::gil_scoped_release release;
  const std::lock_guard turn(open.turns);
  // NOLINTNEXTLINE(performance-no-int-to-ptr): Python names memory by its address
  const disk::Run run = {offset, bytes, reinterpret_cast<std::byte*>(address)};
  open.set->wait(write ? open.set->start_write({&run, 1}) : open.set->start_read({&run, 1}));
}

void flush(const OpenSet& open) {
  const nb::gil_scoped_release release;
  const std::lock_guard turn(open.turns);
  open.set->flush();
}

disk::SetCounters counters_now(const OpenSet& open) {
  const nb::gil_scoped_release release;
  const std::lock_guard turn(open.turns);
  return open.set->counters();
}

nb::dict counters_of(const OpenSet& open) {
  const disk::SetCounters counters = counters_now(open);
  nb::list disks;
  for (const disk::DiskCounters& each : counters.disks) {
    nb::dict one;
    one["reads"] = each.reads;
    one["writes"] = each.writes;
    one["bytes_read"] = each.bytes_read;
    one["bytes_written"] = each.bytes_written;
    one["deepest"] = each.deepest;
    disks.append(one);
  }
  nb::dict all;
  all["disks"] = disks;
  all["parallel_reads"] = counters.parallel_reads;
  all["parallel_writes"] = counters.parallel_writes;
  return all;
}

nb::dict index_of(const std::string& path) {
  const SetIndex index = disk::read_index(path);
  nb::list files;
  for (const std::string& file : index.files) files.append(disk::file_of(path, file));
  nb::dict found;
  found["shape"] = nb::cast(index.shape);
  found["dtype"] = index.dtype;
  found["bytes"] = index.striping.bytes;
  found["block_bytes"] = index.striping.block_bytes;
  found["processors"] = index.striping.processors;
  found["band_bytes"] = index.striping.band_bytes;
  found["skew_rows"] = index.striping.skew_rows;
  found["checksums"] = index.checksums;
  found["incomplete_remedy"] = index.incomplete_remedy;
  found["files"] = files;
  return found;
}

void bind_set(nb::module_& m) {
  nb::class_<OpenSet> bound(m, "StripedSet",
                            "An open set: bytes in blocks over the files of several disks. Calls "
                            "of threads are serialised. weft.ooc is its interface.");
  refuse_pickles(bound, "an open set", "send the name of its index, and open it there");
  bound
      .def_prop_ro(
          "bytes", [](const OpenSet& s) { return s.set->bytes(); }, "Bytes of the array.")
      .def_prop_ro(
          "is_direct", [](const OpenSet& s) { return s.set->is_direct(); },
          "Whether whole blocks bypass the page cache.")
      .def_prop_ro(
          "backend", [](const OpenSet& s) { return disk::to_string(s.set->backend().kind); },
          "The backend that reads and writes.")
      .def(
          "read",
          [](const OpenSet& s, std::int64_t offset, std::uintptr_t address, std::int64_t bytes) {
            transfer(s, false, offset, address, bytes);
          },
          "offset"_a, "address"_a, "bytes"_a, "Reads bytes and waits for the end.")
      .def(
          "write",
          [](const OpenSet& s, std::int64_t offset, std::uintptr_t address, std::int64_t bytes) {
            transfer(s, true, offset, address, bytes);
          },
          "offset"_a, "address"_a, "bytes"_a, "Writes bytes and waits for the end.")
      .def("flush", &flush, "Returns when all written bytes are on the disks.")
      .def("counters", &counters_of,
           "Returns the transfers of each disk so far, and the parallel I/Os.");
}

/// Creates a set. Python owns the result.
OpenSet* created(const std::string& path, const std::vector<std::string>& directories,
                 const std::vector<std::int64_t>& shape, const std::string& dtype,
                 std::int64_t bytes, std::int64_t block_bytes, int processors,
                 std::int64_t band_bytes, std::int64_t skew_rows, bool checksums,
                 const std::string& backend, int depth) {
  const SetIndex index = {.shape = shape,
                          .dtype = dtype,
                          .striping = {.bytes = bytes,
                                       .block_bytes = block_bytes,
                                       .processors = processors,
                                       .band_bytes = band_bytes,
                                       .skew_rows = skew_rows},
                          .checksums = checksums};
  return new OpenSet{disk::create_set(path, directories, index, options_of(backend, depth, false))};
}

}  // namespace

void bind_disks(nb::module_& m) {
  bind_set(m);
  m.attr("direct_io_alignment_bytes") = direct_io_alignment_bytes;
  m.def("default_skew_rows", &default_skew_rows, "bytes"_a, "block_bytes"_a, "disks"_a,
        "Returns the skew of a set whose shape is not known, only its bytes.");
  m.def("create_striped_set", &created, "path"_a, "directories"_a, "shape"_a, "dtype"_a, "bytes"_a,
        "block_bytes"_a, "processors"_a, "band_bytes"_a, "skew_rows"_a, "checksums"_a, "backend"_a,
        "depth"_a, "Makes a set: its index, and a file on each disk.");
  m.def(
      "open_striped_set",
      [](const std::string& path, bool writable, bool verify, const std::string& backend,
         int depth) {
        return new OpenSet{
            disk::open_set(path, mode_of(writable), options_of(backend, depth, verify))};
      },
      "path"_a, "writable"_a, "verify"_a, "backend"_a, "depth"_a, "Opens a set by its index.");
  m.def("striped_set_index", &index_of, "path"_a, "Returns the contents of the index of a set.");
  m.def(
      "mark_striped_set_whole", [](const std::string& path) { disk::mark_incomplete(path, ""); },
      "path"_a, "Marks a set as complete in its index.");
  m.def(
      "disk_backend",
      [](const std::string& wanted) {
        const disk::BackendChoice choice = disk::choose_backend(disk::backend_from_string(wanted));
        return std::pair(std::string(disk::to_string(choice.kind)), choice.reason);
      },
      "wanted"_a = "automatic",
      "Returns the backend for the disks of this machine, and the reason.");
}

}  // namespace weft::python
