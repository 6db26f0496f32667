#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "plan/json_reader.hpp"

namespace weft::json {

/// A member of a struct, and its key in the JSON object.
template <class Struct, class T>
struct Field {
  const char* key;
  T Struct::*member;
};
template <class Struct, class T>
Field(const char*, T Struct::*) -> Field<Struct, T>;

/// As Field, for an integer that must be at least `least`.
template <class Struct>
struct BoundedField {
  const char* key;
  std::int64_t Struct::*member;
  std::int64_t least;
};
template <class Struct>
BoundedField(const char*, std::int64_t Struct::*, std::int64_t) -> BoundedField<Struct>;

template <class T>
constexpr bool is_bounded = false;
template <class Struct>
inline constexpr bool is_bounded<BoundedField<Struct>> = true;

/// The fields of a plain struct as a tuple, in the order in which they are written. Writing and
/// reading use the same tuple. A specialisation of this variable gives a struct its fields.
template <class T>
constexpr std::nullptr_t fields = nullptr;

template <class T>
constexpr bool has_fields = !std::is_same_v<decltype(fields<T>), const std::nullptr_t>;
template <class T>
constexpr bool is_list = false;
template <class T>
inline constexpr bool is_list<std::vector<T>> = true;
template <class T>
constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;

template <class T>
Json written(const T& value);
template <class T>
T read_as(const JsonPlace& place);

/// Writes all fields of a struct into an object.
template <class T>
void write_fields(Json& object, const T& value) {
  const auto write = [&](const auto& field) { object[field.key] = written(value.*field.member); };
  std::apply([&](const auto&... field) { (write(field), ...); }, fields<T>);
}

/// Inverse of write_fields(). The caller reads the other keys of the object.
template <class T>
T read_fields(Object& object) {
  T value;
  const auto read = [&](const auto& field) {
    auto& member = value.*field.member;
    const JsonPlace place = object.at(field.key);
    member = read_as<std::remove_reference_t<decltype(member)>>(place);
    if constexpr (is_bounded<std::remove_cvref_t<decltype(field)>>)
      if (member < field.least)
        refuse(place, "this must be at least " + std::to_string(field.least));
  };
  std::apply([&](const auto&... field) { (read(field), ...); }, fields<T>);
  return value;
}

/// Returns a value as JSON:
///   number, boolean, text  unchanged; for a long double see write_long_number()
///   enumeration            its word
///   struct with fields     an object
///   list                   an array
///   optional value         the value, or null if it is empty
template <class T>
Json written(const T& value) {
  if constexpr (std::is_enum_v<T>) {
    return to_string(value);
  } else if constexpr (is_list<T>) {
    Json list = Json::array();
    for (const auto& each : value) list.push_back(written(each));
    return list;
  } else if constexpr (has_fields<T>) {
    Json object = Json::object();
    write_fields(object, value);
    return object;
  } else if constexpr (is_optional<T>) {
    return value ? written(*value) : Json();
  } else if constexpr (std::is_same_v<T, long double>) {
    return write_long_number(value);
  } else {
    return value;
  }
}

/// Inverse of written(). Throws invalid_argument for a value of another type, for an integer below
/// its bound, and for missing or unknown keys.
template <class T>
T read_as(const JsonPlace& place) {
  if constexpr (std::is_enum_v<T>) {
    return word<T>(place);
  } else if constexpr (is_list<T>) {
    T list;
    for (const JsonPlace& each : elements(place))
      list.push_back(read_as<typename T::value_type>(each));
    return list;
  } else if constexpr (has_fields<T>) {
    Object object(place);
    T value = read_fields<T>(object);
    object.finish();
    return value;
  } else if constexpr (is_optional<T>) {
    if (place.value.is_null()) return std::nullopt;
    return read_as<typename T::value_type>(place);
  } else if constexpr (std::is_same_v<T, bool>) {
    return boolean(place);
  } else if constexpr (std::is_same_v<T, std::int64_t>) {
    return integer(place);
  } else if constexpr (std::is_same_v<T, int>) {
    return small_integer(place);
  } else if constexpr (std::is_same_v<T, std::size_t>) {
    return count(place);
  } else if constexpr (std::is_same_v<T, double>) {
    return number(place);
  } else if constexpr (std::is_same_v<T, long double>) {
    return long_number(place);
  } else {
    static_assert(std::is_same_v<T, std::string>);
    return text(place);
  }
}

}  // namespace weft::json
