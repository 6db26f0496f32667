// Common parts of the tests of the C interface.
#pragma once

#include <weft/weft.h>

#include <complex>
#include <cstring>
#include <string>
#include <vector>

#include "mpi/support/fft_check.hpp"
#include "mpi/support/world.hpp"

namespace weft::test_support {

inline weft_options default_options() {
  weft_options options;
  EXPECT_EQ(weft_options_init(&options), WEFT_OK);
  return options;
}

/// Returns a text that weft has allocated, as a string, and frees it.
inline std::string taken(char* text) {
  std::string copy = text == nullptr ? "(null)" : text;
  weft_free(text);
  return copy;
}

inline void expect_failure(int code, int wanted, const std::vector<std::string>& words) {
  EXPECT_EQ(code, wanted) << weft_last_error();
  for (const std::string& word : words)
    EXPECT_NE(std::string(weft_last_error()).find(word), std::string::npos)
        << "no \"" << word << "\" in: " << weft_last_error();
}

/// Expects the same failure on every rank, even if only one rank caused it.
inline void expect_failure_everywhere(int code, int wanted, const std::vector<std::string>& words) {
  expect_failure(code, wanted, words);
  char first[1024] = "";
  std::strncpy(first, weft_last_error(), sizeof first - 1);
  const std::string mine = first;
  MPI_Bcast(first, sizeof first, MPI_CHAR, 0, world);
  EXPECT_EQ(mine, std::string(first));
}

/// Runs a transform of C++, with the arrays cast to its types of elements.
inline void run_cpp(Fft<double>& fft, bool forward, double* in, double* out) {
  const bool has_real_input = fft.plan().stages.front().source_element == Element::real;
  const bool has_real_output = fft.plan().stages.back().target_element == Element::real;
  auto* in_complex = reinterpret_cast<std::complex<double>*>(in);
  auto* out_complex = reinterpret_cast<std::complex<double>*>(out);
  if (has_real_output)
    forward ? fft.forward(in, out) : fft.backward(in, out);
  else if (!has_real_input)
    forward ? fft.forward(in_complex, out_complex) : fft.backward(in_complex, out_complex);
  else
    forward ? fft.forward(in, out_complex) : fft.backward(in_complex, out);
}

/// Expects two transforms of the same options, one by C and one by C++, to have the same plan and
/// to give the same bits.
inline void check_like_cpp(const weft_options& c, const FftOptions& cpp) {
  weft_fft* fft = nullptr;
  ASSERT_EQ(weft_fft_create(&c, world, &fft), WEFT_OK) << weft_last_error();
  Fft<double> twin(cpp);
  int64_t bytes = 0;
  ASSERT_EQ(weft_fft_inplace_bytes(fft, &bytes), WEFT_OK);
  EXPECT_EQ(bytes, twin.inplace_bytes());
  std::vector<double> x(static_cast<std::size_t>(bytes) / 8 + 1);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = noise(4, i);
  auto y = x;
  auto z = x;
  ASSERT_EQ(weft_fft_forward(fft, x.data(), z.data()), WEFT_OK) << weft_last_error();
  run_cpp(twin, true, x.data(), y.data());
  EXPECT_EQ(z, y);
  ASSERT_EQ(weft_fft_backward(fft, z.data(), z.data()), WEFT_OK) << weft_last_error();
  run_cpp(twin, false, y.data(), y.data());
  EXPECT_EQ(z, y);
  char* text = nullptr;
  ASSERT_EQ(weft_fft_plan_json(fft, &text), WEFT_OK);
  EXPECT_EQ(taken(text), to_json(twin.plan()));
  ASSERT_EQ(weft_fft_explain(fft, &text), WEFT_OK);
  EXPECT_EQ(taken(text), twin.explain());
  int rank = -1;
  ASSERT_EQ(weft_fft_rank(fft, &rank), WEFT_OK);
  EXPECT_EQ(rank, rank_of(world));
  std::vector<int64_t> strides(static_cast<std::size_t>(c.dims));
  ASSERT_EQ(weft_fft_inplace_strides(fft, strides.data()), WEFT_OK);
  EXPECT_EQ(strides, twin.inplace_real_strides());
  weft_fft_destroy(fft);
}

/// Returns the layout of the input or the output of a transform of C.
inline Layout layout_of(const weft_fft* fft, bool is_input) {
  weft_layout* layout = nullptr;
  EXPECT_EQ(is_input ? weft_fft_input_layout(fft, &layout) : weft_fft_output_layout(fft, &layout),
            WEFT_OK);
  char* text = nullptr;
  EXPECT_EQ(weft_layout_json(layout, &text), WEFT_OK);
  weft_layout_destroy(layout);
  return layout_from_json(taken(text));
}

}  // namespace weft::test_support
