#include "row_kernels.hpp"

// This file is compiled once for each instruction set, with WEFT_ISA_LEVEL = v1, v3 or v4. Only the
// function at the end is visible outside of the object file, so no other file can use the rest.
//
// Rows are processed in chunks. Real and imaginary parts of a chunk are stored separately, so that
// the compiler vectorises each loop. Inputs are read before the outputs of the same elements are
// written, because both may share memory.

namespace {

using namespace weft::dns;
using Count = std::int64_t;

constexpr int chunk = 64;

/// The real and the imaginary parts of a chunk.
template <class T>
struct ComplexChunk {
  alignas(64) T re[chunk];
  alignas(64) T im[chunk];
};

int smaller(Count a, int b) { return a < b ? static_cast<int>(a) : b; }

template <class T>
void load(const T* from, Count stride, int n, ComplexChunk<T>& to) {
  if (stride == 1)
    for (Count i = 0; i < n; ++i) {
      to.re[i] = from[2 * i];
      to.im[i] = from[2 * i + 1];
    }
  else
    for (Count i = 0; i < n; ++i) {
      to.re[i] = from[2 * i * stride];
      to.im[i] = from[2 * i * stride + 1];
    }
}

template <class T>
void store(const ComplexChunk<T>& from, int n, T* to, Count stride) {
  if (stride == 1)
    for (Count i = 0; i < n; ++i) {
      to[2 * i] = from.re[i];
      to[2 * i + 1] = from.im[i];
    }
  else
    for (Count i = 0; i < n; ++i) {
      to[2 * i * stride] = from.re[i];
      to[2 * i * stride + 1] = from.im[i];
    }
}

/// The wave vector of a chunk.
template <class T>
struct Waves {
  alignas(64) T k[3][chunk];

