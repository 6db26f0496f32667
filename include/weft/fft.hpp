#pragma once

// Leaves out MPI's old C++ bindings. A program with them would need another library.
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

#include "weft/field_work.hpp"
#include "weft/layout.hpp"
#include "weft/machine.hpp"
#include "weft/plan.hpp"
#include "weft/record.hpp"

namespace weft {

namespace api {
class Handle;
}

/// The wanted output layout: the cheapest (any), the input's (same), or the given layout.
struct Output {
  Output(OutputChoice given_choice = OutputChoice::any) : choice(given_choice) {}
  Output(Layout given_layout) : choice(OutputChoice::given), layout(std::move(given_layout)) {}
  OutputChoice choice;
  Layout layout;
};

/// The basis of planning if no machine is given.
///   by_default  the environment variable WEFT_MACHINE: a machine that ships with weft, a JSON
///               file, `local` or `fixed-rule`. If the variable is not set: local on several ranks,
///               and fixed_rule on one rank, which has only one plan
///   local       a profile of the ranks' machine, measured once in about 0.2 s and kept for the
///               user
///   fixed_rule  a slab if every rank gets rows, otherwise the most square pencil
enum class PlanBy { by_default, local, fixed_rule };

/// Options that steer planning, for designated initialisers.
struct Planning {
  Effort effort = Effort::estimate;
  /// The machine for planning by the model, the same on all ranks; absent: `plan_by` decides.
  std::optional<Machine> machine = {};
  PlanBy plan_by = PlanBy::by_default;
  /// Used if weft chooses the input layout. true: every rank gets a part, if there are enough
  /// parts. false: the array may be on fewer ranks if that is faster. Absent: true, unless a
  /// machine is given or `plan_by` is local.
  std::optional<bool> all_ranks = {};
  /// Approximate seconds for trials, if the effort is above estimate. Trials plan the local FFTs
  /// and compare the best few plans of the model, on weft's own arrays. A trial that has begun is
  /// completed. 0: no trials, as with estimate.
  double budget_s = 10;
  /// Path of a file of plans that trials chose before, the same on all ranks; empty: none. If the
  /// file has a plan for this problem and the ranks' computer, that plan is used, whatever
  /// `machine` is. Otherwise the choice of new trials is added. An unusable file is never an error:
  /// rank 0 prints a message on standard error, and the file is unchanged. See weft/wisdom.hpp.
  std::string wisdom = {};
};

/// Options of a transform, for designated initialisers.
struct FftOptions {
  Shape shape;                 ///< of one component of the whole array; for r2c in real space
  std::vector<int> axes = {};  ///< transformed axes, negative ones count from the end; empty: all
  Kinds kinds = {};            ///< one for all axes, or one for each of `axes` in their order
  /// The type of the input, if its kinds leave that open. Cosine and sine transforms take reals,
  /// unless this is `complex`.
  Element element = Element::automatic;
  /// The number of lowest wavenumbers in the spectrum, one for all axes or one for each of `axes`:
  /// 1 .. n, all_modes or two_thirds. Forward drops the other wavenumbers; backward takes them as
  /// zero.
  std::vector<std::int64_t> modes = {};
  /// The number of points, counted from the first, that the real-space array has. One number for
  /// all axes, or one for each of `axes`: 1 .. n or all_points. Forward takes the other points as
  /// zero; backward omits them.
  std::vector<std::int64_t> support = {};
  /// The extent of a leading axis of the arrays, which every rank holds whole: 3 for a vector
  /// field. Each component is contiguous, and is exchanged while the next is transformed. shape,
  /// axes, input and output describe one component. 0: no such axis.
  std::int64_t components = 0;
  MPI_Comm comm = MPI_COMM_NULL;     ///< MPI_COMM_NULL: this process alone, without MPI
  std::optional<Layout> input = {};  ///< absent: the plan chooses
  Output output = {};
  /// &other.plan() of another transform on the same number of ranks. If no input layout is given
  /// here and both global inputs have the same shape, the input layout of the other transform is
  /// taken. The same holds for the output layout. If neither layout is taken, the error is
  /// layout_mismatch. The pointer is not needed afterwards.
  const Plan* like = nullptr;
  Norm norm = Norm::none;
  int sign = -1;    ///< sign of the exponent of forward: -1 or 1
  int threads = 1;  ///< OpenMP threads of this rank
  bool overwrite_input = false;
  /// Local FFT library, "fftw" or "ducc0". "auto": the faster one in a trial, for each kind and
  /// length of lines. Weft stores the results of trials for the user. With PlanBy::fixed_rule
  /// "auto" takes the first library, without a trial. Empty: the environment variable WEFT_ENGINE,
  /// otherwise "auto".
  std::string engine = {};
  /// false: the caller calls use_workspace() before the first transform. Exchanges then do not use
  /// shared memory, because weft must allocate that memory itself.
  bool own_workspace = true;
  Exchange exchange = {};  ///< forced choices of every exchange
  Planning planning = {};
};

/// A distributed discrete Fourier transform: X[k] = sum_j x[j] exp(sign * 2*pi*i * j*k / n) along
/// each axis in `axes` of kind c2c or r2c, unnormalised unless `norm` is set. docs/conventions.md
/// defines cosine, sine and Hartley axes.
///
/// Shapes      each rank holds input().box(rank) and output().box(rank) of the global arrays,
///             dense, in the layout's memory order (C order unless asked otherwise). The output has
///             n/2+1 elements along the r2c axis. With components, each rank holds one such array
///             for each component, one after another.
///
///             Suppose that a single axis of n points is divided among ranks, and that n has
///             suitable factors n1 and n2. Then the output for OutputChoice::any has two axes, n1 x
///             n2 = n. Element (k1, k2) is X[k1 + n1*k2]. r2c keeps n1/2+1 elements of axis 0: see
///             plan().view(). Without suitable factors, the output has one axis.
/// Memory      the input is unchanged unless in == out or overwrite_input. In place, the array has
///             inplace_bytes() and real rows are padded: see inplace_real_strides(). Component i
///             then begins at byte i * inplace_bytes() / components. Either all ranks run in place
///             or none does. If not in place, input and output must not overlap. forward and
///             backward allocate nothing.
/// Collective  construction, forward and backward, over the communicator. All ranks succeed or all
///             throw the same Error, even if they are in different calls. The communicator is
///             duplicated once, and the duplicate is cached. Destruction is local and safe at any
///             time.
/// Threads     several threads may call concurrently. Calls on one communicator, or of one
///             transform, are serialised. All ranks must make these calls in the same order. MPI
///             must be initialised with MPI_THREAD_MULTIPLE; otherwise only its main thread may
///             call.
/// Errors      invalid_argument, layout_mismatch, disagreement (ranks gave different options),
///             out_of_memory, unsupported (no such engine or method), fft_failure, mpi_failure.
///             After an error the output is undefined. The input is unchanged in the same cases as
///             after a success.
/// Cost        one exchange for each split axis of a slab or pencil. Output "same" costs one more,
///             if the layout of the last stage differs from the input's. See explain().
template <class T>
class Fft {
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, double> ||
                    std::is_same_v<T, long double>,
                "weft::Fft is made for float, double and long double");

