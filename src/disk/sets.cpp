// Sets of named files, of files without names, and of one plain file.
#include <unistd.h>

#include <filesystem>
#include <limits>
#include <string>
#include <utility>

#include <weft/error.hpp>

#include "base/checked.hpp"
#include "base/rounding.hpp"
#include "disk/striped_set.hpp"

namespace weft::disk {
namespace {

constexpr std::int64_t plain_block_bytes = 1 << 20;

std::string sums_path(const std::string& index_path) { return index_path + ".sums"; }

std::optional<BlockSums> sums_of(const std::string& index_path, const SetIndex& index) {
  if (!index.checksums) return {};
  return BlockSums(sums_path(index_path), block_count(index.striping));
}

std::int64_t disk_bytes(const Striping& striping) {
  return row_count(striping) * striping.block_bytes;
}

/// Removes the parts of a set unless all of it was created.
class IncompleteSet {
 public:
  void add(const std::string& path) { paths_.push_back(path); }
  void complete() { paths_.clear(); }
  IncompleteSet() = default;
  IncompleteSet(const IncompleteSet&) = delete;
  IncompleteSet& operator=(const IncompleteSet&) = delete;
  ~IncompleteSet() {
    for (const std::string& path : paths_) unlink(path.c_str());
  }

 private:
  std::vector<std::string> paths_;
};

/// Returns the name of a disk's file in an index. If the file is in the folder of the index, the
/// name is relative, so that both can be moved together. Otherwise it is absolute.
std::string name_in_index(const std::string& index_path, const std::string& directory, int disk) {
  namespace fs = std::filesystem;
  require_path(index_path, "file");
  require_path(directory, "directory");
  const fs::path index = fs::absolute(index_path);
  std::string stem = index.filename().string();
  stem = stem.substr(0, stem.find('.', 1));
  std::string name = stem + "." + std::to_string(disk);
  std::error_code error;
  if (fs::equivalent(index.parent_path(), directory, error)) return name;
  return (fs::absolute(directory).lexically_normal() / name).string();
}

void require_no_index(const std::string& index_path) {
  std::error_code error;
  if (!std::filesystem::exists(index_path, error)) return;
  throw Error(ErrorCode::io_failure, "a new set must have a new name; there is a file " +
                                         index_path + "; remove that set or give another name");
}

void require_length(const OpenFile& file, std::int64_t bytes, const std::string& index_path) {
  if (file.bytes() == bytes) return;
  throw Error(ErrorCode::io_failure, "a disk's file must be as long as the index " + index_path +
                                         " says; " + file.name() + " must have " +
                                         std::to_string(bytes) + " bytes and has " +
                                         std::to_string(file.bytes()) +
                                         "; restore it from a copy, or write the set again");
}

}  // namespace

std::unique_ptr<StripedSet> create_set(const std::string& index_path,
                                       const std::vector<std::string>& directories, SetIndex index,
                                       const SetOptions& options) {
  index.files.clear();
  for (std::size_t disk = 0; disk < directories.size(); ++disk)
    index.files.push_back(name_in_index(index_path, directories[disk], static_cast<int>(disk)));
  index.striping.disks = checked_cast<int>(directories.size(), "the number of disks");
  check(index);
  require_no_index(index_path);
  IncompleteSet incomplete;
  std::vector<OpenFile> files;
  for (const std::string& name : index.files) {
    const std::string path = file_of(index_path, name);
    files.push_back(create_data_file(path, disk_bytes(index.striping)));
    incomplete.add(path);
  }
  // Old checksums of a set with this name do not belong to these blocks.
  unlink(sums_path(index_path).c_str());
  write_index(index_path, index);
  incomplete.add(index_path);
  auto set = std::make_unique<StripedSet>(std::move(files), index.striping, Mode::write, options, 0,
                                          sums_of(index_path, index));
  incomplete.complete();
  return set;
}

std::unique_ptr<StripedSet> open_set(const std::string& index_path, Mode mode,
                                     const SetOptions& options) {
  return open_disks_of_set(index_path, mode, 0, std::numeric_limits<int>::max(), options);
}

std::unique_ptr<StripedSet> open_disks_of_set(const std::string& index_path, Mode mode, int first,
                                              int end, const SetOptions& options) {
  const SetIndex index = read_index(index_path);
  if (options.incomplete_remedy.empty()) require_whole(index_path, index);
  std::vector<OpenFile> files;
  for (int disk = 0; disk < std::ssize(index.files); ++disk) {
    const std::string path = file_of(index_path, index.files[static_cast<std::size_t>(disk)]);
    if (disk < first || disk >= end) {
      files.push_back(OpenFile::elsewhere(path));
      continue;
    }
    files.push_back(open_data_file(path, mode));
    require_length(files.back(), disk_bytes(index.striping), index_path);
  }
  auto set = std::make_unique<StripedSet>(std::move(files), index.striping, mode, options, 0,
                                          sums_of(index_path, index));
  if (!options.incomplete_remedy.empty())
    set->before_first_change(
        [index_path, remedy = options.incomplete_remedy] { mark_incomplete(index_path, remedy); });
  return set;
}

std::unique_ptr<StripedSet> scratch_set(const std::vector<std::string>& directories,
                                        Striping striping, const SetOptions& options) {
  striping.disks = checked_cast<int>(directories.size(), "the number of disks");
  check(striping);
  std::vector<OpenFile> files;
  for (const std::string& directory : directories) {
    files.push_back(open_nameless(directory));
    files.back().reserve(disk_bytes(striping));
  }
  return std::make_unique<StripedSet>(std::move(files), striping, Mode::write, options);
}

std::unique_ptr<StripedSet> plain_set(OpenFile file, std::int64_t offset, std::int64_t bytes,
                                      Mode mode, const SetOptions& options,
                                      const std::optional<PlainSums>& sums) {
  const Striping striping = {.bytes = bytes,
                             .block_bytes = sums ? sums->block_bytes : plain_block_bytes};
  check(striping);
  if (offset < 0)
    throw Error(ErrorCode::invalid_argument, "an array must begin within its file; given offset " +
                                                 std::to_string(offset) + "; give 0 or more");
  const std::int64_t end = checked_add(offset, bytes, "the end of an array");
  if (file.bytes() < end)
    throw Error(ErrorCode::io_failure, file.name() + " must hold " + std::to_string(bytes) +
                                           " bytes from " + std::to_string(offset) +
                                           " on; it ends at " + std::to_string(file.bytes()) +
                                           ": it is truncated; copy or save it again");
  std::vector<OpenFile> files;
  files.push_back(std::move(file));
  std::optional<BlockSums> known;  // blocks are counted from the start of the file, as in
                                   // StripedSet
  if (sums) known.emplace(sums->path, divided_up(end, sums->block_bytes));
  return std::make_unique<StripedSet>(std::move(files), striping, mode, options, offset,
                                      std::move(known));
}

}  // namespace weft::disk
