#include "bmmc/run/permute.hpp"

#include <array>
#include <deque>
#include <memory>
#include <optional>

#include "base/memory.hpp"
#include "bmmc/plan/record_routing.hpp"

namespace weft::bmmc {
namespace {

/// One pass of one processor.
class PassRunner {
 public:
  PassRunner(const PermutationPass& pass, const DiskModel& disks, disk::Volume& source,
             disk::Volume& target, const RecordRun& run)
      : run_(run),
        moves_(pass, disks),
        me_(run.processor()),
        processors_(1 << disks.p),
        block_bytes_(run.record_bytes << disks.b),
        load_bytes_(run.record_bytes << moves_.lg_local()),
        message_bytes_(run.record_bytes << moves_.lg_message()),
        read_(source),
        written_{LoadTransfer(target), LoadTransfer(target)} {
    for (AlignedBuffer& buffer : buffers_) buffer = AlignedBuffer(load_bytes_);
  }

  void execute() {
    run_.together([&] { start_read(0); });
    for (Bits number = 0; number < moves_.groups(); ++number) {
      const RecordGroup group = moves_.group(number);
      if (run_.peers == nullptr)
        permute(number, group);
      else
        exchange(number, group);
      if (run_.on_load) deferred_.run(run_.on_load);
      if (run_.peers == nullptr) deferred_.settle();
    }
    run_.together([&] {
      deferred_.settle();
      for (LoadTransfer& written : written_) written.wait();
    });
    watch_.add_to(run_.counts->times.permuting_rest_s);
  }

 private:
  char* buffer(std::size_t k) { return buffers_.at(k).as<char>(); }

  /// Permutes a group on one processor. Groups are read into buffers 0 and 1 in turn, and written
  /// from buffers 2 and 3 in turn.
  void permute(Bits number, const RecordGroup& group) {
    const std::size_t turn = number % 2;
    read_.wait();
    start_read(number + 1);
    written_.at(turn).wait();
    move_own(group, buffer(turn), buffer(2 + turn));
    start_write(group, written_.at(turn), buffer(2 + turn));
  }

  /// Permutes a group on several processors. Records are read into buffer 0, sent from buffer 1,
  /// received in buffer 2 and written from buffer 3.
  void exchange(Bits number, const RecordGroup& group) {
    run_.together([&] {
      deferred_.settle();
      read_.wait();
      pack(group);
    });
    communicate();
    deferred_.run([&] {
      written_.front().wait();
      move_own(group, buffer(0), buffer(3));
      start_read(number + 1);
      unpack(group);
      start_write(group, written_.front(), buffer(3));
    });
  }

  std::size_t place_to_read(Bits number) const { return run_.peers == nullptr ? number % 2 : 0; }

  void start_read(Bits number) {
    if (number >= moves_.groups()) return;
    const RecordGroup group = moves_.group(number);
    char* memory = buffer(place_to_read(number));
    for (Bits round = 0; round < moves_.reads(); ++round) {
      const std::vector<std::int64_t> blocks = moves_.read_blocks(group, me_, round);
      read_.start(true, blocks, block_bytes_, memory);
      memory += std::ssize(blocks) * block_bytes_;
      ++run_.counts->parallel_ios;
    }
  }

  void start_write(const RecordGroup& group, LoadTransfer& written, char* memory) {
    for (Bits round = 0; round < moves_.writes(); ++round) {
      const std::vector<std::int64_t> blocks = moves_.written_blocks(group, me_, round);
      written.start(false, blocks, block_bytes_, memory);
      memory += std::ssize(blocks) * block_bytes_;
      ++run_.counts->parallel_ios;
    }
  }

  void move_own(const RecordGroup& group, const char* from, char* to) const {
    const auto ends = moves_.between(me_, me_, group);
    if (ends) copy_affine(from, ends->from, to, ends->to, record_bytes());
  }

  void pack(const RecordGroup& group) {
    sent_.clear();
    received_.clear();
    const AffinePlaces along = {0, unit_columns()};
    for (int peer = 0; peer < processors_; ++peer) {
      if (peer == me_) continue;
      if (const auto ends = moves_.between(me_, peer, group)) {
        char* memory = buffer(1) + std::ssize(sent_) * message_bytes_;
        copy_affine(buffer(0), ends->from, memory, along, record_bytes());
        sent_.push_back({peer, memory, message_bytes_});
      }
      if (moves_.between(peer, me_, group)) {
        char* memory = buffer(2) + std::ssize(received_) * message_bytes_;
        received_.push_back({peer, memory, message_bytes_});
      }
    }
  }

  void communicate() {
    watch_.add_to(run_.counts->times.permuting_rest_s);
    run_.peers->exchange(sent_, received_);
    watch_.add_to(run_.counts->times.permuting_communication_s);
    run_.counts->permuting.messages += std::ssize(sent_);
    run_.counts->permuting.bytes += std::ssize(sent_) * message_bytes_;
  }

  void unpack(const RecordGroup& group) {
    const AffinePlaces along = {0, unit_columns()};
    for (const ProcessorExchange::ProcessorMessage& message : received_) {
      const auto ends = moves_.between(message.peer, me_, group);
      copy_affine(message.memory, along, buffer(3), ends->to, record_bytes());
    }
  }

  std::vector<Bits> unit_columns() const {
    std::vector<Bits> columns;
    for (int bit = 0; bit < moves_.lg_message(); ++bit) columns.push_back(Bits{1} << bit);
    return columns;
  }

  std::size_t record_bytes() const { return static_cast<std::size_t>(run_.record_bytes); }

  const RecordRun& run_;
  RecordRouting moves_;
  const int me_;
  const int processors_;
  const std::int64_t block_bytes_;
  const std::int64_t load_bytes_;
  const std::int64_t message_bytes_;
  std::array<AlignedBuffer, permuting_buffers> buffers_;
  std::vector<ProcessorExchange::ProcessorMessage> sent_;
  std::vector<ProcessorExchange::ProcessorMessage> received_;
  Deferred deferred_;
  PhaseClock watch_;
  // These are the last members, so that all transfers end before the buffers are freed.
  LoadTransfer read_;
  std::array<LoadTransfer, 2> written_;
};

}  // namespace

void execute_pass(const PermutationPass& pass, const DiskModel& disks, disk::Volume& source,
                  disk::Volume& target, const RecordRun& run) {
  DiskModel owned = disks;
  if (run.peers == nullptr) owned.p = 0;  // one process has all disks
  std::optional<PassRunner> runner;
  run.together([&] { runner.emplace(pass, owned, source, target, run); });
  runner->execute();
}

}  // namespace weft::bmmc
