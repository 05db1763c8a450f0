/* The MPI rank of a process and the number of ranks, from the launcher's environment variables. */
#ifndef PM_LIBPERFMON_RECORD_MPI_H
#define PM_LIBPERFMON_RECORD_MPI_H

#include "common/safe/tsv.h"
#include "libperfmon/base/settings.h"

#include <stdint.h>

struct pm_mpi {
	int64_t rank; /* -1: none, or not known */
	int64_t size; /* number of ranks, -1 as for the rank */
};

/* Find rank and size for the program of this base name. */
struct pm_mpi pm_mpi_find(const struct pm_settings *s, struct pm_str exename);

#endif
