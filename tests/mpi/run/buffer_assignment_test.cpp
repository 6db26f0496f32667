// A table of the buffers that each stage of a plan reads and writes, in each variant and on each
// rank.
#include "run/buffer_assignment.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "mpi/support/seed_of_all_ranks.hpp"
#include "support/random_problems.hpp"

namespace weft::run {
namespace {

/// Returns a text such as "work", or "even of 2" for the even buffer of rank 2.
std::string buffer_words(int buffer, std::int64_t ranks) {
  constexpr std::array<const char*, buffer_count> names{
      "input",   "output", "work", "second",  "third",  "own",    "spare", "exposed",
      "exposed", "even",   "odd",  "arrival", "source", "target", "apart"};
  if (buffer < buffer_count) return names.at(static_cast<std::size_t>(buffer));
  const auto peer = static_cast<std::int64_t>(buffer - buffer_count);
  return names.at(static_cast<std::size_t>(first_shared + peer / ranks)) + std::string(" of ") +
         std::to_string(peer % ranks);
}

std::string place_words(const kernel::Place& place, std::int64_t ranks) {
  std::set<std::string> all;
  for (const kernel::Piece& piece : place.pieces) all.insert(buffer_words(piece.buffer, ranks));
  std::string words;
  for (const std::string& each : all) words += (words.empty() ? "" : "+") + each;
  return words.empty() ? "nothing" : words;
}

/// Returns the buffers that each stage reads and writes, such as "input > work, second > output".
std::string assigned(const Plan& plan, Variant variant, std::int64_t rank) {
  const BufferAssignment found = assign_buffers(plan, variant, rank);
  std::string words;
  for (const StageSpec& stage : found.stages)
    words += (words.empty() ? "" : ", ") + place_words(stage.inlet, plan.problem.ranks) + " > " +
             place_words(stage.outlet, plan.problem.ranks);
  return words;
}

struct Row {
  Exchange exchange = {};
  OutputChoice output = OutputChoice::any;
  std::int64_t ranks = 2;
  std::int64_t ranks_per_node = 1;
  Variant variant = {};
  std::int64_t rank = 0;
  std::string wanted = {};
};

constexpr Variant forward{};
constexpr Variant forward_in_place{Direction::forward, true};
constexpr Variant backward{Direction::backward, false};

Plan plan_of(const Row& row) {
  return make_plan({.shape = {4, 6, 5},
                    .ranks = row.ranks,
                    .ranks_per_node = row.ranks_per_node,
                    .output_choice = row.output,
                    .exchange = row.exchange});
}

TEST(BufferAssignment, BuffersAreThoseOfTheTable) {
  const Exchange packed{.method = Method::messages, .wire_form = WireForm::packed, .chunks = 1};
  const Exchange chunks{.method = Method::messages, .wire_form = WireForm::packed, .chunks = 2};
  const Exchange strided{
      .method = Method::collective, .wire_form = WireForm::datatype, .chunks = 1};
  const Exchange shared{.method = Method::shared};
  const Exchange nodes{.method = Method::messages, .nodes = NodeUse::separate};
  const auto any = OutputChoice::any;
  const auto same = OutputChoice::same;
  const std::vector<Row> rows{
      // one rank: no exchange
      {packed, any, 1, 1, forward, 0, "input > output"},
      {packed, any, 1, 1, forward_in_place, 0, "input > output"},
      // messages
      {packed, any, 2, 1, forward, 0, "input > output+work, work > output"},
      {packed, any, 2, 1, forward, 1, "input > output+work, work > output"},
      {packed, any, 2, 1, forward_in_place, 0, "input > work, output > output"},
      {packed, any, 2, 1, backward, 0, "input > output+work, work > output"},
      {packed, same, 2, 1, forward, 0, "input > output+work, work > output, work > output"},
      {packed, same, 2, 1, forward_in_place, 0, "input > work, output > work, output > output"},
      {chunks, any, 2, 1, forward, 0, "input > second, second+work > output"},
      {strided, any, 2, 1, forward, 0, "input > output, work > output"},
      {strided, same, 2, 1, backward, 1, "input > output, work > output, work > output"},
      // node memory
      {shared, any, 2, 2, forward, 0, "input > even, even+even of 1 > output"},
      {shared, any, 2, 2, forward, 1, "input > even, even+even of 0 > output"},
      {shared, any, 2, 2, forward_in_place, 0, "input > even, even+even of 1 > output"},
      {shared, same, 2, 2, forward, 0,
       "input > target, target+target of 1 > target+target of 1, target > output"},
      {shared, same, 2, 2, backward, 1,
       "input > source, source+source of 0 > even+even of 0, even > output"},
      {nodes, any, 3, 2, forward, 0, "input > even, even+even of 1+own > output"},
      {nodes, any, 3, 2, forward, 2, "input > even, even+own > output"},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(describe(row.exchange) + ", " + std::to_string(row.ranks) + " ranks, " +
                 to_string(row.variant) + (row.output == same ? ", same" : "") + ", rank " +
                 std::to_string(row.rank));
    EXPECT_EQ(assigned(plan_of(row), row.variant, row.rank), row.wanted);
  }
}

/// Returns the first byte of a piece in its buffer, and the byte after its last. Folded columns
/// have a negative stride.
std::pair<std::int64_t, std::int64_t> bytes_of(const kernel::Piece& piece,
                                               std::int64_t element_bytes) {
  std::int64_t first = piece.offset;
  std::int64_t last = piece.offset;
  for (int axis = 0; axis < piece.box.dims(); ++axis) {
    const std::int64_t range = (piece.box.extent(axis) - 1) * piece.strides[axis];
    (range < 0 ? first : last) += range;
  }
  return {first * element_bytes, (last + 1) * element_bytes};
}

bool is_callers(int buffer) { return buffer == input_buffer || buffer == output_buffer; }

/// Returns the buffer, and the rank whose memory it is.
std::pair<int, std::int64_t> owner_of(int buffer, std::int64_t rank, std::int64_t ranks) {
  if (buffer < buffer_count) return {buffer, rank};
  return {first_shared + static_cast<int>((buffer - buffer_count) / ranks),
          (buffer - buffer_count) % ranks};
}

/// Expects the pieces of a place to fill the box of the stage, and each piece to be inside its
/// buffer.
void expect_sound(const kernel::Place& place, const Box& box, std::int64_t rank,
                  const std::vector<BufferAssignment>& all) {
  const auto ranks = static_cast<std::int64_t>(all.size());
  std::int64_t elements = 0;
  for (const kernel::Piece& piece : place.pieces) {
    elements += piece.box.volume();
    if (piece.box.dims() == box.dims()) {
      EXPECT_EQ(intersect(piece.box, box).volume(), piece.box.volume());
    }
    const auto [buffer, owner] = owner_of(piece.buffer, rank, ranks);
    const auto [first, end] = bytes_of(piece, place.element_bytes);
    EXPECT_GE(first, 0);
    if (!is_callers(buffer)) {
      EXPECT_LE(end,
                all[static_cast<std::size_t>(owner)].sizes.at(static_cast<std::size_t>(buffer)))
          << buffer_words(piece.buffer, ranks);
    }
  }
  EXPECT_EQ(elements, box.volume());
}

/// Returns the line of each element of a place. The key is the buffer and the first byte of the
/// element. A line is identified by its indices along the other axes.
std::map<std::pair<int, std::int64_t>, Shape> lines_of(const kernel::Place& place,
                                                       const StageSpec& stage) {
  std::map<std::pair<int, std::int64_t>, Shape> lines;
  for (const kernel::Piece& piece : place.pieces)
    for (std::int64_t i = 0; i < piece.box.volume(); ++i) {
      Shape index(piece.box.lower);
      std::int64_t rest = i;
      std::int64_t at = piece.offset;
      for (int axis = piece.box.dims() - 1; axis >= 0; --axis) {
        const std::int64_t step = rest % piece.box.extent(axis);
        rest /= piece.box.extent(axis);
        index[static_cast<std::size_t>(axis)] += step;
        at += step * piece.strides[axis];
      }
      for (const kernel::AxisTransform& each : stage.transforms)
        index[static_cast<std::size_t>(each.axis)] = 0;
      lines[{piece.buffer, at * place.element_bytes}] = index;
    }
  return lines;
}

/// Returns whether a stage writes only into elements that the same line has read. A line is read as
/// a whole before it is written.
bool returns_lines(const StageSpec& stage) {
  const auto read = lines_of(stage.inlet, stage);
  for (const auto& [place, line] : lines_of(stage.outlet, stage)) {
    const auto found = read.find(place);
    if (found != read.end() && found->second != line) return false;
  }
  return stage.inlet.element_bytes == stage.outlet.element_bytes;
}

/// Expects that a stage overwrites nothing that another of its lines reads. Either its pieces do
/// not overlap, or each line returns to its own elements.
void expect_apart(const StageSpec& stage) {
  for (const kernel::Piece& read : stage.inlet.pieces)
    for (const kernel::Piece& written : stage.outlet.pieces) {
      if (read.buffer != written.buffer || is_callers(read.buffer)) continue;
      const auto [r, r_end] = bytes_of(read, stage.inlet.element_bytes);
      const auto [w, w_end] = bytes_of(written, stage.outlet.element_bytes);
      EXPECT_TRUE(r_end <= w || w_end <= r || r == w || returns_lines(stage))
          << buffer_words(read.buffer, 1);
    }
}

/// Expects the rules that hold for every assignment of buffers.
void expect_rules(const Plan& plan, Variant variant) {
  std::vector<BufferAssignment> all;
  for (std::int64_t rank = 0; rank < plan.problem.ranks; ++rank)
    all.push_back(assign_buffers(plan, variant, rank));
  for (std::int64_t rank = 0; rank < plan.problem.ranks; ++rank) {
    const BufferAssignment& found = all[static_cast<std::size_t>(rank)];
    for (const StageSpec& stage : found.stages) {
      if (stage.hermitian_order || stage.chirp) return;  // the boxes belong to another array
      expect_sound(stage.inlet, stage.source, rank, all);
      expect_sound(stage.outlet, stage.target, rank, all);
      expect_apart(stage);
      if (variant.in_place || plan.problem.overwrite_input) continue;
      for (const kernel::Piece& written : stage.outlet.pieces)
        EXPECT_NE(written.buffer, input_buffer);
    }
  }
}

TEST(BufferAssignment, RandomPlansKeepTheRulesOfBuffers) {
  const std::uint64_t seed = test_support::seed_of_all_ranks(31);
  SCOPED_TRACE(test_support::repeated_by(seed));
  test_support::Random random(seed);
  int with_peers = 0;
  for (int i = 0; i < 400; ++i) {
    Problem problem = test_support::random_problem(random);
    problem.has_input = false;
    problem.ranks = test_support::draw(random, 1, 9);
    problem.ranks_per_node = test_support::draw(random, 1, problem.ranks);
    if (problem.output_choice == OutputChoice::given) problem.output_choice = OutputChoice::same;
    if (problem.ranks_per_node == problem.ranks && i % 2 == 0)
      problem.exchange = {.method = Method::shared};
    const Plan plan = make_plan(problem);
    SCOPED_TRACE("plan " + std::to_string(i) + "\n" + to_json(plan));
    for (const Variant variant :
         {forward, forward_in_place, backward, Variant{Direction::backward, true}})
      expect_rules(plan, variant);
    for (const StageSpec& stage : assign_buffers(plan, forward, 0).stages)
      for (const kernel::Piece& piece : stage.inlet.pieces)
        with_peers += piece.buffer >= buffer_count;
  }
  EXPECT_GT(with_peers, 10);
}

/// The assignment depends only on its arguments.
TEST(BufferAssignment, TheSameArgumentsGiveTheSameBuffers) {
  const Row row{.exchange = {.method = Method::messages, .chunks = 3}, .ranks = 3};
  const Plan plan = plan_of(row);
  EXPECT_EQ(assigned(plan, forward, 1), assigned(plan, forward, 1));
  EXPECT_EQ(assign_buffers(plan, forward, 1).sizes, assign_buffers(plan, forward, 1).sizes);
}

}  // namespace
}  // namespace weft::run
