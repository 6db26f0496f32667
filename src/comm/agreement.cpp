#include "comm/agreement.hpp"

#include <cstdint>
#include <string_view>

namespace weft::comm {
namespace {

/// Adds a text and its length to a hash (FNV-1a). With the length, ("ab", "c") and ("a", "bc")
/// differ.
void mix(std::uint64_t& hash, std::string_view text) {
  constexpr std::uint64_t prime = 0x100000001b3;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * prime;
  for (std::uint64_t rest = text.size(), i = 0; i < 8; ++i, rest >>= 8)
    hash = (hash ^ (rest & 0xff)) * prime;
}

constexpr std::uint64_t hash_seed = 0xcbf29ce484222325;

std::uint64_t hash_of_values(const std::vector<NamedValue>& values) {
  std::uint64_t hash = hash_seed;
  for (const auto& [name, value] : values) {
    mix(hash, name);
    mix(hash, value);
  }
  return hash;
}

/// Returns rank 0's names and values on every rank.
std::vector<NamedValue> values_of_first(const Communicator& comm, std::vector<NamedValue> values) {
  const std::int64_t fields = comm.broadcast_value(static_cast<std::int64_t>(values.size()), 0);
  values.resize(static_cast<std::size_t>(fields));
  for (auto& [name, value] : values) {
    comm.broadcast(name, 0);
    comm.broadcast(value, 0);
  }
  return values;
}

/// Describes the first difference. Empty if there is none.
std::string difference(const std::vector<NamedValue>& first, const std::vector<NamedValue>& mine,
                       int rank) {
  const std::string me = "rank " + std::to_string(rank);
  for (std::size_t i = 0; i < first.size() && i < mine.size(); ++i) {
    if (first[i].first != mine[i].first) {
      return "rank 0 gave '" + first[i].first + "' where " + me + " gave '" + mine[i].first + "'";
    }
    if (first[i].second != mine[i].second) {
      return first[i].first + " is " + first[i].second + " on rank 0 and " + mine[i].second +
             " on " + me + "; pass the same " + first[i].first + " on every rank";
    }
  }
  if (first.size() == mine.size()) return {};
  return "rank 0 gave " + std::to_string(first.size()) + " arguments and " + me + " gave " +
         std::to_string(mine.size());
}

/// Encodes the state of a rank in one number. A rank that failed returns its rank. The other ranks
/// return one of two numbers above all ranks, depending on `flag`. The least number of all ranks
/// decides.
std::int64_t state_number(const Communicator& comm, bool failed, bool flag) {
  if (failed) return comm.rank();
  return flag ? comm.size() : comm.size() + 1;
}

/// Returns the flag of the least number (see state_number()), or throws the error of its rank.
bool flag_or_throw(const Communicator& comm, std::int64_t first, const std::optional<Error>& mine) {
  if (first >= comm.size()) return first == comm.size();
  if (comm.is_solo()) throw Error(*mine);
  const int root = static_cast<int>(first);
  std::string message = mine ? mine->what() : "";
  const std::string own_message = message;
  const int own_code = mine ? static_cast<int>(mine->code()) : 0;
  const int code = comm.broadcast_value(own_code, root);
  comm.broadcast(message, root);
  const bool alike = own_code == code && own_message == message;
  if (comm.min(std::int64_t{alike}) == 0) message = "rank " + std::to_string(root) + ": " + message;
  throw Error(static_cast<ErrorCode>(code), message);
}

}  // namespace

bool agree_or_throw(const Communicator& comm, const std::optional<Error>& mine, bool flag) {
  return flag_or_throw(comm, comm.min(state_number(comm, mine.has_value(), flag)), mine);
}

Agreement::Agreement(const Communicator& comm, const std::optional<Error>& mine, bool flag,
                     std::int64_t act)
    : comm_(comm), mine_(mine), least_{state_number(comm, mine.has_value(), flag), act, ~act} {
  comm_.start_min(least_, pending_);
}

Agreement::~Agreement() {
  try {
    pending_.wait();
  } catch (const Error&) {  // the caller does not conclude() because of a worse error
  }
}

Agreement::Findings Agreement::conclude() {
  pending_.wait();
  const bool flagged = flag_or_throw(comm_, least_[0], mine_);
  return {flagged, least_[1] == ~least_[2]};
}

void require_same(const Communicator& comm, const std::vector<NamedValue>& values,
                  const std::string& what) {
  if (comm.is_solo() || comm.all_same(hash_of_values(values))) return;
  const std::string mine = difference(values_of_first(comm, values), values, comm.rank());
  const std::int64_t odd =
      comm.min(mine.empty() ? std::int64_t{comm.size()} : std::int64_t{comm.rank()});
  std::string message = mine;
  // The hashes differ, so some rank has other values than rank 0.
  comm.broadcast(message, static_cast<int>(odd));
  throw Error(ErrorCode::disagreement, what + ": the ranks differ: " + message);
}

}  // namespace weft::comm
