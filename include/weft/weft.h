#ifndef WEFT_WEFT_H
#define WEFT_WEFT_H

// weft: distributed FFTs. The C interface: the words and contracts of weft/fft.hpp.
//
// Every function that can fail returns an int: WEFT_OK, or the code of an error whose message
// (rule, what was given, remedy) weft_last_error() returns to the same thread. Results come through
// pointers, which are untouched on failure. A pointer that may not be NULL and is gives
// WEFT_INVALID_ARGUMENT; a call that is collective then fails on all ranks. Only a NULL handle in
// weft_fft_forward and weft_fft_backward, and a communicator that is none, are errors of the
// calling rank alone, because nothing tells weft who the others are.

// MPI's own C++ bindings, long withdrawn, are not used.
#ifndef OMPI_SKIP_MPICXX
#define OMPI_SKIP_MPICXX 1
#endif
#ifndef MPICH_SKIP_MPICXX
#define MPICH_SKIP_MPICXX 1
#endif
#include <mpi.h>

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What went wrong; the same numbers as weft::ErrorCode.
enum weft_error {
  WEFT_OK = 0,
  WEFT_INVALID_ARGUMENT = 1,  ///< a value breaks a stated rule
  WEFT_LAYOUT_MISMATCH = 2,   ///< an array or layout does not fit the one that is required
  WEFT_DISAGREEMENT = 3,      ///< ranks gave different arguments to one collective call
  WEFT_OUT_OF_MEMORY = 4,
  WEFT_UNSUPPORTED = 5,  ///< valid, but this build or machine cannot do it
  WEFT_MPI_FAILURE = 6,
  WEFT_FFT_FAILURE = 7,
  WEFT_IO_FAILURE = 8,
  WEFT_INTERNAL = 9  ///< a broken invariant of weft itself
};

enum weft_kind { WEFT_C2C = 0, WEFT_R2C = 1 };
/// WEFT_F80 is long double as the compiler has it.
enum weft_precision { WEFT_F32 = 0, WEFT_F64 = 1, WEFT_F80 = 2 };
/// Who divides by the number of points: none, backward (numpy), both by its root, or forward.
enum weft_norm {
  WEFT_NORM_NONE = 0,
  WEFT_NORM_BACKWARD = 1,
  WEFT_NORM_ORTHO = 2,
  WEFT_NORM_FORWARD = 3
};
/// Where the output is wanted: at the cheapest place, as the input lies, or in the layout given.
enum weft_output { WEFT_OUTPUT_ANY = 0, WEFT_OUTPUT_SAME = 1, WEFT_OUTPUT_GIVEN = 2 };
enum weft_effort { WEFT_ESTIMATE = 0, WEFT_MEASURE = 1, WEFT_EXHAUSTIVE = 2 };
enum weft_method {
  WEFT_METHOD_AUTOMATIC = 0,
  WEFT_METHOD_COLLECTIVE = 1,
  WEFT_METHOD_MESSAGES = 2,
  WEFT_METHOD_SHARED = 3 /* all ranks on one node */
};
enum weft_wire_form { WEFT_WIRE_AUTOMATIC = 0, WEFT_WIRE_PACKED = 1, WEFT_WIRE_DATATYPE = 2 };
enum weft_schedule {
  WEFT_SCHEDULE_AUTOMATIC = 0,
  WEFT_SCHEDULE_PAIRWISE = 1,
  WEFT_SCHEDULE_CYCLIC = 2,
  WEFT_SCHEDULE_SCATTERED = 3
};
enum weft_requests {
  WEFT_REQUESTS_AUTOMATIC = 0,
  WEFT_REQUESTS_ORDINARY = 1,
  WEFT_REQUESTS_PERSISTENT = 2
};
/// What ranks of one node do among themselves where others are on other nodes.
enum weft_nodes {
  WEFT_NODES_AUTOMATIC = 0,
  WEFT_NODES_UNAWARE = 1,
  WEFT_NODES_SEPARATE = 2,
  WEFT_NODES_COMBINED = 3
};
/// f32 sends doubles as floats.
enum weft_wire_precision { WEFT_WIRE_SAME = 0, WEFT_WIRE_F32 = 1 };
/// Points in the space of the knobs above that are known by a name; docs/exchanges.md tells them.
enum weft_preset {
  WEFT_PRESET_NONE = 0,
  WEFT_PRESET_FFTW = 1,
  WEFT_PRESET_DMITRUK = 2,
  WEFT_PRESET_DUKE = 3,
  WEFT_PRESET_FFT2D_I = 4,
  WEFT_PRESET_FFT2D_P = 5,
  WEFT_PRESET_P3DFFT = 6
};
/// As many chunks as there are slices to send.
#define WEFT_EVERY_SLICE INT64_MAX