  Waves(const WaveRow<T>& row, Count first, int n) {
    for (int a = 0; a < 3; ++a)
      for (int i = 0; i < n; ++i)
        k[a][i] = row.across[a] + row.along_axis[a] * row.along[first + i];
  }
};

template <class T>
void turn(const PhaseRow<T>& row, Count first, int n, ComplexChunk<T>& field) {
  if (row.along == nullptr) return;
  const T* const along = row.along + 2 * first;
  for (Count i = 0; i < n; ++i) {
    const T c = row.across_re * along[2 * i] - row.across_im * along[2 * i + 1];
    const T s = row.across_re * along[2 * i + 1] + row.across_im * along[2 * i];
    const T re = field.re[i];
    field.re[i] = c * re - s * field.im[i];
    field.im[i] = c * field.im[i] + s * re;
  }
}

/// Writes one component of i k x u: i (k_b u_c - k_c u_b).
template <class T>
void curl_of(const T* kb, const T* kc, const ComplexChunk<T>& ub, const ComplexChunk<T>& uc, int n,
             ComplexChunk<T>& to) {
  for (int i = 0; i < n; ++i) {
    to.re[i] = kc[i] * ub.im[i] - kb[i] * uc.im[i];
    to.im[i] = kb[i] * uc.re[i] - kc[i] * ub.re[i];
  }
}

template <class T>
void inverse(const InverseRow<T>* row) {
  ComplexChunk<T> field[3 + most_scalars];
  ComplexChunk<T> vorticity;
  const Count stride = row->stride;
  const Count fields = 3 + row->scalars;
  for (Count first = 0; first < row->count; first += chunk) {
    const int n = smaller(row->count - first, chunk);
    const Count at = 2 * first * stride;
    for (Count c = 0; c < fields; ++c) {
      load(row->in[c] + at, stride, n, field[c]);
      turn(row->phase, first, n, field[c]);
    }
    const Waves<T> waves(row->wave, first, n);
    for (int a = 0; a < 3; ++a) {
      const int b = (a + 1) % 3;
      const int c = (a + 2) % 3;
      curl_of(waves.k[b], waves.k[c], field[b], field[c], n, vorticity);
      store(vorticity, n, row->out[3 + a] + at, stride);
    }
    for (Count c = 0; c < fields; ++c) store(field[c], n, row->out[c < 3 ? c : c + 3] + at, stride);
  }
}

/// Raises `largest` to the largest rate, or to infinity if some rate is not finite.
template <class T>
void raise(double* largest, const T* rate, int n) {
  // Halves of the chunk are compared until one number is left, because such loops are vectorised.
  alignas(64) T most[chunk];
  alignas(64) T check[chunk];
  for (int i = 0; i < chunk; ++i) {
    most[i] = i < n ? rate[i] : T(0);
    check[i] = most[i] * 0;  // NaN if most[i] is NaN or infinite, otherwise 0
  }
  for (int half = chunk / 2; half > 0; half /= 2)
    for (int i = 0; i < half; ++i) {
      most[i] = most[i] > most[half + i] ? most[i] : most[half + i];
      check[i] += check[half + i];
    }
  const auto value = static_cast<double>(most[0]);
  *largest = value > *largest ? value : *largest;
  if (!(check[0] == 0)) *largest = __builtin_inf();
}

template <class T>
void read(const T* from, Count stride, int n, T* to) {
  for (int i = 0; i < n; ++i) to[i] = from[i * stride];
}
template <class T>
void write(const T* from, int n, T* to, Count stride) {
  for (int i = 0; i < n; ++i) to[i * stride] = from[i];
}

template <class T>
T magnitude(T value) {
  return value < 0 ? -value : value;
}

/// The products u x w of a chunk, and its rates. Outputs may share memory with inputs of the same
/// elements, because each element is read before it is written.
template <class T>
void cross(const SpaceRow<T>& row, Count first, int n, T* rate) {
  const Count stride = row.stride;
  const T* in[6];
  T* out[3];
  for (int c = 0; c < 6; ++c) in[c] = row.in[c] + first * stride;
  for (int c = 0; c < 3; ++c) out[c] = row.out[c] + first * stride;
  const auto at = [&](int i, Count step) {
    const Count j = i * step;
    const T u = in[0][j];
    const T v = in[1][j];
    const T w = in[2][j];
    const T x = in[3][j];
    const T y = in[4][j];
    const T z = in[5][j];
    rate[i] = magnitude(u) * row.inverse_steps[0] + magnitude(v) * row.inverse_steps[1] +
              magnitude(w) * row.inverse_steps[2];
    out[0][j] = v * z - w * y;
    out[1][j] = w * x - u * z;
    out[2][j] = u * y - v * x;
  };
  if (stride == 1) {
#pragma GCC ivdep
    for (int i = 0; i < n; ++i) at(i, 1);
  } else {
    for (int i = 0; i < n; ++i) at(i, stride);
  }
}

/// Raises the row's largest |u|^2.
template <class T>
void raise_fastest(const SpaceRow<T>& row, Count first, int n) {
  alignas(64) T square[chunk];
  const Count at = first * row.stride;
  for (int i = 0; i < n; ++i) {
    const T u = row.in[0][at + i * row.stride];
    const T v = row.in[1][at + i * row.stride];
    const T w = row.in[2][at + i * row.stride];
    square[i] = u * u + v * v + w * w;
  }
  raise(row.fastest, square, n);
}

template <class T>
void space(const SpaceRow<T>* given) {
  const SpaceRow<T>& row = *given;
  alignas(64) T velocity[3][chunk];
  alignas(64) T scalar[most_scalars][chunk];
  alignas(64) T rate[chunk];
  alignas(64) T flux[chunk];
  const Count stride = row.stride;
  for (Count first = 0; first < row.count; first += chunk) {
    const int n = smaller(row.count - first, chunk);
    const Count at = first * stride;
    // The products may replace the velocity.
    if (row.fastest != nullptr) raise_fastest(row, first, n);
    // Scalars need the velocity and all scalars before these change.
    for (int a = 0; a < 3 && row.scalars > 0; ++a) read(row.in[a] + at, stride, n, velocity[a]);
    for (Count s = 0; s < row.scalars; ++s) read(row.in[6 + s] + at, stride, n, scalar[s]);
    cross(row, first, n, rate);
    for (Count s = 0; s < row.scalars; ++s) {
      for (int i = 0; i < n; ++i)
        rate[i] += scalar[s][i] * 0;  // a scalar that is not finite shows in the rate, too
      for (int a = 0; a < 3; ++a) {
        for (int i = 0; i < n; ++i) flux[i] = velocity[a][i] * scalar[s][i];
        write(flux, n, row.out[3 + 3 * s + a] + at, stride);
      }
    }
    if (row.largest != nullptr) raise(row.largest, rate, n);
  }
}

/// Makes the right-hand side of the velocity. It is the projection of the products onto fields
/// without divergence.
template <class T>
void project(const Waves<T>& waves, int n, ComplexChunk<T>* field) {
  for (int i = 0; i < n; ++i) {
    const T x = waves.k[0][i];
    const T y = waves.k[1][i];
    const T z = waves.k[2][i];
    const T square = x * x + y * y + z * z;
    const T is_zero = square == 0 ? T(1) : T(0);
    const T scale = (1 - is_zero) / (square + is_zero);
    const T re = scale * (x * field[0].re[i] + y * field[1].re[i] + z * field[2].re[i]);
    const T im = scale * (x * field[0].im[i] + y * field[1].im[i] + z * field[2].im[i]);
    field[0].re[i] -= x * re;
    field[0].im[i] -= x * im;
    field[1].re[i] -= y * re;
    field[1].im[i] -= y * im;
    field[2].re[i] -= z * re;
    field[2].im[i] -= z * im;
  }
}

/// Makes the right-hand side of a scalar: -i k . q - gradient . u.
template <class T>
void advect(const Waves<T>& waves, const ComplexChunk<T>* flux, const ComplexChunk<T>* velocity,
            const T* gradient, int n, ComplexChunk<T>& to) {
  for (int i = 0; i < n; ++i) {
    T re = 0;
    T im = 0;
    for (int a = 0; a < 3; ++a) {
      re += waves.k[a][i] * flux[a].im[i] - gradient[a] * velocity[a].re[i];
      im -= waves.k[a][i] * flux[a].re[i] + gradient[a] * velocity[a].im[i];
    }
    to.re[i] = re;
    to.im[i] = im;
  }
}

template <class T>
void drop(const AdvanceRow<T>& row, Count first, int n, ComplexChunk<T>& field) {
  if (row.kept_along != nullptr)
    for (int i = 0; i < n; ++i) {
      const T keep = row.kept_across + row.kept_along[first + i] < 1 ? T(1) : T(0);
      field.re[i] *= keep;
      field.im[i] *= keep;
    }
  const Count zero = row.zero_at - first;
  if (row.zero_at >= first && zero < n) field.re[zero] = field.im[zero] = 0;
}

/// Scales the right-hand side of a field. Adds the right-hand side on a shifted grid, if one is in
/// a register.
template <class T>
void complete(const AdvanceRow<T>& row, Count component, Count first, int n,
              ComplexChunk<T>& field) {
  if (row.scale != 1)
    for (int i = 0; i < n; ++i) {
      field.re[i] *= row.scale;
      field.im[i] *= row.scale;
    }
  if (row.added < 0) return;
  ComplexChunk<T> other;
  load(row.registers[row.added * (3 + row.scalars) + component] + 2 * first * row.register_stride,
       row.register_stride, n, other);
  for (int i = 0; i < n; ++i) {
    field.re[i] += other.re[i];
    field.im[i] += other.im[i];
  }
}

/// Adds a term to the new values of a register.
template <class T>
void add(const Term& term, const ComplexChunk<T>& source, const T* decay, int n,
         ComplexChunk<T>& sum) {
  const T factor = static_cast<T>(term.factor);
  if (term.decay == 0)
    for (int i = 0; i < n; ++i) {
      sum.re[i] += factor * source.re[i];
      sum.im[i] += factor * source.im[i];
    }
  else
    for (int i = 0; i < n; ++i) {
      const T scaled = factor * (term.decay == 1 ? decay[i] : decay[i] * decay[i]);
      sum.re[i] += scaled * source.re[i];
      sum.im[i] += scaled * source.im[i];
    }
}

/// Updates all registers of one field.
template <class T>
void update(const AdvanceRow<T>& row, Count component, const ComplexChunk<T>& right_side,
            const T* decay, Count first, int n) {
  const Count fields = 3 + row.scalars;
  const Count at = 2 * first * row.register_stride;
  ComplexChunk<T> registers[most_registers];
  ComplexChunk<T> sums[most_registers];
  bool is_loaded[most_registers] = {};
  for (int u = 0; u < row.update_count; ++u) {
    const Update& each = row.updates[u];
    for (int i = 0; i < n; ++i) sums[u].re[i] = sums[u].im[i] = 0;
    for (int t = 0; t < each.terms; ++t) {
      const int source = each.term[t].source;
      if (source < 0) {
        add(each.term[t], right_side, decay, n, sums[u]);
        continue;
      }
      if (!is_loaded[source])
        load(row.registers[source * fields + component] + at, row.register_stride, n,
             registers[source]);
      is_loaded[source] = true;
      add(each.term[t], registers[source], decay, n, sums[u]);
    }
  }
  for (int u = 0; u < row.update_count; ++u)
    if (u == 0)
      store(sums[u], n, row.out[component] + 2 * first * row.stride, row.stride);
    else
      store(sums[u], n, row.registers[row.updates[u].target * fields + component] + at,
            row.register_stride);
}

template <class T>
double dot(const ComplexChunk<T>& a, const ComplexChunk<T>& b, int i) {
  return static_cast<double>(a.re[i]) * static_cast<double>(b.re[i]) +
         static_cast<double>(a.im[i]) * static_cast<double>(b.im[i]);
}

/// Adds the elements of a chunk to the sums of their shells.
template <class T>
void sum_up(const AdvanceRow<T>& row, const Waves<T>& waves, const ComplexChunk<T>* state,
            const ComplexChunk<T>* right_side, Count first, int n) {
  const Sums& sums = *row.sums;
  ComplexChunk<T> vorticity[3];
  for (int a = 0; a < 3; ++a) {
    const int b = (a + 1) % 3;
    const int c = (a + 2) % 3;
    curl_of(waves.k[b], waves.k[c], state[b], state[c], n, vorticity[a]);
  }
  const Count numbers = velocity_sums + scalar_sums * row.scalars;
  for (int i = 0; i < n; ++i) {
    const double k2 = sums.k2_across + sums.k2_along[first + i];
    const double k = __builtin_sqrt(k2);
    const double w = sums.weight_along == nullptr
                         ? sums.weight_across
                         : sums.weight_across * sums.weight_along[first + i];
    const auto shell = static_cast<Count>(__builtin_llround(k * sums.inverse_shell_width));
    double* const to = sums.results + numbers * (shell < sums.shells ? shell : sums.shells - 1);
    double energy = 0;
    double transfer = 0;
    double helicity = 0;
    double divergence_re = 0;
    double divergence_im = 0;
    for (int a = 0; a < 3; ++a) {
      const auto ka = static_cast<double>(waves.k[a][i]);
      divergence_re += ka * static_cast<double>(state[a].re[i]);
      divergence_im += ka * static_cast<double>(state[a].im[i]);
      energy += dot(state[a], state[a], i);
      transfer += dot(state[a], right_side[a], i);
      helicity += dot(state[a], vorticity[a], i);
    }
    to[0] += w * energy / 2;
    to[1] += w * k2 * energy / 2;
    to[2] += k2 > 0 ? w * energy / (2 * k) : 0;
    to[3] += w * transfer;
    to[4] += w * helicity;
    to[5] += w * (divergence_re * divergence_re + divergence_im * divergence_im);
    for (Count s = 0; s < row.scalars; ++s) {
      double* const of_scalar = to + velocity_sums + scalar_sums * s;
      const double variance = dot(state[3 + s], state[3 + s], i);
      of_scalar[0] += w * variance / 2;
      of_scalar[1] += w * k2 * variance / 2;
      of_scalar[2] += w * dot(state[3 + s], right_side[3 + s], i);
      for (int a = 0; a < 3; ++a) of_scalar[3 + a] += w * dot(state[a], state[3 + s], i);
    }
  }
}

template <class T>
void advance(const AdvanceRow<T>* given) {
  const AdvanceRow<T>& row = *given;
  const Count fields = 3 + row.scalars;
  ComplexChunk<T> right_side[3 + most_scalars];
  ComplexChunk<T> state[3 + most_scalars];
  ComplexChunk<T> flux[3];
  alignas(64) T decay[chunk];
  for (Count first = 0; first < row.count; first += chunk) {
    const int n = smaller(row.count - first, chunk);
    const Count at = 2 * first * row.stride;
    const Waves<T> waves(row.wave, first, n);
    // Scalars need the velocity, and sums need all fields, before they change.
    const Count needed = row.sums != nullptr ? fields : (row.scalars > 0 ? 3 : 0);
    for (Count c = 0; c < needed; ++c)
      load(row.registers[row.input * fields + c] + 2 * first * row.register_stride,
           row.register_stride, n, state[c]);
    for (int a = 0; a < 3; ++a) {
      load(row.products[a] + at, row.stride, n, right_side[a]);
      turn(row.phase, first, n, right_side[a]);
    }
    project(waves, n, right_side);
    for (Count s = 0; s < row.scalars; ++s) {
      for (int a = 0; a < 3; ++a) {
        load(row.products[3 + 3 * s + a] + at, row.stride, n, flux[a]);
        turn(row.phase, first, n, flux[a]);
      }
      advect(waves, flux, state, row.gradients + 3 * s, n, right_side[3 + s]);
    }
    for (Count c = 0; c < fields; ++c) {
      drop(row, first, n, right_side[c]);
      complete(row, c, first, n, right_side[c]);
    }
    if (row.sums != nullptr) sum_up(row, waves, state, right_side, first, n);
    for (Count c = 0; c < fields; ++c) {
      if (c == 0 || c >= 3) {
        const ProductRow<T>& of = row.decays[c < 3 ? 0 : c - 2];
        for (int i = 0; i < n; ++i) decay[i] = of.across * of.along[first + i];
      }
      update(row, c, right_side[c], decay, first, n);
    }
  }
}

constexpr RowTable table{{inverse<float>, space<float>, advance<float>},
                         {inverse<double>, space<double>, advance<double>}};

}  // namespace

#define WEFT_JOINED(name, level) name##_##level
#define WEFT_ENTRY(name, level) WEFT_JOINED(name, level)
extern "C" const RowTable* WEFT_ENTRY(weft_dns_rows, WEFT_ISA_LEVEL)() { return &table; }
