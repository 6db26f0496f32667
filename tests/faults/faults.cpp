// Faults while ranks work together: a failing call of MPI, missing memory, an FFT that cannot be
// planned, a rank that dies or pauses. Each run has one fault. The arguments name the fault and the
// exchange; tests/CMakeLists.txt has the expected output.
//
// Functions of this program that replace those of libraries inject most faults. A library that
// replaces FFTW (fftw_without_plans.cpp) refuses plans. Two faults are signals to a rank.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <complex>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include <weft/error.hpp>
#include <weft/fft.hpp>

namespace {

using Complex = std::complex<double>;
using Clock = std::chrono::steady_clock;

std::string fault;
std::string way;     ///< the exchange: a method, or another name that exchange() knows
bool armed = false;  ///< true on the rank with the fault, from the time when calls must fail

int world_rank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

bool fails(const char* name) { return armed && fault == name; }

/// Returns a function of a library that a function of this program replaces.
template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" {

int MPI_Isend(const void* data, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
              MPI_Request* request) {
  if (fails("send")) return MPI_ERR_OTHER;
  return PMPI_Isend(data, count, type, peer, tag, comm, request);
}

int MPI_Send_init(const void* data, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
                  MPI_Request* request) {
  if (fails("send_init")) return MPI_ERR_OTHER;
  return PMPI_Send_init(data, count, type, peer, tag, comm, request);
}

int MPI_Start(MPI_Request* request) {
  if (fails("start")) return MPI_ERR_OTHER;
  return PMPI_Start(request);
}

int MPI_Type_commit(MPI_Datatype* type) {
  if (fails("type")) return MPI_ERR_OTHER;
  return PMPI_Type_commit(type);
}

int MPI_Waitsome(int count, MPI_Request requests[], int* done, int indices[],
                 MPI_Status statuses[]) {
  if (fails("wait")) return MPI_ERR_OTHER;
  return PMPI_Waitsome(count, requests, done, indices, statuses);
}

int MPI_Alltoallv(const void* send, const int send_counts[], const int send_offsets[],
                  MPI_Datatype send_type, void* recv, const int recv_counts[],
                  const int recv_offsets[], MPI_Datatype recv_type, MPI_Comm comm) {
  if (fails("collective")) return MPI_ERR_OTHER;
  return PMPI_Alltoallv(send, send_counts, send_offsets, send_type, recv, recv_counts, recv_offsets,
                        recv_type, comm);
}

int MPI_Ialltoallv(const void* send, const int send_counts[], const int send_offsets[],
                   MPI_Datatype send_type, void* recv, const int recv_counts[],
                   const int recv_offsets[], MPI_Datatype recv_type, MPI_Comm comm,
                   MPI_Request* request) {
  if (fails("collective")) return MPI_ERR_OTHER;
  return PMPI_Ialltoallv(send, send_counts, send_offsets, send_type, recv, recv_counts,
                         recv_offsets, recv_type, comm, request);
}

int MPI_Alltoallw(const void* send, const int send_counts[], const int send_offsets[],
                  const MPI_Datatype send_types[], void* recv, const int recv_counts[],
                  const int recv_offsets[], const MPI_Datatype recv_types[], MPI_Comm comm) {
  if (fails("collective")) return MPI_ERR_OTHER;
  return PMPI_Alltoallw(send, send_counts, send_offsets, send_types, recv, recv_counts,
                        recv_offsets, recv_types, comm);
}

int posix_fallocate(int file, off_t offset, off_t length) {
  if (fails("memory")) return ENOSPC;
  static const auto real = next<int(int, off_t, off_t)>("posix_fallocate");
  return real(file, offset, length);
}

int madvise(void* address, size_t bytes, int advice) noexcept {
#ifdef MADV_POPULATE_WRITE
  if (advice == MADV_POPULATE_WRITE && (fails("populate") || fails("old_kernel"))) {
    errno = fault == "populate" ? ENOMEM : EINVAL;
    return -1;
  }
#endif
  static const auto real = next<int(void*, size_t, int)>("madvise");
  return real(address, bytes, advice);
}

/// For the fault "workspace", fails if the wanted memory is as large as a workspace.
void* aligned_alloc(size_t alignment, size_t bytes) noexcept {
  if (bytes >= 32768 && fails("workspace")) return nullptr;
  static const auto real = next<void*(size_t, size_t)>("aligned_alloc");
  return real(alignment, bytes);
}
}

