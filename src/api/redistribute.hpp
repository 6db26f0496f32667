#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <weft/error.hpp>
#include <weft/layout.hpp>

#include "comm/communicator.hpp"

namespace weft::api {

/// See weft::redistribute. `mine` is an error that this rank met while it read its arguments,
/// `call` the name of the user's call.
void redistribute(const void* source, const Layout& from, void* target, const Layout& to,
                  std::int64_t element_bytes, const comm::Communicator& comm,
                  const std::optional<Error>& mine = {}, const char* call = "redistribute");

/// See weft::layout_of_local_boxes. `wrong` is an error that this rank met while it read its arguments.
Layout layout_of_local_boxes(const Shape& shape, const Box& mine, const comm::Communicator& comm,
                             const std::vector<int>& order, const std::optional<Error>& wrong = {});

}  // namespace weft::api
