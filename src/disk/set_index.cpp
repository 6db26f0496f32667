#include "disk/set_index.hpp"

#include <filesystem>
#include <optional>
#include <set>

#include <nlohmann/json.hpp>

#include <weft/error.hpp>

#include "base/checked.hpp"
#include "base/text_file.hpp"

namespace weft::disk {
namespace {

using Json = nlohmann::ordered_json;

/// This number is raised when an older weft would misread a newer index.
constexpr std::int64_t index_version = 1;
constexpr const char* version_key = "weft_striped_set";
/// This key is written only for an incomplete set. Versions of weft that do not know the key then
/// refuse the set.
constexpr const char* incomplete_key = "incomplete";
constexpr std::int64_t text_bytes_max = 1 << 20;
constexpr double lock_wait_s = 10;
constexpr std::size_t axes_max = 64;
constexpr const char* write_again = "write the set again, or restore the index from a copy";

[[noreturn]] void refuse_index(const std::string& path, const std::string& what) {
  throw Error(ErrorCode::invalid_argument, "the index of a striped set must be sound; " + path +
                                               ": " + what + "; " + write_again);
}

/// The members of an index. Each is read once, and has one type.
class Members {
 public:
  Members(const std::string& path, const Json& object) : path_(path), object_(object) {}

  std::int64_t integer(const char* key) { return integer(key, member(key)); }
  int small_integer(const char* key) {
    const std::int64_t value = integer(key);
    if (value < 0 || value > 1 << 20) refuse_index(path_, std::string(key) + " is out of range");
    return static_cast<int>(value);
  }
  bool boolean(const char* key) {
    const Json& value = member(key);
    if (!value.is_boolean()) refuse_index(path_, std::string(key) + " must be true or false");
    return value.get<bool>();
  }
  std::string text(const char* key) { return text(key, member(key)); }
  std::string text_or_none(const char* key) { return object_.contains(key) ? text(key) : ""; }
  std::vector<std::int64_t> integers(const char* key) {
    std::vector<std::int64_t> values;
    for (const Json& value : list(key)) values.push_back(integer(key, value));
    return values;
  }
  std::vector<std::string> texts(const char* key) {
    std::vector<std::string> values;
    for (const Json& value : list(key)) values.push_back(text(key, value));
    return values;
  }
  void finish() const {
    for (const auto& [key, value] : object_.items())
      if (asked_.count(key) == 0) refuse_index(path_, "\"" + key + "\" is not a key of an index");
  }

 private:
  const Json& member(const char* key) {
    asked_.insert(key);
    if (!object_.contains(key)) refuse_index(path_, std::string(key) + " is missing");
    return object_.at(key);
  }
  const Json& list(const char* key) {
    const Json& value = member(key);
    if (!value.is_array()) refuse_index(path_, std::string(key) + " must be a list");
    return value;
  }
  std::int64_t integer(const char* key, const Json& value) const {
    const bool whole = value.is_number_integer() &&
                       !(value.is_number_unsigned() && value.get<std::uint64_t>() > INT64_MAX);
    if (!whole) refuse_index(path_, std::string(key) + " must be a whole number");
    return value.get<std::int64_t>();
  }
  std::string text(const char* key, const Json& value) const {
    if (!value.is_string()) refuse_index(path_, std::string(key) + " must be a text");
    return value.get<std::string>();
  }

