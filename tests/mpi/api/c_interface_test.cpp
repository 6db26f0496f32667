// The C interface: it offers what C++ offers, returns error codes instead of exceptions, and never
// crashes on NULL.
#include <functional>

#include "mpi/support/c_interface_check.hpp"

namespace weft::test_support {
namespace {

TEST(CInterface, NamesAndVersion) {
  EXPECT_STREQ(weft_version(), version());
  EXPECT_STREQ(weft_error_name(WEFT_OK), "ok");
  EXPECT_STREQ(weft_error_name(WEFT_LAYOUT_MISMATCH), "layout_mismatch");
  EXPECT_STREQ(weft_error_name(4711), "unknown");
  weft_free(nullptr);
  weft_fft_destroy(nullptr);
  weft_layout_destroy(nullptr);
}

TEST(CInterface, TransformsGiveTheResultsOfCpp) {
  const int64_t shape[] = {10, 9, 8};
  const int axes[] = {-1, 0};
  weft_options c = default_options();
  c.shape = shape;
  c.dims = 3;
  FftOptions cpp{.shape = {10, 9, 8}, .comm = world};
  check_like_cpp(c, cpp);
  c.kind = WEFT_R2C;
  cpp.kinds = Kind::r2c;
  check_like_cpp(c, cpp);
  c.axes = axes;
  c.axes_count = 2;
  c.norm = WEFT_NORM_ORTHO;
  c.sign = 1;
  c.threads = 2;
  c.output_choice = WEFT_OUTPUT_SAME;
  c.exchange.method = WEFT_METHOD_MESSAGES;
  c.exchange.wire_form = WEFT_WIRE_PACKED;
  c.exchange.schedule = WEFT_SCHEDULE_PAIRWISE;
  c.engine = "ducc0";
  c.overwrite_input = 0;
  cpp.axes = {-1, 0};
  cpp.norm = Norm::ortho;
  cpp.sign = 1;
  cpp.threads = 2;
  cpp.output = OutputChoice::same;
  cpp.exchange = {
      .method = Method::messages, .wire_form = WireForm::packed, .schedule = Schedule::pairwise};
  cpp.engine = "ducc0";
  check_like_cpp(c, cpp);
  const int kinds[] = {WEFT_R2C, WEFT_C2C};
  c.kind = WEFT_C2C;
  c.kinds = kinds;
  cpp.kinds = {Kind::r2c, Kind::c2c};
  check_like_cpp(c, cpp);
}

TEST(CInterface, GivenLayoutsAreTaken) {
  const int64_t shape[] = {10, 9, 8};
  const int64_t ranks = size_of(world);
  weft_layout* input = nullptr;
  weft_layout* output = nullptr;
  ASSERT_EQ(weft_layout_slab(3, shape, ranks, 2, &input), WEFT_OK);
  ASSERT_EQ(weft_layout_pencil(3, shape, ranks, 0, 1, &output), WEFT_OK);
  weft_options c = default_options();
  c.shape = shape;
  c.dims = 3;
  c.input = input;
  c.output = output;
  c.output_choice = WEFT_OUTPUT_GIVEN;
  FftOptions cpp{.shape = {10, 9, 8}, .comm = world};
  cpp.input = Layout::slab({10, 9, 8}, ranks, 2);
  cpp.output = Layout::pencil({10, 9, 8}, ranks);
  check_like_cpp(c, cpp);
  weft_fft* fft = nullptr;
  ASSERT_EQ(weft_fft_create(&c, world, &fft), WEFT_OK);
  weft_layout* found = nullptr;
  char* text = nullptr;
  ASSERT_EQ(weft_fft_output_layout(fft, &found), WEFT_OK);
  ASSERT_EQ(weft_layout_json(found, &text), WEFT_OK);
  EXPECT_EQ(taken(text), to_json(cpp.output.layout));
  weft_layout_destroy(found);
  ASSERT_EQ(weft_fft_input_layout(fft, &found), WEFT_OK);
  ASSERT_EQ(weft_layout_json(found, &text), WEFT_OK);
  EXPECT_EQ(taken(text), to_json(*cpp.input));
  for (weft_layout* layout : {found, input, output}) weft_layout_destroy(layout);
  // The transform does not need its options any more.
  std::vector<std::complex<double>> x(720, 1.0);
  EXPECT_EQ(weft_fft_forward(fft, x.data(), x.data()), WEFT_OK) << weft_last_error();
  weft_fft_destroy(fft);
}

TEST(CInterface, EveryPrecisionHasItsSizeOfElements) {
  const int64_t shape[] = {8};
  for (const int precision : {WEFT_F32, WEFT_F64, WEFT_F80}) {
    weft_options c = default_options();
    c.shape = shape;
    c.dims = 1;
    c.precision = precision;
    weft_fft* fft = nullptr;
    ASSERT_EQ(weft_fft_create(&c, MPI_COMM_NULL, &fft), WEFT_OK) << weft_last_error();
    int64_t bytes = 0;
    EXPECT_EQ(weft_fft_inplace_bytes(fft, &bytes), WEFT_OK);
    EXPECT_EQ(bytes, 8 * complex_bytes(static_cast<Precision>(precision)));
    weft_fft_destroy(fft);
  }
}

TEST(CInterface, ACallNeedsAWorkspaceOfTheRightSize) {
  const int64_t shape[] = {12, 10};
  weft_options c = default_options();
  c.shape = shape;
  c.dims = 2;
  c.own_workspace = 0;
  weft_fft* fft = nullptr;
  ASSERT_EQ(weft_fft_create(&c, world, &fft), WEFT_OK);
  std::vector<std::complex<double>> x(120, 1.0);
  expect_failure_everywhere(weft_fft_forward(fft, x.data(), x.data()), WEFT_INVALID_ARGUMENT,
                            {"use_workspace"});
  int64_t bytes = 0;
  ASSERT_EQ(weft_fft_workspace_bytes(fft, &bytes), WEFT_OK);
  EXPECT_GT(bytes, 0);
  std::vector<char> memory(static_cast<std::size_t>(bytes) + 64);
  char* aligned = memory.data() + (64 - reinterpret_cast<std::uintptr_t>(memory.data()) % 64) % 64;
  expect_failure(weft_fft_use_workspace(fft, aligned, bytes - 1), WEFT_INVALID_ARGUMENT, {"bytes"});
  expect_failure(weft_fft_use_workspace(fft, nullptr, bytes), WEFT_INVALID_ARGUMENT, {"null"});
  ASSERT_EQ(weft_fft_use_workspace(fft, aligned, bytes), WEFT_OK);
  EXPECT_EQ(weft_fft_forward(fft, x.data(), x.data()), WEFT_OK);
  weft_fft_destroy(fft);
}

TEST(CInterface, RunsAPlanMadeBefore) {
  const int64_t shape[] = {12, 10};
  weft_options c = default_options();
  c.shape = shape;
  c.dims = 2;
  c.planning.machine = "ethernet-10g";
  int ranks = 0;
  MPI_Comm_size(world, &ranks);
  char* text = nullptr;
  ASSERT_EQ(weft_plan_json(&c, ranks, &text), WEFT_OK) << weft_last_error();
  weft_fft* fft = nullptr;
  ASSERT_EQ(weft_fft_create_from_plan(text, world, &fft), WEFT_OK) << weft_last_error();
  std::vector<std::complex<double>> x(120, 1.0);
  ASSERT_EQ(weft_fft_forward(fft, x.data(), x.data()), WEFT_OK) << weft_last_error();
  weft_layout* output = nullptr;
  ASSERT_EQ(weft_fft_output_layout(fft, &output), WEFT_OK);
  // The spectrum of an array of ones has one element that is not zero, at the origin.
  int64_t lower[2];
  int64_t upper[2];
  int rank = 0;
  MPI_Comm_rank(world, &rank);
  ASSERT_EQ(weft_layout_box(output, rank, lower, upper), WEFT_OK);
  const bool has_origin = lower[0] == 0 && lower[1] == 0 && upper[0] > 0 && upper[1] > 0;
  if (upper[0] > lower[0] && upper[1] > lower[1]) {
    EXPECT_NEAR(std::abs(x[0]), has_origin ? 120.0 : 0.0, 1e-12);
  }
  weft_layout_destroy(output);
  weft_fft_destroy(fft);
  expect_failure_everywhere(weft_fft_create_from_plan("{}", world, &fft), WEFT_INVALID_ARGUMENT,
                            {"plan"});
  expect_failure_everywhere(weft_fft_create_from_plan(nullptr, world, &fft), WEFT_INVALID_ARGUMENT,
                            {"plan_json", "NULL"});
  expect_failure_everywhere(weft_fft_create_from_plan(text, world, nullptr), WEFT_INVALID_ARGUMENT,
                            {"fft", "NULL"});
  weft_free(text);
}

/// A caller compiled with an older header gives a shorter struct. The missing members have their
/// defaults.
TEST(CInterface, OptionsOfAnOlderHeaderHaveDefaults) {
  const int64_t shape[] = {6, 4};
  weft_options full = default_options();
  full.shape = shape;
  full.dims = 2;
  weft_options older;
  std::memset(&older, 0x7f, sizeof older);
  const std::size_t size = offsetof(weft_options, kind) - offsetof(weft_options, kind) % 8;
  ASSERT_EQ(weft_options_init_sized(&older, size), WEFT_OK);
  EXPECT_EQ(reinterpret_cast<const unsigned char*>(&older)[size], 0x7f)
      << "written beyond the caller's struct";
  older.shape = shape;
  older.dims = 2;
  older.exchange.method = WEFT_METHOD_MESSAGES;  // after the end of the caller's struct: not read
  char* text = nullptr;
  ASSERT_EQ(weft_plan_json(&older, 3, &text), WEFT_OK) << weft_last_error();
  const std::string by_older = taken(text);
  ASSERT_EQ(weft_plan_json(&full, 3, &text), WEFT_OK);
  EXPECT_EQ(by_older, taken(text));
  for (const std::size_t wrong :
       {std::size_t{0}, std::size_t{8}, size + 1, sizeof(weft_options) + 8, ~std::size_t{0}}) {
    weft_options options = full;
    options.struct_size = wrong;
    expect_failure(weft_plan_json(&options, 3, &text), WEFT_INVALID_ARGUMENT,
                   {"struct_size", "weft_options_init"});
    expect_failure(weft_options_init_sized(&options, wrong), WEFT_INVALID_ARGUMENT,
                   {"struct_size"});
    weft_fft* fft = nullptr;
    if (!last_rank()) options.struct_size = sizeof(weft_options);
    expect_failure_everywhere(weft_fft_create(&options, world, &fft), WEFT_INVALID_ARGUMENT,
                              {"struct_size"});
    EXPECT_EQ(fft, nullptr);
  }
}

/// A wrong argument on one rank is an error on all ranks.
TEST(CInterface, AWrongArgumentOnOneRankFailsOnAllRanks) {
  using Change = std::function<void(weft_options&)>;
  const int64_t shape[] = {6, 4};
  const std::vector<std::pair<std::string, Change>> changes = {
      {"shape", [](auto& o) { o.shape = nullptr; }},
      {"dims", [](auto& o) { o.dims = 0; }},
      {"dims", [](auto& o) { o.dims = 9; }},
      {"axes_count", [](auto& o) { o.axes_count = -1; }},
      {"axes", [](auto& o) { o.axes_count = 1; }},
      {"kind", [](auto& o) { o.kind = 1000; }},
      {"kinds",
       [](auto& o) {
         static const int kinds[] = {WEFT_C2C, 1000};
         o.kinds = kinds;
       }},
      {"leave kind out",
       [](auto& o) {
         static const int kinds[] = {WEFT_R2C, WEFT_C2C};
         o.kinds = kinds;
         o.kind = WEFT_R2C;
       }},
      {"precision", [](auto& o) { o.precision = 3; }},
      {"norm", [](auto& o) { o.norm = -1; }},
      {"effort", [](auto& o) { o.planning.effort = 9; }},
      {"method", [](auto& o) { o.exchange.method = WEFT_METHOD_RMA + 1; }},
      {"wire_form", [](auto& o) { o.exchange.wire_form = 3; }},
      {"schedule", [](auto& o) { o.exchange.schedule = 4; }},
      {"requests", [](auto& o) { o.exchange.requests = 3; }},
      {"preset", [](auto& o) { o.exchange.preset = 7; }},
      {"nodes", [](auto& o) { o.exchange.nodes = 4; }},
      {"wire", [](auto& o) { o.exchange.wire = 2; }},
      {"chunks", [](auto& o) { o.exchange.chunks = -1; }},
      {"piece_bytes", [](auto& o) { o.exchange.piece_bytes = -1; }},
      {"reserved space of weft_exchange", [](auto& o) { o.exchange.reserved[8] = 1; }},
      {"reserved space of weft_planning", [](auto& o) { o.planning.reserved[0] = -1; }},
      {"all_ranks", [](auto& o) { o.planning.all_ranks = -2; }},
      {"threads", [](auto& o) { o.threads = 0; }},
      {"output_choice", [](auto& o) { o.output_choice = 3; }},
      {"output", [](auto& o) { o.output_choice = WEFT_OUTPUT_GIVEN; }}};
  for (const auto& [word, change] : changes) {
    weft_options options = default_options();
    options.shape = shape;
    options.dims = 2;
    if (last_rank()) change(options);
    weft_fft* fft = nullptr;
    expect_failure_everywhere(weft_fft_create(&options, world, &fft), WEFT_INVALID_ARGUMENT,
                              {word});
    EXPECT_EQ(fft, nullptr);
  }
  weft_options options = default_options();
  options.shape = shape;
  options.dims = 2;
  weft_fft* fft = nullptr;
  expect_failure_everywhere(weft_fft_create(last_rank() ? nullptr : &options, world, &fft),
                            WEFT_INVALID_ARGUMENT, {"options"});
  expect_failure_everywhere(weft_fft_create(&options, world, last_rank() ? nullptr : &fft),
                            WEFT_INVALID_ARGUMENT, {"fft"});
  EXPECT_EQ(fft, nullptr);
  if (size_of(world) > 1) {
    options.sign = last_rank() ? 1 : -1;
    expect_failure_everywhere(weft_fft_create(&options, world, &fft), WEFT_DISAGREEMENT, {"sign"});
  }
  options.sign = 3;
  expect_failure_everywhere(weft_fft_create(&options, world, &fft), WEFT_INVALID_ARGUMENT,
                            {"sign", "3"});
  options.sign = -1;
  options.engine = "abacus";
  expect_failure_everywhere(weft_fft_create(&options, world, &fft), WEFT_UNSUPPORTED, {"abacus"});
}

TEST(CInterface, NullArgumentsAreErrors) {
  const int invalid = WEFT_INVALID_ARGUMENT;
  const int64_t shape[] = {6, 4};
  int64_t numbers[8] = {};
  int number = 0;
  char* text = nullptr;
  weft_layout* layout = nullptr;
  std::vector<int> codes = {weft_options_init(nullptr),
                            weft_fft_forward(nullptr, numbers, numbers),
                            weft_fft_backward(nullptr, numbers, numbers),
                            weft_fft_input_layout(nullptr, &layout),
                            weft_fft_output_layout(nullptr, &layout),
                            weft_fft_rank(nullptr, &number),
                            weft_fft_inplace_bytes(nullptr, numbers),
                            weft_fft_inplace_strides(nullptr, numbers),
                            weft_fft_workspace_bytes(nullptr, numbers),
                            weft_fft_use_workspace(nullptr, numbers, 8),
                            weft_fft_explain(nullptr, &text),
                            weft_fft_plan_json(nullptr, &text),
                            weft_layout_grid(2, shape, nullptr, nullptr, 0, &layout),
                            weft_layout_grid(2, nullptr, shape, nullptr, 0, &layout),
                            weft_layout_slab(2, nullptr, 2, 0, &layout),
                            weft_layout_slab(2, shape, 2, 0, nullptr),
                            weft_layout_pencil(2, nullptr, 2, 0, 1, &layout),
                            weft_layout_brick(2, nullptr, 2, &layout),
                            weft_layout_on_one(2, nullptr, 2, 0, &layout),
                            weft_layout_of_boxes(2, shape, 1, nullptr, shape, nullptr, &layout),
                            weft_layout_of_boxes(2, shape, 1, shape, nullptr, nullptr, &layout),
                            weft_layout_with_order(nullptr, nullptr, &layout),
                            weft_layout_from_json(nullptr, &layout),
                            weft_layout_dims(nullptr, &number),
                            weft_layout_ranks(nullptr, numbers),
                            weft_layout_shape(nullptr, numbers),
                            weft_layout_box(nullptr, 0, numbers, numbers),
                            weft_layout_strides(nullptr, 0, numbers),
                            weft_layout_volume(nullptr, 0, numbers),
                            weft_layout_describe(nullptr, &text),
                            weft_layout_json(nullptr, &text)};
  for (std::size_t i = 0; i < codes.size(); ++i) EXPECT_EQ(codes[i], invalid) << i;
  ASSERT_EQ(weft_layout_slab(2, shape, 2, 0, &layout), WEFT_OK);
  codes = {weft_layout_dims(layout, nullptr),
           weft_layout_ranks(layout, nullptr),
           weft_layout_shape(layout, nullptr),
           weft_layout_box(layout, 0, nullptr, numbers),
           weft_layout_box(layout, 0, numbers, nullptr),
           weft_layout_box(layout, 2, numbers, numbers),
           weft_layout_box(layout, -1, numbers, numbers),
           weft_layout_strides(layout, 0, nullptr),
           weft_layout_volume(layout, 0, nullptr),
           weft_layout_volume(layout, 7, numbers),
           weft_layout_describe(layout, nullptr),
           weft_layout_json(layout, nullptr),
           weft_layout_with_order(layout, nullptr, nullptr)};
  for (std::size_t i = 0; i < codes.size(); ++i) EXPECT_EQ(codes[i], invalid) << i;
  weft_layout_destroy(layout);
}

TEST(CInterface, LayoutsAreThoseOfCpp) {
  const int64_t shape[] = {7, 6, 5};
  const int64_t grid[] = {2, 1, 3};
  const int order[] = {2, 0, 1};
  weft_layout* layout = nullptr;
  ASSERT_EQ(weft_layout_grid(3, shape, grid, order, 0, &layout), WEFT_OK);
  const Layout twin = Layout::grid({7, 6, 5}, {2, 1, 3}, {2, 0, 1});
  int dims = 0;
  int64_t ranks = 0;
  EXPECT_EQ(weft_layout_dims(layout, &dims), WEFT_OK);
  EXPECT_EQ(dims, 3);
  EXPECT_EQ(weft_layout_ranks(layout, &ranks), WEFT_OK);
  EXPECT_EQ(ranks, 6);
  Shape found(3);
  EXPECT_EQ(weft_layout_shape(layout, found.data()), WEFT_OK);
  EXPECT_EQ(found, twin.shape());
  for (int64_t rank = 0; rank < ranks; ++rank) {
    Box box{Shape(3), Shape(3)};
    Shape strides(3);
    int64_t elements = 0;
    EXPECT_EQ(weft_layout_box(layout, rank, box.lower.data(), box.upper.data()), WEFT_OK);
    EXPECT_EQ(weft_layout_strides(layout, rank, strides.data()), WEFT_OK);
    EXPECT_EQ(weft_layout_volume(layout, rank, &elements), WEFT_OK);
    EXPECT_EQ(box, twin.box(rank));
    EXPECT_EQ(strides, twin.strides(rank));
    EXPECT_EQ(elements, twin.local_volume(rank));
  }
  char* text = nullptr;
  ASSERT_EQ(weft_layout_describe(layout, &text), WEFT_OK);
  EXPECT_EQ(taken(text), twin.describe());
  ASSERT_EQ(weft_layout_json(layout, &text), WEFT_OK);
  weft_layout* copy = nullptr;
  ASSERT_EQ(weft_layout_from_json(text, &copy), WEFT_OK);
  EXPECT_EQ(layout_from_json(taken(text)), twin);
  weft_layout* reordered = nullptr;
  ASSERT_EQ(weft_layout_with_order(copy, nullptr, &reordered), WEFT_OK) << weft_last_error();
  ASSERT_EQ(weft_layout_json(reordered, &text), WEFT_OK);
  EXPECT_EQ(layout_from_json(taken(text)), twin.with_order({}));
  for (weft_layout* each : {layout, copy, reordered}) weft_layout_destroy(each);

  const int64_t lower[] = {0, 0, 0, 3, 0, 0};
  const int64_t upper[] = {3, 6, 5, 7, 6, 5};
  ASSERT_EQ(weft_layout_of_boxes(3, shape, 2, lower, upper, nullptr, &layout), WEFT_OK);
  weft_layout_destroy(layout);
  layout = nullptr;
  expect_failure(weft_layout_of_boxes(3, shape, 1, lower, upper, nullptr, &layout),
                 WEFT_INVALID_ARGUMENT, {});
  expect_failure(weft_layout_of_boxes(3, shape, 0, lower, upper, nullptr, &layout),
                 WEFT_INVALID_ARGUMENT, {"rank"});
  expect_failure(weft_layout_from_json("{", &layout), WEFT_INVALID_ARGUMENT, {});
  expect_failure(weft_layout_slab(3, shape, 2, 3, &layout), WEFT_INVALID_ARGUMENT, {"axis"});
  expect_failure(weft_layout_brick(0, shape, 2, &layout), WEFT_INVALID_ARGUMENT, {"dims"});
  EXPECT_EQ(layout, nullptr);
}

TEST(CInterface, MovesArraysAndRefusesWrongArguments) {
  const int64_t ranks = size_of(world);
  const int rank = rank_of(world);
  const int64_t shape[] = {9, 8};
  weft_layout* rows = nullptr;
  weft_layout* columns = nullptr;
  ASSERT_EQ(weft_layout_slab(2, shape, ranks, 0, &rows), WEFT_OK);
  int64_t lower[] = {0, 8 * rank / ranks};
  int64_t upper[] = {9, 8 * (rank + 1) / ranks};
  ASSERT_EQ(weft_layout_of_local_boxes(2, shape, lower, upper, nullptr, world, &columns), WEFT_OK)
      << weft_last_error();
  std::vector<double> whole(72);
  for (std::size_t i = 0; i < whole.size(); ++i) whole[i] = static_cast<double>(i);
  std::vector<double> by_rows(72, -1.0);
  std::vector<double> by_columns(72, -1.0);
  const int root = static_cast<int>(ranks) - 1;
  ASSERT_EQ(
      weft_scatter(rank == root ? whole.data() : nullptr, by_rows.data(), rows, 8, root, world),
      WEFT_OK)
      << weft_last_error();
  ASSERT_EQ(weft_redistribute(by_rows.data(), rows, by_columns.data(), columns, 8, world), WEFT_OK);
  std::vector<double> back(72, -1.0);
  ASSERT_EQ(weft_gather(by_columns.data(), columns, back.data(), 8, 0, world), WEFT_OK);
  EXPECT_TRUE(rank != 0 || back == whole);
  const bool odd = last_rank();
  expect_failure_everywhere(
      weft_redistribute(by_rows.data(), odd ? nullptr : rows, back.data(), columns, 8, world),
      WEFT_INVALID_ARGUMENT, {"from"});
  expect_failure_everywhere(
      weft_redistribute(by_rows.data(), rows, back.data(), odd ? nullptr : columns, 8, world),
      WEFT_INVALID_ARGUMENT, {"to"});
  expect_failure_everywhere(
      weft_gather(by_rows.data(), odd ? nullptr : rows, back.data(), 8, 0, world),
      WEFT_INVALID_ARGUMENT, {"layout"});
  expect_failure_everywhere(
      weft_scatter(back.data(), by_rows.data(), odd ? nullptr : rows, 8, 0, world),
      WEFT_INVALID_ARGUMENT, {"layout"});
  expect_failure_everywhere(weft_gather(by_rows.data(), rows, back.data(), 8, odd ? -1 : 0, world),
                            WEFT_INVALID_ARGUMENT, {});
  weft_layout* none = nullptr;
  expect_failure_everywhere(
      weft_layout_of_local_boxes(2, shape, odd ? nullptr : lower, upper, nullptr, world, &none),
      WEFT_INVALID_ARGUMENT, {"lower"});
  EXPECT_EQ(none, nullptr);
  weft_layout_destroy(rows);
  weft_layout_destroy(columns);
}

TEST(CInterface, ANullArrayOnOneRankFailsOnAllRanks) {
  const int64_t shape[] = {16, 16};
  weft_options c = default_options();
  c.shape = shape;
  c.dims = 2;
  weft_fft* fft = nullptr;
  ASSERT_EQ(weft_fft_create(&c, world, &fft), WEFT_OK);
  std::vector<std::complex<double>> x(256, 1.0);
  auto* data = last_rank() ? nullptr : x.data();
  expect_failure_everywhere(weft_fft_forward(fft, data, x.data()), WEFT_INVALID_ARGUMENT, {"null"});
  expect_failure_everywhere(weft_fft_backward(fft, x.data(), data), WEFT_INVALID_ARGUMENT,
                            {"null"});
  EXPECT_EQ(weft_fft_forward(fft, x.data(), x.data()), WEFT_OK);
  weft_fft_destroy(fft);
}

}  // namespace
}  // namespace weft::test_support
