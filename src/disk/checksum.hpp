#pragma once

#include <cstdint>

namespace weft::disk {

/// CRC-32C (Castagnoli) of so many bytes: by the processor's instruction where it has one.
std::uint32_t crc32c(const void* memory, std::int64_t bytes);

/// The same by a table, for processors without. Apart from crc32c for tests.
std::uint32_t crc32c_by_table(const void* memory, std::int64_t bytes);

}  // namespace weft::disk
