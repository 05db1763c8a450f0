/* The MPI rank of a process and how many there are, from what its launcher put in the environment.
 */
#ifndef PM_MPI_H
#define PM_MPI_H

#include "common/tsv.h"
#include "libperfmon/settings.h"

#include <stdint.h>

struct pm_mpi {
	int64_t rank; /* -1: none, or not known */
	int64_t size; /* the same */
};

/* Find both for the program of this base name. */
struct pm_mpi pm_mpi_find(const struct pm_settings *s, struct pm_str exename);

#endif
