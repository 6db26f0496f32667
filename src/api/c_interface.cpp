#include <algorithm>
#include <cstddef>
#include <cstring>
#include <initializer_list>
#include <string>
#include <utility>

#include "api/c_fft.hpp"
#include "api/c_support.hpp"
#include "api/handle.hpp"
#include "api/planned_by.hpp"
#include "base/precision_words.hpp"
#include "comm/from_mpi.hpp"
#include "plan/coordinates.hpp"
#include "plan/words.hpp"

namespace weft::api {
namespace {

static_assert(agree<Element>({{WEFT_ELEMENT_AUTOMATIC, Element::automatic},
                              {WEFT_ELEMENT_REAL, Element::real},
                              {WEFT_ELEMENT_COMPLEX, Element::complex}}));
static_assert(agree<Precision>(
    {{WEFT_F32, Precision::f32}, {WEFT_F64, Precision::f64}, {WEFT_F80, Precision::f80}}));
static_assert(agree<Norm>({{WEFT_NORM_NONE, Norm::none},
                           {WEFT_NORM_BACKWARD, Norm::backward},
                           {WEFT_NORM_ORTHO, Norm::ortho},
                           {WEFT_NORM_FORWARD, Norm::forward}}));
static_assert(agree<OutputChoice>({{WEFT_OUTPUT_ANY, OutputChoice::any},
                                   {WEFT_OUTPUT_SAME, OutputChoice::same},
                                   {WEFT_OUTPUT_GIVEN, OutputChoice::given}}));
static_assert(agree<Effort>({{WEFT_ESTIMATE, Effort::estimate},
                             {WEFT_MEASURE, Effort::measure},
                             {WEFT_EXHAUSTIVE, Effort::exhaustive}}));
static_assert(agree<Method>({{WEFT_METHOD_AUTOMATIC, Method::automatic},
                             {WEFT_METHOD_COLLECTIVE, Method::collective},
                             {WEFT_METHOD_MESSAGES, Method::messages},
                             {WEFT_METHOD_SHARED, Method::shared},
                             {WEFT_METHOD_RMA, Method::rma}}));
static_assert(agree<WireForm>({{WEFT_WIRE_AUTOMATIC, WireForm::automatic},
                               {WEFT_WIRE_PACKED, WireForm::packed},
                               {WEFT_WIRE_DATATYPE, WireForm::datatype}}));
static_assert(agree<Schedule>({{WEFT_SCHEDULE_AUTOMATIC, Schedule::automatic},
                               {WEFT_SCHEDULE_PAIRWISE, Schedule::pairwise},
                               {WEFT_SCHEDULE_CYCLIC, Schedule::cyclic},
                               {WEFT_SCHEDULE_SCATTERED, Schedule::scattered}}));
static_assert(agree<Requests>({{WEFT_REQUESTS_AUTOMATIC, Requests::automatic},
                               {WEFT_REQUESTS_ORDINARY, Requests::ordinary},
                               {WEFT_REQUESTS_PERSISTENT, Requests::persistent}}));
static_assert(agree<Preset>({{WEFT_PRESET_NONE, Preset::none},
                             {WEFT_PRESET_FFTW, Preset::fftw},
                             {WEFT_PRESET_DMITRUK, Preset::dmitruk},
                             {WEFT_PRESET_DUKE, Preset::duke},
                             {WEFT_PRESET_FFT2D_I, Preset::fft2d_i},
                             {WEFT_PRESET_FFT2D_P, Preset::fft2d_p},
                             {WEFT_PRESET_P3DFFT, Preset::p3dfft}}));
static_assert(agree<NodeUse>({{WEFT_NODES_AUTOMATIC, NodeUse::automatic},
                              {WEFT_NODES_UNAWARE, NodeUse::unaware},
                              {WEFT_NODES_SEPARATE, NodeUse::separate},
                              {WEFT_NODES_COMBINED, NodeUse::combined}}));
static_assert(agree<WirePrecision>({{WEFT_WIRE_SAME, WirePrecision::same},
                                    {WEFT_WIRE_F32, WirePrecision::f32}}));
static_assert(WEFT_EVERY_SLICE == every_slice);
// Members follow these structs in weft_options, so their sizes never change.
static_assert(sizeof(weft_exchange) == 80 && (sizeof(void*) != 8 || sizeof(weft_planning) == 64));

/// The smallest valid struct ends after the shape.
constexpr std::size_t least_options_size = offsetof(weft_options, axes);

weft_options default_options() {
  weft_options options{};
  options.struct_size = sizeof options;
  options.precision = WEFT_F64;
  options.sign = -1;
  options.threads = 1;
  options.own_workspace = 1;
  options.planning.budget_s = 10;
  return options;
}

void check_struct_size(std::size_t size) {
  // Members after the pointers are pairs of ints. So a size that is a multiple of 8 bytes ends
  // between members.
  if (size >= least_options_size && size <= sizeof(weft_options) &&
      size % alignof(weft_options) == 0)
    return;
  throw Error(ErrorCode::invalid_argument,
              "struct_size must be that of a weft_options which this library knows, at most " +
                  std::to_string(sizeof(weft_options)) + " bytes; given " + std::to_string(size) +
                  "; call weft_options_init first, and use a library as new as the header");
}

/// Returns the caller's options, with defaults for members that the caller's struct version lacks.
weft_options complete(const weft_options* given) {
  require(given, "options");
  check_struct_size(given->struct_size);
  weft_options options = default_options();
  std::memcpy(&options, given, given->struct_size);
  return options;
}

std::vector<int> axes_from(const weft_options& options) {
  if (options.axes_count < 0 || options.axes_count > max_dims)
    throw Error(ErrorCode::invalid_argument, "axes_count must be in 0.." +
                                                 std::to_string(max_dims) + "; given " +
                                                 std::to_string(options.axes_count));
  if (options.axes_count > 0) require(options.axes, "axes");
  return std::vector<int>(options.axes, options.axes + options.axes_count);
}

void choose_machine(Planning& planning, const char* machine) {
  if (machine == nullptr) return;
  const std::string text = machine;
  if (text == "fixed-rule")
    planning.plan_by = PlanBy::fixed_rule;
  else if (text == "local")
    planning.plan_by = PlanBy::local;
  else
    planning.machine = text.starts_with("{") ? machine_from_json(text) : shipped_machine(text);
}

Planning planning_of(const weft_planning& given) {
  require_unused(given.reserved, "weft_planning");
  Planning planning;
  set_enum(planning.effort, given.effort, "effort");
  choose_machine(planning, given.machine);
  if (given.all_ranks < -1 || given.all_ranks > 1)
    throw Error(
        ErrorCode::invalid_argument,
        "all_ranks must be 1, -1, or 0 for the default; given " + std::to_string(given.all_ranks));
  if (given.all_ranks != 0) planning.all_ranks = given.all_ranks == 1;
  planning.budget_s = given.budget_s;
  planning.wisdom = given.wisdom == nullptr ? "" : given.wisdom;
  return planning;
}

int count_of_axes(const weft_options& options) {
  return options.axes_count == 0 ? options.dims : options.axes_count;
}

Kinds kinds_from(const weft_options& options) {
  Kind all{};
  set_enum(all, options.kind, "kind");
  if (options.kinds == nullptr) return all;
  if (all != Kind::c2c)
    throw Error(ErrorCode::invalid_argument,
                std::string("kind and kinds are two ways to say the same; leave kind out, or give "
                            "no kinds; given the kind ") +
                    to_string(all));
  std::vector<Kind> kinds(static_cast<std::size_t>(count_of_axes(options)));
  for (std::size_t i = 0; i < kinds.size(); ++i) set_enum(kinds[i], options.kinds[i], "kinds");
  return Kinds(std::move(kinds));
}

Problem problem_of(const weft_options& options, const Planning& planning, std::int64_t ranks) {
  Problem problem;
  problem.ranks = ranks;
  problem.shape = shape_from(options.dims, options.shape, "shape");
  problem.axes = axes_from(options);
  problem.kinds = kinds_from(options);
  set_enum(problem.element, options.element, "element");
  if (options.modes != nullptr)
    problem.modes.assign(options.modes, options.modes + count_of_axes(options));
  if (options.support != nullptr)
    problem.support.assign(options.support, options.support + count_of_axes(options));
  problem.components = options.components;
  set_enum(problem.precision, options.precision, "precision");
  problem.has_input = options.input != nullptr;
  if (options.input != nullptr) problem.input = options.input->value;
  set_enum(problem.output_choice, options.output_choice, "output_choice");
  if (problem.output_choice == OutputChoice::given) {
    require(options.output, "output, with WEFT_OUTPUT_GIVEN,");
    problem.output = options.output->value;
  } else if (options.output != nullptr) {
    throw Error(ErrorCode::invalid_argument,
                "an output layout needs output_choice = WEFT_OUTPUT_GIVEN; given " +
                    std::string(to_string(problem.output_choice)));
  }
  set_enum(problem.norm, options.norm, "norm");
  problem.sign = options.sign;
  problem.threads = options.threads;
  problem.effort = planning.effort;
  problem.all_ranks = wants_all_ranks(planning);
  problem.overwrite_input = options.overwrite_input != 0;
  problem.exchange = exchange_of(options.exchange);
  return options.like == nullptr ? problem
                                 : with_layouts_like(problem, options.like->handle.plan());
}

weft_step step_of(const StepRecord& record) {
  weft_step step{};
  record.name.copy(step.name, sizeof step.name - 1);
  step.is_exchange = record.is_exchange ? 1 : 0;
  step.start_s = record.start_s;
  step.end_s = record.end_s;
  step.waited_s = record.waited_s;
  step.under_way_s = record.under_way_s;
  step.bytes_read = record.bytes_read;
  step.bytes_written = record.bytes_written;
  step.bytes_sent = record.bytes_sent;
  step.messages = record.messages;
  step.bytes_from_others = record.bytes_from_others;
  return step;
}

Plan plan_of(const weft_options* options, std::int64_t ranks) {
  const weft_options given = complete(options);
  const Planning planning = planning_of(given.planning);
  Problem problem = problem_of(given, planning, ranks);
  problem.ranks_per_node = std::max<std::int64_t>(1, given.ranks_per_node);
  if (planning.plan_by == PlanBy::local)
    throw Error(ErrorCode::unsupported,
                "planning without ranks cannot measure a machine; give the name of one that ships "
                "with weft, or JSON, as machine; given \"local\"");
  return planning.machine ? make_plan(problem, *planning.machine) : make_plan(problem);
}

int execute(weft_fft* fft, Direction direction, const void* in, void* out) noexcept {
  return guarded([&] {
    require(fft, "fft");
    fft->handle.execute(direction, in, out);
  });
}

int execute_many(weft_fft* fft, Direction direction, std::int64_t count, const void* const* in,
                 void* const* out) noexcept {
  return guarded([&] {
    require(fft, "fft");
    const auto mine = error_of([&] {
      if (count < 0)
        throw Error(ErrorCode::invalid_argument,
                    "the number of arrays must not be negative; given " + std::to_string(count));
      if (count > 0) require(in, "in");
      if (count > 0) require(out, "out");
    });
    const std::size_t arrays = mine ? 0 : static_cast<std::size_t>(count);
    fft->handle.execute_many(direction, {in, arrays}, {out, arrays}, mine);
  });
}

}  // namespace
}  // namespace weft::api