/// Arrays have 1 to WEFT_MAX_DIMS axes.
#define WEFT_MAX_DIMS 8

/// Who owns which box of a global array, in which memory order. Immutable.
/// Freed by weft_layout_destroy.
typedef struct weft_layout weft_layout;
/// A transform. Freed by weft_fft_destroy.
typedef struct weft_fft weft_fft;

/// Version of the library, "0.1.0". Static text.
const char* weft_version(void);
/// Name of an error code, "invalid_argument". Static text.
const char* weft_error_name(int code);
/// Message of this thread's last failed call, "" when there is none. Valid until the next failure.
const char* weft_last_error(void);
/// Frees a text that weft has returned through a char**. NULL is fine.
void weft_free(void* text);

// ------------------------------------------------------------------------------------------------
// layouts
//
// Local, no MPI, unless the description says otherwise. `shape`, `grid`, `lower` and `upper` have
// `dims` elements, in logical axis order. `order` lists the axes from slowest to fastest in memory;
// NULL is C order.
//
// Errors  WEFT_INVALID_ARGUMENT for a shape of no or more than WEFT_MAX_DIMS axes, extents below 1,
//         a size beyond 63 bits, axes out of range, a grid of more parts than ranks, boxes that
//         overlap or leave a hole.

/// Splits axis a into grid[a] parts, [n*r/p, n*(r+1)/p); rank numbers run over the grid with its
/// last axis fastest. `ranks` is the product of the grid, which 0 stands for, or more: the ranks
/// beyond it own nothing.
int weft_layout_grid(int dims, const int64_t* shape, const int64_t* grid, const int* order,
                     int64_t ranks, weft_layout** layout);
/// One axis split over all ranks.
int weft_layout_slab(int dims, const int64_t* shape, int64_t ranks, int axis, weft_layout** layout);
/// Two axes split over a process grid as square as possible.
int weft_layout_pencil(int dims, const int64_t* shape, int64_t ranks, int first_axis,
                       int second_axis, weft_layout** layout);
/// Three axes split over a process grid as cubic as possible.
int weft_layout_brick(int dims, const int64_t* shape, int64_t ranks, weft_layout** layout);
/// Everything on one rank.
int weft_layout_on_one(int dims, const int64_t* shape, int64_t ranks, int64_t owner,
                       weft_layout** layout);
/// One box a rank: lower[r*dims + a] <= index < upper[r*dims + a]. Boxes may be empty.
int weft_layout_of_boxes(int dims, const int64_t* shape, int64_t ranks, const int64_t* lower,
                         const int64_t* upper, const int* order, weft_layout** layout);
/// The layout in which every rank owns the box that it gives here. Collective over `comm`.
int weft_layout_of_local_boxes(int dims, const int64_t* shape, const int64_t* lower,
                               const int64_t* upper, const int* order, MPI_Comm comm,
                               weft_layout** layout);
/// The same ownership in another memory order.
int weft_layout_with_order(const weft_layout* layout, const int* order, weft_layout** result);
/// A layout from the text that weft_layout_json writes.
int weft_layout_from_json(const char* json, weft_layout** layout);
/// NULL is fine.
void weft_layout_destroy(weft_layout* layout);

int weft_layout_dims(const weft_layout* layout, int* dims);
int weft_layout_ranks(const weft_layout* layout, int64_t* ranks);
int weft_layout_shape(const weft_layout* layout, int64_t* shape);
/// The box of any rank: lower[a] <= index < upper[a]; all extents 0 where it owns nothing.
int weft_layout_box(const weft_layout* layout, int64_t rank, int64_t* lower, int64_t* upper);
/// Strides in elements of a rank's dense local array, in logical axis order.
int weft_layout_strides(const weft_layout* layout, int64_t rank, int64_t* strides);
/// Elements of a rank's box.
int weft_layout_volume(const weft_layout* layout, int64_t rank, int64_t* elements);
/// One line in words. Free it with weft_free.
int weft_layout_describe(const weft_layout* layout, char** text);
/// As JSON. Free it with weft_free.
int weft_layout_json(const weft_layout* layout, char** json);

// ------------------------------------------------------------------------------------------------
// transforms

