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

/// A JSON value whose objects keep the order of their keys.
using Json = nlohmann::ordered_json;

/// A JSON value and its path, as in "plan.stages[1].source", for error messages.
struct JsonPlace {
  const Json& value;
  std::string path;
};

/// Throws invalid_argument with the path, the rule, and the given value, shortened if it is long.
[[noreturn]] void refuse(const JsonPlace& place, const std::string& rule);

/// Parses a document. `document` is its name in errors.
///
/// Errors  invalid_argument for text that is not JSON or has a zero byte. Also for an object with
///         two equal keys, and for values nested more than 32 deep.
Json parse(std::string_view text, const std::string& document);

// The functions below throw invalid_argument for a value of another type. 1.0 and "1" are not
// integers; 0 and 1 are not booleans.

std::int64_t integer(const JsonPlace& place);
/// Returns an integer that fits in an int.
int small_integer(const JsonPlace& place);
/// Returns an integer of 0 or more.
std::size_t count(const JsonPlace& place);
bool boolean(const JsonPlace& place);
/// Returns any finite number.
double number(const JsonPlace& place);
/// Returns a number with all digits of a long double. A list of two doubles means their sum.
long double long_number(const JsonPlace& place);
/// Inverse of long_number(): one double if it is exact, otherwise a list of two.
Json write_long_number(long double value);
/// Returns a value as text. Throws invalid_argument if a string in it is not UTF-8. `owner` names
/// the value in the message: "a plan".
std::string dumped(const Json& value, const std::string& owner);
std::string text(const JsonPlace& place);

/// Returns the elements of a list.
std::vector<JsonPlace> elements(const JsonPlace& place);
Shape shape(const JsonPlace& place);
std::vector<int> axes(const JsonPlace& place);

/// Returns the value of the enumeration E that a word names.
template <class E>
E word(const JsonPlace& place) {
  const std::string given = text(place);
  try {
    return from_string<E>(given);
  } catch (const Error& error) {
    refuse(place, error.what());
  }
}

/// Reads an object. A key is valid if at() or has() was called with it. finish() refuses all other
/// keys.
class Object {
 public:
  explicit Object(const JsonPlace& place);

  /// Returns the value of a key. Throws invalid_argument if the key is missing.
  JsonPlace at(const std::string& key);
  /// Returns whether an optional key is present. If it is, the caller must read its value with
  /// at().
  bool has(const std::string& key);
  /// Throws invalid_argument, with all valid keys, if the object has another key.
  void finish() const;

 private:
  JsonPlace place_;
  std::set<std::string> valid_keys_;
};

}  // namespace weft::json
