// Runs a problem forward and backward on all ranks, to compare exchanges.
#pragma once

#include <cstring>
#include <vector>

#include "api/handle.hpp"
#include "base/memory.hpp"
#include "comm/from_mpi.hpp"
#include "comm/node_memory.hpp"
#include "kernel/copy.hpp"
#include "mpi/support/fft_check.hpp"
#include "mpi/support/world.hpp"

namespace weft::test_support {

/// The oracle: MPI_Alltoallw of subarrays, in which MPI does all the work.
inline constexpr Exchange oracle_exchange{
    .method = Method::collective, .wire_form = WireForm::datatype, .chunks = 1};

/// Returns whether case `number` is compared. Up to 3 ranks compare all. More ranks share the cores
/// of a small machine. They compare every second case; the number of ranks decides which half.
inline bool is_compared(std::size_t number) {
  const auto ranks = static_cast<std::size_t>(size_of(world));
  return ranks <= 3 || (number + ranks) % 2 == 0;
}

/// An array of a rank, in private memory or in node memory. If node memory is an MPI window, the
/// array is always private.
class Array {
 public:
  Array(std::int64_t bytes, bool in_node_memory) {
    const auto kind = comm::node_memory_kind(comm::communicator_of(world));
    if (in_node_memory && kind != comm::NodeMemoryKind::window)
      segment_ = comm::NodeSegment::create(kind, std::max<std::int64_t>(bytes, 1));
    else
      memory_ = AlignedBuffer(std::max<std::int64_t>(bytes, 1));
    bytes_ = bytes;
    std::memset(data(), 0, static_cast<std::size_t>(bytes_));
  }
  void* data() { return memory_.size() > 0 ? memory_.data() : segment_.data(); }
  std::vector<unsigned char> content() {
    const auto* first = static_cast<const unsigned char*>(data());
    return {first, first + bytes_};
  }

 private:
  AlignedBuffer memory_;
  comm::NodeSegment segment_;
  std::int64_t bytes_ = 0;
};

struct Results {
  std::vector<unsigned char> forward;
  std::vector<unsigned char> backward;
  std::vector<unsigned char> spectrum_after;  ///< the input of backward, after backward
  std::vector<StepRecord> forward_record;
  std::vector<StepRecord> backward_record;
};

inline void fill(void* data, std::int64_t bytes, int rank) {
  auto* values = static_cast<double*>(data);
  for (std::int64_t i = 0; i < bytes / 8; ++i)
    values[i] = noise(static_cast<std::uint64_t>(rank) + 5, static_cast<std::uint64_t>(i));
}

inline Results run_both(const Problem& problem, const Exchange& exchange, bool in_node_memory,
                        bool in_place) {
  Problem forced = problem;
  forced.exchange = exchange;
  api::Handle handle(forced, {}, comm::communicator_of(world));
  handle.transform().set_recording(true);
  const int rank = rank_of(world);
  const std::int64_t out_bytes =
      handle.plan().output().local_volume(rank) * complex_bytes(problem.precision);
  const Layout& input = handle.plan().input();
  const std::int64_t element =
      problem.has_halved_axis() ? real_bytes(problem.precision) : complex_bytes(problem.precision);
  // In place the rows of reals are padded.
  const Shape strides = in_place ? handle.inplace_real_strides() : input.strides(rank);
  const Shape dense = input.strides(rank);
  const Shape shape = input.local_shape(rank);
  std::vector<unsigned char> given(static_cast<std::size_t>(input.local_volume(rank) * element));
  fill(given.data(), static_cast<std::int64_t>(given.size()), rank);
  Array x(handle.inplace_bytes(), in_node_memory);
  Array y(handle.inplace_bytes(), in_node_memory);
  Array& spectrum = in_place ? x : y;
  kernel::copy_box(x.data(), strides, given.data(), dense, shape, element);
  Results results;
  auto spectrum_now = [&] {
    auto content = spectrum.content();
    content.resize(static_cast<std::size_t>(out_bytes));
    return content;
  };
  handle.execute(Direction::forward, x.data(), spectrum.data());
  results.forward_record = handle.transform().record();
  results.forward = spectrum_now();
  handle.execute(Direction::backward, spectrum.data(), x.data());
  results.backward_record = handle.transform().record();
  results.spectrum_after = spectrum_now();
  results.backward = given;
  kernel::copy_box(results.backward.data(), dense, x.data(), strides, shape, element);
  return results;
}

inline std::int64_t bytes_read(const std::vector<StepRecord>& record) {
  std::int64_t bytes = 0;
  for (const StepRecord& step : record) bytes += step.bytes_read;
  return bytes;
}

/// Returns the distance of two arrays of doubles over all ranks, relative to the first array unless
/// that is zero.
inline double distance(const std::vector<unsigned char>& a, const std::vector<unsigned char>& b) {
  double sums[2] = {0, 0};
  for (std::size_t i = 0; i + 8 <= a.size(); i += 8) {
    double x = 0;
    double y = 0;
    std::memcpy(&x, a.data() + i, 8);
    std::memcpy(&y, b.data() + i, 8);
    sums[0] += x * x;
    sums[1] += (x - y) * (x - y);
  }
  MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_DOUBLE, MPI_SUM, world);
  return sums[0] == 0 ? std::sqrt(sums[1]) : std::sqrt(sums[1] / sums[0]);
}

/// Returns problems with equal and unequal parts, primes, empty ranks and a batch, as slabs,
/// pencils and the user's boxes.
inline std::vector<Problem> exchange_problems() {
  const std::int64_t ranks = size_of(world);
  std::vector<Problem> found;
  for (const Shape& shape : {Shape{16, 12, 10}, Shape{13, 7, 9}, Shape{3, 4, 5}})
    for (const Kind kind : {Kind::c2c, Kind::r2c}) {
      found.push_back({.shape = shape, .kinds = kind});
      Problem pencils = found.back();
      pencils.has_input = true;
      pencils.input = Layout::pencil(shape, ranks);
      pencils.output_choice = OutputChoice::same;
      found.push_back(pencils);
    }
  found.push_back({.shape = {24, 18}, .threads = 2});
  // Axis 0 is a batch: it is not transformed.
  Problem batch{.shape = {6, 10, 8}, .axes = {1, 2}, .has_input = true};
  batch.input = Layout::slab(batch.shape, ranks, 2);
  found.push_back(batch);
  // One axis that is treated as two, with equal and unequal parts. The output has one axis again.
  found.push_back({.shape = {420}});
  found.push_back({.shape = {900}, .output_choice = OutputChoice::same, .threads = 2});
  // Half a spectrum in natural order, with even and odd numbers of rows.
  for (const std::int64_t n : {900, 675})
    found.push_back({.shape = {n}, .kinds = Kind::r2c, .output_choice = OutputChoice::same});
  // These boxes are one case of a table, so they are the same in each run.
  Random random(77);
  Problem boxes{.shape = {9, 8, 7}, .has_input = true};
  boxes.input = Layout::of_boxes(boxes.shape, random_boxes(boxes.shape, ranks, random));
  found.push_back(boxes);
  return found;
}

}  // namespace weft::test_support
