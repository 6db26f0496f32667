#pragma once

#include <filesystem>

namespace weft::api {

/// Returns the folder for measurements that are kept for the user: $XDG_CACHE_HOME/weft or
/// ~/.cache/weft. It may not exist.
std::filesystem::path cache_folder();

}  // namespace weft::api
