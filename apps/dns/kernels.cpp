#include "kernels.hpp"

#include <array>
#include <cmath>
#include <stdexcept>

#include <weft/tile_rows.hpp>

namespace weft::dns {
namespace {

constexpr int dims = 3;

template <class T>
std::vector<std::vector<T>> narrowed(const NumbersByAxis& tables) {
  std::vector<std::vector<T>> made;
  for (const auto& axis : tables) made.emplace_back(axis.begin(), axis.end());
  return made;
}

std::int64_t offset_of(const TileRow& row, const std::vector<std::int64_t>& strides) {
  std::int64_t offset = 0;
  for (int axis = 0; axis < dims; ++axis)
    offset += row.index[axis] * strides[static_cast<std::size_t>(axis)];
  return offset;
}

/// Returns the axis along which elements are adjacent for these strides, if a tile has such an
/// axis.
int memory_axis(const Tile& tile, const std::vector<std::int64_t>& strides) {
  for (int axis = 0; axis < dims; ++axis)
    if (strides[static_cast<std::size_t>(axis)] == 1 && tile.extents[axis] > 1) return axis;
  return static_cast<int>(row_axis(tile));
}

/// Addresses of the rows of several arrays.
template <class E>
class Rows {
 public:
  Rows(void* const* arrays, std::int64_t count, std::int64_t reals)
      : arrays_(arrays), count_(count), reals_(reals) {}
  E* const* at(std::int64_t offset) {
    for (std::int64_t i = 0; i < count_; ++i)
      rows_[static_cast<std::size_t>(i)] = static_cast<E*>(arrays_[i]) + reals_ * offset;
    return rows_.data();
  }

