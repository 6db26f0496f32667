#pragma once

// MPI's own C++ bindings, long withdrawn, would have to be linked and are not used.
#ifndef OMPI_SKIP_MPICXX
#define OMPI_SKIP_MPICXX 1
#endif
#ifndef MPICH_SKIP_MPICXX
#define MPICH_SKIP_MPICXX 1
#endif
#include <mpi.h>

#include <complex>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "weft/layout.hpp"
#include "weft/machine.hpp"
#include "weft/plan.hpp"
#include "weft/record.hpp"

namespace weft {

namespace api {
class Handle;
}

/// Where the output is wanted: where it is cheapest (any), as the input lies (same), or as given.
struct Output {
  Output(OutputChoice given_choice = OutputChoice::any) : choice(given_choice) {}
  Output(Layout given_layout) : choice(OutputChoice::given), layout(std::move(given_layout)) {}
  OutputChoice choice;
  Layout layout;
};

/// By what a transform is planned where no machine is given.
///   standard  the machine that the environment variable WEFT_MACHINE names: one that ships with weft, a
///             JSON file, here, or rule; without it `here`, or where one rank has one way `rule`
///   here      what about 0.2 s show of the machine that the ranks are on, once: it is kept for the user
///   rule      a fixed rule: a slab where every rank gets rows, else the most square pencil
enum class PlanBy { standard, here, rule };

/// Options of a transform; designated initialisers name those that matter.
struct FftOptions {
  Shape shape;                 ///< of the whole array; real space for r2c
  std::vector<int> axes = {};  ///< transformed axes, negative ones count from the end; empty: all
  Kind kind = Kind::c2c;
  MPI_Comm comm = MPI_COMM_NULL;     ///< MPI_COMM_NULL: this process alone, which needs no MPI
  std::optional<Layout> input = {};  ///< chosen by the plan where absent
  Output output = {};
  Norm norm = Norm::none;
  int sign = -1;    ///< of the exponent of forward
  int threads = 1;  ///< OpenMP threads of this rank
  Effort effort = Effort::estimate;
  bool overwrite_input = false;
  Knobs knobs = {};              ///< forced choices of the exchange
  Preset preset = Preset::none;  ///< forces knobs by a known name; those in `knobs` win
  std::string engine = {};       ///< local FFT library; empty: FFTW, or what WEFT_ENGINE names
  /// false: use_workspace() comes before the first transform, and no exchange is shared, since node
  /// memory is weft's own.
  bool own_workspace = true;
  /// Plan by the model of this machine, the same on all ranks; absent: as `plan_by` says.
  std::optional<Machine> machine = {};
  PlanBy plan_by = PlanBy::standard;
  /// Where weft chooses the input: every rank gets a part of it, if there are parts enough. Else fewer
  /// ranks may share the array, where that is faster. Absent: true unless a machine is given.
  std::optional<bool> all_ranks = {};
  /// With effort beyond estimate, for about so many seconds the local FFTs are planned by trials, and
  /// the best few plans by the model tried, on arrays of weft's own: a trial that has begun is ended.
  /// 0: as estimate.
  double budget_s = 10;
  /// Path of a file of earlier decisions by trials, the same on all ranks; empty: none. What it has
  /// for this problem on this machine is taken, whatever `machine` is; else what trials decide is
  /// added. A file that cannot be used is a message of rank 0's on standard error, never an error,
  /// and stays as it is. See weft/wisdom.hpp.
  std::string wisdom = {};
};

/// A distributed discrete Fourier transform: X[k] = sum_j x[j] exp(sign * 2*pi*i * j*k / n) along
/// each axis in `axes`, unnormalised unless `norm` asks.
///
/// Shapes      each rank holds input().box(rank) and output().box(rank) of the global arrays,
///             dense, in the layout's memory order (C order unless asked otherwise). For r2c the
///             output has n/2+1 on the last of `axes`. One axis that is divided among ranks has,
///             where the output is free, one of the two axes n1 x n2 = n, whose element (k1, k2)
///             is X[k1 + n1*k2]; r2c leaves n1/2+1 of axis 0: see plan().view(). A length without
///             such factors has an output of one axis.
/// Memory      the input is unchanged unless in == out or overwrite_input. In place, the array has
///             inplace_bytes() and real rows are padded: see inplace_real_strides(). All ranks run
///             in place or none does. Else input and output must not overlap. forward and backward
///             allocate nothing.
/// Collective  construction, forward and backward, over the communicator. All ranks succeed or all
///             throw the same Error, also where they are in different calls. The communicator is
///             duplicated once and the duplicate cached. Dropping a transform is local and safe at
///             any time.
/// Threads     may call at once: calls on one communicator, or of one transform, take turns. On
///             ranks all must make them in the same order, and MPI must have been initialised with
///             MPI_THREAD_MULTIPLE, or else only its main thread may call.
/// Errors      invalid_argument, layout_mismatch, disagreement (ranks gave different options),
///             out_of_memory, unsupported (no such engine or method), fft_failure, mpi_failure.
///             The output is then undefined; the input is unchanged as it is after a success.
/// Cost        one exchange for each split axis of a slab or pencil, one more for output "same"
///             where the last stage lies elsewhere. See explain().
template <class T>
class Fft {
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, double> ||
                    std::is_same_v<T, long double>,
                "weft::Fft is made for float, double and long double");

