#include "bmmc/ranks/mpi_processor_exchange.hpp"

#include <weft/error.hpp>

#include "comm/agreement.hpp"
#include "comm/end_all_ranks.hpp"

namespace weft::bmmc {
namespace {

Mail::Parcel parcel_of(std::span<const Mail::Parcel> parcels, int peer) {
  for (const Mail::Parcel& parcel : parcels)
    if (parcel.peer == peer) return parcel;
  return {};
}

}  // namespace

void MpiMail::exchange(std::span<const Parcel> sent, std::span<const Parcel> received) {
  try {
    for (int step = 1; step < comm_.size(); ++step) {
      const int peer = comm_.rank() ^ step;
      const Parcel out = parcel_of(sent, peer);
      const Parcel in = parcel_of(received, peer);
      if (out.bytes > 0 || in.bytes > 0)
        comm_.exchange_pair(peer, out.memory, out.bytes, in.memory, in.bytes, 1);
    }
  } catch (const Error& error) {
    if (error.code() == ErrorCode::mpi_failure) comm::end_all_ranks(comm_.rank(), error.what());
    throw;
  }
}

void MpiMail::together(const std::function<void()>& work) { comm::together(comm_, work); }

}  // namespace weft::bmmc
