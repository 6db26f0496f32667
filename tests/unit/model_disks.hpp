#pragma once

#include <cstring>
#include <set>
#include <vector>

#include <weft/error.hpp>

#include "ooc/block_store.hpp"
#include "ooc/bmmc.hpp"

namespace weft::test_support {

/// D disks in memory that hold N records of 8 bytes, and count parallel I/Os exactly.
class ModelDisks : public ooc::BlockStore {
 public:
  explicit ModelDisks(const ooc::DiskModel& disks)
      : disks_(disks), records_(static_cast<std::size_t>(disks.records())) {}

  std::vector<std::uint64_t>& records() { return records_; }
  std::int64_t reads() const { return reads_; }
  std::int64_t writes() const { return writes_; }
  std::int64_t independent_reads() const { return independent_reads_; }
  std::int64_t independent_writes() const { return independent_writes_; }

  void read(std::span<const ooc::BlockPlace> places, std::span<std::byte> memory) override {
    check(places, memory.size());
    for (std::size_t k = 0; k < places.size(); ++k)
      std::memcpy(memory.data() + k * block_bytes(), block(places[k]), block_bytes());
    ++reads_;
    independent_reads_ += is_striped(places) ? 0 : 1;
  }

  void write(std::span<const ooc::BlockPlace> places, std::span<const std::byte> memory) override {
    check(places, memory.size());
    for (std::size_t k = 0; k < places.size(); ++k)
      std::memcpy(block(places[k]), memory.data() + k * block_bytes(), block_bytes());
    ++writes_;
    independent_writes_ += is_striped(places) ? 0 : 1;
  }

 private:
  std::size_t block_bytes() const { return sizeof(std::uint64_t) << disks_.b; }

  std::byte* block(const ooc::BlockPlace& place) {
    const std::int64_t number = (place.stripe << disks_.d) + place.disk;
    return reinterpret_cast<std::byte*>(records_.data() + (number << disks_.b));
  }

  bool is_striped(std::span<const ooc::BlockPlace> places) const {
    for (const ooc::BlockPlace& place : places)
      if (place.stripe != places.front().stripe) return false;
    return places.size() == std::size_t{1} << disks_.d;
  }

  void check(std::span<const ooc::BlockPlace> places, std::size_t bytes) const {
    std::set<std::int64_t> used;
    for (const ooc::BlockPlace& place : places) {
      if (place.disk < 0 || place.disk >= std::int64_t{1} << disks_.d || place.stripe < 0 ||
          place.stripe >= disks_.stripes())
        throw Error(ErrorCode::internal, "there is no such block");
      if (!used.insert(place.disk).second)
        throw Error(ErrorCode::internal, "one I/O touches a disk twice");
    }
    if (places.empty() || bytes != places.size() * block_bytes())
      throw Error(ErrorCode::internal, "an I/O's memory must be that of its blocks");
  }

  ooc::DiskModel disks_;
  std::vector<std::uint64_t> records_;
  std::int64_t reads_ = 0;
  std::int64_t writes_ = 0;
  std::int64_t independent_reads_ = 0;
  std::int64_t independent_writes_ = 0;
};

}  // namespace weft::test_support