 public:
  using Real = T;
  using Complex = std::complex<T>;

  explicit Fft(const FftOptions& options);

  /// Runs a plan that was made before, by make_plan() or from JSON, on as many ranks as it is for and
  /// in T's precision. The same on all ranks. `engine` as in FftOptions. Collective.
  Fft(const Plan& plan, MPI_Comm comm, const std::string& engine = {});

  /// c2c.
  void forward(const Complex* in, Complex* out);
  void backward(const Complex* in, Complex* out);
  /// r2c forward, c2r backward.
  void forward(const Real* in, Complex* out);
  void backward(const Complex* in, Real* out);

  /// Several arrays, in[i] into out[i]: where messages carry them, one is exchanged while the next
  /// is transformed. Each as forward and backward; all in place or none. The first call with more
  /// than one array makes a second workspace. Collective; the same number of arrays on all ranks.
  void forward_many(std::span<const Complex* const> in, std::span<Complex* const> out);
  void backward_many(std::span<const Complex* const> in, std::span<Complex* const> out);
  void forward_many(std::span<const Real* const> in, std::span<Complex* const> out);
  void backward_many(std::span<const Complex* const> in, std::span<Real* const> out);

  const Plan& plan() const;
  const Layout& input() const { return plan().input(); }
  const Layout& output() const { return plan().output(); }
  int rank() const;
  Box input_box() const { return input().box(rank()); }
  Box output_box() const { return output().box(rank()); }
  /// Elements of this rank's arrays. Input: reals for r2c, else complex numbers. Output: complex.
  std::int64_t input_elements() const { return input().local_volume(rank()); }
  std::int64_t output_elements() const { return output().local_volume(rank()); }
  /// Bytes of one allocation for this rank's input and output, the padding of real rows included.
  std::int64_t inplace_bytes() const;
  /// Strides, in reals, of the real array of r2c in place.
  Shape inplace_real_strides() const;

  std::int64_t workspace_bytes() const;
  /// Works in the caller's memory from now on: workspace_bytes(), aligned to 64 bytes. Local.
  void use_workspace(void* memory, std::int64_t bytes);

  /// While on, every run leaves a record of its steps.
  void set_recording(bool on);
  bool recording() const;
  /// The steps of the last run while recording: stages and exchanges in turn. Not to be read while
  /// another thread runs the transform.
  const std::vector<StepRecord>& record() const;

  /// What was chosen and why, in a few lines; after a run while recording also what its steps took,
  /// beside what the model predicted.
  std::string explain() const;

 private:
  std::shared_ptr<api::Handle> handle_;
};

extern template class Fft<float>;
extern template class Fft<double>;
extern template class Fft<long double>;

/// Moves a distributed array from one layout to another.
///
/// Shapes      source: from.box(rank) of this rank; target: to.box(rank); dense, each in its
///             layout's memory order.
/// Memory      source and target must not overlap. Needs no workspace of its own.
/// Collective  over `comm`, whose size is the number of ranks of both layouts. Threads take turns.
/// Errors      on all ranks alike: invalid_argument for arrays that overlap; layout_mismatch where
///             the layouts differ in shape or in the number of ranks, or do not fit `comm`;
///             disagreement where ranks gave different ones.
/// Cost        one message for each overlap of boxes of two ranks (MPI_Alltoallw).
/// Source      Dalcin, Mortensen and Keyes 2019.
void redistribute(const void* source, const Layout& from, void* target, const Layout& to,
                  std::int64_t element_bytes, MPI_Comm comm);

/// Collects a distributed array on one rank: `whole` there is the array in C order; other ranks may
/// pass nullptr.
/// Collective, errors: as redistribute.
void gather(const void* local, const Layout& layout, void* whole, std::int64_t element_bytes,
            MPI_Comm comm, int root = 0);

/// The inverse of gather: spreads the C-ordered array of `root` over the layout.
void scatter(const void* whole, void* local, const Layout& layout, std::int64_t element_bytes,
             MPI_Comm comm, int root = 0);

/// The layout in which every rank owns the box that it gives here. Collective over `comm`.
Layout layout_of_local_boxes(const Shape& shape, const Box& mine, MPI_Comm comm,
                             const std::vector<int>& order = {});

/// Version of the library, "0.1.0".
const char* version();

}  // namespace weft
