/*
 * MPI rank stated by the program. A launcher of a site, or code that renumbers ranks, calls
 * libmonitor's monitor_set_size_rank(), as for papiex, if MPI's own variables do not have the rank.
 * The call is passed on to another library that has the function.
 */
#include "config.h"

#include "libperfmon/base/nextsymbol.h"
#include "libperfmon/base/state.h"
#include "libperfmon/record/identity.h"

void monitor_set_size_rank(int size, int rank);

__attribute__((visibility("default"))) void monitor_set_size_rank(int size, int rank)
{
	__typeof__(monitor_set_size_rank) *other = PM_REAL_OTHER(monitor_set_size_rank);

	if (rank >= 0 && pm_enter()) {
		pm_identity_tell_rank(rank, size);
		pm_leave();
	}
	if (other)
		other(size, rank);
}
