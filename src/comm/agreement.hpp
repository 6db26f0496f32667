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

/// Throws the same Error on all ranks when any of them has one: that of the lowest rank that has.
/// Its message begins with "rank R: " unless all ranks failed with the same code and text.
///
/// Returns whether any rank gave `flag`.
///
/// Collective. Cost: one reduction of 8 bytes when nobody failed.
bool agree_or_throw(const Communicator& comm, const std::optional<Error>& mine, bool flag = false);

/// agree_or_throw in two steps: what harms nobody where a rank fails can be done between them.
///
/// Between the steps nothing else may be called on the group.
class Agreement {
 public:
  struct FirstError {
    bool flagged = false;  ///< some rank gave `flag`
    bool alike = true;     ///< all ranks gave the same `act`
  };

  /// Collective; returns at once. `act` stands for what this rank is about to do.
  Agreement(const Communicator& comm, const std::optional<Error>& mine, bool flag = false,
            std::int64_t act = 0);
  Agreement(const Agreement&) = delete;
  Agreement& operator=(const Agreement&) = delete;
  ~Agreement();

  /// Local. MPI carries the reduction on in its calls only.
  void progress() { pending_.test(); }
  /// Collective: waits for all ranks, then throws as agree_or_throw or says what was found. Once.
  FirstError conclude();

 private:
  Communicator comm_;
  std::optional<Error> mine_;
  /// The voice, the act and its complement, whose least is that of the largest act: as given, then
  /// the least of all ranks.
  std::array<std::int64_t, 3> least_{};
  Pending pending_;
};

/// Runs `f` and returns the Error that it threw, if any. std::bad_alloc becomes out_of_memory, any
/// other exception internal. Local.
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

/// Runs `f`, which must make no collective call, and returns its value; or throws the same Error on
/// all ranks when it threw on any, as error_of gives it.
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

/// A name and the value that this rank has for it, printed.
using NamedValue = std::pair<std::string, std::string>;

/// Throws Error(disagreement) on all ranks unless all gave the same names and values. The message
/// begins with `what` and names the first rank that differs from rank 0, the first field where it
/// does, and both values.
///
/// Collective. Cost: one reduction of 16 bytes when all agree.
void require_same(const Communicator& comm, const std::vector<NamedValue>& values,
                  const std::string& what);

}  // namespace weft::comm
