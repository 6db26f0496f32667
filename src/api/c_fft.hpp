#pragma once

#include <weft/weft.h>

#include "api/handle.hpp"

struct weft_fft {
  weft::api::Handle handle;
};
