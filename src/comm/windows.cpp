#include "comm/communicator_state.hpp"
#include "comm/mpi_check.hpp"

namespace weft::comm {

int free_window(Window& window) {
  const int code = window.is_locked ? MPI_Win_unlock_all(window.win) : MPI_SUCCESS;
  return code == MPI_SUCCESS ? MPI_Win_free(&window.win) : code;
}

void free_dropped_windows(const Communicator& comm) {
  auto& windows = comm.state().windows;
  for (const auto& window : windows)
    if (comm.min(std::int64_t{window->dropped}) == 1)
      check_mpi(free_window(*window), "MPI_Win_free");
  std::erase_if(windows, [](const auto& window) { return window->win == MPI_WIN_NULL; });
}

}  // namespace weft::comm
