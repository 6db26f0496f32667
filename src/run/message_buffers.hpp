#pragma once

#include <cstdint>
#include <vector>

#include "run/buffers.hpp"

namespace weft::run {

/// The requirements of one rank's buffers in an exchange by messages or collective calls.
struct MessageNeeds {
  std::int64_t send_bytes = 0;  ///< this rank's own block included
  std::int64_t recv_bytes = 0;
  std::int64_t others_bytes =
      0;  ///< bytes of the blocks for other ranks; equal to send_bytes if the own block must be
          ///< among them
  bool in_chunks = false;   ///< messages leave and arrive during the stage before the exchange
  bool uses_work = false;   ///< the stage before the exchange uses the work buffer
  bool keeps_sent = false;  ///< sent bytes must not be overwritten during the stage after the
                            ///< exchange
  bool is_put = false;      ///< blocks arrive in exposed memory
};

/// The buffers in which a rank sends and receives.
struct MessageBuffers {
  int send = work_buffer;
  int recv = second_buffer;
  int own = none;  ///< buffer into which the own block is written directly; none: it is among the
                   ///< others, and is copied

  static constexpr int none = -1;
};

/// Chooses the buffers of all exchanges of a program, in the order of execution.
///
/// If the caller's output is large enough, blocks leave from the output or arrive in it until
/// results are written there. So one local array of workspace is enough, or two with exchanges in
/// chunks. Out of place and without chunks, the first stage can write the rank's own block directly
/// to its destination. Complex numbers need slightly more space than the reals to which they are
/// transformed. If the output is too small for this reason, all blocks except the own block leave
/// from the output. `output_bytes` is the size of the caller's output. If `in_place`, the output is
/// also the input.
std::vector<MessageBuffers> message_buffers(const std::vector<MessageNeeds>& exchanges,
                                            std::int64_t output_bytes, bool in_place);

}  // namespace weft::run
