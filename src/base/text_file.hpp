#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace weft {

/// The text of a file; none where there is no file.
///
/// Errors  io_failure for what is no regular file, cannot be read or is longer than `bytes_max`;
///         invalid_argument for a path that no file can have. Never waits for another process.
std::optional<std::string> read_text(const std::string& path, std::int64_t bytes_max);

/// Replaces the text of a file by what `change` makes of it; `change` is given none where there is
/// no file, and what it throws leaves the file as it is.
///
/// Readers see the old text or the new one, also where the process dies meanwhile. Processes that
/// change one file take turns, by a lock file beside it (".lock") that is removed afterwards.
/// Permissions are kept; a file that may not be written is refused, a symbolic link followed.
/// Errors  as read_text; io_failure where the folder cannot be written, the disk is full, or
///         another process holds the lock for more than `wait_s`.
void update_text(
    const std::string& path, std::int64_t bytes_max, double wait_s,
    const std::function<std::string(const std::optional<std::string>& before)>& change);

}  // namespace weft
