#include "bmmc/run/record_volumes.hpp"

#include <utility>

#include "base/clock.hpp"

namespace weft::bmmc {

void Deferred::run(const std::function<void()>& work) {
  if (failure_) return;
  try {
    work();
  } catch (...) {
    failure_ = std::current_exception();
  }
}

void Deferred::settle() {
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

PhaseClock::PhaseClock() : since_s_(now_s()) {}

void PhaseClock::add_to(double& seconds) {
  const double now = now_s();
  seconds += now - since_s_;
  since_s_ = now;
}

LoadTransfer::~LoadTransfer() {
  try {
    wait();
  } catch (...) {  // report the error that came first
  }
}

void LoadTransfer::start(bool reads, const std::vector<std::int64_t>& blocks,
                         std::int64_t block_bytes, char* memory) {
  runs_.clear();
  for (const std::int64_t block : blocks) {
    runs_.push_back({block * block_bytes, block_bytes, reinterpret_cast<std::byte*>(memory)});
    memory += block_bytes;
  }
  tickets_.push_back(reads ? volume_.start_read(runs_) : volume_.start_write(runs_));
}

void LoadTransfer::wait() {
  std::exception_ptr failure;
  while (!tickets_.empty()) {
    const disk::Volume::Ticket ticket = tickets_.front();
    tickets_.pop_front();
    try {
      volume_.wait(ticket);
    } catch (...) {
      if (!failure) failure = std::current_exception();
    }
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace weft::bmmc
