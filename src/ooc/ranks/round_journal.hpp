#pragma once

#include <cstdint>

#include "disk/volume.hpp"
#include "ooc/plan/pass_plan.hpp"

namespace weft::ooc {

/// Copy of the writes of one round to the disks of one rank. A pass in place overwrites its input,
/// so a resumed pass needs this copy. Two slots are used in turn, because the stored progress
/// refers to the old slot while the new slot is written.
class RoundJournal {
 public:
  /// The slots are at the start of the volume. The caller keeps the volume alive. `batch_bytes` is
  /// the length of a full batch.
  RoundJournal(disk::Volume& volume, const KPassPlan& plan, std::int64_t batch_bytes)
      : volume_(volume), plan_(plan), batch_bytes_(batch_bytes) {}

  void write(std::int64_t round, std::int64_t batch, std::int64_t bytes, char* memory) {
    if (bytes == 0) return;  // some ranks have no last batches
    const disk::Run run = run_of(round, batch, bytes, memory);
    volume_.wait(volume_.start_write({&run, 1}));
  }
  void read(std::int64_t round, std::int64_t batch, std::int64_t bytes, char* memory) {
    if (bytes == 0) return;
    const disk::Run run = run_of(round, batch, bytes, memory);
    volume_.wait(volume_.start_read({&run, 1}));
  }
  /// Returns when all writes are on the disks.
  void flush() { volume_.flush(); }

 private:
  disk::Run run_of(std::int64_t round, std::int64_t batch, std::int64_t bytes, char* memory) const {
    return {plan_.journal_byte(round) + batch * batch_bytes_, bytes,
            reinterpret_cast<std::byte*>(memory)};
  }

  disk::Volume& volume_;
  const KPassPlan& plan_;
  std::int64_t batch_bytes_;
};

}  // namespace weft::ooc
