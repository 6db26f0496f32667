// A library with FFTW's interface that refuses plans of one kind. WEFT_TEST_REFUSED names the kind:
// c2c, r2c, c2r or r2r. All other calls go to the installed FFTW. weft loads this library if
// WEFT_FFTW_LIBRARY names it.
#include <dlfcn.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>

namespace {

struct Loop {
  std::ptrdiff_t extent, in_stride, out_stride;
};

bool refuses(const char* kind) {
  const char* refused = std::getenv("WEFT_TEST_REFUSED");
  return refused != nullptr && std::strcmp(refused, kind) == 0;
}

template <class Function>
Function* of_fftw(const char* name) {
  static void* const library = dlopen("libfftw3.so.3", RTLD_NOW | RTLD_LOCAL);
  return library == nullptr ? nullptr : reinterpret_cast<Function*>(dlsym(library, name));
}

using Plan = void*(int, const Loop*, int, const Loop*, void*, void*, unsigned);
using DirectedPlan = void*(int, const Loop*, int, const Loop*, void*, void*, int, unsigned);
using RealPlan = void*(int, const Loop*, int, const Loop*, void*, void*, const int*, unsigned);
using Execute = void(void*, void*, void*);

}  // namespace

extern "C" {

// Without `extern`, a constant would stay in this file.
extern const char fftw_version[];
const char fftw_version[] = "fftw-with-faults";

void* fftw_plan_guru64_dft(int rank, const Loop* dims, int batch_rank, const Loop* batch, void* in,
                           void* out, int sign, unsigned flags) {
  if (refuses("c2c")) return nullptr;
  return of_fftw<DirectedPlan>("fftw_plan_guru64_dft")(rank, dims, batch_rank, batch, in, out, sign,
                                                       flags);
}

void* fftw_plan_guru64_dft_r2c(int rank, const Loop* dims, int batch_rank, const Loop* batch,
                               void* in, void* out, unsigned flags) {
  if (refuses("r2c")) return nullptr;
  return of_fftw<Plan>("fftw_plan_guru64_dft_r2c")(rank, dims, batch_rank, batch, in, out, flags);
}

void* fftw_plan_guru64_dft_c2r(int rank, const Loop* dims, int batch_rank, const Loop* batch,
                               void* in, void* out, unsigned flags) {
  if (refuses("c2r")) return nullptr;
  return of_fftw<Plan>("fftw_plan_guru64_dft_c2r")(rank, dims, batch_rank, batch, in, out, flags);
}

void* fftw_plan_guru64_r2r(int rank, const Loop* dims, int batch_rank, const Loop* batch, void* in,
                           void* out, const int* kinds, unsigned flags) {
  if (refuses("r2r")) return nullptr;
  return of_fftw<RealPlan>("fftw_plan_guru64_r2r")(rank, dims, batch_rank, batch, in, out, kinds,
                                                   flags);
}

void fftw_execute_dft(void* plan, void* in, void* out) {
  of_fftw<Execute>("fftw_execute_dft")(plan, in, out);
}
void fftw_execute_dft_r2c(void* plan, void* in, void* out) {
  of_fftw<Execute>("fftw_execute_dft_r2c")(plan, in, out);
}
void fftw_execute_dft_c2r(void* plan, void* in, void* out) {
  of_fftw<Execute>("fftw_execute_dft_c2r")(plan, in, out);
}
void fftw_execute_r2r(void* plan, void* in, void* out) {
  of_fftw<Execute>("fftw_execute_r2r")(plan, in, out);
}
void fftw_destroy_plan(void* plan) { of_fftw<void(void*)>("fftw_destroy_plan")(plan); }
}
