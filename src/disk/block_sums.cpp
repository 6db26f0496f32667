#include "disk/block_sums.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <utility>

#include <weft/error.hpp>

#include "disk/checksum.hpp"
#include "disk/open_file.hpp"

namespace weft::disk {
namespace {

/// The file starts with these bytes. The last one is the version.
constexpr std::array<char, 8> magic = {'w', 'e', 'f', 't', 's', 'u', 'm', '1'};

/// A checksum of 0 is stored as another number, because 0 means unknown.
std::uint32_t as_kept(std::uint32_t sum) { return std::max(sum, std::uint32_t{1}); }

struct Header {
  std::array<char, 8> letters = magic;
  std::int64_t blocks = 0;
  std::uint32_t sum = 0;  ///< checksum of all sums
  std::uint32_t unused = 0;
};

[[noreturn]] void refuse(const std::string& path, const std::string& what) {
  throw Error(ErrorCode::io_failure, "the checksums of a striped set must be sound; " + path +
                                         ": " + what +
                                         "; remove it: its blocks are then unchecked until they "
                                         "are written again");
}

}  // namespace

BlockSums::BlockSums(std::string path, std::int64_t blocks)
    : path_(std::move(path)), sums_(static_cast<std::size_t>(blocks)) {
  if (access(path_.c_str(), F_OK) == 0) read();
}

void BlockSums::read() {
  const OpenFile file = open_data_file(path_, Mode::read);
  const auto bytes = static_cast<std::int64_t>(sums_.size() * sizeof(std::uint32_t));
  const auto header_bytes = static_cast<std::int64_t>(sizeof(Header));
  if (file.bytes() != header_bytes + bytes)
    refuse(path_, "it must have " + std::to_string(header_bytes + bytes) + " bytes and has " +
                      std::to_string(file.bytes()));
  Header header;
  file.read(0, &header, header_bytes);
  if (header.letters != magic) refuse(path_, "it is another file, or of another version");
  if (header.blocks != static_cast<std::int64_t>(sums_.size()))
    refuse(path_, "it is of " + std::to_string(header.blocks) + " blocks, and the set has " +
                      std::to_string(sums_.size()));
  file.read(header_bytes, sums_.data(), bytes);
  if (header.sum != crc32c(sums_.data(), bytes)) refuse(path_, "it is damaged");
}

void BlockSums::forget(std::int64_t block) {
  if (!changed_) remove_file();
  changed_ = true;
  sums_[static_cast<std::size_t>(block)] = 0;
}

void BlockSums::remove_file() const {
  if (unlink(path_.c_str()) == 0) {
    // The removal must reach the disk before any block changes. Otherwise a power failure could
    // bring the file back.
    const std::string folder = std::filesystem::path(path_).parent_path().string();
    const int descriptor = open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor >= 0) {
      fsync(descriptor);
      close(descriptor);
    }
  } else if (errno != ENOENT) {
    throw Error(ErrorCode::io_failure, path_ + " cannot be removed before blocks change: " +
                                           std::strerror(errno) + "; " + remedy(errno));
  }
}

void BlockSums::set(std::int64_t block, const std::byte* memory, std::int64_t bytes) {
  set(block, crc32c(memory, bytes));
}

void BlockSums::set(std::int64_t block, std::uint32_t sum) {
  sums_[static_cast<std::size_t>(block)] = as_kept(sum);
}

bool BlockSums::agrees(std::int64_t block, const std::byte* memory, std::int64_t bytes) const {
  return !is_known(block) || agrees(at(block), crc32c(memory, bytes));
}

bool BlockSums::agrees(std::uint32_t known, std::uint32_t sum) {
  return known == 0 || known == as_kept(sum);
}

void BlockSums::save() {
  if (!changed_) return;
  const auto bytes = static_cast<std::int64_t>(sums_.size() * sizeof(std::uint32_t));
  const auto header_bytes = static_cast<std::int64_t>(sizeof(Header));
  const Header header = {magic, static_cast<std::int64_t>(sums_.size()),
                         crc32c(sums_.data(), bytes)};
  const std::string fresh = path_ + ".new";
  unlink(fresh.c_str());  // a process that died here may have left this file; only one process at a
                          // time saves the checksums of a set
  try {
    const OpenFile file = create_data_file(fresh, header_bytes + bytes);
    file.write(0, &header, header_bytes);
    file.write(header_bytes, sums_.data(), bytes);
    file.flush();
    if (std::rename(fresh.c_str(), path_.c_str()) != 0) file.fail("it cannot be named", errno);
  } catch (...) {
    unlink(fresh.c_str());
    throw;
  }
  changed_ = false;
}

}  // namespace weft::disk
