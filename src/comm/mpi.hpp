#pragma once

// The only file of src/ that includes <mpi.h> directly. It excludes the C++ bindings, which MPI
// removed in version 3.
#ifndef OMPI_SKIP_MPICXX
#define OMPI_SKIP_MPICXX 1
#endif
#ifndef MPICH_SKIP_MPICXX
#define MPICH_SKIP_MPICXX 1
#endif
#include <mpi.h>
