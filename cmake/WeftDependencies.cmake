# Finds the dependencies of weft, and decides which parts can be built:
#   WEFT_WITH_MPI      the library `weft` and the module weft._running
#   WEFT_WITH_KERNEL   src/kernel (for `weft`, and for the unit tests)
#   WEFT_LIBURING      the library for io_uring; empty if there is none
#   WEFT_MPI_KIND      openmpi, mpich or other; WEFT_MPIEXEC its launcher
# If WEFT_EXPECTED_MPI is given, it must be equal to WEFT_MPI_KIND.

find_package(Threads REQUIRED)
find_package(nlohmann_json 3.9 REQUIRED)

# io_uring for data on disks. Without it threads read and write; `weft info` reports the choice.
set(WEFT_LIBURING)
find_package(PkgConfig QUIET)
if(PkgConfig_FOUND)
  pkg_check_modules(LIBURING QUIET "liburing>=2.0")
  if(LIBURING_FOUND)
    # By its full path, so that linking an installed libweft needs no pkg-config.
    set(WEFT_LIBURING ${LIBURING_LINK_LIBRARIES})
  endif()
endif()

set(WEFT_WITH_MPI OFF)
if(NOT WEFT_MPI STREQUAL "OFF")
  # MPICXX names the MPI, as in most builds; the C wrapper is in the same folder.
  if(DEFINED ENV{MPICXX} AND NOT MPI_CXX_COMPILER)
    find_program(weft_mpicxx NAMES "$ENV{MPICXX}" NO_CACHE REQUIRED)
    set(MPI_CXX_COMPILER "${weft_mpicxx}" CACHE FILEPATH "MPI compiler wrapper for C++" FORCE)
  endif()
  if(MPI_CXX_COMPILER AND NOT MPI_C_COMPILER)
    get_filename_component(weft_mpi_folder "${MPI_CXX_COMPILER}" DIRECTORY)
    get_filename_component(weft_mpi_name "${MPI_CXX_COMPILER}" NAME)
    string(REGEX REPLACE "cxx|c\\+\\+|CC" "cc" weft_mpi_name "${weft_mpi_name}")
    if(EXISTS "${weft_mpi_folder}/${weft_mpi_name}")
      set(MPI_C_COMPILER "${weft_mpi_folder}/${weft_mpi_name}" CACHE FILEPATH "MPI compiler wrapper for C" FORCE)
    endif()
  endif()
  set(MPI_CXX_SKIP_MPICXX ON) # weft calls MPI's C functions only
  if(WEFT_MPI STREQUAL "ON")
    find_package(MPI 3.1 REQUIRED COMPONENTS CXX)
    find_package(OpenMP REQUIRED COMPONENTS CXX)
    set(WEFT_WITH_MPI ON)
  else()
    find_package(MPI 3.1 COMPONENTS CXX)
    find_package(OpenMP COMPONENTS CXX)
    if(MPI_CXX_FOUND AND OpenMP_CXX_FOUND)
      set(WEFT_WITH_MPI ON)
    else()
      message(STATUS "weft: planning only, because MPI or OpenMP is missing; -DWEFT_MPI=ON says which")
    endif()
  endif()
endif()

set(WEFT_WITH_KERNEL ${WEFT_WITH_MPI})
if(WEFT_TESTS AND NOT WEFT_WITH_KERNEL)
  find_package(OpenMP REQUIRED COMPONENTS CXX)
  set(WEFT_WITH_KERNEL ON)
endif()

if(WEFT_WITH_MPI)
  include(CheckCXXSymbolExists)
  set(CMAKE_REQUIRED_LIBRARIES MPI::MPI_CXX)
  check_cxx_symbol_exists(OPEN_MPI "mpi.h" WEFT_MPI_IS_OPENMPI)
  check_cxx_symbol_exists(MPICH_VERSION "mpi.h" WEFT_MPI_IS_MPICH)
  unset(CMAKE_REQUIRED_LIBRARIES)
  set(WEFT_MPI_KIND other)
  if(WEFT_MPI_IS_OPENMPI)
    set(WEFT_MPI_KIND openmpi)
  elseif(WEFT_MPI_IS_MPICH)
    set(WEFT_MPI_KIND mpich)
  endif()
  if(WEFT_EXPECTED_MPI AND NOT WEFT_EXPECTED_MPI STREQUAL WEFT_MPI_KIND)
    message(FATAL_ERROR "weft: MPI should be ${WEFT_EXPECTED_MPI}, but ${MPI_CXX_COMPILER} is ${WEFT_MPI_KIND}; "
                        "name the right wrapper with -DMPI_CXX_COMPILER=... and configure in an empty folder")
  endif()
  # The launcher in the folder of the compiler wrapper: with two installed MPIs, plain mpiexec may belong to the other.
  get_filename_component(weft_mpi_folder "${MPI_CXX_COMPILER}" DIRECTORY)
  find_program(WEFT_MPIEXEC NAMES "mpiexec.${WEFT_MPI_KIND}" HINTS "${weft_mpi_folder}")
  find_program(WEFT_MPIEXEC NAMES mpiexec HINTS "${weft_mpi_folder}")
  if(NOT WEFT_MPIEXEC)
    set(WEFT_MPIEXEC "${MPIEXEC_EXECUTABLE}")
  endif()
  message(STATUS "weft: MPI is ${WEFT_MPI_KIND} by ${MPI_CXX_COMPILER}, started by ${WEFT_MPIEXEC}")
endif()
