#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace weft {

/// Returns the text of a file; nothing if there is no file.
///
/// Never waits for another process.
/// Errors  io_failure if the file is not regular, cannot be read or is longer than `bytes_max`;
///         invalid_argument for a path that no file can have.
std::optional<std::string> read_text(const std::string& path, std::int64_t bytes_max);

/// Replaces the text of a file by the result of `change`, which gets nothing if there is no file.
/// An exception of `change` leaves the file unchanged.
///
/// Readers see the old text or the new one, even if the process dies meanwhile. Processes that
/// change one file wait for each other by a lock file next to it (".lock"), which they remove
/// afterwards. Permissions are kept. A read-only file is refused. A symbolic link is followed.
/// Errors  as read_text; io_failure if the folder cannot be written, the disk is full, or another
///         process holds the lock for more than `wait_s`.
void update_text(
    const std::string& path, std::int64_t bytes_max, double wait_s,
    const std::function<std::string(const std::optional<std::string>& before)>& change);

}  // namespace weft
