#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "api/handle.hpp"
#include "comm/agreement.hpp"
#include "comm/collective_call.hpp"

namespace weft::api {

/// The arguments of a round trip that ranks compare.
struct Handle::RoundTripCall {
  const run::RoundTripShape& shape;
  const FieldWork& work;

  /// Returns a positive number that identifies the arguments. Allocates nothing.
  std::int64_t number() const;
  std::string words() const;
};

/// A call that a rank is about to make. Ranks compare their calls. Otherwise ranks that call
/// different transforms or directions might exchange blocks of matching sizes and get wrong
/// results.
struct Handle::Call {
  std::int64_t transform = 0;
  Direction direction = Direction::forward;
  std::size_t arrays = 1;
  const RoundTripCall* work = nullptr;  ///< arguments of a round trip; otherwise null

  bool backward() const { return direction == Direction::backward; }
  /// Returns a number that identifies the call. It is unique for transforms of up to a million
  /// arrays; numbers of round trips may coincide, but hardly ever do.
  std::int64_t number() const {
    constexpr std::int64_t arrays_end = 1'000'003;
    const std::int64_t call = (transform * 2 + (backward() ? 1 : 0)) * arrays_end +
                              static_cast<std::int64_t>(arrays) % arrays_end;
    return work == nullptr ? call : call ^ work->number();
  }
  std::string words() const {
    if (work != nullptr)
      return work->words() + " of transform " + std::to_string(transform) + " of the communicator";
    return std::string(backward() ? "backward" : "forward") + " of transform " +
           std::to_string(transform) + " of the communicator" +
           (arrays == 1 ? "" : " with " + std::to_string(arrays) + " arrays");
  }
};

/// A gate that the first message waits for. It opens if all ranks have made the same call, without
/// an error and out of place.
class Handle::CallGate final : public run::Gate {
 public:
  CallGate(const Handle& handle, const Call& call, const std::optional<Error>& mine,
           bool mine_in_place)
      : handle_(handle),
        call_(call),
        mine_in_place_(mine_in_place),
        agreement_(handle.comm_, mine, mine_in_place, call.number()) {}
  void progress() override { agreement_.progress(); }
  void pass() override { conclude(); }
  /// Waits for all ranks, then returns whether the transform runs in place. Collective.
  bool conclude() {
    const comm::Agreement::Findings found = agreement_.conclude();
    if (!found.alike) comm::throw_different_calls(handle_.comm_, call_.words());
    return handle_.agreed_in_place(found.flagged, mine_in_place_);
  }

 private:
  const Handle& handle_;
  const Call call_;
  const bool mine_in_place_;
  comm::Agreement agreement_;
};

}  // namespace weft::api
