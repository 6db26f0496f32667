#include "plan/json_reader.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace weft::json {
namespace {

/// Shortens a value for a message: it must be recognisable, not complete.
std::string shortened(const Json& value) {
  constexpr std::size_t length_max = 80;
  if (value.is_structured() && value.size() > length_max)
    return std::string("a ") + (value.is_array() ? "list" : "object") + " of " +
           std::to_string(value.size());
  std::string dumped = value.dump(-1, ' ', true, Json::error_handler_t::replace);
  if (dumped.size() > length_max) dumped = dumped.substr(0, length_max) + "...";
  return dumped;
}

/// Returns text of a document for a message: on one line, in any encoding, and shortened if it is
/// long.
std::string recognisable(std::string text) {
  constexpr std::size_t length_max = 240;
  if (text.size() > length_max) text = text.substr(0, length_max) + "...";
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return text;
}

/// Refuses an object with two equal keys: nlohmann silently keeps the last one.
class DuplicateKeys {
 public:
  explicit DuplicateKeys(std::string what) : what_(std::move(what)) {}

  void see(Json::parse_event_t event, const Json& parsed) {
    if (event == Json::parse_event_t::object_start) open_.emplace_back();
    if (event == Json::parse_event_t::object_end) open_.pop_back();
    if (event != Json::parse_event_t::key) return;
    const auto key = parsed.get<std::string>();
    if (!open_.back().insert(key).second)
      throw Error(ErrorCode::invalid_argument, what_ + ": a key must appear once in an object; \"" +
                                                   recognisable(key) + "\" is given twice");
  }

 private:
  std::string what_;
  std::vector<std::set<std::string>> open_;
};

/// Dumping and destroying nested values recurses, so parsing refuses depths that weft never needs.
constexpr int depth_max = 32;

}  // namespace

void refuse(const JsonPlace& place, const std::string& rule) {
  throw Error(ErrorCode::invalid_argument,
              place.path + ": " + rule + "; given " + shortened(place.value));
}

Json parse(std::string_view text, const std::string& what) {
  DuplicateKeys duplicates(what);
  const auto watch = [&](int depth, Json::parse_event_t event, const Json& parsed) {
    if (depth > depth_max)
      throw Error(ErrorCode::invalid_argument,
                  what + ": values are nested at most " + std::to_string(depth_max) + " deep");
    duplicates.see(event, parsed);
    return true;
  };
  // The parser takes it for the end and would silently drop the rest.
  if (text.find('\0') != std::string_view::npos)
    throw Error(ErrorCode::invalid_argument, what + ": JSON has no zero byte; there is one at " +
                                                 std::to_string(text.find('\0')) +
                                                 "; the text is damaged");
  try {
    return Json::parse(text.begin(), text.end(), watch);
  } catch (const Json::exception& error) {
    throw Error(ErrorCode::invalid_argument,
                what + ": this is not complete JSON; " + recognisable(error.what()));
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
  if (parts.size() != 2) refuse(place, "this must be a number, or the two whose sum it is");
  return static_cast<long double>(number(parts[0])) + number(parts[1]);
}

Json write_long(long double value) {
  const auto most = static_cast<double>(value);  // two doubles hold all digits
  const auto rest = static_cast<double>(value - most);
  return rest == 0 ? Json(most) : Json::array({most, rest});
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
  asked_.insert(key);
  const auto found = place_.value.find(key);
  if (found == place_.value.end()) refuse(place_, "the key \"" + key + "\" is missing");
  return {*found, place_.path + "." + key};
}

void Object::finish() const {
  for (const auto& item : place_.value.items()) {
    if (asked_.count(item.key())) continue;
    std::string known;
    for (const std::string& key : asked_) known += (known.empty() ? "" : ", ") + key;
    throw Error(ErrorCode::invalid_argument, place_.path + ": the valid keys are " + known +
                                                 "; given \"" + recognisable(item.key()) + "\"");
  }
}

}  // namespace weft::json