  const std::string& path_;
  const Json& object_;
  std::set<std::string> asked_;
};

Json parsed(const std::string& path, const std::string& text) {
  Json document = Json::parse(text, nullptr, false);
  if (document.is_discarded())
    refuse_index(path, "it is not JSON, so it is damaged or another file");
  if (!document.is_object() || !document.contains(version_key))
    refuse_index(path, std::string("it has no \"") + version_key + "\", so it is another file");
  return document;
}

SetIndex from_json(const std::string& path, const Json& document) {
  Members members(path, document);
  const std::int64_t version = members.integer(version_key);
  if (version != index_version)
    refuse_index(path, "this weft reads version " + std::to_string(index_version) +
                           ", and it has " + std::to_string(version));
  SetIndex index;
  index.shape = members.integers("shape");
  index.dtype = members.text("dtype");
  index.striping.bytes = members.integer("bytes");
  index.striping.block_bytes = members.integer("block_bytes");
  index.striping.processors = members.small_integer("processors");
  index.striping.band_bytes = members.integer("band_bytes");
  index.striping.skew_rows = members.integer("skew_rows");
  index.checksums = members.boolean("checksums");
  index.incomplete_remedy = members.text_or_none(incomplete_key);
  index.files = members.texts("files");
  index.striping.disks = static_cast<int>(index.files.size());
  members.finish();
  return index;
}

Json to_json(const SetIndex& index) {
  Json object;
  object[version_key] = index_version;
  object["shape"] = index.shape;
  object["dtype"] = index.dtype;
  object["bytes"] = index.striping.bytes;
  object["block_bytes"] = index.striping.block_bytes;
  object["processors"] = index.striping.processors;
  object["band_bytes"] = index.striping.band_bytes;
  object["skew_rows"] = index.striping.skew_rows;
  object["checksums"] = index.checksums;
  if (!index.incomplete_remedy.empty()) object[incomplete_key] = index.incomplete_remedy;
  object["files"] = index.files;
  return object;
}

[[noreturn]] void invalid(const std::string& rule) {
  throw Error(ErrorCode::invalid_argument, rule);
}

}  // namespace

void check(const SetIndex& index) {
  if (index.files.size() != static_cast<std::size_t>(index.striping.disks))
    invalid("a set has one file on each disk; given " + std::to_string(index.files.size()) +
            " files and " + std::to_string(index.striping.disks) + " disks; name as many");
  if (std::set<std::string>(index.files.begin(), index.files.end()).size() != index.files.size())
    invalid("the disks of a set have different files; one is given twice; name each once");
  if (index.shape.size() > axes_max)
    invalid("an array has at most " + std::to_string(axes_max) + " axes; given " +
            std::to_string(index.shape.size()) + "; reshape it");
  std::int64_t elements = 1;
  for (const std::int64_t extent : index.shape) {
    if (extent < 0) invalid("extents are at least 0; given " + std::to_string(extent));
    elements = checked_mul(elements, extent, "the elements of a set");
  }
  check(index.striping);
  const std::int64_t bytes = index.striping.bytes;
  if (elements == 0 ? bytes != 0 : bytes % elements != 0 || bytes == 0)
    invalid("the bytes of a set must be those of its elements; " + std::to_string(bytes) +
            " bytes are not a multiple of " + std::to_string(elements) + " elements; correct one");
}

SetIndex read_index(const std::string& path) {
  const std::optional<std::string> text = read_text(path, text_bytes_max);
  if (!text)
    throw Error(ErrorCode::io_failure,
                "the index of a striped set must exist; there is no " + path + "; check the name");
  SetIndex index = from_json(path, parsed(path, *text));
  try {
    check(index);
  } catch (const Error& error) {
    refuse_index(path, error.what());
  }
  return index;
}

void write_index(const std::string& path, const SetIndex& index) {
  check(index);
  std::string text;
  try {
    text = to_json(index).dump(2) + "\n";
  } catch (const Json::exception& error) {
    invalid(std::string("the texts of an index must be UTF-8; ") + error.what());
  }
  update_text(path, text_bytes_max, lock_wait_s, [&](const auto&) { return text; });
}

void mark_incomplete(const std::string& path, const std::string& remedy) {
  SetIndex index = read_index(path);
  if (index.incomplete_remedy == remedy) return;
  index.incomplete_remedy = remedy;
  write_index(path, index);
}

void require_whole(const std::string& path, const SetIndex& index) {
  if (index.incomplete_remedy.empty()) return;
  invalid("a striped set must be whole to be used; " + path +
          " is incomplete: a transform in place has overwritten a part of its input; " +
          index.incomplete_remedy);
}

std::string file_of(const std::string& index_path, const std::string& file) {
  // If the right side is an absolute path, `/` returns it alone.
  return (std::filesystem::path(index_path).parent_path() / file).string();
}

}  // namespace weft::disk
