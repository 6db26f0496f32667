// The buffers of exchanges, compared with an independent list of forbidden overlaps.
#include <gtest/gtest.h>

#include <string>

#include "run/message_buffers.hpp"

namespace weft::run {
namespace {

constexpr std::int64_t array_bytes = 100;     // of a local array
constexpr std::int64_t own_block_bytes = 30;  // the part that stays on this rank

/// Bit i of `chunked` and `keeps_sent` is for exchange i. Only an exchange in chunks can keep what
/// it sent.
std::vector<MessageNeeds> needs_of(int exchanges, unsigned chunked, unsigned keeps_sent,
                                   bool uses_work = false) {
  std::vector<MessageNeeds> needs;
  for (int i = 0; i < exchanges; ++i)
    needs.push_back({array_bytes, array_bytes, array_bytes - own_block_bytes,
                     (chunked >> i & 1) != 0, uses_work,
                     (keeps_sent >> i & 1) != 0 && (chunked >> i & 1) != 0});
  return needs;
}

/// Returns the source of a stage: the input, or the target of the previous exchange.
int inlet(const std::vector<MessageBuffers>& chosen, std::size_t stage, bool in_place) {
  if (stage == 0) return in_place ? output_buffer : input_buffer;
  return chosen[stage - 1].recv;
}

void check(const std::vector<MessageNeeds>& needs, std::int64_t output_bytes, bool in_place) {
  const auto chosen = message_buffers(needs, output_bytes, in_place);
  ASSERT_EQ(chosen.size(), needs.size());
  for (std::size_t i = 0; i < needs.size(); ++i) {
    SCOPED_TRACE("exchange " + std::to_string(i));
    const MessageBuffers& here = chosen[i];
    const int source = inlet(chosen, i, in_place);
    const bool is_last = i + 1 == needs.size();
    EXPECT_NE(here.send, here.recv);
    EXPECT_NE(here.send, source) << "the stage overwrites its source";
    const std::int64_t sent = here.own >= 0 ? needs[i].others_bytes : needs[i].send_bytes;
    if (here.send == output_buffer) {
      EXPECT_LE(sent, output_bytes);
    }
    if (here.recv == output_buffer) {
      EXPECT_LE(needs[i].recv_bytes, output_bytes);
    }
    if (needs[i].in_chunks) {
      EXPECT_NE(here.recv, source) << "chunks overwrite the source";
    }
    if (is_last && !in_place) {
      EXPECT_NE(here.recv, output_buffer);
    }
    if (is_last && needs[i].keeps_sent) {
      EXPECT_NE(here.send, output_buffer);
    }
    if (here.own < 0) continue;
    EXPECT_FALSE(needs[i].in_chunks);
    EXPECT_NE(here.own, source);
    EXPECT_NE(here.own, here.send);
    // The own block must not arrive in the source of the stage.
    if (i > 0) {
      EXPECT_NE(here.own, chosen[i - 1].own);
    }
    if (!is_last && here.own != here.recv) {
      EXPECT_NE(here.own, chosen[i + 1].send);
      if (needs[i + 1].in_chunks) {
        EXPECT_NE(here.own, chosen[i + 1].recv);
      }
    }
  }
}

/// Returns the number of workspace buffers in use, without the buffer for own blocks.
std::size_t arrays_of(const std::vector<MessageBuffers>& chosen) {
  std::array<bool, buffer_count> used{};
  for (const MessageBuffers& each : chosen) used[each.send] = used[each.recv] = true;
  std::size_t count = 0;
  for (int buffer = work_buffer; buffer < own_buffer; ++buffer) count += used[buffer] ? 1 : 0;
  return count;
}

TEST(MessageBuffers, NoForbiddenOverlap) {
  for (int exchanges = 1; exchanges <= 4; ++exchanges)
    for (unsigned chunked = 0; chunked < (1U << exchanges); ++chunked)
      for (const bool last_keeps_sent : {false, true})
        for (const std::int64_t output_bytes :
             {std::int64_t{0}, array_bytes - own_block_bytes, array_bytes})
          for (const bool in_place : {false, true}) {
            SCOPED_TRACE(std::to_string(exchanges) + " exchanges, chunked " +
                         std::to_string(chunked) + (last_keeps_sent ? " keeps sent " : " ") +
                         std::to_string(output_bytes) + (in_place ? " in place" : ""));
            const unsigned last = 1U << (exchanges - 1);
            check(needs_of(exchanges, chunked, last_keeps_sent ? last : 0), output_bytes, in_place);
          }
}

TEST(MessageBuffers, NeedsOneArrayOrTwoWithChunks) {
  for (int exchanges = 1; exchanges <= 4; ++exchanges)
    for (const bool in_place : {false, true}) {
      SCOPED_TRACE(std::to_string(exchanges) + (in_place ? " in place" : ""));
      const unsigned all = (1U << exchanges) - 1;
      const unsigned last = 1U << (exchanges - 1);
      EXPECT_EQ(arrays_of(message_buffers(needs_of(exchanges, 0, 0), array_bytes, in_place)), 1U);
      // In place with several exchanges, keeping sent blocks would need a third array.
      const unsigned keeps_sent = in_place && exchanges > 1 ? 0 : last;
      EXPECT_EQ(
          arrays_of(message_buffers(needs_of(exchanges, all, keeps_sent), array_bytes, in_place)),
          2U);
    }
}

/// The real output has slightly fewer bytes than the complex numbers. So all blocks except the own
/// one fit in it.
TEST(MessageBuffers, RealOutputsHoldAllButTheOwnBlock) {
  const auto once = message_buffers(needs_of(1, 0, 0), array_bytes - 1, false);
  EXPECT_EQ(once[0].send, output_buffer);
  EXPECT_EQ(once[0].own, once[0].recv)
      << "the first stage writes the own block where it is received";
  const auto twice = message_buffers(needs_of(2, 0, 0), array_bytes - 1, false);
  EXPECT_EQ(twice[1].own, own_buffer);
  EXPECT_EQ(message_buffers(needs_of(1, 0, 0), array_bytes, false)[0].own, work_buffer);
  const auto busy = message_buffers(needs_of(1, 0, 0, true), array_bytes, false);
  EXPECT_EQ(busy[0].own, MessageBuffers::none) << "the first stage uses the work buffer";
  EXPECT_EQ(arrays_of(twice), 1U);
}

}  // namespace
}  // namespace weft::run
