#include "kernel/fftw_library.hpp"

#include <dlfcn.h>

#include <array>
#include <cstddef>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "weft/error.hpp"

namespace weft::kernel {
namespace {

/// Names of files with transforms of doubles, in the order in which they are tried.
#if defined(__APPLE__)
constexpr std::array known_files{"libfftw3.3.dylib"};
#else
constexpr std::array known_files{"libfftw3.so.3", "libmkl_rt.so.3", "libmkl_rt.so.2",
                                 "libnvpl_fftw.so.0"};
#endif

constexpr std::array precisions{Precision::f32, Precision::f64, Precision::f80};

/// The letter of a precision in names of functions and files.
std::string letter(Precision precision) {
  return precision == Precision::f32 ? "f" : precision == Precision::f80 ? "l" : "";
}

/// Symbols stay local to the handle, so that several libraries with the same names do not mix.
void* opened(const std::string& file) { return dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL); }

template <class Function>
void find(void* handle, const std::string& prefix, const char* name, Function*& function) {
  function = reinterpret_cast<Function*>(dlsym(handle, (prefix + name).c_str()));
}

/// Returns whether the library makes plans of all kinds from reals to reals. MKL has the function
/// for this, but the function makes no plans.
bool plans_reals(const FftwFunctions& f) {
  constexpr std::ptrdiff_t points = 4;
  alignas(64) std::array<long double, points> in{};
  alignas(64) std::array<long double, points> out{};
  const FftwLoop line{points, 1, 1};
  for (const int kind : fftw::r2r_kinds) {
    void* const plan = f.plan_r2r(1, &line, 0, nullptr, in.data(), out.data(), &kind,
                                  fftw::estimate | fftw::preserve_input);
    if (plan == nullptr) return false;
    f.destroy(plan);
  }
  return true;
}

/// Returns the functions of a precision. All are null unless every needed one was found.
FftwFunctions functions_in(void* handle, Precision precision) {
  FftwFunctions f{};
  const std::string prefix = "fftw" + letter(precision) + "_";
  find(handle, prefix, "plan_guru64_dft", f.plan_c2c);
  find(handle, prefix, "plan_guru64_dft_r2c", f.plan_r2c);
  find(handle, prefix, "plan_guru64_dft_c2r", f.plan_c2r);
  find(handle, prefix, "execute_dft", f.execute_c2c);
  find(handle, prefix, "execute_dft_r2c", f.execute_r2c);
  find(handle, prefix, "execute_dft_c2r", f.execute_c2r);
  find(handle, prefix, "destroy_plan", f.destroy);
  const bool whole = f.plan_c2c && f.plan_r2c && f.plan_c2r && f.execute_c2c && f.execute_r2c &&
                     f.execute_c2r && f.destroy;
  if (!whole) return {};
  find(handle, prefix, "plan_guru64_r2r", f.plan_r2r);
  find(handle, prefix, "execute_r2r", f.execute_r2r);
  if (!f.plan_r2r || !f.execute_r2r || !plans_reals(f)) f.plan_r2r = nullptr;
  find(handle, prefix, "export_wisdom_to_string", f.export_wisdom);
  find(handle, prefix, "import_wisdom_from_string", f.import_wisdom);
  f.version = static_cast<const char*>(dlsym(handle, (prefix + "version").c_str()));
  if (f.version == nullptr) f.version = "FFTW's interface, of unknown version";
  return f;
}

/// Returns the file of another precision, "libfftw3f.so.3" for "libfftw3.so.3"; none if the file's
/// name is not FFTW's.
std::optional<std::string> sibling(const std::string& file, Precision precision) {
  constexpr std::string_view name = "fftw3";
  const auto at = file.rfind(name);
  if (at == std::string::npos || file.find('/', at) != std::string::npos) return {};
  return file.substr(0, at + name.size()) + letter(precision) + file.substr(at + name.size());
}

std::optional<FftwLibrary> loaded(const std::string& file) {
  void* const handle = opened(file);
  if (handle == nullptr) return {};
  FftwLibrary library{.file = file, .functions = {}};
  for (const Precision precision : precisions) {
    FftwFunctions& f = library.functions[static_cast<std::size_t>(precision)];
    f = functions_in(handle, precision);
    const auto other = f.plan_c2c ? std::nullopt : sibling(file, precision);
    void* const also = other ? opened(*other) : nullptr;
    if (also != nullptr) f = functions_in(also, precision);
  }
  return library;
}

std::optional<FftwLibrary> chosen() {
  const char* named = std::getenv("WEFT_FFTW_LIBRARY");
  if (named != nullptr && *named != '\0') {
    if (std::string_view(named) == "none") return {};
    return load_fftw(named);
  }
  for (const char* file : known_files) {
    auto library = loaded(file);
    if (library && library->has(Precision::f64)) return library;
  }
  return {};
}

}  // namespace

FftwLibrary load_fftw(const std::string& file) {
  const std::string rule =
      "WEFT_FFTW_LIBRARY must name a library with FFTW's interface for doubles, such as "
      "libfftw3.so.3, or be none; given \"" +
      file + "\"";
  auto library = loaded(file);
  if (!library) {
    const char* reason = dlerror();
    throw Error(ErrorCode::invalid_argument,
                rule + ", which cannot be loaded" +
                    (reason == nullptr ? std::string() : ": " + std::string(reason)) +
                    "; correct the name, or leave the variable out");
  }
  if (!library->has(Precision::f64))
    throw Error(ErrorCode::invalid_argument,
                rule +
                    (library->has(Precision::f32)   ? ", which has floats only"
                     : library->has(Precision::f80) ? ", which has long doubles only"
                                                    : ", which has other functions") +
                    "; name the library for doubles, and weft finds the others by its name");
  return *library;
}

const FftwLibrary* fftw_library() {
  static const auto& library = *new std::optional<FftwLibrary>(chosen());
  return library ? &*library : nullptr;
}

}  // namespace weft::kernel
