#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "bmmc/plan/affine_copy.hpp"
#include "bmmc/plan/permutation_pass.hpp"

namespace weft::bmmc {

/// A group of records of a pass, by the first index of its source and of its target.
struct RecordGroup {
  Bits source_first = 0;
  Bits target_first = 0;
  Bits shift = 0;  ///< target slot of the record in source slot 0
};

/// The records of a group that go from the memory of one processor to that of another, and their
/// places in both.
///
/// A slot is a place in the memory of all processors. Its bits are coordinates in the basis of a
/// side's span, with ascending pivots. The lowest bits are the offset in a block; all bits of it
/// are present, because blocks are whole. Then come bits of the disk, the highest of which are the
/// processor, then others. Vectors with higher pivots have no disk bits. So blocks whose slots
/// differ only in the coordinates of the disk belong to one parallel I/O. A slot without the bits
/// of the processor is a place in one processor's memory.
///
/// The map from source slot to target slot is linear, apart from the group's shift. So it is
/// computed once for all groups.
class RecordRouting {
 public:
  /// Errors  Error(internal) if there are several processors and the groups' blocks do not use all
  ///         disks equally.
  RecordRouting(const PermutationPass& pass, const DiskModel& disks);

  Bits groups() const { return Bits{1} << group_firsts_.size(); }
  RecordGroup group(Bits number) const;

  /// Return the parallel I/Os of a group: those that read it, and those that write it.
  Bits reads() const { return Bits{1} << source_.lg_rounds; }
  Bits writes() const { return Bits{1} << target_.lg_rounds; }
  /// Return the numbers of the blocks that a processor reads, or writes, in one parallel I/O. In
  /// its memory the blocks are stored one after the other, I/O after I/O.
  std::vector<std::int64_t> read_blocks(const RecordGroup& group, int processor, Bits round) const;
  std::vector<std::int64_t> written_blocks(const RecordGroup& group, int processor,
                                           Bits round) const;

  /// Returns lg of the records of a group in one processor's memory.
  int lg_local() const { return source_.span.dimension() - disks_.p; }
  /// Returns lg of the number of records in a message.
  int lg_message() const { return static_cast<int>(from_columns_.size()); }

  /// Both ends of a message: places in the memories of the two processors.
  struct MessagePlaces {
    AffinePlaces from;
    AffinePlaces to;
  };
  /// Returns the places of a message. Returns nullopt if `to` gets nothing from `from`.
  std::optional<MessagePlaces> between(int from, int to, const RecordGroup& group) const;

 private:
  void find_messages();
  std::vector<std::int64_t> blocks(const GroupSide& side, Bits first, int processor,
                                   Bits round) const;
  Bits target_slot(Bits source_slot) const { return combined(slot_columns_, source_slot); }
  Bits slot_of_processor(int processor) const;
  int processor_of(Bits slot) const;
  Bits local(Bits slot) const;

  DiskModel disks_;
  Bmmc permutation_;
  GroupSide source_;
  GroupSide target_;
  std::vector<Bits> group_firsts_;  ///< basis of the differences between groups
  std::vector<Bits> slot_columns_;  ///< target slot, for each bit of a source slot
  /// For each difference between target processors: a source slot that causes this difference, if
  /// there is one.
  std::vector<std::optional<Bits>> reaching_;
  std::vector<Bits> from_columns_;  ///< columns of the places of a message, without its first place
  std::vector<Bits> to_columns_;
};

}  // namespace weft::bmmc
