#include "planning/ooc_state.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "common.hpp"

namespace nb = nanobind;

namespace weft::python {
namespace {

// All members of each struct, in one order for both directions; `Of` is the struct, const or not.

template <class T, class Of>
concept is_a = std::is_same_v<std::remove_const_t<Of>, T>;

template <class Of>
auto members(Of& e) requires is_a<ooc::ElementType, Of> {
  return std::tie(e.kind, e.bytes, e.is_swapped);
}

template <class Of>
auto members(Of& p) requires is_a<ooc::KPassProblem, Of> {
  return std::tie(p.shape, p.axes, p.precision, p.order, p.real_input, p.real_output,
                  p.memory_bytes, p.block_bytes, p.buffers, p.threads, p.preserve_inputs,
                  p.in_place, p.groups, p.input_type);
}

template <class Of>
auto members(Of& a) requires is_a<ooc::PanelAxis, Of> {
  return std::tie(a.before, a.length, a.after, a.halved);
}

template <class Of>
auto members(Of& p) requires is_a<ooc::KPass, Of> {
  return std::tie(p.outer, p.radix, p.rest, p.inner, p.axes, p.twiddle, p.twiddle_length,
                  p.twiddle_step, p.unpacks_reals, p.packs_reals, p.reads_reals, p.converts,
                  p.writes_reals, p.real_radix, p.source_slab, p.target_slab, p.spectrum_of,
                  p.other_sign, p.chirp, p.chirp_length, p.convolves, p.scale, p.outer_width,
                  p.rest_width, p.inner_width, p.source, p.target, p.source_first, p.target_first,
                  p.kernel_first, p.journaled, p.journal_read_bytes, p.panel_elements,
                  p.tile_lines);
}

template <class Of>
auto members(Of& p) requires is_a<ooc::KPassPlan, Of> {
  return std::tie(p.problem, p.passes, p.element_bytes, p.transposed_rows, p.scratch_bytes,
                  p.journal_first_byte, p.journal_slot_bytes, p.ranks, p.convolution_points,
                  p.kernel_passes);
}

template <class T>
constexpr bool has_members = requires(T& value) {
  members(value);
};
template <class T>
constexpr bool is_list = false;
template <class T>
constexpr bool is_list<std::vector<T>> = true;
template <class T>
constexpr bool is_optional = false;
template <class T>
constexpr bool is_optional<std::optional<T>> = true;

template <class T>
nb::object written(const T& value) {
  if constexpr (has_members<const T>) {
    return std::apply([](const auto&... each) { return nb::make_tuple(written(each)...); },
                      members(value));
  } else if constexpr (is_list<T>) {
    nb::list list;
    for (const auto& each : value) list.append(written(each));
    return nb::tuple(list);
  } else if constexpr (is_optional<T>) {
    return value ? written(*value) : nb::none();
  } else if constexpr (std::is_enum_v<T>) {
    return nb::cast(static_cast<int>(value));
  } else if constexpr (std::is_same_v<T, long double>) {
    const auto most = static_cast<double>(value);  // two doubles hold all digits
    return nb::make_tuple(most, static_cast<double>(value - most));
  } else {
    return nb::cast(value);
  }
}

template <class T>
void read(const nb::handle& state, T& value) {
  if constexpr (has_members<T>) {
    const auto given = nb::cast<nb::tuple>(state);
    const auto wanted = members(value);
    if (given.size() != std::tuple_size_v<decltype(wanted)>)
      throw Error(ErrorCode::invalid_argument,
                  "a pickled plan is read by the version of weft that wrote it; this one was "
                  "written by another; plan again with weft.ooc.plan");
    std::size_t at = 0;
    std::apply([&](auto&... each) { (read(given[at++], each), ...); }, wanted);
  } else if constexpr (is_list<T>) {
    for (const nb::handle each : nb::cast<nb::tuple>(state)) read(each, value.emplace_back());
  } else if constexpr (is_optional<T>) {
    if (!state.is_none()) read(state, value.emplace());
  } else if constexpr (std::is_enum_v<T>) {
    value = static_cast<T>(nb::cast<int>(state));
  } else if constexpr (std::is_same_v<T, long double>) {
    const auto [most, rest] = nb::cast<std::pair<double, double>>(state);
    value = static_cast<long double>(most) + rest;
  } else {
    value = nb::cast<T>(state);
  }
}

}  // namespace

nb::object state_of_passes(const ooc::KPassPlan& plan) { return written(plan); }

ooc::KPassPlan passes_of_state(const nb::tuple& state) {
  ooc::KPassPlan plan;
  read(state, plan);
  return plan;
}

}  // namespace weft::python
