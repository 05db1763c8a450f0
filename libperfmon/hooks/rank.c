/*
 * MPI rank stated by the program. A launcher of a site, or code that renumbers ranks, calls
 * libmonitor's monitor_set_size_rank(), as for papiex, where MPI's own variables do not tell the
 * rank. The call is passed on to another library that has the function.
 */
#include "config.h"

#include "libperfmon/identity.h"
#include "libperfmon/real.h"
#include "libperfmon/state.h"

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