using namespace weft::api;

int weft_options_init_sized(weft_options* options, size_t struct_size) {
  return guarded([&] {
    require(options, "options");
    check_struct_size(struct_size);
    weft_options defaults = default_options();
    defaults.struct_size = struct_size;
    std::memcpy(options, &defaults, struct_size);
  });
}

int weft_fft_create(const weft_options* options, MPI_Comm comm, weft_fft** fft) {
  return guarded([&] {
    const auto group = weft::comm::communicator_or_solo(comm);
    weft::Problem problem;
    Handle::Options how;
    const auto mine = error_of([&] {
      require(fft, "fft");
      const weft_options given = complete(options);
      how.planning = planning_of(given.planning);
      problem = problem_of(given, how.planning, group.size());
      how.engine = given.engine == nullptr ? "" : given.engine;
      how.own_workspace = given.own_workspace != 0;
    });
    *fft = new weft_fft{Handle(problem, how, group, mine)};
  });
}

int weft_fft_create_from_plan(const char* plan_json, MPI_Comm comm, weft_fft** fft) {
  return guarded([&] {
    const auto group = weft::comm::communicator_or_solo(comm);
    weft::Plan plan;
    const auto mine = error_of([&] {
      require(fft, "fft");
      require(plan_json, "plan_json");
      plan = weft::plan_from_json(plan_json);
    });
    *fft = new weft_fft{Handle(plan, {}, group, mine)};
  });
}

