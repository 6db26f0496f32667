// What happens when things go wrong while ranks work together: a call of MPI that fails, memory that
// is not there, an FFT that cannot be planned, a rank that dies or stands still. Each fault is its
// own run, named by the argument; tests/CMakeLists.txt says what the run must print.
//
// The faults are injected by functions of this program that stand before the library's own.
#include <dlfcn.h>
#include <fcntl.h>
#include <fftw3.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <complex>
#include <csignal>
#include <cstdio>
#include <string>
#include <vector>

#include <weft/error.hpp>
#include <weft/fft.hpp>

namespace {

using Complex = std::complex<double>;
using Clock = std::chrono::steady_clock;

std::string fault;
bool armed = false;  ///< on the rank that the fault is for, once everything else stands

int world_rank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

bool fails(const char* name) { return armed && fault == name; }

}  // namespace

extern "C" {

int MPI_Isend(const void* data, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
              MPI_Request* request) {
  if (fails("send")) return MPI_ERR_OTHER;
  return PMPI_Isend(data, count, type, peer, tag, comm, request);
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

int posix_fallocate(int file, off_t offset, off_t length) {
  if (fails("memory")) return ENOSPC;
  using Function = int (*)(int, off_t, off_t);
  static const auto real = reinterpret_cast<Function>(dlsym(RTLD_NEXT, "posix_fallocate"));
  return real(file, offset, length);
}

fftw_plan fftw_plan_guru64_dft(int rank, const fftw_iodim64* dims, int batch_rank,
                               const fftw_iodim64* batch, fftw_complex* in, fftw_complex* out,
                               int sign, unsigned flags) {
  if (fails("planning")) return nullptr;
  using Function = fftw_plan (*)(int, const fftw_iodim64*, int, const fftw_iodim64*, fftw_complex*,
                                 fftw_complex*, int, unsigned);
  static const auto real = reinterpret_cast<Function>(dlsym(RTLD_NEXT, "fftw_plan_guru64_dft"));
  return real(rank, dims, batch_rank, batch, in, out, sign, flags);
}
}

namespace {

weft::FftOptions options(weft::Method method) {
  return {.shape = {24, 20, 18},
          .comm = MPI_COMM_WORLD,
          .norm = weft::Norm::backward,
          .knobs = {.method = method, .chunks = method == weft::Method::messages ? 2 : 0}};
}

/// There and back; the largest distance from where it began, over all ranks.
double round_trip(weft::Fft<double>& fft) {
  std::vector<Complex> x(static_cast<std::size_t>(fft.input_elements()));
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] = {std::sin(static_cast<double>(i) + fft.rank()), std::cos(3.0 * static_cast<double>(i))};
  const std::vector<Complex> before = x;
  std::vector<Complex> X(static_cast<std::size_t>(fft.output_elements()));
  fft.forward(x.data(), X.data());
  fft.backward(X.data(), x.data());
  double worst = 0;
  for (std::size_t i = 0; i < x.size(); ++i) worst = std::max(worst, std::abs(x[i] - before[i]));
  MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return worst;
}

/// A call that fails in the middle of an exchange: a message and the end of all ranks.
void break_a_call(weft::Method method) {
  weft::Fft<double> fft(options(method));
  round_trip(fft);
  armed = world_rank() == 1;
  round_trip(fft);
  std::puts("the fault was not noticed");
}

/// A transform that cannot be made on one rank: the same error on all.
void break_making(weft::Method method) {
  if (fault == "memory") weft::Fft<double> first(options(method));  // finds that there is memory
  armed = world_rank() == 1;
  std::string got = "no error";
  try {
    weft::Fft<double> fft(options(method));
  } catch (const weft::Error& error) {
    got = std::string(weft::error_name(error.code())) + ": " + error.what();
  }
  armed = false;
  char first[1024] = "";
  got.copy(first, sizeof first - 1);
  MPI_Bcast(first, sizeof first, MPI_CHAR, 0, MPI_COMM_WORLD);
  int same = got == first ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &same, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (world_rank() == 0) std::printf("%s: %s\n", same ? "all ranks" : "ranks differ", got.c_str());
  weft::Fft<double> after(options(method));
  const double worst = round_trip(after);
  if (world_rank() == 0) std::printf("afterwards: %s\n", worst < 1e-13 ? "correct" : "wrong");
}

/// Transforms for as long as it takes a rank to stand still for 10 s and go on.
void stand_still(weft::Method method) {
  const auto start = Clock::now();
  weft::Fft<double> fft(options(method));
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

/// A rank that is gone: the launcher ends the others, nobody reports a result.
void die(weft::Method method) {
  weft::Fft<double> fft(options(method));
  round_trip(fft);
  if (world_rank() == 1) raise(SIGKILL);
  round_trip(fft);
  std::puts("a result without all ranks");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  fault = argv[1];
  const weft::Method method = weft::from_string<weft::Method>(argv[2]);
  MPI_Init(&argc, &argv);
  if (fault == "send" || fault == "wait" || fault == "collective") break_a_call(method);
  if (fault == "memory" || fault == "planning") break_making(method);
  if (fault == "still") stand_still(method);
  if (fault == "die") die(method);
  MPI_Finalize();
  return 0;
}
