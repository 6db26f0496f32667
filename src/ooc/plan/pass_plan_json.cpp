#include "ooc/plan/pass_plan_json.hpp"

#include "ooc/plan/check_pass_plan.hpp"
#include "plan/json_fields.hpp"

namespace weft {

namespace json {

template <>
constexpr auto fields<ooc::ElementType> = std::tuple(Field{"kind", &ooc::ElementType::kind},
                                                     Field{"bytes", &ooc::ElementType::bytes},
                                                     Field{"is_swapped",
                                                           &ooc::ElementType::is_swapped});

template <>
constexpr auto fields<ooc::SpectralFilter> = std::tuple(
    Field{"kind", &ooc::SpectralFilter::kind}, Field{"numbers", &ooc::SpectralFilter::numbers},
    Field{"axis", &ooc::SpectralFilter::axis}, Field{"order", &ooc::SpectralFilter::order},
    Field{"lengths", &ooc::SpectralFilter::lengths});

template <>
constexpr auto fields<ooc::KPassProblem> = std::tuple(
    Field{"shape", &ooc::KPassProblem::shape}, Field{"axes", &ooc::KPassProblem::axes},
    Field{"kinds", &ooc::KPassProblem::kinds}, Field{"precision", &ooc::KPassProblem::precision},
    Field{"order", &ooc::KPassProblem::order}, Field{"real_input", &ooc::KPassProblem::real_input},
    Field{"real_output", &ooc::KPassProblem::real_output},
    Field{"memory_bytes", &ooc::KPassProblem::memory_bytes},
    Field{"block_bytes", &ooc::KPassProblem::block_bytes},
    Field{"buffers", &ooc::KPassProblem::buffers}, Field{"threads", &ooc::KPassProblem::threads},
    Field{"preserve_inputs", &ooc::KPassProblem::preserve_inputs},
    Field{"in_place", &ooc::KPassProblem::in_place}, Field{"groups", &ooc::KPassProblem::groups},
    Field{"input_type", &ooc::KPassProblem::input_type},
    Field{"filter", &ooc::KPassProblem::filter});

template <>
constexpr auto fields<ooc::PanelAxis> = std::tuple(Field{"before", &ooc::PanelAxis::before},
                                                   Field{"length", &ooc::PanelAxis::length},
                                                   Field{"after", &ooc::PanelAxis::after},
                                                   Field{"kind", &ooc::PanelAxis::kind});

template <>
constexpr auto fields<ooc::KPass> = std::tuple(
    Field{"outer", &ooc::KPass::outer}, Field{"radix", &ooc::KPass::radix},
    Field{"rest", &ooc::KPass::rest}, Field{"inner", &ooc::KPass::inner},
    Field{"axes", &ooc::KPass::axes}, Field{"twiddle", &ooc::KPass::twiddle},
    Field{"twiddle_length", &ooc::KPass::twiddle_length},
    Field{"twiddle_step", &ooc::KPass::twiddle_step},
    Field{"twiddle_columns", &ooc::KPass::twiddle_columns},
    Field{"unpacks_reals", &ooc::KPass::unpacks_reals},
    Field{"packs_reals", &ooc::KPass::packs_reals}, Field{"reads_reals", &ooc::KPass::reads_reals},
    Field{"converts", &ooc::KPass::converts}, Field{"writes_reals", &ooc::KPass::writes_reals},
    Field{"real_radix", &ooc::KPass::real_radix}, Field{"source_slab", &ooc::KPass::source_slab},
    Field{"target_slab", &ooc::KPass::target_slab}, Field{"spectrum_of", &ooc::KPass::spectrum_of},
    Field{"other_sign", &ooc::KPass::other_sign}, Field{"filters", &ooc::KPass::filters},
    Field{"chirp", &ooc::KPass::chirp}, Field{"chirp_length", &ooc::KPass::chirp_length},
    Field{"convolves", &ooc::KPass::convolves}, Field{"scale", &ooc::KPass::scale},
    Field{"outer_width", &ooc::KPass::outer_width}, Field{"rest_width", &ooc::KPass::rest_width},
    Field{"inner_width", &ooc::KPass::inner_width}, Field{"source", &ooc::KPass::source},
    Field{"target", &ooc::KPass::target}, Field{"source_first", &ooc::KPass::source_first},
    Field{"target_first", &ooc::KPass::target_first},
    Field{"kernel_first", &ooc::KPass::kernel_first}, Field{"journaled", &ooc::KPass::journaled},
    Field{"journal_read_bytes", &ooc::KPass::journal_read_bytes},
    Field{"panel_elements", &ooc::KPass::panel_elements},
    Field{"tile_lines", &ooc::KPass::tile_lines});

template <>
constexpr auto fields<ooc::KPassPlan> =
    std::tuple(Field{"problem", &ooc::KPassPlan::problem}, Field{"passes", &ooc::KPassPlan::passes},
               Field{"element_bytes", &ooc::KPassPlan::element_bytes},
               Field{"transposed_rows", &ooc::KPassPlan::transposed_rows},
               Field{"scratch_bytes", &ooc::KPassPlan::scratch_bytes},
               Field{"journal_first_byte", &ooc::KPassPlan::journal_first_byte},
               Field{"journal_slot_bytes", &ooc::KPassPlan::journal_slot_bytes},
               Field{"ranks", &ooc::KPassPlan::ranks},
               Field{"convolution_points", &ooc::KPassPlan::convolution_points},
               Field{"kernel_passes", &ooc::KPassPlan::kernel_passes},
               Field{"spectrum_radices", &ooc::KPassPlan::spectrum_radices});

}  // namespace json

namespace ooc {
namespace {

/// Grows when an older weft would misread a newer plan.
constexpr std::int64_t pass_plan_version = 2;

}  // namespace

std::string to_json(const KPassPlan& plan) {
  json::Json object{{"version", pass_plan_version}};
  json::write_fields(object, plan);
  return object.dump();
}

KPassPlan plan_from_json(std::string_view text) {
  const json::Json document = json::parse(text, "plan");
  json::Object object({document, "plan"});
  const json::JsonPlace version = object.at("version");
  if (json::integer(version) != pass_plan_version)
    json::refuse(version, "this weft reads version " + std::to_string(pass_plan_version) +
                              " of a plan on disks: plan again, or use the weft that wrote it");
  auto plan = json::read_fields<KPassPlan>(object);
  object.finish();
  check_plan(plan);
  return plan;
}

}  // namespace ooc
}  // namespace weft
