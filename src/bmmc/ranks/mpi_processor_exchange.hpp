#pragma once

#include "bmmc/run/processor_exchange.hpp"
#include "comm/communicator.hpp"

namespace weft::bmmc {

/// Ranks as processors, a power of two of them. Parcels go pair by pair: in step k with rank xor k.
class MpiMail final : public Mail {
 public:
  explicit MpiMail(const comm::Communicator& comm) : comm_(comm) {}

  int rank() const override { return comm_.rank(); }
  void exchange(std::span<const Parcel> sent, std::span<const Parcel> received) override;
  void together(const std::function<void()>& work) override;

 private:
  comm::Communicator comm_;
};

}  // namespace weft::bmmc
