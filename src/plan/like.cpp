#include <string>

#include <weft/error.hpp>
#include <weft/plan.hpp>

namespace weft {
namespace {

Layout array_of(const Layout& one, const Problem& problem) {
  return problem.components > 0 ? one.with_components(problem.components) : one;
}

/// Returns in words why the layout of a side (input or output) cannot be taken.
std::string in_words(const char* side, bool is_given, const Shape& mine, const Shape& theirs) {
  return std::string("its ") + side + " is " + to_string(theirs) + ", that of this transform " +
         (is_given ? "has a layout of its own" : to_string(mine));
}

}  // namespace

Layout Plan::input_array() const { return array_of(input(), problem); }
Layout Plan::output_array() const { return array_of(output(), problem); }

Problem with_layouts_like(Problem problem, const Plan& other) {
  if (other.problem.ranks != problem.ranks)
    throw Error(ErrorCode::layout_mismatch,
                "like must be a transform on as many ranks as this one, " +
                    std::to_string(problem.ranks) + "; given one on " +
                    std::to_string(other.problem.ranks) +
                    "; give a transform of this communicator");
  const Problem complete = checked(problem);
  const bool has_output = problem.output_choice != OutputChoice::any;
  const bool takes_input = !problem.has_input && other.input().shape() == complete.input_shape();
  const bool takes_output = !has_output && other.output().shape() == complete.output_shape();
  if (!takes_input && !takes_output)
    throw Error(
        ErrorCode::layout_mismatch,
        "like must be a transform with the same global shape of the input or the output; " +
            in_words("input", problem.has_input, complete.input_shape(), other.input().shape()) +
            "; " + in_words("output", has_output, complete.output_shape(), other.output().shape()) +
            "; leave like out, or change shape, modes or support");
  if (takes_input) {
    problem.has_input = true;
    problem.input = other.input();
  }
  if (takes_output) {
    problem.output_choice = OutputChoice::given;
    problem.output = other.output();
  }
  return problem;
}

}  // namespace weft
