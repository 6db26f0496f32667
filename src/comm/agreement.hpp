#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <exception>
#include <new>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <weft/error.hpp>

#include "comm/communicator.hpp"
#include "comm/pending.hpp"

namespace weft::comm {

/// Throws the same Error on all ranks if any rank has one. It is the error of the lowest such rank.
/// Its message begins with "rank R: " unless all ranks failed with the same code and text.
///
/// Returns whether `flag` was set on any rank.
///
/// Collective. Cost: one reduction of 8 bytes if no rank failed.
bool agree_or_throw(const Communicator& comm, const std::optional<Error>& mine, bool flag = false);

/// agree_or_throw in two steps: construction and conclude(). Between the two steps a rank can do
/// work that does no harm if another rank fails. The rank must make no other call on the group
/// between the two steps.
class Agreement {
 public:
  struct Findings {
    bool flagged = false;  ///< some rank set `flag`
    bool alike = true;     ///< all ranks gave the same `act`
  };

  /// Starts the agreement and returns at once. `act` identifies the call that this rank is about to
  /// make. Collective.
  Agreement(const Communicator& comm, const std::optional<Error>& mine, bool flag = false,
            std::int64_t act = 0);
  Agreement(const Agreement&) = delete;
  Agreement& operator=(const Agreement&) = delete;
  ~Agreement();

  /// Lets MPI continue the reduction, which it does only inside its calls. Local.
  void progress() { pending_.test(); }
  /// Waits for all ranks. Then throws as agree_or_throw, or returns the findings. May be called
  /// only once. Collective.
  Findings conclude();

 private:
  Communicator comm_;
  std::optional<Error> mine_;
  /// The state of a rank, the act and its complement. First these are the values of this rank, then
  /// the least values of all ranks. The least complement gives the largest act.
  std::array<std::int64_t, 3> least_{};
  PendingCall pending_;
};

/// Runs `f` and returns the Error that it threw, if any. std::bad_alloc becomes out_of_memory. Any
/// other std::exception becomes internal. Local.
template <class F>
std::optional<Error> error_of(F&& f) {
  try {
    std::forward<F>(f)();
  } catch (const Error& error) {
    return error;
  } catch (const std::bad_alloc&) {
    return Error(ErrorCode::out_of_memory,
                 "no memory for a small allocation; use more nodes or a smaller size");
  } catch (const std::exception& error) {
    return Error(ErrorCode::internal, error.what());
  }
  return std::nullopt;
}

/// Runs `f` and returns its value. If `f` throws on any rank, the same Error (see error_of) is
/// thrown on all ranks. `f` may make only collective calls whose errors are the same on all ranks
/// that take part in the call.
///
/// Collective. Cost: as agree_or_throw.
template <class F>
auto together(const Communicator& comm, F&& f) -> std::invoke_result_t<F> {
  using Value = std::invoke_result_t<F>;
  std::conditional_t<std::is_void_v<Value>, bool, std::optional<Value>> value{};
  agree_or_throw(comm, error_of([&] {
                   if constexpr (std::is_void_v<Value>) {
                     std::forward<F>(f)();
                   } else {
                     value.emplace(std::forward<F>(f)());
                   }
                 }));
  if constexpr (!std::is_void_v<Value>) return std::move(*value);
}

/// A name, and the value of this rank as text.
using NamedValue = std::pair<std::string, std::string>;

/// Throws Error(disagreement) on all ranks unless all gave the same names and values. The message
/// begins with `what`. It names the first rank that differs from rank 0, the first difference, and
/// the values of both ranks.
///
/// Collective. Cost: one reduction of 16 bytes if all agree.
void require_same(const Communicator& comm, const std::vector<NamedValue>& values,
                  const std::string& what);

}  // namespace weft::comm
