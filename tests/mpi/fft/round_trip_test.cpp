// Round trips of several fields, compared with forward, functions on whole arrays, and backward.
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numbers>

#include "api/handle.hpp"
#include "comm/from_mpi.hpp"
#include "comm/node_memory.hpp"
#include "mpi/support/fft_check.hpp"
#include "support/real_kinds.hpp"

namespace weft::test_support {
namespace {

struct TripCase {
  Problem problem = {};
  ApplyIn turn = ApplyIn::spectrum;
  std::int64_t stored_in = 1;
  std::int64_t there = 1;
  std::int64_t back = 1;
  std::int64_t stored_out = 1;
  bool has_before = false;
  bool has_after = false;
  bool is_pointwise = false;
  bool in_place = false;
};

/// Returns the coordinate of an index on one axis, by the tables of the documentation.
double coordinate(const Problem& problem, bool in_spectrum, int axis, std::int64_t i) {
  const bool transformed =
      std::find(problem.axes.begin(), problem.axes.end(), axis) != problem.axes.end();
  if (!transformed) return static_cast<double>(i);
  const Kind kind = problem.kind_of(axis);
  return in_spectrum ? wavenumber_of(kind, i, problem.modes_of(axis))
                     : position_of(kind, i, problem.shape[static_cast<std::size_t>(axis)]);
}

double weight(const Problem& problem, bool in_spectrum, const Shape& index) {
  const int halved = problem.halved_axis();
  if (!in_spectrum || halved < 0) return 1;
  const std::int64_t k = index[static_cast<std::size_t>(halved)];
  return k == 0 || 2 * k == problem.modes_of(halved) ? 1 : 2;
}

/// A real factor that depends on input, output and place.
double factor(std::size_t out, std::size_t in, double where) {
  return 1 + static_cast<double>(out) + 0.5 * static_cast<double>(in) + 0.1 * std::sin(where);
}

/// The function of all steps. Output i is the sum of factor(i, k, place) times input k. Its result
/// is the weighted sum of the squares of input 0.
template <class T>
void mix(const Tile& tile) {
  const std::int64_t parts = tile.is_complex ? 2 : 1;
  ASSERT_EQ(tile.real_bytes, static_cast<std::int64_t>(sizeof(T)));
  Shape index(static_cast<std::size_t>(tile.dims), 0);
  std::vector<double> values(static_cast<std::size_t>(tile.input_count * parts));
  for (std::int64_t axis = 0; axis < tile.dims; ++axis)
    if (tile.extents[axis] < 1) return;
  while (true) {
    double where = 0;
    double times = 1;
    std::int64_t offset = 0;
    for (std::int64_t axis = 0; axis < tile.dims; ++axis) {
      const std::int64_t i = index[static_cast<std::size_t>(axis)];
      where += static_cast<double>(axis + 1) * std::abs(tile.coordinates[axis][i]);
      if (tile.weights[axis]) times *= tile.weights[axis][i];
      offset += i * tile.strides[axis];
    }
    for (std::int64_t k = 0; k < tile.input_count; ++k)
      for (std::int64_t p = 0; p < parts; ++p)
        values[static_cast<std::size_t>(k * parts + p)] =
            static_cast<double>(static_cast<const T*>(tile.inputs[k])[offset * parts + p]);
    for (std::int64_t i = 0; i < tile.output_count; ++i)
      for (std::int64_t p = 0; p < parts; ++p) {
        double sum = 0;
        for (std::int64_t k = 0; k < tile.input_count; ++k)
          sum += factor(static_cast<std::size_t>(i), static_cast<std::size_t>(k), where) *
                 values[static_cast<std::size_t>(k * parts + p)];
        static_cast<T*>(tile.outputs[i])[offset * parts + p] = static_cast<T>(sum);
      }
    for (std::int64_t p = 0; p < parts && tile.result_count > 0; ++p)
      tile.results[0] +=
          times * values[static_cast<std::size_t>(p)] * values[static_cast<std::size_t>(p)];
    std::int64_t axis = tile.dims - 1;
    for (; axis >= 0; --axis) {
      if (++index[static_cast<std::size_t>(axis)] < tile.extents[axis]) break;
      index[static_cast<std::size_t>(axis)] = 0;
    }
    if (axis < 0) return;
  }
}

template <class T>
using Fields = std::vector<std::vector<T>>;

/// Does the same as mix() to whole local arrays.
template <class T>
Fields<T> mixed(const Problem& problem, const Layout& layout, int rank, bool in_spectrum, int parts,
                const Fields<T>& in, std::int64_t outputs, double& sum) {
  Fields<T> out(static_cast<std::size_t>(outputs), std::vector<T>(in[0].size()));
  const LocalView view{layout.box(rank), layout.strides(rank)};
  for_each_local(layout.shape(), view, [&](std::int64_t whole, std::int64_t local) {
    Shape index(layout.shape().size());
    for (std::size_t a = index.size(); a-- > 0; whole /= layout.shape()[a])
      index[a] = whole % layout.shape()[a];
    double where = 0;
    for (std::size_t a = 0; a < index.size(); ++a)
      where += static_cast<double>(a + 1) *
               std::abs(coordinate(problem, in_spectrum, static_cast<int>(a), index[a]));
    for (int p = 0; p < parts; ++p) {
      const auto at = static_cast<std::size_t>(local * parts + p);
      for (std::size_t i = 0; i < out.size(); ++i) {
        double value = 0;
        for (std::size_t k = 0; k < in.size(); ++k)
          value += factor(i, k, where) * static_cast<double>(in[k][at]);
        out[i][at] = static_cast<T>(value);
      }
      sum += weight(problem, in_spectrum, index) * static_cast<double>(in[0][at]) *
             static_cast<double>(in[0][at]);
    }
  });
  return out;
}

double sum_of_ranks(double mine) {
  double all = 0;
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return all;
}

std::string words_of(const TripCase& c) {
  return (c.turn == ApplyIn::spectrum ? "in spectrum, " : "in space, ") +
         std::to_string(c.stored_in) + " " + std::to_string(c.there) + " " +
         std::to_string(c.back) + " " + std::to_string(c.stored_out) +
         (c.has_before ? ", before" : "") + (c.has_after ? ", after" : "") +
         (c.is_pointwise ? ", pointwise" : "") + (c.in_place ? ", in place" : "") + "\n" +
         to_json(c.problem);
}

template <class T>
void check_trip(const TripCase& c) {
  const comm::Communicator comm = comm::communicator_of(MPI_COMM_WORLD);
  api::Handle handle(c.problem, {.planning = {.plan_by = PlanBy::fixed_rule}}, comm);
  const Plan& plan = handle.plan();
  SCOPED_TRACE(words_of(c) + "\n" + explain(plan));
  const bool in_spectrum = c.turn == ApplyIn::spectrum;
  const Layout& near = in_spectrum ? plan.input() : plan.output();
  const Layout& far = in_spectrum ? plan.output() : plan.input();
  const auto parts_of = [](Element e) { return e == Element::complex ? 2 : 1; };
  const int input_parts = parts_of(plan.stages.front().source_element);
  const int output_parts = parts_of(plan.stages.back().target_element);
  const int near_parts = in_spectrum ? input_parts : output_parts;
  const int far_parts = in_spectrum ? output_parts : input_parts;
  const int rank = comm.rank();
  const auto near_size = static_cast<std::size_t>(near.local_volume(rank) * near_parts);
  const auto far_size = static_cast<std::size_t>(far.local_volume(rank) * far_parts);

  // Spectra are made from fields. In arbitrary numbers some elements contradict each other, and c2r
  // may use either.
  Fields<T> stored;
  for (std::int64_t i = 0; i < c.stored_in; ++i) {
    const Layout& input = plan.input();
    std::vector<T> field(static_cast<std::size_t>(input.local_volume(rank) * input_parts));
    fill_noise(field.data(), input_parts, input.shape(), {input.box(rank), input.strides(rank)},
               17 + static_cast<std::uint64_t>(i));
    stored.emplace_back(near_size);
    if (in_spectrum)
      stored.back() = field;
    else
      handle.execute(Direction::forward, field.data(), stored.back().data());
  }
  FieldWork work{.function = {mix<T>, c.is_pointwise, 1}};
  if (c.has_before) work.before = FieldFunction{mix<T>, c.is_pointwise, 1};
  if (c.has_after) work.after = FieldFunction{mix<T>, c.is_pointwise, 1};
  work.fields_there = c.there;
  work.fields_back = c.back;

  std::vector<const void*> in;
  std::vector<void*> out;
  Fields<T> given = stored;
  Fields<T> results(static_cast<std::size_t>(c.stored_out), std::vector<T>(near_size));
  for (auto& field : given) in.push_back(field.data());
  for (std::size_t j = 0; j < results.size(); ++j)
    out.push_back(c.in_place && j < given.size() ? given[j].data() : results[j].data());
  const std::vector<double> sums = handle.apply(c.turn, work, in, out);
  const auto result_of = [&](std::size_t j) -> const std::vector<T>& {
    return c.in_place && j < given.size() ? given[j] : results[j];
  };
  if (!c.in_place) {
    EXPECT_EQ(given, stored);
  }

  // The same by separate calls of the transform.
  std::vector<double> wanted_sums;
  const auto mixing = [&](bool spectrum, const Layout& layout, int parts, const Fields<T>& fields,
                          std::int64_t outputs) {
    double sum = 0;
    Fields<T> made = mixed(c.problem, layout, rank, spectrum, parts, fields, outputs, sum);
    wanted_sums.push_back(sum_of_ranks(sum));
    return made;
  };
  Fields<T> fields = stored;
  if (c.has_before) fields = mixing(!in_spectrum, near, near_parts, fields, c.there);
  const auto transformed = [&](const Fields<T>& from, Direction direction, std::size_t size) {
    Fields<T> to;
    for (const auto& field : from) {
      std::vector<T> copy = field;
      to.emplace_back(size);
      handle.execute(direction, copy.data(), to.back().data());
    }
    return to;
  };
  fields = transformed(fields, in_spectrum ? Direction::forward : Direction::backward, far_size);
  fields = mixing(in_spectrum, far, far_parts, fields, c.back);
  fields = transformed(fields, in_spectrum ? Direction::backward : Direction::forward, near_size);
  if (c.has_after) fields = mixing(!in_spectrum, near, near_parts, fields, c.stored_out);

  ASSERT_EQ(fields.size(), results.size());
  double largest = 0;
  double worst = 0;
  for (std::size_t j = 0; j < fields.size(); ++j)
    for (std::size_t i = 0; i < near_size; ++i) {
      largest = std::max(largest, std::abs(static_cast<double>(fields[j][i])));
      worst = std::max(worst, std::abs(static_cast<double>(fields[j][i] - result_of(j)[i])));
    }
  double all_largest = 0;
  MPI_Allreduce(&largest, &all_largest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  const double epsilon = static_cast<double>(std::numeric_limits<T>::epsilon()) +
                         std::numeric_limits<double>::epsilon();
  EXPECT_LE(worst, 300 * epsilon * all_largest);
  ASSERT_EQ(sums.size(), wanted_sums.size());
  for (std::size_t i = 0; i < sums.size(); ++i)
    EXPECT_NEAR(sums[i], wanted_sums[i], 1000 * epsilon * (std::abs(wanted_sums[i]) + 1e-300)) << i;

  // The same call gives the same bits.
  if (!c.in_place) {
    const Fields<T> before = results;
    EXPECT_EQ(handle.apply(c.turn, work, in, out), sums);
    EXPECT_EQ(results, before);
  }
}

void check(const TripCase& c) {
  switch (c.problem.precision) {
    case Precision::f32:
      return check_trip<float>(c);
    case Precision::f64:
      return check_trip<double>(c);
    case Precision::f80:
      return check_trip<long double>(c);
  }
}

/// Returns whether all ranks are on one node with memory that they can share.
bool can_share() {
  const comm::Communicator comm = comm::communicator_of(MPI_COMM_WORLD);
  return comm.node_group().size() == comm.size() &&
         comm::node_memory_kind(comm) != comm::NodeMemoryKind::ordinary;
}

TripCase random_trip(Random& random, int ranks) {
  TripCase c;
  do {
    c.problem = random_problem(random);
  } while (volume(c.problem.shape) > 2000 || c.problem.shape.size() < 2);
  c.problem.ranks = ranks;
  c.problem.threads = static_cast<int>(draw(random, 1, 2));
  c.problem.effort = Effort::estimate;
  if (c.problem.has_input) c.problem.input = random_layout(c.problem.input_shape(), ranks, random);
  if (c.problem.output_choice == OutputChoice::given)
    c.problem.output = random_layout(c.problem.output_shape(), ranks, random);
  if (same_is_impossible(c.problem)) c.problem.output_choice = OutputChoice::any;
  const auto kind = draw(random, 0, 5);
  if (kind < 3 && can_share()) {
    c.problem.ranks_per_node = ranks;
    c.problem.exchange = {.method = kind == 0 ? Method::shared : Method::automatic};
    if (kind == 1) c.problem.exchange.nodes = NodeUse::separate;
    if (kind == 2) c.problem.exchange.nodes = NodeUse::combined;
  }
  c.turn = draw(random, 0, 1) == 0 ? ApplyIn::spectrum : ApplyIn::space;
  c.has_before = draw(random, 0, 2) == 0;
  c.has_after = draw(random, 0, 2) == 0;
  c.there = draw(random, 1, 3);
  c.back = draw(random, 1, 3);
  c.stored_in = c.has_before ? draw(random, 1, 4) : c.there;
  c.stored_out = c.has_after ? draw(random, 1, 4) : c.back;
  c.is_pointwise = draw(random, 0, 1) == 1;
  c.in_place = draw(random, 0, 2) == 0;
  return c;
}

TEST(RoundTrip, RandomRoundTripsMatchSeparateCalls) {
  const std::uint64_t seed = seed_of_all_ranks(5);
  const char* more = std::getenv("WEFT_TEST_CASES");
  const char* from = std::getenv("WEFT_TEST_FIRST");
  const std::uint64_t first = from ? std::strtoull(from, nullptr, 10) : 0;
  const std::uint64_t cases = more ? std::strtoull(more, nullptr, 10) : 30;
  std::uint64_t run = 0;
  for (std::uint64_t number = first; number < first + cases; ++number) {
    Random random(seed * 1000003 + number);
    SCOPED_TRACE(repeated_by(seed) + " with WEFT_TEST_FIRST=" + std::to_string(number));
    TripCase c = random_trip(random, size_of(MPI_COMM_WORLD));
    if (same_is_impossible(c.problem)) continue;
    c.problem = checked(c.problem);
    check(c);
    ++run;
  }
  EXPECT_GT(run, cases / 2);
}

TEST(RoundTrip, AnExceptionEndsTheCallOnAllRanks) {
  Fft<double> fft(
      {.shape = {8, 6, 4}, .comm = MPI_COMM_WORLD, .planning = {.plan_by = PlanBy::fixed_rule}});
  std::vector<std::complex<double>> x(static_cast<std::size_t>(fft.input_elements()));
  const std::complex<double>* in = x.data();
  std::complex<double>* out = x.data();
  const FieldWork fails{.function = {[&](const Tile& tile) {
                          if (tile.lower[0] == 0 && tile.lower[1] == 0 && tile.lower[2] == 0)
                            throw std::runtime_error("no such density");
                        }}};
  try {
    fft.apply_in_spectrum(fails, {&in, 1}, {&out, 1});
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
    EXPECT_NE(std::string(error.what()).find("no such density"), std::string::npos) << error.what();
  }
  // The transform is usable afterwards.
  const FieldWork nothing{.function = {[](const Tile&) {}, true}};
  fft.apply_in_spectrum(nothing, {&in, 1}, {&out, 1});
}

}  // namespace
}  // namespace weft::test_support
