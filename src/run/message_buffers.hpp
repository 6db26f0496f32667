#pragma once

#include <cstdint>
#include <vector>

#include "run/buffers.hpp"

namespace weft::run {

/// What one rank's buffers of an exchange by messages or collective calls must hold and bear.
struct MessageNeeds {
  std::int64_t send_bytes = 0;  ///< this rank's own block included
  std::int64_t recv_bytes = 0;
  std::int64_t others_bytes =
      0;  ///< of others' blocks; as send_bytes where the own one cannot lie elsewhere
  bool in_chunks = false;   ///< messages leave and arrive while the stage before it still works
  bool uses_work = false;   ///< the stage before it keeps something in the work buffer meanwhile
  bool keeps_sent = false;  ///< what is sent must stay while the stage behind it works
};

/// From where a rank sends and where it receives.
struct MessageBuffers {
  int send = work_buffer;
  int recv = second_buffer;
  int own = none;  ///< where its own block is written at once; none: among the others, and copied

  static constexpr int none = -1;
};

/// The buffers of all exchanges of a program, in the order in which they are executed.
///
/// Blocks leave from or arrive in the caller's output, where it holds so much, until results are
/// written to it: so one local array of workspace does, two where an exchange goes in chunks.
/// The first stage writes the rank's own block where it is to arrive. Complex numbers that become
/// reals take a little more than those: then all but the own block leaves from the output.
/// `output_bytes` : what the caller's output holds. `in_place`: it is the input too.
std::vector<MessageBuffers> message_buffers(const std::vector<MessageNeeds>& exchanges,
                                            std::int64_t output_bytes, bool in_place);

}  // namespace weft::run