/// Options of a transform. Always filled by weft_options_init first, then changed.
///
/// `struct_size` tells the library which version of this struct the caller was compiled with: later
/// versions add members at the end, and a library takes the structs of all versions before its own.
typedef struct weft_options {
  size_t struct_size;
  const int64_t* shape;  ///< of the whole array; real space for r2c
  int dims;
  int axes_count;             ///< 0: all axes
  const int* axes;            ///< negative ones count from the end; r2c halves the last one given
  const weft_layout* input;   ///< NULL: chosen by the plan
  const weft_layout* output;  ///< with WEFT_OUTPUT_GIVEN, else NULL
  const char* engine;   ///< local FFT library; NULL: FFTW, or what the variable WEFT_ENGINE names
  int output_choice;    ///< enum weft_output
  int kind;             ///< enum weft_kind
  int precision;        ///< enum weft_precision; WEFT_F64 unless set
  int norm;             ///< enum weft_norm
  int sign;             ///< of the exponent of forward: -1 unless set to 1
  int threads;          ///< OpenMP threads of this rank
  int effort;           ///< enum weft_effort
  int overwrite_input;  ///< not 0: the input may be destroyed
  int method;           ///< enum weft_method: forces this choice of the exchange
  int wire_form;        ///< enum weft_wire_form, likewise
  int schedule;         ///< enum weft_schedule, likewise
  int own_workspace;    ///< 0: weft_fft_use_workspace comes before the first transform
  int requests;         ///< enum weft_requests, forced likewise
  int preset;           ///< enum weft_preset; what is forced by itself wins
  int wire;             ///< enum weft_wire_precision
  int nodes;            ///< enum weft_nodes, forced likewise
  int64_t ranks_per_node;  ///< for weft_plan_json and _explain: ranks that share memory; 0: 1
  int64_t chunks;          ///< 0: chosen; else in how many parts the array is sent, each when ready
  int64_t piece_bytes;     ///< 0: whole blocks; else packed messages travel in pieces of so many
  const char* machine;  ///< planned by the model of this machine: the name of one that ships with
                        ///< weft, JSON, "here" (what 0.2 s show of the ranks' machine, kept for the
                        ///< user), or "rule" (no model: a fixed rule). NULL: what WEFT_MACHINE
                        ///< names, else "here"; weft_plan_json and _explain: "rule"
  double budget_s;      ///< with more effort than estimate: seconds in which local FFTs are planned
                        ///< by trials and the best few plans are tried; 0: none
  const char* wisdom;   ///< NULL: none; else the path of a file of earlier decisions, in which
                        ///< weft_fft_create looks first, and keeps what trials decide
  int all_ranks;  ///< where weft chooses the input: 1: every rank gets a part; -1: fewer ranks
                  ///< may share the array where that is faster; 0: 1 unless machine is given
} weft_options;

/// Sets the first struct_size bytes to defaults: double c2c of all axes, unnormalised, one thread.
int weft_options_init_sized(weft_options* options, size_t struct_size);
/// Sets the options to the defaults of the header that the caller was compiled with.
static inline int weft_options_init(weft_options* options) {
  return weft_options_init_sized(options, sizeof(weft_options));
}

/// Plans a transform and makes it ready. Options and what they point to are not needed afterwards.
///
/// Collective  over `comm`; MPI_COMM_NULL is this process alone, which needs no MPI. All ranks
///             succeed, or all fail with the same code and message.
/// Errors      WEFT_INVALID_ARGUMENT (also when `options` or `fft` is NULL on one rank),
///             WEFT_LAYOUT_MISMATCH, WEFT_DISAGREEMENT (ranks gave different options),
///             WEFT_OUT_OF_MEMORY, WEFT_UNSUPPORTED, WEFT_FFT_FAILURE, WEFT_MPI_FAILURE.
int weft_fft_create(const weft_options* options, MPI_Comm comm, weft_fft** fft);
/// Runs a plan that was made before: JSON as weft_plan_json gives it, on as many ranks as it is for.
/// Otherwise as weft_fft_create.
int weft_fft_create_from_plan(const char* plan_json, MPI_Comm comm, weft_fft** fft);
/// Local; at any time, also after MPI_Finalize. NULL is fine.
void weft_fft_destroy(weft_fft* fft);

/// Transforms this rank's part of the array: X[k] = sum_j x[j] exp(sign * 2*pi*i * j*k / n)
/// along each axis.
///
/// Shapes      in: the box of weft_fft_input_layout, out: that of weft_fft_output_layout, each in
///             its layout's memory order.
///             c2c: complex numbers of the precision, as C and FFTW have them.
///             r2c: reals in, complex numbers out.
/// Memory      in == out is in place: the array has weft_fft_inplace_bytes, its real rows are
///             padded. Else they must not overlap; the input is unchanged unless overwrite_input.
/// Collective  NULL is right for a box that is empty. Threads take turns, as fft.hpp says.
int weft_fft_forward(weft_fft* fft, const void* in, void* out);
/// The other direction: in lies as the output of forward and out as its input.
int weft_fft_backward(weft_fft* fft, const void* in, void* out);

