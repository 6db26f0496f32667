#include <weft/weft.h>

#include <algorithm>
#include <string>

#include "api/c_fft.hpp"
#include "api/c_support.hpp"

namespace weft::api {
namespace {

/// Returns a C++ function that calls a C function.
FieldFunction function_of(const weft_field_function& given) {
  FieldFunction function;
  if (given.call != nullptr)
    function.call = [call = given.call, user = given.user](const Tile& tile) {
      const int code = call(&tile, user);
      if (code != 0)
        throw Error(ErrorCode::invalid_argument,
                    "the C function returned " + std::to_string(code) + " instead of 0");
    };
  function.is_pointwise = given.is_pointwise != 0;
  function.results = given.results;
  if (given.combine != WEFT_SUM && given.combine != WEFT_MAX)
    throw Error(ErrorCode::invalid_argument,
                "combine must be WEFT_SUM or WEFT_MAX; given " + std::to_string(given.combine));
  function.combine = given.combine == WEFT_MAX ? Combine::max : Combine::sum;
  return function;
}

FieldWork work_of(const weft_field_work& given) {
  FieldWork work;
  work.function = function_of(given.function);
  if (given.before.call != nullptr) work.before = function_of(given.before);
  if (given.after.call != nullptr) work.after = function_of(given.after);
  work.fields_there = given.fields_there;
  work.fields_back = given.fields_back;
  return work;
}

std::size_t count_of(std::int64_t count, const void* arrays, const char* name) {
  if (count < 0)
    throw Error(ErrorCode::invalid_argument, std::string("the number of arrays in `") + name +
                                                 "` must not be negative; given " +
                                                 std::to_string(count));
  if (count > 0) require(arrays, name);
  return static_cast<std::size_t>(count);
}

int apply(weft_fft* fft, ApplyIn turn, const weft_field_work* given, std::int64_t inputs,
          const void* const* in, std::int64_t outputs, void* const* out, double* results) noexcept {
  return guarded([&] {
    require(fft, "fft");
    FieldWork work;
    std::size_t in_count = 0;
    std::size_t out_count = 0;
    const auto mine = error_of([&] {
      require(given, "work");
      work = work_of(*given);
      in_count = count_of(inputs, in, "in");
      out_count = count_of(outputs, out, "out");
      const std::int64_t wanted = work.function.results + (work.before ? work.before->results : 0) +
                                  (work.after ? work.after->results : 0);
      if (wanted > 0) require(results, "results");
    });
    const std::vector<double> found =
        fft->handle.apply(turn, work, {in, in_count}, {out, out_count}, mine);
    std::copy(found.begin(), found.end(), results);
  });
}

int explain_apply(const weft_fft* fft, ApplyIn turn, const weft_field_work* work,
                  std::int64_t inputs, std::int64_t outputs, char** text) noexcept {
  return guarded([&] {
    require(fft, "fft");
    require(work, "work");
    give_text(fft->handle.explain_apply(turn, work_of(*work), inputs, outputs), text);
  });
}

}  // namespace
}  // namespace weft::api

using namespace weft::api;

int weft_fft_apply_in_spectrum(weft_fft* fft, const weft_field_work* work, int64_t inputs,
                               const void* const* in, int64_t outputs, void* const* out,
                               double* results) {
  return apply(fft, weft::ApplyIn::spectrum, work, inputs, in, outputs, out, results);
}

int weft_fft_apply_in_space(weft_fft* fft, const weft_field_work* work, int64_t inputs,
                            const void* const* in, int64_t outputs, void* const* out,
                            double* results) {
  return apply(fft, weft::ApplyIn::space, work, inputs, in, outputs, out, results);
}

int weft_fft_explain_apply_in_spectrum(const weft_fft* fft, const weft_field_work* work,
                                       int64_t inputs, int64_t outputs, char** text) {
  return explain_apply(fft, weft::ApplyIn::spectrum, work, inputs, outputs, text);
}

int weft_fft_explain_apply_in_space(const weft_fft* fft, const weft_field_work* work,
                                    int64_t inputs, int64_t outputs, char** text) {
  return explain_apply(fft, weft::ApplyIn::space, work, inputs, outputs, text);
}
