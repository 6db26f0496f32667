#ifndef WEFT_WEFT_H
#define WEFT_WEFT_H

// weft: distributed FFTs. The C interface, with the terms and contracts of weft/fft.hpp.
//
// Every function that can fail returns an int: WEFT_OK or an error code. After an error,
// weft_last_error() returns the message (rule, given value, remedy) to the same thread. Results are
// returned through pointers. On failure, the values at these pointers are unchanged. For a pointer
// that must not be NULL but is, the code is WEFT_INVALID_ARGUMENT.
//
// A collective call fails on all ranks, with two exceptions. A NULL handle (weft_fft, weft_halo or
// weft_poisson) and an invalid communicator are errors of the calling rank alone. Without them,
// weft does not know the other ranks.

// Leaves out MPI's old C++ bindings. A program with them would need another library.
#ifndef OMPI_SKIP_MPICXX
#define OMPI_SKIP_MPICXX 1
#endif
#ifndef MPICH_SKIP_MPICXX
#define MPICH_SKIP_MPICXX 1
#endif
#include <mpi.h>

#include <stddef.h>
#include <stdint.h>

#include "weft/kind.h"
#include "weft/tile.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The kind of an error; the same numbers as weft::ErrorCode.
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

/// Special values of weft_options.modes. WEFT_TWO_THIRDS: the wavenumbers below 2/3 of the highest.
enum weft_modes { WEFT_ALL_MODES = -1, WEFT_TWO_THIRDS = -2 };
/// A special value of weft_options.support.
enum weft_support { WEFT_ALL_POINTS = -1 };
/// The type of the input, if the kinds allow both.
enum weft_element { WEFT_ELEMENT_AUTOMATIC = 0, WEFT_ELEMENT_REAL = 1, WEFT_ELEMENT_COMPLEX = 2 };
/// WEFT_F80 is the compiler's long double.
enum weft_precision { WEFT_F32 = 0, WEFT_F64 = 1, WEFT_F80 = 2 };
/// The direction that divides by the number of points: none, backward (as numpy), both directions
/// (by the square root), or forward.
enum weft_norm {
  WEFT_NORM_NONE = 0,
  WEFT_NORM_BACKWARD = 1,
  WEFT_NORM_ORTHO = 2,
  WEFT_NORM_FORWARD = 3
};
/// The wanted output layout: the cheapest, the input's, or the given layout.
enum weft_output { WEFT_OUTPUT_ANY = 0, WEFT_OUTPUT_SAME = 1, WEFT_OUTPUT_GIVEN = 2 };
enum weft_effort { WEFT_ESTIMATE = 0, WEFT_MEASURE = 1, WEFT_EXHAUSTIVE = 2 };
enum weft_method {
  WEFT_METHOD_AUTOMATIC = 0,
  WEFT_METHOD_COLLECTIVE = 1,
  WEFT_METHOD_MESSAGES = 2,
  WEFT_METHOD_SHARED = 3, /* all ranks on one node */
  WEFT_METHOD_RMA = 4     /* blocks are put into memory that MPI exposes */
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
/// The exchange among ranks of one node, if the transform has several nodes.
enum weft_nodes {
  WEFT_NODES_AUTOMATIC = 0,
  WEFT_NODES_UNAWARE = 1,
  WEFT_NODES_SEPARATE = 2,
  WEFT_NODES_COMBINED = 3
};
/// WEFT_WIRE_F32 sends doubles as floats.
enum weft_wire_precision { WEFT_WIRE_SAME = 0, WEFT_WIRE_F32 = 1 };
/// Named sets of choices for an exchange; see docs/exchanges.md.
enum weft_preset {
  WEFT_PRESET_NONE = 0,
  WEFT_PRESET_FFTW = 1,
  WEFT_PRESET_DMITRUK = 2,
  WEFT_PRESET_DUKE = 3,
  WEFT_PRESET_FFT2D_I = 4,
  WEFT_PRESET_FFT2D_P = 5,
  WEFT_PRESET_P3DFFT = 6
};
/// A special value of weft_exchange.chunks: one chunk for each slice of the array.
#define WEFT_EVERY_SLICE INT64_MAX

/// Arrays have 1 to WEFT_MAX_DIMS axes.
#define WEFT_MAX_DIMS 8

/// The assignment of a box of the global array to each rank, with a memory order. Immutable. Freed
/// by weft_layout_destroy.
typedef struct weft_layout weft_layout;
/// A transform. Freed by weft_fft_destroy.
typedef struct weft_fft weft_fft;
/// The planes around the boxes of a layout, bound to a communicator.
typedef struct weft_halo weft_halo;

/// Version of the library, "0.1.0". Static text.
const char* weft_version(void);
/// Name of an error code, "invalid_argument". Static text.
const char* weft_error_name(int code);
/// Message of this thread's last failed call, "" if there is none. Valid until the next failure.
const char* weft_last_error(void);
/// Frees a text that weft has returned through a char**. NULL is fine.
void weft_free(void* text);

// ------------------------------------------------------------------------------------------------
// layouts
//
// These functions are local and do not use MPI, except weft_layout_of_local_boxes. `shape`, `grid`,
// and the `lower` and `upper` of one box have `dims` elements, in logical axis order. `order` lists
// the axes from slowest to fastest in memory; NULL is C order.
//
// Errors  WEFT_INVALID_ARGUMENT for a shape without axes, or with more than WEFT_MAX_DIMS axes;
//         extents below 1; a size beyond 63 bits; axes out of range; a grid of more parts than
//         ranks; boxes that overlap or leave a hole.

/// Splits axis a into p = grid[a] parts. Part r of the n indices is [n*r/p, n*(r+1)/p). Ranks
/// number the positions of the grid with its last axis fastest. `ranks` is at least the product of
/// the grid; 0 means the product. Ranks beyond the product own nothing.
int weft_layout_grid(int dims, const int64_t* shape, const int64_t* grid, const int* order,
                     int64_t ranks, weft_layout** layout);
/// Splits one axis over all ranks.
int weft_layout_slab(int dims, const int64_t* shape, int64_t ranks, int axis, weft_layout** layout);
/// Splits two axes over a process grid as square as possible.
int weft_layout_pencil(int dims, const int64_t* shape, int64_t ranks, int first_axis,
                       int second_axis, weft_layout** layout);
/// Splits three axes over a process grid as cubic as possible.
int weft_layout_brick(int dims, const int64_t* shape, int64_t ranks, weft_layout** layout);
/// Puts the whole array on one rank.
int weft_layout_on_one(int dims, const int64_t* shape, int64_t ranks, int64_t owner,
                       weft_layout** layout);
/// Takes one box per rank: lower[r*dims + a] <= index < upper[r*dims + a]. Boxes may be empty.
int weft_layout_of_boxes(int dims, const int64_t* shape, int64_t ranks, const int64_t* lower,
                         const int64_t* upper, const int* order, weft_layout** layout);
/// Creates the layout in which every rank owns the box that it passes. Collective over `comm`.
int weft_layout_of_local_boxes(int dims, const int64_t* shape, const int64_t* lower,
                               const int64_t* upper, const int* order, MPI_Comm comm,
                               weft_layout** layout);
/// Creates a layout with the same boxes in another memory order.
int weft_layout_with_order(const weft_layout* layout, const int* order, weft_layout** result);
/// Creates the layout of `count` arrays of this layout, one after the other in memory. It has a
/// leading axis, which every rank holds whole.
int weft_layout_with_components(const weft_layout* layout, int64_t count, weft_layout** result);
/// Creates a layout from the text of weft_layout_json.
int weft_layout_from_json(const char* json, weft_layout** layout);
/// Frees a layout. NULL is fine.
void weft_layout_destroy(weft_layout* layout);

int weft_layout_dims(const weft_layout* layout, int* dims);
int weft_layout_ranks(const weft_layout* layout, int64_t* ranks);
int weft_layout_shape(const weft_layout* layout, int64_t* shape);
/// The box of any rank: lower[a] <= index < upper[a]. If the rank owns nothing, all extents are 0,
/// except that of an axis of components.
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

/// Choices that are forced on every exchange. The size of this struct never changes. Later versions
/// use reserved space, in which 0 means the default.
typedef struct weft_exchange {
  int64_t chunks;       ///< number of parts in which the array is sent; 0: weft chooses
  int64_t piece_bytes;  ///< largest piece of packed messages; 0: weft chooses
  int method;           ///< enum weft_method
  int schedule;         ///< enum weft_schedule
  int requests;         ///< enum weft_requests
  int wire_form;        ///< enum weft_wire_form
  int wire;             ///< enum weft_wire_precision
  int nodes;            ///< enum weft_nodes
  int preset;           ///< enum weft_preset; the other members override it
  int reserved[9];      ///< 0
} weft_exchange;

/// Options that steer planning. The size of this struct never changes. Later versions use reserved
/// space, in which 0 means the default.
typedef struct weft_planning {
  /// The machine for planning: the name of a machine that ships with weft, JSON, "local" or
  /// "fixed-rule" (no model). "local" is the ranks' machine, measured once in 0.2 s and kept for
  /// the user. NULL in weft_fft_create: the environment variable WEFT_MACHINE. If that is not set:
  /// "local" on several ranks, "fixed-rule" on one rank. NULL in weft_plan_json and
  /// weft_plan_explain: "fixed-rule".
  const char* machine;
  const char* wisdom;  ///< path of a file of plans that trials chose; NULL: none. weft_fft_create
                       ///< looks there first, and adds the choice of new trials
  double budget_s;     ///< seconds for trials of local FFTs and of the best few plans, if effort
                       ///< is above estimate; 0: no trials
  int effort;          ///< enum weft_effort
  /// Used if weft chooses the input layout. 1: every rank gets a part. -1: the array may be on
  /// fewer ranks if that is faster. 0: as 1 if machine is NULL or "fixed-rule", otherwise as -1.
  int all_ranks;
  int reserved[8];  ///< 0
} weft_planning;

/// Options of a transform. Call weft_options_init first, then change members.
///
/// `struct_size` identifies the version of this struct that the caller was compiled with. Later
/// versions add members at the end, and a library accepts the structs of all earlier versions. A
/// library refuses reserved space that is not 0, because a later header has given this space a
/// meaning.
typedef struct weft_options {
  size_t struct_size;
  const int64_t* shape;  ///< of the whole array; for r2c in real space
  int dims;
  int axes_count;             ///< 0: all axes
  const int* axes;            ///< negative ones count from the end
  const weft_layout* input;   ///< NULL: chosen by the plan
  const weft_layout* output;  ///< with WEFT_OUTPUT_GIVEN, otherwise NULL
  const char* engine;         ///< as FftOptions::engine; NULL: as an empty text
  int output_choice;          ///< enum weft_output
  int kind;                   ///< enum weft_kind; WEFT_R2C: the last of axes is r2c, the others c2c
  int precision;              ///< enum weft_precision; WEFT_F64 unless set
  int norm;                   ///< enum weft_norm
  int sign;                   ///< sign of the exponent of forward: -1 unless set to 1
  int threads;                ///< OpenMP threads of this rank
  int overwrite_input;        ///< not 0: the input may be destroyed
  int own_workspace;          ///< 0: call weft_fft_use_workspace before the first transform
  int64_t ranks_per_node;     ///< only for weft_plan_json and weft_plan_explain: the number of
                              ///< ranks that share memory; 0: as 1
  weft_exchange exchange;
  weft_planning planning;
  const int* kinds;  ///< enum weft_kind of each of the axes, in their order; NULL: kind
  int element;       ///< enum weft_element
  /// The number of lowest wavenumbers in the spectrum of each of the axes, in their order: 1 .. n,
  /// WEFT_ALL_MODES or WEFT_TWO_THIRDS. NULL: all. Forward drops the other wavenumbers; backward
  /// takes them as zero.
  const int64_t* modes;
  /// The number of points, counted from the first, that the real-space array has along each of the
  /// axes, in their order: 1 .. n or WEFT_ALL_POINTS. NULL: all. Forward takes the other points as
  /// zero; backward omits them.
  const int64_t* support;
  /// The extent of a leading axis of the arrays, which every rank holds whole; 0: no such axis. See
  /// FftOptions::components. In place, component i begins at byte i * weft_fft_inplace_bytes() /
  /// components.
  int64_t components;
  /// Another transform on the same number of ranks. Its layouts are taken as for FftOptions::like.
  /// NULL: none.
  const weft_fft* like;
} weft_options;

/// Sets the first struct_size bytes to defaults: double c2c of all axes, unnormalised, one thread.
int weft_options_init_sized(weft_options* options, size_t struct_size);
/// Sets the options to the defaults of the header that the caller was compiled with.
static inline int weft_options_init(weft_options* options) {
  return weft_options_init_sized(options, sizeof(weft_options));
}

/// Plans a transform and prepares it. The options and their pointers are not needed afterwards.
///
/// Collective  over `comm`; MPI_COMM_NULL is this process alone, without MPI. All ranks succeed, or
///             all fail with the same code and message.
/// Errors      WEFT_INVALID_ARGUMENT (also when `options` or `fft` is NULL on one rank),
///             WEFT_LAYOUT_MISMATCH, WEFT_DISAGREEMENT (ranks gave different options),
///             WEFT_OUT_OF_MEMORY, WEFT_UNSUPPORTED, WEFT_FFT_FAILURE, WEFT_MPI_FAILURE.
int weft_fft_create(const weft_options* options, MPI_Comm comm, weft_fft** fft);
/// Creates a transform from an existing plan for this number of ranks: the JSON of weft_plan_json.
/// Otherwise as weft_fft_create.
int weft_fft_create_from_plan(const char* plan_json, MPI_Comm comm, weft_fft** fft);
/// Frees a transform. Local. May be called at any time, also after MPI_Finalize. NULL is fine.
void weft_fft_destroy(weft_fft* fft);

/// Transforms this rank's part of the array: X[k] = sum_j x[j] exp(sign * 2*pi*i * j*k / n)
/// along each axis of kind c2c or r2c. docs/conventions.md defines cosine, sine and Hartley axes.
///
/// Shapes      `in` has this rank's box of weft_fft_input_layout, and `out` has its box of
///             weft_fft_output_layout. Each is in the memory order of its layout. With an r2c axis,
///             `in` has reals and `out` has complex numbers. Without one, both arrays are complex
///             if an axis is c2c or `element` is WEFT_ELEMENT_COMPLEX. Otherwise both are real.
///             Complex numbers are pairs of reals of the precision, as in C and FFTW.
/// Memory      in == out is in place: the array has weft_fft_inplace_bytes, and its real rows are
///             padded. If not in place, the arrays must not overlap, and the input is unchanged
///             unless overwrite_input is set.
/// Collective  over the communicator of the transform. NULL is valid for an empty box. Calls of
///             several threads are serialised, as in fft.hpp.
int weft_fft_forward(weft_fft* fft, const void* in, void* out);
/// Transforms in the other direction: `in` has the layout of forward's output, and `out` the layout
/// of its input.
int weft_fft_backward(weft_fft* fft, const void* in, void* out);

/// Transforms several arrays, in[i] into out[i]. If the exchanges are messages, one array is
/// exchanged while the next is transformed. The rules for each array are those of forward and
/// backward. Either all arrays are in place or none is. The first call with more than one array
/// allocates a second workspace. Collective; `count` must be the same on all ranks.
int weft_fft_forward_many(weft_fft* fft, int64_t count, const void* const* in, void* const* out);
int weft_fft_backward_many(weft_fft* fft, int64_t count, const void* const* in, void* const* out);

/// A function of several fields on a tile, with data of the caller. It returns 0; another number
/// fails the call on all ranks. It may be called from several threads at once.
typedef int (*weft_tile_function)(const weft_tile* tile, void* user);

/// How the results of tiles and ranks become one number.
enum weft_combine { WEFT_SUM = 0, WEFT_MAX = 1 };

/// A function of a round trip. If all members are 0, there is no function.
typedef struct weft_field_function {
  weft_tile_function call;
  void* user;
  int is_pointwise;  ///< not 0: element i of the outputs depends only on element i of the inputs,
                     ///< and all inputs of an element are read before its outputs are written
  int combine;       ///< of weft_combine
  int64_t results;   ///< numbers that each call returns in weft_tile.results
} weft_field_function;

/// The functions of a round trip, and the fields between them. Begin with zeros.
///   weft_fft_apply_in_spectrum  inputs, before, forward, function, backward, after, outputs
///   weft_fft_apply_in_space     inputs, before, backward, function, forward, after, outputs
typedef struct weft_field_work {
  weft_field_function function;
  weft_field_function before;  ///< optional; absent if `call` is NULL
  weft_field_function after;   ///< optional; absent if `call` is NULL
  int64_t fields_there;        ///< fields from the inputs to the function; 0: as many as inputs
  int64_t fields_back;         ///< fields from the function to the outputs; 0: as many as outputs
} weft_field_work;

/// Transforms fields, calls functions on tiles of them in cache, and transforms back: see
/// weft::Fft::apply_in_spectrum. Arrays have the layout of forward's input; for apply_in_space they
/// have the layout of forward's output. An output may be one of the inputs. `results` receives the
/// results of `before`, `function` and `after`, in this order. It may be NULL if these functions
/// have no results. Collective.
int weft_fft_apply_in_spectrum(weft_fft* fft, const weft_field_work* work, int64_t inputs,
                               const void* const* in, int64_t outputs, void* const* out,
                               double* results);
int weft_fft_apply_in_space(weft_fft* fft, const weft_field_work* work, int64_t inputs,
                            const void* const* in, int64_t outputs, void* const* out,
                            double* results);

/// Describes the stages and exchanges of such a call, with their predicted times if a model of a
/// machine planned the transform. Free it with weft_free. Local; calls no function.
int weft_fft_explain_apply_in_spectrum(const weft_fft* fft, const weft_field_work* work,
                                       int64_t inputs, int64_t outputs, char** text);
int weft_fft_explain_apply_in_space(const weft_fft* fft, const weft_field_work* work,
                                    int64_t inputs, int64_t outputs, char** text);

/// Layouts of the input and the output of forward. Free them with weft_layout_destroy. Suppose that
/// a single axis of n points is divided among ranks, and that n has suitable factors n1 and n2.
/// Then the output for WEFT_OUTPUT_ANY has two axes, n1 x n2 = n. Element (k1, k2) is X[k1 +
/// n1*k2]. r2c keeps n1/2+1 elements of axis 0, but n1 is still n divided by the extent of axis 1.
/// Without suitable factors, the output has one axis. weft_layout_dims returns the number of axes.
int weft_fft_input_layout(const weft_fft* fft, weft_layout** layout);
int weft_fft_output_layout(const weft_fft* fft, weft_layout** layout);
/// This process's rank in both layouts.
int weft_fft_rank(const weft_fft* fft, int* rank);
/// Bytes of one allocation for this rank's input and output, the padding of real rows included.
int weft_fft_inplace_bytes(const weft_fft* fft, int64_t* bytes);
/// Strides of the input in place, in elements, one for each axis. For r2c, rows are padded.
int weft_fft_inplace_strides(const weft_fft* fft, int64_t* strides);
/// Return the positions of this rank's points along an axis of the input, and the wavenumbers along
/// an axis of the output. The axis is `length` long. The array has room for the extent of the
/// rank's box along the axis. NULL is valid for an empty box. Cosine and sine axes have the points
/// and wavenumbers of docs/conventions.md. Axes that are not transformed have wavenumbers of 0. If
/// a single axis has an output of two axes, the result is WEFT_UNSUPPORTED.
int weft_fft_positions(const weft_fft* fft, int axis, double length, double* positions);
int weft_fft_wavenumbers(const weft_fft* fft, int axis, double length, double* wavenumbers);
/// Memory of the transform in addition to the caller's arrays, on this rank.
int weft_fft_workspace_bytes(const weft_fft* fft, int64_t* bytes);
/// Sets the caller's memory as the workspace: at least weft_fft_workspace_bytes, 64-byte aligned.
/// Local.
int weft_fft_use_workspace(weft_fft* fft, void* memory, int64_t bytes);
/// Record of one step of a transform on this rank. If the library has another size of this struct,
/// weft_fft_record fails.
typedef struct weft_step {
  char name[96];       ///< truncated if longer
  int is_exchange;     ///< 0: a stage
  int reserved;        ///< 0
  double start_s;      ///< by a monotonic clock, seconds
  double end_s;        ///< by the same clock
  double waited_s;     ///< of an exchange: time in which this rank only waited
  double under_way_s;  ///< of an exchange: time in which messages were under way
  int64_t bytes_read;  ///< from memory, by weft
  int64_t bytes_written;
  int64_t bytes_sent;         ///< to other ranks
  int64_t messages;           ///< to other ranks
  int64_t bytes_from_others;  ///< without a message, from the memory of other ranks of this node
} weft_step;
/// Switches recording. While `on` is not 0, every run records its steps.
int weft_fft_set_recording(weft_fft* fft, int on);
/// Copies the first `capacity` steps of the last recorded run, and returns the number of all steps
/// in `count`. `steps` may be NULL if capacity is 0. `step_size` is sizeof(weft_step).
int weft_fft_record(const weft_fft* fft, weft_step* steps, int64_t capacity, size_t step_size,
                    int64_t* count);

/// Describes the plan and its reasons in a few lines, with the times of the steps of the last
/// recorded run. Free it with weft_free.
int weft_fft_explain(const weft_fft* fft, char** text);
/// The plan as JSON. Free it with weft_free.
int weft_fft_plan_json(const weft_fft* fft, char** json);

/// Plans for any number of ranks, without MPI or a transform. Returns JSON. Free it with weft_free.
int weft_plan_json(const weft_options* options, int64_t ranks, char** json);
/// Plans as weft_plan_json, and returns the plan in words. Free the text with weft_free.
int weft_plan_explain(const weft_options* options, int64_t ranks, char** text);

// ------------------------------------------------------------------------------------------------
// moving whole arrays

/// Moves a distributed array of elements of any type from one layout to another.
///
/// Shapes      source: this rank's box of `from`; target: its box of `to`; each in its memory
///             order.
/// Memory      source and target must not overlap. NULL is valid for an empty box.
/// Collective  over `comm`; its size is the number of ranks of both layouts.
/// Errors      WEFT_LAYOUT_MISMATCH, WEFT_DISAGREEMENT, WEFT_INVALID_ARGUMENT, WEFT_MPI_FAILURE;
///             on all ranks alike.
int weft_redistribute(const void* source, const weft_layout* from, void* target,
                      const weft_layout* to, int64_t element_bytes, MPI_Comm comm);
/// Collects the array on `root`, in C order in `whole`; the other ranks may pass NULL. Otherwise as
/// redistribute.
int weft_gather(const void* local, const weft_layout* layout, void* whole, int64_t element_bytes,
                int root, MPI_Comm comm);
/// Distributes the C-ordered array of `root` over the layout. Otherwise as redistribute.
int weft_scatter(const void* whole, void* local, const weft_layout* layout, int64_t element_bytes,
                 int root, MPI_Comm comm);

// ------------------------------------------------------------------------------------------------
// the planes around boxes

/// Plans the exchange of the planes around each rank's box and prepares it, as weft::Halo does.
///
/// Shapes      `below` and `above` have one width for each axis of the layout, from 0 to the length
///             of the axis. If `above` is NULL, it has the widths of `below`. The local array is
///             the box with its planes, dense in the layout's memory order. A rank with an empty
///             box has an empty array.
/// Options     `periodic` has one number for each axis. It is not 0 if the array continues at the
///             other end of the axis. NULL: all axes are periodic. `exchange`: forced choices;
///             NULL: none.
/// Collective  over `comm`; MPI_COMM_NULL is this process alone, without MPI. All ranks succeed, or
///             all fail with the same code and message.
/// Errors      WEFT_INVALID_ARGUMENT, WEFT_LAYOUT_MISMATCH, WEFT_DISAGREEMENT, WEFT_UNSUPPORTED
///             (boxes that cut an axis at different positions), WEFT_OUT_OF_MEMORY,
///             WEFT_MPI_FAILURE.
int weft_halo_create(const weft_layout* layout, const int64_t* below, const int64_t* above,
                     const int* periodic, int64_t element_bytes, const weft_exchange* exchange,
                     MPI_Comm comm, weft_halo** halo);
/// Frees a halo. Local. May be called at any time, also after MPI_Finalize. NULL is fine.
void weft_halo_destroy(weft_halo* halo);
/// Copies the elements of other ranks into the planes, corners included. At an end that is not
/// periodic, the planes outside the array are not changed. Collective. NULL is valid for an empty
/// array.
int weft_halo_fill(weft_halo* halo, void* array);
/// Adds each element of the planes to the element that it copies, on the rank that owns it. Then
/// sets the planes to zero. Planes outside the array are not changed. The array has real or complex
/// numbers of `precision`, a weft_precision. The order of additions is fixed. Collective.
int weft_halo_accumulate(weft_halo* halo, void* array, int precision);
/// Shape of this rank's local array, one extent for each axis.
int weft_halo_shape(const weft_halo* halo, int64_t* shape);
/// Strides of the local array in elements, one for each axis.
int weft_halo_strides(const weft_halo* halo, int64_t* strides);
/// Elements of the local array.
int weft_halo_elements(const weft_halo* halo, int64_t* elements);
/// Position in the local array, in elements, at which this rank's box begins.
int weft_halo_inner_offset(const weft_halo* halo, int64_t* offset);
/// Memory of the halo in addition to the caller's array, on this rank.
int weft_halo_workspace_bytes(const weft_halo* halo, int64_t* bytes);

#ifdef __cplusplus
}
#endif

#include "weft/poisson.h"

#endif