 private:
  void* const* arrays_;
  std::int64_t count_;
  std::int64_t reals_;  ///< of an element
  std::array<E*, 3 + 3 * most_scalars + 6> rows_{};
};

}  // namespace

template <class T>
Kernels<T>::Kernels(const SimulationGrid& grid, const RowTable& rows)
    : scalars_(static_cast<std::int64_t>(grid.gradients.size())),
      lower_(grid.lower),
      strides_(grid.strides),
      derivatives_(narrowed<T>(grid.derivatives)),
      squares_(grid.squares),
      kept_(narrowed<T>(grid.kept)),
      diffusivities_(grid.diffusivities) {
  if constexpr (std::is_same_v<T, float>)
    rows_ = &rows.f32;
  else
    rows_ = &rows.f64;
  if (scalars_ > most_scalars)
    throw std::invalid_argument("a simulation has at most " + std::to_string(most_scalars) +
                                " scalars; given " + std::to_string(scalars_));
  for (int axis = 0; axis < dims; ++axis)
    inverse_steps_[axis] = static_cast<T>(1 / grid.steps[static_cast<std::size_t>(axis)]);
  for (const auto& gradient : grid.gradients)
    for (const double component : gradient) gradients_.push_back(static_cast<T>(component));
  registers_.resize(most_registers);
}

template <class T>
void Kernels<T>::set_register(int number, const std::vector<void*>& arrays) {
  auto& fields = registers_.at(static_cast<std::size_t>(number));
  fields.clear();
  for (void* const array : arrays) fields.push_back(static_cast<T*>(array));
}

template <class T>
void Kernels<T>::set_evaluation(const Evaluation& evaluation) {
  const auto require = [&](int number) {
    if (number < 0 || number >= most_registers ||
        registers_[static_cast<std::size_t>(number)].size() !=
            static_cast<std::size_t>(3 + scalars_))
      throw std::invalid_argument("register " + std::to_string(number) + " has no memory");
  };
  require(evaluation.input);
  if (evaluation.added >= 0) require(evaluation.added);
  for (const Update& update : evaluation.updates) {
    require(update.target);
    for (int t = 0; t < update.terms; ++t)
      if (update.term[t].source >= 0) require(update.term[t].source);
  }
  evaluation_ = evaluation;
  decays_.clear();
  for (const double diffusivity : diffusivities_) {
    decays_.emplace_back();
    for (const auto& axis : squares_) {
      decays_.back().emplace_back();
      for (const double square : axis)
        decays_.back().back().push_back(
            static_cast<T>(std::exp(-diffusivity * square * evaluation.decay_time)));
    }
  }
  phases_ = narrowed<T>(evaluation.shift);
  back_phases_ = phases_;
  for (auto& axis : back_phases_)
    for (std::size_t i = 1; i < axis.size(); i += 2) axis[i] = -axis[i];
}

template <class T>
std::int64_t Kernels<T>::sums() const {
  return evaluation_.shells * (velocity_sums + scalar_sums * scalars_);
}

template <class T>
WaveRow<T> Kernels<T>::wave_row(const Tile& tile, const std::int64_t* index, int along) const {
  WaveRow<T> row{};
  for (int axis = 0; axis < dims; ++axis) {
    const T* const table = derivatives_[static_cast<std::size_t>(axis)].data() + tile.lower[axis];
    if (axis == along) {
      row.along = table;
      row.along_axis[axis] = 1;
    } else {
      row.across[axis] = table[index[axis]];
    }
  }
  return row;
}

template <class T>
PhaseRow<T> Kernels<T>::phase_row(const RealsByAxis& phases, const Tile& tile,
                                  const std::int64_t* index, int along) const {
  PhaseRow<T> row{nullptr, 1, 0};
  if (phases.empty()) return row;
  for (int axis = 0; axis < dims; ++axis) {
    const T* const table = phases[static_cast<std::size_t>(axis)].data() + 2 * tile.lower[axis];
    if (axis == along) {
      row.along = table;
      continue;
    }
    const T c = table[2 * index[axis]];
    const T s = table[2 * index[axis] + 1];
    const T re = row.across_re;
    row.across_re = re * c - row.across_im * s;
    row.across_im = re * s + row.across_im * c;
  }
  return row;
}

template <class T>
void Kernels<T>::inverse(const Tile& tile) const {
  const auto along = static_cast<int>(row_axis(tile));
  Rows<T> in(tile.inputs, 3 + scalars_, 2);
  Rows<T> out(tile.outputs, 6 + scalars_, 2);
  for_each_row(tile, along, [&](const TileRow& row) {
    const InverseRow<T> given{tile.extents[along],
                              tile.strides[along],
                              scalars_,
                              wave_row(tile, row.index, along),
                              phase_row(phases_, tile, row.index, along),
                              in.at(row.offset),
                              out.at(row.offset)};
    rows_->inverse(&given);
  });
}

template <class T>
void Kernels<T>::space(const Tile& tile) const {
  const auto along = static_cast<int>(row_axis(tile));
  Rows<T> in(tile.inputs, 6 + scalars_, 1);
  Rows<T> out(tile.outputs, 3 + 3 * scalars_, 1);
  for_each_row(tile, along, [&](const TileRow& row) {
    const SpaceRow<T> given{tile.extents[along],
                            tile.strides[along],
                            scalars_,
                            {inverse_steps_[0], inverse_steps_[1], inverse_steps_[2]},
                            in.at(row.offset),
                            out.at(row.offset),
                            tile.result_count > 0 ? tile.results : nullptr,
                            tile.result_count > 1 ? tile.results + 1 : nullptr};
    rows_->space(&given);
  });
}

template <class T>
void Kernels<T>::advance(const Tile& tile) const {
  const int along = memory_axis(tile, strides_);
  const std::int64_t fields = 3 + scalars_;
  Rows<T> products(tile.inputs, 3 + 3 * scalars_, 2);
  Rows<T> out(tile.outputs, fields, 2);
  std::int64_t start = 0;
  for (int axis = 0; axis < dims; ++axis)
    start += (tile.lower[axis] - lower_[static_cast<std::size_t>(axis)]) *
             strides_[static_cast<std::size_t>(axis)];
  std::vector<T*> registers(static_cast<std::size_t>(most_registers * fields), nullptr);
  std::vector<ProductRow<T>> decays(diffusivities_.size());
  for_each_row(tile, along, [&](const TileRow& row) {
    const std::int64_t at = start + offset_of(row, strides_);
    for (std::size_t r = 0; r < registers_.size(); ++r)
      for (std::size_t c = 0; c < registers_[r].size(); ++c)
        registers[r * static_cast<std::size_t>(fields) + c] = registers_[r][c] + 2 * at;
    for (std::size_t d = 0; d < decays.size(); ++d) {
      decays[d].across = 1;
      for (int axis = 0; axis < dims; ++axis) {
        const T* const table = decays_[d][static_cast<std::size_t>(axis)].data() + tile.lower[axis];
        if (axis == along)
          decays[d].along = table;
        else
          decays[d].across *= table[row.index[axis]];
      }
    }
    T kept_across = 0;
    double k2_across = 0;
    double weight_across = 1;
    bool is_zero_row = true;
    for (int axis = 0; axis < dims; ++axis) {
      if (axis == along) {
        is_zero_row = is_zero_row && tile.lower[axis] == 0;
        continue;
      }
      const std::int64_t index = tile.lower[axis] + row.index[axis];
      const auto place = static_cast<std::size_t>(index);
      is_zero_row = is_zero_row && index == 0;
      k2_across += squares_[static_cast<std::size_t>(axis)][place];
      if (!kept_.empty()) kept_across += kept_[static_cast<std::size_t>(axis)][place];
      if (tile.weights[axis] != nullptr) weight_across *= tile.weights[axis][row.index[axis]];
    }
    const auto axis_of_row = static_cast<std::size_t>(along);
    const Sums sums{squares_[axis_of_row].data() + tile.lower[along],
                    k2_across,
                    tile.weights[along],
                    weight_across,
                    evaluation_.shells > 0 ? 1 / evaluation_.shell_width : 0,
                    evaluation_.shells,
                    tile.results};
    const AdvanceRow<T> given{
        tile.extents[along],
        tile.strides[along],
        strides_[axis_of_row],
        scalars_,
        wave_row(tile, row.index, along),
        phase_row(back_phases_, tile, row.index, along),
        decays.data(),
        kept_.empty() ? nullptr : kept_[axis_of_row].data() + tile.lower[along],
        kept_across,
        gradients_.data(),
        products.at(row.offset),
        out.at(row.offset),
        registers.data(),
        evaluation_.input,
        evaluation_.added,
        static_cast<T>(evaluation_.scale),
        evaluation_.updates.data(),
        static_cast<int>(evaluation_.updates.size()),
        is_zero_row ? 0 : -1,
        evaluation_.shells > 0 ? &sums : nullptr};
    rows_->advance(&given);
  });
}

template class Kernels<float>;
template class Kernels<double>;

const RowTable& row_table(const std::string& instruction_set) {
  if (instruction_set == "v1") return *weft_dns_rows_v1();
#ifdef WEFT_HAVE_WIDE_SETS
  if (instruction_set == "v3") return *weft_dns_rows_v3();
  if (instruction_set == "v4") return *weft_dns_rows_v4();
#endif
  throw std::invalid_argument("an instruction set must be one of this build; given " +
                              instruction_set);
}

}  // namespace weft::dns
