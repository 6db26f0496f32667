#include <optional>

#include <weft/error.hpp>
#include <weft/wisdom.hpp>

#include "base/text_file.hpp"
#include "planner/wisdom_limits.hpp"

namespace weft {
namespace {

/// Maximum wait for the lock. Other processes hold it only while they read and write a small file.
/// A process that holds it longer has been stopped.
constexpr double wait_s = 10;

Wisdom read(const std::optional<std::string>& text, const std::string& path) {
  if (!text) return {};
  try {
    return wisdom_from_json(*text);
  } catch (const Error& error) {
    throw Error(error.code(), path + ": " + error.what());
  }
}

/// Returns the wisdom as text, and checks that it can be read again. Sums of figures of an absurd
/// machine may be infinite, and JSON has no infinity.
std::string readable(const Wisdom& wisdom) {
  std::string text = to_json(wisdom);
  wisdom_from_json(text);
  return text;
}

}  // namespace

Wisdom read_wisdom(const std::string& path) {
  return read(read_text(path, wisdom_bytes_max), path);
}

void merge_into_file(const std::string& path, const Wisdom& more) {
  update_text(path, wisdom_bytes_max, wait_s, [&](const std::optional<std::string>& before) {
    Wisdom wisdom = read(before, path);
    wisdom.merge(more);
    return readable(wisdom);
  });
}

void write_wisdom(const std::string& path, const Wisdom& wisdom) {
  update_text(path, wisdom_bytes_max, wait_s, [&](const std::optional<std::string>& before) {
    read(before, path);
    return readable(wisdom);
  });
}

}  // namespace weft
