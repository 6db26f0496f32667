#include "plan/json_reader.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace weft::json {
namespace {

/// Returns a value for a message, shortened if it is long.
std::string shortened(const Json& value) {
  constexpr std::size_t length_max = 80;
  if (value.is_structured() && value.size() > length_max)
    return std::string("a ") + (value.is_array() ? "list" : "object") + " of " +
           std::to_string(value.size());
  std::string dumped = value.dump(-1, ' ', true, Json::error_handler_t::replace);
  if (dumped.size() > length_max) dumped = dumped.substr(0, length_max) + "...";
  return dumped;
}

/// Returns a document's text for a message: printable ASCII on one line, shortened if it is long.
std::string printable(std::string text) {
  constexpr std::size_t length_max = 240;
  if (text.size() > length_max) text = text.substr(0, length_max) + "...";
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return text;
}

/// Refuses an object with two equal keys, because nlohmann silently keeps the last one.
class DuplicateKeys {
 public:
  explicit DuplicateKeys(std::string document) : document_(std::move(document)) {}

  /// Receives each event of the parser.
  void check(Json::parse_event_t event, const Json& parsed) {
    if (event == Json::parse_event_t::object_start) keys_of_open_objects_.emplace_back();
    if (event == Json::parse_event_t::object_end) keys_of_open_objects_.pop_back();
    if (event != Json::parse_event_t::key) return;
    const auto key = parsed.get<std::string>();
    if (!keys_of_open_objects_.back().insert(key).second)
      throw Error(ErrorCode::invalid_argument, document_ +
                                                   ": a key must appear once in an object; \"" +
                                                   printable(key) + "\" is given twice");
  }

 private:
  std::string document_;
  std::vector<std::set<std::string>> keys_of_open_objects_;
};

/// The deepest nesting that parse() accepts. It is more than weft needs. Writing and destroying a
/// value recurse to its depth, which could overflow the stack.
constexpr int depth_max = 32;

}  // namespace

void refuse(const JsonPlace& place, const std::string& rule) {
  throw Error(ErrorCode::invalid_argument,
              place.path + ": " + rule + "; given " + shortened(place.value));
}

Json parse(std::string_view text, const std::string& document) {
  DuplicateKeys duplicates(document);
  const auto check = [&](int depth, Json::parse_event_t event, const Json& parsed) {
    if (depth > depth_max)
      throw Error(ErrorCode::invalid_argument, document + ": values must be nested at most " +
                                                   std::to_string(depth_max) +
                                                   " deep; these are deeper");
    duplicates.check(event, parsed);
    return true;
  };
  // The parser takes a zero byte as the end of the text, and silently ignores the rest.
  if (const std::size_t zero = text.find('\0'); zero != std::string_view::npos)
    throw Error(ErrorCode::invalid_argument, document + ": JSON has no zero byte; byte " +
                                                 std::to_string(zero) +
                                                 " is one; the text is damaged");
  try {
    return Json::parse(text.begin(), text.end(), check);
  } catch (const Json::exception& error) {
    throw Error(ErrorCode::invalid_argument,
                document + ": this is not complete JSON; " + printable(error.what()));
  }
}

std::int64_t integer(const JsonPlace& place) {
  if (!place.value.is_number_integer()) refuse(place, "this must be an integer");
  if (place.value.is_number_unsigned() &&
      place.value.get<std::uint64_t>() >
          static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
    refuse(place, "this must fit in 63 bits");
  return place.value.get<std::int64_t>();
}

int small_integer(const JsonPlace& place) {
  const std::int64_t value = integer(place);
  if (!std::in_range<int>(value)) refuse(place, "this must fit in 31 bits");
  return static_cast<int>(value);
}

std::size_t count(const JsonPlace& place) {
  const std::int64_t value = integer(place);
  if (value < 0) refuse(place, "this must be 0 or more");
  return static_cast<std::size_t>(value);
}

bool boolean(const JsonPlace& place) {
  if (!place.value.is_boolean()) refuse(place, "this must be true or false");
  return place.value.get<bool>();
}

double number(const JsonPlace& place) {
  if (!place.value.is_number()) refuse(place, "this must be a number");
  const auto value = place.value.get<double>();
  if (!std::isfinite(value)) refuse(place, "this must be a finite number");
  return value;
}

long double long_number(const JsonPlace& place) {
  if (!place.value.is_array()) return number(place);
  const std::vector<JsonPlace> parts = elements(place);
  if (parts.size() != 2) refuse(place, "this must be a number, or a list of two numbers to add");
  return static_cast<long double>(number(parts[0])) + number(parts[1]);
}

Json write_long_number(long double value) {
  const auto rounded = static_cast<double>(value);
  const auto rest = static_cast<double>(value - rounded);  // two doubles hold all digits
  return rest == 0 ? Json(rounded) : Json::array({rounded, rest});
}

std::string dumped(const Json& value, const std::string& owner) {
  try {
    return value.dump();
  } catch (const Json::exception& error) {
    throw Error(ErrorCode::invalid_argument,
                "the texts of " + owner + " must be UTF-8; " + error.what());
  }
}

std::string text(const JsonPlace& place) {
  if (!place.value.is_string()) refuse(place, "this must be a string");
  return place.value.get<std::string>();
}

std::vector<JsonPlace> elements(const JsonPlace& place) {
  if (!place.value.is_array()) refuse(place, "this must be a list");
  std::vector<JsonPlace> found;
  found.reserve(place.value.size());
  for (std::size_t i = 0; i < place.value.size(); ++i)
    found.push_back({place.value[i], place.path + "[" + std::to_string(i) + "]"});
  return found;
}

Shape shape(const JsonPlace& place) {
  Shape result;
  for (const JsonPlace& element : elements(place)) result.push_back(integer(element));
  return result;
}

std::vector<int> axes(const JsonPlace& place) {
  std::vector<int> result;
  for (const JsonPlace& element : elements(place)) result.push_back(small_integer(element));
  return result;
}

Object::Object(const JsonPlace& place) : place_(place) {
  if (!place.value.is_object()) refuse(place, "this must be an object");
}

JsonPlace Object::at(const std::string& key) {
  valid_keys_.insert(key);
  const auto found = place_.value.find(key);
  if (found == place_.value.end()) refuse(place_, "the key \"" + key + "\" is missing");
  return {*found, place_.path + "." + key};
}

bool Object::has(const std::string& key) {
  valid_keys_.insert(key);
  return place_.value.contains(key);
}

void Object::finish() const {
  for (const auto& item : place_.value.items()) {
    if (valid_keys_.count(item.key())) continue;
    std::string keys;
    for (const std::string& key : valid_keys_) keys += (keys.empty() ? "" : ", ") + key;
    throw Error(ErrorCode::invalid_argument, place_.path + ": the valid keys are " + keys +
                                                 "; given \"" + printable(item.key()) + "\"");
  }
}

}  // namespace weft::json