/// Several arrays, in[i] into out[i]: where messages carry them, one is exchanged while the next is
/// transformed. Each as above; all in place or none. The first call with more than one array makes
/// a second workspace. Collective; the same count on all ranks.
int weft_fft_forward_many(weft_fft* fft, int64_t count, const void* const* in, void* const* out);
int weft_fft_backward_many(weft_fft* fft, int64_t count, const void* const* in, void* const* out);

/// Layouts of the input and the output of forward. Free them with weft_layout_destroy. With
/// WEFT_OUTPUT_ANY the output of one axis of n points that is divided among ranks has two axes,
/// n1 x n2 = n, whose element (k1, k2) is X[k1 + n1*k2]: ask weft_layout_dims. r2c leaves n1/2+1
/// of axis 0, so that n1 is n divided by the extent of axis 1. An n without such factors has one.
int weft_fft_input_layout(const weft_fft* fft, weft_layout** layout);
int weft_fft_output_layout(const weft_fft* fft, weft_layout** layout);
/// This process's rank in both layouts.
int weft_fft_rank(const weft_fft* fft, int* rank);
/// Bytes of one allocation for this rank's input and output, the padding of real rows included.
int weft_fft_inplace_bytes(const weft_fft* fft, int64_t* bytes);
/// Strides, in elements, of the input in place, one for each axis: rows are padded for r2c.
int weft_fft_inplace_strides(const weft_fft* fft, int64_t* strides);
/// Memory that the transform needs besides the caller's arrays, on this rank.
int weft_fft_workspace_bytes(const weft_fft* fft, int64_t* bytes);
/// Works in this memory from now on: at least weft_fft_workspace_bytes, 64-byte aligned. Local.
int weft_fft_use_workspace(weft_fft* fft, void* memory, int64_t bytes);
/// What one step of a transform did on this rank. Always of the size that weft.h gives it.
typedef struct weft_step {
  char name[96];       ///< cut where it is longer
  int is_exchange;     ///< else a stage
  int reserved;        ///< 0
  double start_s;      ///< by a monotonic clock, seconds
  double end_s;        ///< by the same clock
  double waited_s;     ///< of an exchange: this rank did nothing but wait for it
  double under_way_s;  ///< of an exchange: messages were under way
  int64_t bytes_read;  ///< from memory, by weft
  int64_t bytes_written;
  int64_t bytes_sent;  ///< to other ranks
  int64_t messages;    ///< to other ranks
} weft_step;
/// Not 0: every run leaves a record of its steps.
int weft_fft_set_recording(weft_fft* fft, int on);
/// The first `capacity` steps of the last run while recording, and how many there are; `steps` may
/// be NULL where capacity is 0. `step_size` is sizeof(weft_step).
int weft_fft_record(const weft_fft* fft, weft_step* steps, int64_t capacity, size_t step_size,
                    int64_t* count);

/// What was chosen and why, in a few lines, and what the steps of the last run while recording took.
/// Free it with weft_free.
int weft_fft_explain(const weft_fft* fft, char** text);
/// The plan as JSON. Free it with weft_free.
int weft_fft_plan_json(const weft_fft* fft, char** json);

/// The plan for any number of ranks as JSON, without MPI or a transform. Free it with weft_free.
int weft_plan_json(const weft_options* options, int64_t ranks, char** json);
/// Likewise in words.
int weft_plan_explain(const weft_options* options, int64_t ranks, char** text);

// ------------------------------------------------------------------------------------------------
// moving whole arrays

/// Moves a distributed array of any elements from one layout to another.
///
/// Shapes      source: this rank's box of `from`; target: that of `to`; each in its memory order.
/// Memory      source and target must not overlap. NULL is right for a box that is empty.
/// Collective  over `comm`, whose size is the number of ranks of both layouts.
/// Errors      WEFT_LAYOUT_MISMATCH, WEFT_DISAGREEMENT, WEFT_INVALID_ARGUMENT, WEFT_MPI_FAILURE;
///             on all ranks alike.
int weft_redistribute(const void* source, const weft_layout* from, void* target,
                      const weft_layout* to, int64_t element_bytes, MPI_Comm comm);
/// Collects the array on `root`, where `whole` has it in C order; the other ranks may pass NULL.
/// Else as redistribute.
int weft_gather(const void* local, const weft_layout* layout, void* whole, int64_t element_bytes,
                int root, MPI_Comm comm);
/// Spreads the C-ordered array of `root` over the layout. Else as redistribute.
int weft_scatter(const void* whole, void* local, const weft_layout* layout, int64_t element_bytes,
                 int root, MPI_Comm comm);

#ifdef __cplusplus
}
#endif

#endif
