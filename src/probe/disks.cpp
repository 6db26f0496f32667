#include "probe/disks.hpp"

#include <algorithm>
#include <atomic>
#include <random>

#include <weft/error.hpp>

#include "base/clock.hpp"
#include "base/memory.hpp"
#include "disk/file.hpp"
#include "disk/in_flight.hpp"
#include "probe/fit.hpp"
#include "probe/scattered.hpp"

namespace weft::probe {
namespace {

constexpr int in_flight_most = 8;
constexpr std::int64_t sizes[] = {64 << 10, 256 << 10, 1 << 20, 4 << 20};
constexpr std::int64_t largest = 4 << 20;
constexpr std::int64_t least_file_bytes = in_flight_most * largest;
constexpr std::int64_t most_file_bytes = std::int64_t{1} << 30;
constexpr std::int64_t alone_bytes = 4 << 10;
constexpr int rounds = 3;
constexpr int most_reads_alone = 500;
/// The shares of the time for filling the file and for latency; the rest is for rounds of all
/// sizes.
constexpr double for_filling = 0.2;
constexpr double for_latency = 0.1;

enum class DiskDirection { read, write };

class Stopwatch {
 public:
  double seconds() const { return now_s() - begin_s_; }

 private:
  double begin_s_ = now_s();
};

/// Returns the median, and half of the distance between the quartiles as a share of the median.
Sample summary(const std::string& series, std::int64_t bytes, std::vector<double> seconds) {
  std::sort(seconds.begin(), seconds.end());
  const double median = seconds[seconds.size() / 2];
  const double half = seconds[seconds.size() * 3 / 4] - seconds[seconds.size() / 4];
  return {series, static_cast<double>(bytes), median, half / 2 / median};
}

class DiskProbe {
 public:
  DiskProbe(const std::string& directory, double seconds)
      : file_(directory), seconds_(seconds), memory_(in_flight_most * largest) {
    // The bytes are random, because some disks compress repeated data.
    std::mt19937_64 any;
    std::generate_n(memory_.as<std::uint64_t>(), memory_.size() / 8, [&] { return any(); });
  }

  MeasuredDisk measure() {
    fill(disk_file_bytes(file_.directory(), file_.free_bytes()));
    MeasuredDisk found;
    Disk& disk = found.disk;
    disk.directory = file_.directory();
    disk.direct = file_.is_direct();
    disk.in_flight = in_flight_most;
    found.samples.push_back(latency());
    disk.latency_s = found.samples.back().seconds;
    const LinkPiece write = fitted(DiskDirection::write, found.samples);
    const LinkPiece read = fitted(DiskDirection::read, found.samples);
    disk.write_access_s = write.start_s;
    disk.write_bytes_per_s = 1 / write.s_per_byte;
    disk.read_access_s = read.start_s;
    disk.read_bytes_per_s = 1 / read.s_per_byte;
    return found;
  }

 private:
  char* memory(int thread) const { return memory_.as<char>() + thread * largest; }

  /// Fills the file as far as the time allows. All rounds use the filled part, so that all take
  /// about as long. Flushes often, because the system would otherwise buffer everything.
  void fill(std::int64_t most_bytes) {
    const Stopwatch watch;
    do {
      disk::in_flight(in_flight_most, in_flight_most, [&](int thread, std::int64_t number) {
        file_.write(filled_ + number * largest, memory(thread), largest);
      });
      file_.flush();
      filled_ += least_file_bytes;
    } while (filled_ + least_file_bytes <= most_bytes && watch.seconds() < for_filling * seconds_);
  }

  /// Returns the position of an access.
  std::int64_t scattered(std::int64_t number, std::int64_t bytes) const {
    return scattered_block(number, filled_ / bytes) * bytes;
  }

  Sample latency() {
    const Stopwatch all;
    std::vector<double> seconds;
    while (seconds.size() < most_reads_alone &&
           (seconds.size() < rounds || all.seconds() < for_latency * seconds_)) {
      file_.forget();
      const Stopwatch watch;
      file_.read(scattered(static_cast<std::int64_t>(seconds.size()), alone_bytes), memory(0),
                 alone_bytes);
      seconds.push_back(watch.seconds());
    }
    return summary("disk read alone " + file_.directory(), alone_bytes, std::move(seconds));
  }

  /// Returns the time of an access while others are in flight, as a function of its bytes.
  LinkPiece fitted(DiskDirection direction, std::vector<Sample>& samples) {
    const std::string series = direction == DiskDirection::write ? "disk write " : "disk read ";
    std::vector<MessageTime> times;
    for (const std::int64_t bytes : sizes) {
      std::vector<double> seconds;
      while (seconds.size() < rounds) seconds.push_back(round_s(direction, bytes));
      samples.push_back(summary(series + file_.directory(), bytes, std::move(seconds)));
      times.push_back({static_cast<double>(bytes), samples.back().seconds});
    }
    return fit_pieces(times).front();
  }

  double round_s(DiskDirection direction, std::int64_t bytes) {
    const double visits = 2.0 * rounds * static_cast<double>(std::size(sizes));
    const double most_s = (1 - for_filling - for_latency) * seconds_ / visits;
    file_.forget();
    std::atomic<std::int64_t> done = 0;
    const Stopwatch watch;
    disk::in_flight(in_flight_most, filled_ / bytes, [&](int thread, std::int64_t number) {
      if (number >= in_flight_most && watch.seconds() > most_s) return;
      const std::int64_t offset = scattered(accesses_ + number, bytes);
      if (direction == DiskDirection::write)
        file_.write(offset, memory(thread), bytes);
      else
        file_.read(offset, memory(thread), bytes);
      ++done;
    });
    if (direction == DiskDirection::write) file_.flush();
    const double seconds = watch.seconds();
    accesses_ += done;
    return seconds / static_cast<double>(done);
  }

  disk::File file_;
  const double seconds_;
  AlignedBuffer memory_;  ///< one block of the largest size for each thread
  std::int64_t filled_ = 0;
  std::int64_t accesses_ = 0;  ///< in all rounds, so that a round continues where the previous one
                               ///< ended
};

}  // namespace

std::int64_t disk_file_bytes(const std::string& directory, std::int64_t free_bytes) {
  if (free_bytes / 2 < least_file_bytes)
    throw Error(ErrorCode::io_failure, directory + ": the measurement of its disk needs " +
                                           std::to_string(2 * least_file_bytes) +
                                           " free bytes; there are " + std::to_string(free_bytes) +
                                           "; make room, or name another directory");
  return std::min(most_file_bytes, free_bytes / 2);
}

MeasuredDisk measure_disk(const std::string& directory, double seconds) {
  return DiskProbe(directory, seconds).measure();
}

}  // namespace weft::probe
