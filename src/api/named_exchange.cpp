#include "api/named_exchange.hpp"

#include <string>

namespace weft::api {

std::vector<comm::NamedValue> named_choices(const Exchange& exchange) {
  return {{"method", to_string(exchange.method)},
          {"wire_form", to_string(exchange.wire_form)},
          {"schedule", to_string(exchange.schedule)},
          {"requests", to_string(exchange.requests)},
          {"chunks", std::to_string(exchange.chunks)},
          {"preset", to_string(exchange.preset)},
          {"wire", to_string(exchange.wire)},
          {"nodes", to_string(exchange.nodes)},
          {"piece_bytes", std::to_string(exchange.piece_bytes)}};
}

}  // namespace weft::api
