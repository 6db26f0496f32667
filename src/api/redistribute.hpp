#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <weft/error.hpp>
#include <weft/layout.hpp>

#include "comm/communicator.hpp"

namespace weft::api {

/// See weft::redistribute. `wrong` is an error in the arguments of this rank. If any rank has one,
/// all ranks throw. `call` is the name of the caller's function.
void redistribute(const void* source, const Layout& from, void* target, const Layout& to,
                  std::int64_t element_bytes, const comm::Communicator& comm,
                  const std::optional<Error>& wrong = {}, const char* call = "redistribute");

/// See weft::layout_of_local_boxes. `wrong` is an error in the arguments of this rank.
Layout layout_of_local_boxes(const Shape& shape, const Box& mine, const comm::Communicator& comm,
                             const std::vector<int>& order, const std::optional<Error>& wrong = {});

}  // namespace weft::api