namespace {

using weft::Method;

weft::Exchange exchange() {
  if (way == "messages") return {.method = Method::messages, .chunks = 2};
  if (way == "datatype") return {.method = Method::messages, .wire_form = weft::WireForm::datatype};
  if (way == "alltoallw")
    return {.method = Method::collective, .wire_form = weft::WireForm::datatype};
  if (way == "persistent")
    return {.method = Method::messages, .requests = weft::Requests::persistent};
  if (way == "separate") return {.method = Method::messages, .nodes = weft::NodeUse::separate};
  if (way == "combined") return {.method = Method::messages, .nodes = weft::NodeUse::combined};
  if (way == "many") return {.method = Method::messages};
  if (way == "many_collective") return {.method = Method::collective};
  return {.method = weft::from_string<Method>(way)};
}

/// Returns whether the fault is a plan that the library of fftw_without_plans.cpp refuses.
bool is_planning_fault() { return fault.starts_with("planning"); }

weft::FftOptions options() {
  const bool real = fault == "planning_r2c" || fault == "planning_c2r";
  const bool large = fault == "populate" || fault == "old_kernel";  // more than 4 MiB a rank
  return {.shape = large ? weft::Shape{96, 96, 96} : weft::Shape{24, 20, 18},
          .kinds = real ? weft::Kind::r2c : weft::Kind::c2c,
          .comm = MPI_COMM_WORLD,
          .norm = weft::Norm::backward,
          .engine = is_planning_fault() ? "fftw" : "auto",
          .exchange = exchange()};
}

/// Transforms forward and backward. Each call has one array, or two if `way` starts with "many".
template <class Number>
void both_ways(weft::Fft<double>& fft, std::vector<Number>& x, std::vector<Complex>& X) {
  if (!way.starts_with("many")) {
    fft.forward(x.data(), X.data());
    fft.backward(X.data(), x.data());
    return;
  }
  std::vector<Number> y = x;
  std::vector<Complex> Y = X;
  const std::vector<const Number*> in{y.data(), x.data()};
  const std::vector<Complex*> out{Y.data(), X.data()};
  fft.forward_many(std::span(in), std::span(out));
  const std::vector<const Complex*> back{Y.data(), X.data()};
  const std::vector<Number*> to{y.data(), x.data()};
  fft.backward_many(std::span(back), std::span(to));
}

template <class Number>
double distance_after(weft::Fft<double>& fft, std::vector<Number> x) {
  const std::vector<Number> before = x;
  std::vector<Complex> X(static_cast<std::size_t>(fft.output_elements()));
  both_ways(fft, x, X);
  double worst = 0;
  for (std::size_t i = 0; i < x.size(); ++i) worst = std::max(worst, std::abs(x[i] - before[i]));
  MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return worst;
}

/// Transforms forward and backward; returns the largest difference from the input, over all ranks.
double round_trip(weft::Fft<double>& fft) {
  const auto elements = static_cast<std::size_t>(fft.input_elements());
  std::vector<double> reals(elements);
  std::vector<Complex> numbers(elements);
  for (std::size_t i = 0; i < elements; ++i) {
    reals[i] = std::sin(static_cast<double>(i) + fft.rank());
    numbers[i] = {reals[i], std::cos(3.0 * static_cast<double>(i))};
  }
  return fft.plan().problem.has_halved_axis() ? distance_after(fft, reals)
                                              : distance_after(fft, numbers);
}

/// Makes a call fail in the middle of an exchange. weft must print a message and end all ranks.
void break_a_call() {
  weft::Fft<double> fft(options());
  if (fault != "send_init") round_trip(fft);  // the first call makes the persistent requests
  armed = world_rank() == 1;
  round_trip(fft);
  std::puts("the fault was not noticed");
}

/// Makes the library that replaces FFTW refuse plans, if that is the fault.
void refuse_plans() {
  if (is_planning_fault())
    setenv("WEFT_TEST_REFUSED", fault == "planning" ? "c2c" : fault.substr(9).c_str(), 1);
}

/// Makes rank 1 fail in `attempt`, while it can still inform the others. Prints rank 0's error, and
/// whether all ranks have the same error.
void attempt_armed(const std::function<void()>& attempt) {
  armed = world_rank() == 1;
  if (armed) refuse_plans();
  std::string got = "no error";
  try {
    attempt();
  } catch (const weft::Error& error) {
    got = std::string(weft::error_name(error.code())) + ": " + error.what();
  }
  armed = false;
  unsetenv("WEFT_TEST_REFUSED");
  char first[1024] = "";
  got.copy(first, sizeof first - 1);
  MPI_Bcast(first, sizeof first, MPI_CHAR, 0, MPI_COMM_WORLD);
  int same = got == first ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &same, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (world_rank() == 0) std::printf("%s: %s\n", same ? "all ranks" : "ranks differ", got.c_str());
}

void say_whether_correct(weft::Fft<double>& fft) {
  const double worst = round_trip(fft);
  if (world_rank() == 0) std::printf("afterwards: %s\n", worst < 1e-13 ? "correct" : "wrong");
}

/// Makes a transform that fails on one rank. All ranks must get the same error.
void break_making() {
  // The first transform makes weft check the memory before the fault.
  if (fault == "memory" || fault == "populate") weft::Fft<double> first(options());
  attempt_armed([] {
    weft::Fft<double> fft(options());
    if (fault == "old_kernel") say_whether_correct(fft);  // in memory obtained in another way
  });
  weft::Fft<double> after(options());
  say_whether_correct(after);
}

/// Makes the allocation of the second workspace fail, in the first call with several arrays. The
/// transform must remain usable.
void break_second_workspace() {
  weft::Fft<double> fft(options());
  attempt_armed([&] { round_trip(fft); });
  say_whether_correct(fft);
}

/// Transforms until a rank has paused for 10 s and resumed.
void stand_still() {
  const auto start = Clock::now();
  weft::Fft<double> fft(options());
  if (world_rank() == 1 && fork() == 0) {
    const pid_t parent = getppid();
    sleep(1);
    kill(parent, SIGSTOP);
    sleep(10);
    kill(parent, SIGCONT);
    _exit(0);
  }
  double worst = 0;
  int go_on = 1;
  while (go_on) {
    worst = std::max(worst, round_trip(fft));
    go_on = Clock::now() - start < std::chrono::seconds(12) ? 1 : 0;
    MPI_Bcast(&go_on, 1, MPI_INT, 0, MPI_COMM_WORLD);
  }
  if (world_rank() == 0)
    std::printf("a rank stood still: %s\n", worst < 1e-13 ? "correct" : "wrong");
}

/// Kills one rank. The launcher must end the others, and none may report a result.
void die() {
  weft::Fft<double> fft(options());
  round_trip(fft);
  if (world_rank() == 1) raise(SIGKILL);
  round_trip(fft);
  std::puts("a result without all ranks");
}

/// Returns whether FFTW is needed (fftw_without_plans.cpp calls it) but not installed.
bool lacks_library() {
  return is_planning_fault() && dlopen("libfftw3.so.3", RTLD_NOW | RTLD_LOCAL) == nullptr;
}

bool is_one_of(const std::vector<std::string>& names) {
  return std::find(names.begin(), names.end(), fault) != names.end();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  fault = argv[1];
  way = argv[2];
  MPI_Init(&argc, &argv);
  if (lacks_library()) {
    if (world_rank() == 0) std::puts("skipped: FFTW is not installed");
    MPI_Finalize();
    return 0;
  }
  if (is_one_of({"send", "send_init", "start", "wait", "collective"})) break_a_call();
  if (is_one_of(
          {"memory", "populate", "old_kernel", "planning", "planning_r2c", "planning_c2r", "type"}))
    break_making();
  if (fault == "workspace") break_second_workspace();
  if (fault == "still") stand_still();
  if (fault == "die") die();
  MPI_Finalize();
  return 0;
}
