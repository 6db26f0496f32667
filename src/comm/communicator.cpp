#include "comm/communicator.hpp"

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <numeric>

#include <weft/error.hpp>

#include "base/checked.hpp"
#include "comm/communicator_state.hpp"
#include "comm/environment.hpp"
#include "comm/from_mpi.hpp"
#include "comm/message_queue.hpp"
#include "comm/mpi_check.hpp"
#include "comm/pending.hpp"

namespace weft::comm {
namespace {

[[noreturn]] void refuse(const std::string& message) {
  throw Error(ErrorCode::invalid_argument, message);
}

/// Reduces `count` values in place on all ranks.
void reduce(const CommunicatorState& state, void* values, int count, MPI_Datatype type, MPI_Op op) {
  if (state.solo) return;
  check_mpi(MPI_Allreduce(MPI_IN_PLACE,  // send buffer: the values themselves
                          values,        // receive buffer
                          count, type, op, usable(state)),
            "MPI_Allreduce");
}

template <class T>
T reduced(const CommunicatorState& state, T value, MPI_Datatype type, MPI_Op op) {
  reduce(state, &value, 1, type, op);
  return value;
}

/// Makes the communicator of some ranks of `state`. Collective over those ranks only.
std::shared_ptr<CommunicatorState> make_subset(const CommunicatorState& state,
                                               const std::vector<int>& ranks) {
  MPI_Group everyone = MPI_GROUP_NULL;
  MPI_Group members = MPI_GROUP_NULL;
  MPI_Comm comm = MPI_COMM_NULL;
  check_mpi(MPI_Comm_group(usable(state), &everyone), "MPI_Comm_group");
  check_mpi(MPI_Group_incl(everyone, checked_cast<int>(ranks.size()), ranks.data(), &members),
            "MPI_Group_incl");
  check_mpi(MPI_Comm_create_group(state.comm, members,
                                  0,  // tag: groups are created one at a time, so one tag is enough
                                  &comm),
            "MPI_Comm_create_group");
  MPI_Group_free(&members);
  MPI_Group_free(&everyone);
  count_subset(1);
  auto subset = std::make_shared<CommunicatorState>();
  take(*subset, comm);
  return subset;
}

/// Returns the number of consecutive ranks that count as a node, even if more ranks share a node.
/// Returns 0 if there is no such limit.
std::int64_t pretended_ranks_per_node() {
  const char* text = std::getenv("WEFT_RANKS_PER_NODE");
  if (text == nullptr || *text == '\0') return 0;
  char* end = nullptr;
  const long value = std::strtol(text, &end, 10);
  if (*end != '\0' || value < 1 || value > INT_MAX)
    refuse(std::string("the environment variable WEFT_RANKS_PER_NODE must be a whole number of "
                       "ranks, at least 1; given '") +
           text + "'");
  return value;
}

/// Returns the lowest rank of this rank's node.
std::int64_t first_rank_of_node(const CommunicatorState& state) {
  const std::int64_t pretended = pretended_ranks_per_node();
  MPI_Comm node = MPI_COMM_NULL;
  check_mpi(MPI_Comm_split_type(usable(state), MPI_COMM_TYPE_SHARED,
                                state.rank,  // key: keeps the order of ranks
                                MPI_INFO_NULL, &node),
            "MPI_Comm_split_type");
  std::int64_t first = state.rank;
  const int code = MPI_Bcast(&first, 1, MPI_INT64_T,
                             0,  // root: the lowest rank of the node
                             node);
  MPI_Comm_free(&node);
  check_mpi(code, "MPI_Bcast");
  if (pretended > 0) first = std::max<std::int64_t>(first, state.rank / pretended * pretended);
  return first;
}

}  // namespace

Communicator::Communicator() : state_(solo_state()) {}

Communicator communicator_of(MPI_Comm user) {
  if (!is_initialized())
    refuse("a communicator needs MPI to be initialised; call MPI_Init first, or use one process");
  if (is_finalized())
    refuse("a communicator cannot be used after MPI_Finalize; make transforms before it");
  if (user == MPI_COMM_NULL)
    refuse("the communicator is MPI_COMM_NULL; pass one that contains this rank");
  int is_inter = 0;
  check_mpi(MPI_Comm_test_inter(user, &is_inter), "MPI_Comm_test_inter");
  if (is_inter != 0)
    refuse("the communicator is an inter-communicator; merge it first (MPI_Intercomm_merge)");
  int size = 0;
  check_mpi(MPI_Comm_size(user, &size), "MPI_Comm_size");
  if (size == 1) return Communicator::solo();
  require_may_call_mpi();
  return Communicator(cached_state(user));
}

Communicator communicator_or_solo(MPI_Comm user) {
  return user == MPI_COMM_NULL ? Communicator::solo() : communicator_of(user);
}

int Communicator::rank() const { return state_->rank; }
int Communicator::size() const { return state_->size; }
bool Communicator::is_solo() const { return state_->solo; }

Communicator Communicator::subset(std::int64_t color) const {
  if (is_solo()) return *this;
  const std::vector<std::int64_t> colors = all_gather_values(color);
  std::vector<int> ranks;
  for (int rank = 0; rank < size(); ++rank) {
    if (colors[static_cast<std::size_t>(rank)] == color) ranks.push_back(rank);
  }
  if (ranks.size() == 1) return solo();
  if (ranks.size() == colors.size()) return *this;
  // Either all members have made this group, or none. So all make the same choice here.
  auto& known = state_->subsets[ranks];
  if (!known) known = make_subset(*state_, ranks);
  return Communicator(known);
}

Communicator Communicator::node_group() const {
  if (is_solo()) return *this;
  if (auto known = state_->node.lock()) return Communicator(std::move(known));
  Communicator group = subset(first_rank_of_node(*state_));
  state_->node = group.state_;
  return group;
}

Communicator Communicator::by_nodes() const {
  if (is_solo()) return *this;
  const std::vector<std::int64_t> firsts = all_gather_values(first_rank_of_node(*state_));
  std::vector<int> ranks(firsts.size());
  std::iota(ranks.begin(), ranks.end(), 0);
  std::stable_sort(ranks.begin(), ranks.end(), [&](int one, int other) {
    return firsts[static_cast<std::size_t>(one)] < firsts[static_cast<std::size_t>(other)];
  });
  if (std::is_sorted(ranks.begin(), ranks.end())) return *this;
  auto& known = state_->subsets[ranks];
  if (!known) known = make_subset(*state_, ranks);
  return Communicator(known);
}

void Communicator::barrier() const {
  if (!is_solo()) check_mpi(MPI_Barrier(usable(*state_)), "MPI_Barrier");
}

std::int64_t Communicator::next_number() const { return ++state_->numbers; }

std::int64_t Communicator::min(std::int64_t value) const {
  return reduced(*state_, value, MPI_INT64_T, MPI_MIN);
}
void Communicator::start_min(std::span<std::int64_t> values, PendingCall& pending) const {
  if (is_solo()) return;
  check_mpi(MPI_Iallreduce(MPI_IN_PLACE,   // send buffer: the values themselves
                           values.data(),  // receive buffer
                           checked_cast<int>(values.size()), MPI_INT64_T, MPI_MIN, usable(*state_),
                           pending.request()),
            "MPI_Iallreduce");
}
std::int64_t Communicator::max(std::int64_t value) const {
  return reduced(*state_, value, MPI_INT64_T, MPI_MAX);
}
std::int64_t Communicator::sum(std::int64_t value) const {
  return reduced(*state_, value, MPI_INT64_T, MPI_SUM);
}
double Communicator::min(double value) const {
  return reduced(*state_, value, MPI_DOUBLE, MPI_MIN);
}
double Communicator::max(double value) const {
  return reduced(*state_, value, MPI_DOUBLE, MPI_MAX);
}
double Communicator::sum(double value) const {
  return reduced(*state_, value, MPI_DOUBLE, MPI_SUM);
}

bool Communicator::all_same(std::uint64_t value) const {
  // The least complement gives the largest value, so one reduction is enough.
  std::uint64_t least[2] = {value, ~value};
  reduce(*state_, least, 2, MPI_UINT64_T, MPI_MIN);
  return least[0] == ~least[1];
}

void Communicator::broadcast_bytes(void* data, std::int64_t bytes, int root) const {
  if (is_solo()) return;
  const std::int64_t limit = count_limit();
  for (std::int64_t done = 0; done < bytes; done += limit) {
    check_mpi(MPI_Bcast(static_cast<char*>(data) + done,
                        checked_cast<int>(std::min(limit, bytes - done)),  // count
                        MPI_BYTE, root, usable(*state_)),
              "MPI_Bcast", root);
  }
}

void Communicator::broadcast(std::string& text, int root) const {
  const std::int64_t bytes = broadcast_value(static_cast<std::int64_t>(text.size()), root);
  text.resize(static_cast<std::size_t>(bytes));
  broadcast_bytes(text.data(), bytes, root);
}

void Communicator::all_gather_bytes(const void* mine, std::int64_t bytes, void* all) const {
  if (bytes == 0) return;
  char* const target = static_cast<char*>(all);
  if (is_solo()) {
    std::memcpy(target, mine, static_cast<std::size_t>(bytes));
  } else if (bytes <= INT_MAX) {
    const int count = checked_cast<int>(bytes);
    check_mpi(MPI_Allgather(mine, count, MPI_BYTE,  // sent
                            all, count, MPI_BYTE,   // received from each rank
                            usable(*state_)),
              "MPI_Allgather");
  } else {
    std::memcpy(target + rank() * bytes, mine, static_cast<std::size_t>(bytes));
    for (int root = 0; root < size(); ++root) broadcast_bytes(target + root * bytes, bytes, root);
  }
}

std::vector<std::string> Communicator::all_gather(const std::string& text) const {
  const std::vector<std::int64_t> sizes = all_gather_values(static_cast<std::int64_t>(text.size()));
  std::vector<std::string> texts(sizes.size());
  // One broadcast for each rank keeps counts small. It is slow, but texts are gathered only in
  // planning and errors, never in a transform.
  for (int root = 0; root < size(); ++root) {
    std::string& target = texts[static_cast<std::size_t>(root)];
    if (root == rank()) target = text;
    target.resize(static_cast<std::size_t>(sizes[static_cast<std::size_t>(root)]));
    broadcast_bytes(target.data(), static_cast<std::int64_t>(target.size()), root);
  }
  return texts;
}

std::vector<std::int64_t> Communicator::all_to_all(const std::vector<std::int64_t>& values) const {
  if (static_cast<int>(values.size()) != size()) {
    throw Error(ErrorCode::internal, "all_to_all needs one value for each of " +
                                         std::to_string(size()) + " ranks; given " +
                                         std::to_string(values.size()));
  }
  std::vector<std::int64_t> received(values.size());
  if (is_solo()) return values;
  check_mpi(MPI_Alltoall(values.data(), 1, MPI_INT64_T,    // sent to each rank
                         received.data(), 1, MPI_INT64_T,  // received from each rank
                         usable(*state_)),
            "MPI_Alltoall");
  return received;
}

void Communicator::exchange_pair(int peer, const void* send, std::int64_t send_count, void* recv,
                                 std::int64_t recv_count, std::int64_t element_bytes) const {
  const MessageStep step = {0, {peer, 0, {send_count}, {1}}, {peer, 0, {recv_count}, {1}}};
  MessageQueue queue(*this, {step}, element_bytes, count_limit(), {});
  queue.start(0, send, recv);
  queue.finish();
}

}  // namespace weft::comm