void weft_fft_destroy(weft_fft* fft) { delete fft; }

int weft_fft_forward(weft_fft* fft, const void* in, void* out) {
  return execute(fft, weft::Direction::forward, in, out);
}

int weft_fft_backward(weft_fft* fft, const void* in, void* out) {
  return execute(fft, weft::Direction::backward, in, out);
}

int weft_fft_forward_many(weft_fft* fft, int64_t count, const void* const* in, void* const* out) {
  return execute_many(fft, weft::Direction::forward, count, in, out);
}

int weft_fft_backward_many(weft_fft* fft, int64_t count, const void* const* in, void* const* out) {
  return execute_many(fft, weft::Direction::backward, count, in, out);
}

int weft_fft_input_layout(const weft_fft* fft, weft_layout** layout) {
  return guarded([&] {
    require(fft, "fft");
    give_layout(fft->handle.input(), layout);
  });
}

int weft_fft_output_layout(const weft_fft* fft, weft_layout** layout) {
  return guarded([&] {
    require(fft, "fft");
    give_layout(fft->handle.output(), layout);
  });
}

int weft_fft_rank(const weft_fft* fft, int* rank) {
  return guarded([&] {
    require(fft, "fft");
    require(rank, "rank");
    *rank = fft->handle.comm().rank();
  });
}

