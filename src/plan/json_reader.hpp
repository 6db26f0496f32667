#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include <weft/error.hpp>
#include <weft/layout.hpp>
#include <weft/plan.hpp>

namespace weft::json {

/// Keys keep the order in which they are written.
using Json = nlohmann::ordered_json;

/// A JSON value and its path, as in "plan.stages[1].source", for error messages.
struct JsonPlace {
  const Json& value;
  std::string path;
};

/// Throws invalid_argument with the path, the rule, and the value given, shortened if it is long.
[[noreturn]] void refuse(const JsonPlace& place, const std::string& rule);

/// Returns the document; throws invalid_argument for text that is not JSON and for a key twice in
/// one object.
Json parse(std::string_view text, const std::string& what);

/// Throw invalid_argument for another type: 1.0 and "1" are no integers, 0 and 1 no booleans.
std::int64_t integer(const JsonPlace& place);
int small_integer(const JsonPlace& place);
/// An integer of 0 or more.
std::size_t count(const JsonPlace& place);
bool boolean(const JsonPlace& place);
/// Any finite number.
double number(const JsonPlace& place);
/// A number with all digits of a long double: the sum of two doubles, or one double that is it.
long double long_number(const JsonPlace& place);
Json write_long(long double value);
std::string text(const JsonPlace& place);

/// The elements of a list.
std::vector<JsonPlace> elements(const JsonPlace& place);
Shape shape(const JsonPlace& place);
std::vector<int> axes(const JsonPlace& place);

template <class E>
E word(const JsonPlace& place) {
  const std::string given = text(place);
  try {
    return from_string<E>(given);
  } catch (const Error& error) {
    refuse(place, error.what());
  }
}

/// An object of which every key must be asked for: finish() refuses unused keys.
class Object {
 public:
  explicit Object(const JsonPlace& place);

  /// Throws invalid_argument if the key is missing.
  JsonPlace at(const std::string& key);
  bool has(const std::string& key) const { return place_.value.contains(key); }
  /// Throws invalid_argument if there are unused keys.
  void finish() const;

 private:
  JsonPlace place_;
  std::set<std::string> asked_;
};

}  // namespace weft::json
