#include "run/message_buffers.hpp"

#include <algorithm>
#include <initializer_list>

#include <weft/error.hpp>

namespace weft::run {
namespace {

/// Buffers that are in use at the same time.
class Taken {
 public:
  void add(int buffer) { buffers_.push_back(buffer); }
  bool has(int buffer) const {
    return std::find(buffers_.begin(), buffers_.end(), buffer) != buffers_.end();
  }

 private:
  std::vector<int> buffers_;
};

/// Returns the first free buffer. The output counts only if it is large enough.
int first_free(std::initializer_list<int> candidates, const Taken& taken, bool fits_output) {
  for (int buffer : candidates)
    if (!taken.has(buffer) && (buffer != output_buffer || fits_output)) return buffer;
  throw Error(ErrorCode::internal,
              "the buffers of an exchange are chosen wrongly: no buffer is free");
}

/// Chooses the buffers of exchange `i`, after those of the later exchanges.
MessageBuffers choose(const std::vector<MessageNeeds>& exchanges, std::size_t i,
                      const MessageBuffers* next, std::int64_t output_bytes, bool in_place) {
  const MessageNeeds& needs = exchanges[i];
  const bool reads_output = i == 0 && in_place;
  Taken for_recv;
  if (next != nullptr) {
    for_recv.add(next->send);
    if (exchanges[i + 1].in_chunks) for_recv.add(next->recv);
  } else if (!in_place || needs.in_chunks) {
    for_recv.add(output_buffer);  // in place the last stage reads the output before it writes there
  }
  if (reads_output && needs.in_chunks) for_recv.add(output_buffer);

  const bool sends_from_output = !in_place || needs.in_chunks;
  const std::initializer_list<int> output_first = {output_buffer, work_buffer, second_buffer,
                                                   third_buffer};
  const std::initializer_list<int> output_late = {work_buffer, second_buffer, output_buffer,
                                                  third_buffer};
  const std::initializer_list<int> exposed = {exposed_buffer, other_exposed_buffer};
  MessageBuffers buffers;
  buffers.recv = first_free(needs.is_put        ? exposed
                            : sends_from_output ? output_late
                                                : output_first,
                            for_recv, needs.recv_bytes <= output_bytes);

  Taken for_send;
  for_send.add(buffers.recv);
  if (reads_output || (next == nullptr && needs.keeps_sent)) for_send.add(output_buffer);
  const bool has_own = needs.others_bytes < needs.send_bytes && !needs.in_chunks;
  const bool must_split = has_own && sends_from_output && !for_send.has(output_buffer) &&
                          needs.send_bytes > output_bytes && needs.others_bytes <= output_bytes;
  const bool arrives = has_own && i == 0 && !in_place && buffers.recv != output_buffer;
  if (arrives && (must_split || !needs.uses_work)) buffers.own = buffers.recv;
  if (must_split && !arrives && (next == nullptr || next->own != own_buffer))
    buffers.own = own_buffer;
  const bool is_apart = buffers.own != MessageBuffers::none;
  buffers.send = first_free(sends_from_output ? output_first : output_late, for_send,
                            (is_apart ? needs.others_bytes : needs.send_bytes) <= output_bytes);
  return buffers;
}

}  // namespace

/// The choice runs from the last exchange to the first. A stage must not read the buffer that it
/// writes or that messages arrive in.
std::vector<MessageBuffers> message_buffers(const std::vector<MessageNeeds>& exchanges,
                                            std::int64_t output_bytes, bool in_place) {
  std::vector<MessageBuffers> chosen(exchanges.size());
  for (std::size_t i = exchanges.size(); i-- > 0;) {
    const MessageBuffers* next = i + 1 < exchanges.size() ? &chosen[i + 1] : nullptr;
    chosen[i] = choose(exchanges, i, next, output_bytes, in_place);
  }
  return chosen;
}

}  // namespace weft::run
