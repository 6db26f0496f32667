#pragma once

#include <exception>
#include <vector>

#include "disk/access.hpp"
#include "disk/volume.hpp"

namespace weft::ooc {

/// Transfers of one rank's disks. They are started in lists of limited length.
class DiskTransfers {
 public:
  /// The capacity of `list` is the largest number of runs in a list. The caller keeps the list and
  /// the volume alive. The caller may use the list between start() and the next add(). `volume` may
  /// be nullptr if there will be no runs.
  DiskTransfers(disk::Volume* volume, disk::AccessDirection direction, std::vector<disk::Run>& list)
      : volume_(volume), direction_(direction), list_(list) {}
  DiskTransfers(const DiskTransfers&) = delete;
  DiskTransfers& operator=(const DiskTransfers&) = delete;

  /// No transfer may outlive its memory, even after an error.
  ~DiskTransfers() {
    try {
      wait();
    } catch (...) {  // report the error that came first
    }
  }

  void add(const disk::Run& run) {
    if (!list_.empty()) {
      disk::Run& last = list_.back();
      if (last.offset + last.bytes == run.offset && last.memory + last.bytes == run.memory) {
        last.bytes += run.bytes;
        return;
      }
    }
    if (list_.size() == list_.capacity()) start();
    list_.push_back(run);
  }

  /// Starts the runs that have been added and not started.
  void start() {
    if (list_.empty()) return;
    tickets_.push_back(direction_ == disk::AccessDirection::read ? volume_->start_read(list_)
                                                                 : volume_->start_write(list_));
    list_.clear();
  }

  /// Waits for all started runs; then throws the first error, if any.
  void wait() {
    std::exception_ptr failure;
    for (const disk::Volume::Ticket ticket : tickets_) {
      try {
        volume_->wait(ticket);
      } catch (...) {
        if (!failure) failure = std::current_exception();
      }
    }
    tickets_.clear();
    if (failure) std::rethrow_exception(failure);
  }

 private:
  disk::Volume* volume_;
  disk::AccessDirection direction_;
  std::vector<disk::Run>& list_;
  std::vector<disk::Volume::Ticket> tickets_;
};

}  // namespace weft::ooc
