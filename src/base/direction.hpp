#pragma once

namespace weft {

enum class Direction { forward, backward };

}  // namespace weft
