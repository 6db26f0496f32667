// Memory of local arrays. It is node memory, which a pool keeps and reuses.
#include "running/memory.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "base/memory.hpp"
#include "comm/node_memory.hpp"
#include "common.hpp"
#include "kernel/cache.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace weft::python {
namespace {

/// Segments of dropped arrays, kept for the next array. New pages would cost more time than a
/// transform.
class Shelf {
 public:
  comm::NodeSegment take(std::int64_t bytes, comm::NodeMemoryKind kind) {
    {
      const std::lock_guard lock(mutex_);
      const auto fits = std::find_if(segments_.begin(), segments_.end(),
                                     [&](const comm::NodeSegment& s) { return s.size() == bytes; });
      if (fits != segments_.end()) {
        comm::NodeSegment segment = std::move(*fits);
        segments_.erase(fits);
        return segment;
      }
    }
    return comm::NodeSegment::create(kind, bytes);
  }
  void put(comm::NodeSegment segment) {
    const std::lock_guard lock(mutex_);
    if (segments_.size() < most_kept) segments_.push_back(std::move(segment));
  }

 private:
  static constexpr std::size_t most_kept = 4;
  std::mutex mutex_;
  std::vector<comm::NodeSegment> segments_;
};

/// One allocation that numpy arrays refer to.
class Memory {
 public:
  Memory(std::shared_ptr<Shelf> shelf, comm::NodeSegment segment)
      : shelf_(std::move(shelf)), segment_(std::move(segment)) {}
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  ~Memory() { shelf_->put(std::move(segment_)); }
  std::uintptr_t address() const { return reinterpret_cast<std::uintptr_t>(segment_.data()); }
  std::int64_t bytes() const { return segment_.size(); }

 private:
  std::shared_ptr<Shelf> shelf_;
  comm::NodeSegment segment_;
};

class MemoryPool {
 public:
  MemoryPool() : shelf_(std::make_shared<Shelf>()) {}
  /// Allocates at least one byte, because numpy needs an address.
  Memory* take(std::int64_t bytes, const std::string& kind) {
    const auto wanted = kind == "memfd"   ? comm::NodeMemoryKind::memfd
                        : kind == "posix" ? comm::NodeMemoryKind::posix
                                          : comm::NodeMemoryKind::ordinary;
    // Python owns the result.
    return new Memory(shelf_, shelf_->take(std::max<std::int64_t>(bytes, 1), wanted));
  }

 private:
  std::shared_ptr<Shelf> shelf_;
};

nb::dict array_interface(const Memory& memory) {
  nb::dict interface;
  interface["data"] = nb::make_tuple(memory.address(), false);
  interface["shape"] = nb::make_tuple(memory.bytes());
  interface["typestr"] = "|u1";
  interface["version"] = 3;
  return interface;
}

/// Reads, changes and writes every double once. This is the smallest possible cost of a pass over
/// memory.
void memory_pass(std::uintptr_t address, std::int64_t bytes, int threads) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): Python names memory by its address
  auto* values = reinterpret_cast<double*>(address);
  const std::int64_t count = bytes / static_cast<std::int64_t>(sizeof(double));
#pragma omp parallel for simd num_threads(threads) schedule(static)
  for (std::int64_t i = 0; i < count; ++i) values[i] *= -1.0;
}

}  // namespace

void bind_memory(nb::module_& m) {
  nb::class_<Memory> memory(m, "Memory",
                            "One allocation in node memory; numpy arrays refer to it.");
  refuse_pickles(memory, "memory of the node", "send a numpy array of it, which is a copy");
  memory.def_prop_ro("address", &Memory::address, "Address of its first byte.")
      .def_prop_ro("nbytes", &Memory::bytes, "Number of bytes.")
      .def_prop_ro("__array_interface__", &array_interface);
  nb::class_<MemoryPool> pool(m, "MemoryPool",
                              "Provides memory, and reuses the memory of dropped arrays.");
  refuse_pickles(pool, "a pool of memory", "make one there with weft.arrays.new_pool");
  pool.def(nb::init<>())
      .def("take", &MemoryPool::take, "bytes"_a, "kind"_a,
           "Returns memory. New memory is zero; reused memory may contain earlier values.");
  m.def(
      "memory_pass",
      [](std::uintptr_t address, std::int64_t bytes, int threads) {
        nb::gil_scoped_release release;
        memory_pass(address, bytes, threads);
      },
      "address"_a, "bytes"_a, "threads"_a,
      "Negates an array of doubles in place: one pass over memory.");
  m.def(
      "memory_counters",
      [] {
        const MemoryCounters counters = memory_counters();
        nb::dict values;
        values["live_bytes"] = counters.live_bytes;
        values["peak_bytes"] = counters.peak_bytes;
        values["allocations"] = counters.allocations;
        return values;
      },
      "Returns the memory that weft holds in this process.");
  m.def("available_memory_bytes", &available_memory_bytes,
        "Returns the memory that this process can still get.");
  m.def(
      "cache_bytes",
      [] {
        const kernel::CacheSizes& sizes = kernel::cache_sizes();
        nb::dict values;
        values["l2_bytes"] = sizes.l2_bytes;
        values["l3_share_bytes"] = sizes.l3_share_bytes;
        return values;
      },
      "Returns the cache sizes for which planes and tiles are made.");
}

}  // namespace weft::python
