/*
 * A rank that the program tells: who knows where MPI's own variables do not, as of a launcher of a
 * site or of ranks that are renumbered, calls the function of libmonitor that papiex and others go
 * by. Where such a library is there, too, it is told as well.
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