int weft_fft_inplace_bytes(const weft_fft* fft, int64_t* bytes) {
  return guarded([&] {
    require(fft, "fft");
    require(bytes, "bytes");
    *bytes = fft->handle.inplace_bytes();
  });
}

int weft_fft_inplace_strides(const weft_fft* fft, int64_t* strides) {
  return guarded([&] {
    require(fft, "fft");
    require(strides, "strides");
    const weft::Shape found = fft->handle.inplace_real_strides();
    std::copy(found.begin(), found.end(), strides);
  });
}

int weft_fft_positions(const weft_fft* fft, int axis, double length, double* positions) {
  return guarded([&] {
    require(fft, "fft");
    const weft::api::Handle& handle = fft->handle;
    const auto found = weft::positions_on(handle.plan(), handle.comm().rank(), axis, length);
    give_numbers(found, positions, "positions");
  });
}

int weft_fft_wavenumbers(const weft_fft* fft, int axis, double length, double* wavenumbers) {
  return guarded([&] {
    require(fft, "fft");
    const weft::api::Handle& handle = fft->handle;
    const auto found = weft::wavenumbers_on(handle.plan(), handle.comm().rank(), axis, length);
    give_numbers(found, wavenumbers, "wavenumbers");
  });
}

int weft_fft_workspace_bytes(const weft_fft* fft, int64_t* bytes) {
  return guarded([&] {
    require(fft, "fft");
    require(bytes, "bytes");
    *bytes = fft->handle.workspace_bytes();
  });
}

int weft_fft_use_workspace(weft_fft* fft, void* memory, int64_t bytes) {
  return guarded([&] {
    require(fft, "fft");
    fft->handle.use_workspace(memory, bytes);
  });
}

int weft_fft_set_recording(weft_fft* fft, int on) {
  return guarded([&] {
    require(fft, "fft");
    fft->handle.set_recording(on != 0);
  });
}

int weft_fft_record(const weft_fft* fft, weft_step* steps, int64_t capacity, size_t step_size,
                    int64_t* count) {
  return guarded([&] {
    require(fft, "fft");
    require(count, "count");
    if (capacity > 0) require(steps, "steps");
    if (step_size != sizeof(weft_step))
      throw weft::Error(weft::ErrorCode::invalid_argument,
                        "step_size must be that of a weft_step of this library, " +
                            std::to_string(sizeof(weft_step)) + " bytes; given " +
                            std::to_string(step_size));
    const auto record = fft->handle.record_now();
    *count = static_cast<int64_t>(record.size());
    for (int64_t i = 0; i < std::min(capacity, *count); ++i)
      steps[i] = step_of(record[static_cast<std::size_t>(i)]);
  });
}

int weft_fft_explain(const weft_fft* fft, char** text) {
  return guarded([&] {
    require(fft, "fft");
    give_text(fft->handle.explain(), text);
  });
}

int weft_fft_plan_json(const weft_fft* fft, char** json) {
  return guarded([&] {
    require(fft, "fft");
    give_text(weft::to_json(fft->handle.plan()), json);
  });
}

int weft_plan_json(const weft_options* options, int64_t ranks, char** json) {
  return guarded([&] { give_text(weft::to_json(plan_of(options, ranks)), json); });
}

int weft_plan_explain(const weft_options* options, int64_t ranks, char** text) {
  return guarded([&] { give_text(weft::explain(plan_of(options, ranks)), text); });
}
