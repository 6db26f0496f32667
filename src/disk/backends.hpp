#pragma once

#include <memory>
#include <string>

#include "disk/backend.hpp"

namespace weft::disk {

/// Returns the reason why io_uring does not work in this process; empty if it does.
std::string uring_hindrance();
std::unique_ptr<Backend> make_uring_backend(int disks, int depth);
std::unique_ptr<Backend> make_threads_backend(int disks, int depth);

}  // namespace weft::disk
