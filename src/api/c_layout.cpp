#include "api/c_support.hpp"

#include <algorithm>

#include <weft/plan.hpp>

#include "api/redistribute.hpp"
#include "comm/agreement.hpp"
#include "comm/from_mpi.hpp"

namespace weft::api {
namespace {

/// Runs make() and hands the layout to the caller.
template <class F>
int make_layout(weft_layout** result, F&& make) noexcept {
  return guarded([&] {
    require(result, "layout");
    give_layout(make(), result);
  });
}

void check_rank(const Layout& layout, std::int64_t rank) {
  if (rank < 0 || rank >= layout.ranks())
    throw Error(ErrorCode::invalid_argument, "a rank must be in 0.." +
                                                 std::to_string(layout.ranks() - 1) +
                                                 " of the layout; given " + std::to_string(rank));
}

std::vector<Box> boxes_from(int dims, std::int64_t ranks, const std::int64_t* lower,
                            const std::int64_t* upper) {
  if (ranks < 1)
    throw Error(ErrorCode::invalid_argument,
                "there must be at least 1 rank; given " + std::to_string(ranks));
  std::vector<Box> boxes;
  for (std::int64_t rank = 0; rank < ranks; ++rank)
    boxes.push_back({shape_from(dims, lower + rank * dims, "lower"),
                     shape_from(dims, upper + rank * dims, "upper")});
  return boxes;
}

}  // namespace
}  // namespace weft::api

using weft::Layout;
using namespace weft::api;

int weft_layout_grid(int dims, const int64_t* shape, const int64_t* grid, const int* order,
                     int64_t ranks, weft_layout** layout) {
  return make_layout(layout, [&] {
    return Layout::grid(shape_from(dims, shape, "shape"), shape_from(dims, grid, "grid"),
                        order_from(dims, order), ranks);
  });
}

int weft_layout_slab(int dims, const int64_t* shape, int64_t ranks, int axis,
                     weft_layout** layout) {
  return make_layout(layout,
                     [&] { return Layout::slab(shape_from(dims, shape, "shape"), ranks, axis); });
}

int weft_layout_pencil(int dims, const int64_t* shape, int64_t ranks, int first_axis,
                       int second_axis, weft_layout** layout) {
  return make_layout(layout, [&] {
    return Layout::pencil(shape_from(dims, shape, "shape"), ranks, first_axis, second_axis);
  });
}

int weft_layout_brick(int dims, const int64_t* shape, int64_t ranks, weft_layout** layout) {
  return make_layout(layout,
                     [&] { return Layout::brick(shape_from(dims, shape, "shape"), ranks); });
}

int weft_layout_on_one(int dims, const int64_t* shape, int64_t ranks, int64_t owner,
                       weft_layout** layout) {
  return make_layout(
      layout, [&] { return Layout::on_one(shape_from(dims, shape, "shape"), ranks, owner); });
}

int weft_layout_of_boxes(int dims, const int64_t* shape, int64_t ranks, const int64_t* lower,
                         const int64_t* upper, const int* order, weft_layout** layout) {
  return make_layout(layout, [&] {
    const weft::Shape whole = shape_from(dims, shape, "shape");
    require(lower, "lower");
    require(upper, "upper");
    return Layout::of_boxes(whole, boxes_from(dims, ranks, lower, upper), order_from(dims, order));
  });
}

int weft_layout_of_local_boxes(int dims, const int64_t* shape, const int64_t* lower,
                               const int64_t* upper, const int* order, MPI_Comm comm,
                               weft_layout** layout) {
  return guarded([&] {
    const auto group = weft::comm::communicator_or_solo(comm);
    weft::Shape whole;
    weft::Box mine;
    std::vector<int> memory_order;
    const auto wrong = error_of([&] {
      require(layout, "layout");
      whole = shape_from(dims, shape, "shape");
      mine = {shape_from(dims, lower, "lower"), shape_from(dims, upper, "upper")};
      memory_order = order_from(dims, order);
    });
    give_layout(layout_of_local_boxes(whole, mine, group, memory_order, wrong), layout);
  });
}

int weft_layout_with_order(const weft_layout* layout, const int* order, weft_layout** result) {
  return make_layout(result, [&] {
    require(layout, "layout");
    return layout->value.with_order(order_from(layout->value.dims(), order));
  });
}

int weft_layout_with_components(const weft_layout* layout, int64_t count, weft_layout** result) {
  return make_layout(result, [&] {
    require(layout, "layout");
    return layout->value.with_components(count);
  });
}

int weft_layout_from_json(const char* json, weft_layout** layout) {
  return make_layout(layout, [&] {
    require(json, "json");
    return weft::layout_from_json(json);
  });
}

void weft_layout_destroy(weft_layout* layout) { delete layout; }

int weft_layout_dims(const weft_layout* layout, int* dims) {
  return guarded([&] {
    require(layout, "layout");
    require(dims, "dims");
    *dims = layout->value.dims();
  });
}

int weft_layout_ranks(const weft_layout* layout, int64_t* ranks) {
  return guarded([&] {
    require(layout, "layout");
    require(ranks, "ranks");
    *ranks = layout->value.ranks();
  });
}

int weft_layout_shape(const weft_layout* layout, int64_t* shape) {
  return guarded([&] {
    require(layout, "layout");
    require(shape, "shape");
    std::copy(layout->value.shape().begin(), layout->value.shape().end(), shape);
  });
}

int weft_layout_box(const weft_layout* layout, int64_t rank, int64_t* lower, int64_t* upper) {
  return guarded([&] {
    require(layout, "layout");
    require(lower, "lower");
    require(upper, "upper");
    check_rank(layout->value, rank);
    const weft::Box box = layout->value.box(rank);
    std::copy(box.lower.begin(), box.lower.end(), lower);
    std::copy(box.upper.begin(), box.upper.end(), upper);
  });
}

int weft_layout_strides(const weft_layout* layout, int64_t rank, int64_t* strides) {
  return guarded([&] {
    require(layout, "layout");
    require(strides, "strides");
    check_rank(layout->value, rank);
    const weft::Shape found = layout->value.strides(rank);
    std::copy(found.begin(), found.end(), strides);
  });
}

int weft_layout_volume(const weft_layout* layout, int64_t rank, int64_t* elements) {
  return guarded([&] {
    require(layout, "layout");
    require(elements, "elements");
    check_rank(layout->value, rank);
    *elements = layout->value.local_volume(rank);
  });
}

int weft_layout_describe(const weft_layout* layout, char** text) {
  return guarded([&] {
    require(layout, "layout");
    give_text(layout->value.describe(), text);
  });
}

int weft_layout_json(const weft_layout* layout, char** json) {
  return guarded([&] {
    require(layout, "layout");
    give_text(weft::to_json(layout->value), json);
  });
}