 public:
  using Real = T;
  using Complex = std::complex<T>;

  explicit Fft(const FftOptions& options);

  /// Runs an existing plan, from make_plan() or JSON, for this number of ranks and the precision of
  /// T. The plan must be the same on all ranks. If `engine` is empty, the engines that the plan
  /// names are used. Otherwise `engine` is as in FftOptions. Collective.
  Fft(const Plan& plan, MPI_Comm comm, const std::string& engine = {});

  /// For plans of complex inputs: kinds c2c, and cosine, sine and Hartley transforms of both parts.
  void forward(const Complex* in, Complex* out);
  void backward(const Complex* in, Complex* out);
  /// For plans with an r2c axis: from reals forward, to reals backward.
  void forward(const Real* in, Complex* out);
  void backward(const Complex* in, Real* out);
  /// For plans with only cosine, sine and Hartley transforms of reals.
  void forward(const Real* in, Real* out);
  void backward(const Real* in, Real* out);

  /// Transforms several arrays, in[i] into out[i]. If the exchanges are messages, one array is
  /// exchanged while the next is transformed. The rules for each array are those of forward and
  /// backward. Either all arrays are in place or none is. The first call with more than one array
  /// allocates a second workspace. Collective; the number of arrays must be the same on all ranks.
  void forward_many(std::span<const Complex* const> in, std::span<Complex* const> out);
  void backward_many(std::span<const Complex* const> in, std::span<Complex* const> out);
  void forward_many(std::span<const Real* const> in, std::span<Complex* const> out);
  void backward_many(std::span<const Complex* const> in, std::span<Real* const> out);
  void forward_many(std::span<const Real* const> in, std::span<Real* const> out);
  void backward_many(std::span<const Real* const> in, std::span<Real* const> out);

