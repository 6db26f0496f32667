#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <weft/plan.hpp>

#include "exchange/exchange.hpp"
#include "plan/end_stages.hpp"
#include "run/buffers.hpp"

namespace weft::run {

/// An exchange between two stages as one rank sees it, with the buffers that it uses.
struct StageExchange {
  Exchange choices;
  exchange::ExchangeEndpoint side;
  bool both_sides = false;  ///< the later stage can transform chunks as they arrive
};

/// The buffers of one rank in all exchanges of a variant.
struct BufferAssignment {
  std::vector<StageExchange> exchanges;  ///< in the order of execution
  BufferSizes sizes{};
  bool peers_read_source_last = false;  ///< a call must not return before they have read it

  /// Returns true when an exchange needs buffers that other ranks see.
  bool is_shared() const;
};

/// Chooses the buffers of all exchanges. Pure.
///
/// route : the stages of the plan as this variant executes them. first_uses_work : the first stage
/// uses the work buffer between its two sweeps.
BufferAssignment assign_buffers(const Plan& plan, const std::vector<Stage>& route,
                                const Variant& variant, std::int64_t rank, bool first_uses_work);

/// Returns the caller's input or output on one rank, as the stages of a variant see it.
kernel::Place users_array(const Plan& plan, const std::vector<Stage>& route, const Variant& variant,
                          bool is_input, std::int64_t rank);

/// Returns whether the array is real before the stage at this position of the execution, or after
/// the last stage.
bool is_real_before(const Plan& plan, std::size_t position, Direction direction);

/// Returns the strides of the caller's real array when it shares memory with the complex one. Rows
/// are padded to 2*(n/2+1) reals where the halved axis is whole and fastest in memory; otherwise
/// the array is dense.
Shape inplace_real_strides(const Layout& real_layout, const Problem& problem, std::int64_t rank);

/// Returns the elements from the start of a dense or padded array to its end, with the padding of
/// its last row. The slowest axis has the largest stride.
std::int64_t span_of(const Shape& extents, const Shape& strides);

}  // namespace weft::run