  /// Transforms fields forward, calls a function on tiles of their spectra, and transforms back.
  /// The last stage forward, the function and the first stage backward are one pass through memory,
  /// and no exchange is between them. Further functions may come before the first stage and after
  /// the last one: see FieldWork. Returns the results of `before`, `function` and `after`, each
  /// combined over all tiles and ranks. The same call on the same ranks gives the same bits.
  ///
  /// Arrays      inputs and outputs are as the input of forward; an output may be one of the
  ///             inputs.
  /// Memory      a call plans and allocates workspace, unless one of the last few calls had the
  ///             same numbers of fields and the same properties of functions. The workspace is, for
  ///             each field, as much as a transform needs.
  /// Errors      those of forward; disagreement if FieldFunction::words differ between ranks;
  ///             unsupported if the array's single axis is treated as two (long, or divided among
  ///             ranks): use a shape of 1 x n, and axis 1. An exception of a function has its text
  ///             in the Error. The code is that of a weft::Error, otherwise invalid_argument.
  std::vector<double> apply_in_spectrum(const FieldWork& work, std::span<const Real* const> in,
                                        std::span<Real* const> out);
  std::vector<double> apply_in_spectrum(const FieldWork& work, std::span<const Complex* const> in,
                                        std::span<Complex* const> out);
  /// Describes the stages and exchanges of a round trip of `inputs` and `outputs` arrays. Predicted
  /// times are included if a model of a machine planned the transform. Local; calls no function.
  std::string explain_apply_in_spectrum(const FieldWork& work, std::int64_t inputs,
                                        std::int64_t outputs) const;
  std::string explain_apply_in_space(const FieldWork& work, std::int64_t inputs,
                                     std::int64_t outputs) const;
  /// As apply_in_spectrum, with the directions exchanged. Spectra are transformed backward, changed
  /// by the function in space, and transformed forward. Inputs and outputs have the layout of
  /// forward's output.
  std::vector<double> apply_in_space(const FieldWork& work, std::span<const Real* const> in,
                                     std::span<Real* const> out);
  std::vector<double> apply_in_space(const FieldWork& work, std::span<const Complex* const> in,
                                     std::span<Complex* const> out);

  const Plan& plan() const;
  /// The layouts of the arrays; with a leading axis if there are components.
  const Layout& input() const;
  const Layout& output() const;
  int rank() const;
  Box input_box() const { return input().box(rank()); }
  Box output_box() const { return output().box(rank()); }
  /// Elements of this rank's arrays: reals or complex numbers. plan().stages.front().source_element
  /// is the type of the input, and stages.back().target_element that of the output.
  std::int64_t input_elements() const { return input().local_volume(rank()); }
  std::int64_t output_elements() const { return output().local_volume(rank()); }
  /// Bytes of one allocation for this rank's input and output, the padding of real rows included.
  std::int64_t inplace_bytes() const;
  /// Strides, in reals, of the real array of r2c in place.
  Shape inplace_real_strides() const;

  /// Returns the positions of this rank's points along an axis of the input. The axis is `length`
  /// long; a cosine or sine axis is that long between its boundaries. The axis of the components
  /// does not count in `axis`. Local. Errors: invalid_argument for an axis that does not exist, or
  /// a length that is not finite and above 0.
  std::vector<double> positions(int axis, double length) const;
  /// Returns the wavenumbers of this rank's part of an axis of the output: 2 pi / length times 0,
  /// 1, .., -2, -1, or 0 .. n/2 along the halved axis. Cosine and sine axes have pi / length times
  /// k, k + 1/2 or k + 1; axes that are not transformed have zeros. Local. Errors: those of
  /// positions(); unsupported if a single axis has an output of two axes.
  std::vector<double> wavenumbers(int axis, double length) const;

  std::int64_t workspace_bytes() const;
  /// Sets the caller's memory as the workspace: workspace_bytes(), aligned to 64 bytes. Local.
  void use_workspace(void* memory, std::int64_t bytes);

  /// Switches recording. While it is on, every run records its steps.
  void set_recording(bool on);
  bool recording() const;
  /// Returns the steps of the last recorded run: alternately stages and exchanges. Must not be read
  /// while another thread runs the transform.
  const std::vector<StepRecord>& record() const;

  /// Describes the plan and its reasons in a few lines. After a recorded run, adds the time of each
  /// step, next to the prediction of the model.
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
/// Memory      source and target must not overlap. Needs no workspace.
/// Collective  over `comm`; its size is the number of ranks of both layouts. Calls of several
///             threads are serialised.
/// Errors      on all ranks alike: invalid_argument if arrays overlap; layout_mismatch if the
///             layouts differ in shape or in the number of ranks, or do not fit `comm`;
///             disagreement if ranks gave different layouts.
/// Cost        one message for each overlap of boxes of two ranks (MPI_Alltoallw).
/// Source      Dalcin, Mortensen and Keyes 2019.
void redistribute(const void* source, const Layout& from, void* target, const Layout& to,
                  std::int64_t element_bytes, MPI_Comm comm);

/// Collects a distributed array on rank `root`, in C order in `whole`. Other ranks may pass
/// nullptr. Collective. Errors as for redistribute.
void gather(const void* local, const Layout& layout, void* whole, std::int64_t element_bytes,
            MPI_Comm comm, int root = 0);

/// Distributes the C-ordered array of `root` over the layout; the inverse of gather.
void scatter(const void* whole, void* local, const Layout& layout, std::int64_t element_bytes,
             MPI_Comm comm, int root = 0);

/// Returns the layout in which every rank owns the box that it passes. Collective over `comm`.
Layout layout_of_local_boxes(const Shape& shape, const Box& mine, MPI_Comm comm,
                             const std::vector<int>& order = {});

/// Version of the library, "0.1.0".
const char* version();

}  // namespace weft
