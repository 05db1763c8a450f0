/* Count lost lines by reason. */
#include "config.h"

#include "libperfmon/record/lost.h"

#include "libperfmon/base/state.h"
#include "libperfmon/record/recordfile.h"
#include "libperfmon/record/tally.h"

#include <errno.h>
#include <string.h>

static const int number[PM_LOST_REASONS] = {
#define OTHER             0
#define PM_LOST(id, text) id,
#include "common/safe/tally.def"
#undef PM_LOST
#undef OTHER
};

/* Counts that wait for the tally. Life cycle: empty; a fork child inherits its parent's counts, and
 * drops them. */
static struct {
	int64_t lines[PM_LOST_REASONS];
	int64_t bytes[PM_LOST_REASONS];
	int pid;
} pending;

static bool write_count(int reason, int64_t lines, int64_t bytes)
{
	const char *name = pm_lost_name((enum pm_lost)reason);
	struct pm_tally t = { { "lost", 4 }, { name, strlen(name) }, 2, { lines, bytes } };

	/* Another directory of the same name has another tally. */
	if (pm.departed && pm_recordfile_is_astray())
		return false;
	return pm_tally_add(&t, (unsigned)(PM_TALLY_LOST + reason * PM_TALLY_SPARE), PM_TALLY_SPARE,
			    (unsigned)pm_sys0(SYS_gettid));
}

static void keep_count(int reason, int64_t lines, int64_t bytes)
{
	int pid = __atomic_load_n(&pending.pid, __ATOMIC_RELAXED);

	if (pid != pm.pid && __atomic_compare_exchange_n(&pending.pid, &pid, pm.pid, false,
							 __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		for (int i = 0; i < PM_LOST_REASONS; i++)
			pending.lines[i] = pending.bytes[i] = 0;
	__atomic_add_fetch(&pending.lines[reason], lines, __ATOMIC_RELAXED);
	__atomic_add_fetch(&pending.bytes[reason], bytes, __ATOMIC_RELAXED);
	pm.owes = true;
}

void pm_lost_count(long error, const char *data, size_t n)
{
	int64_t lines = 0;
	int reason = 0;

	while (reason < PM_LOST_OTHER && number[reason] != error)
		reason++;
	/* The newline in front ends a line of an earlier write. */
	for (size_t i = 1; i < n; i++)
		lines += data[i] == '\n';
	if (lines > 0 && !write_count(reason, lines, (int64_t)n))
		keep_count(reason, lines, (int64_t)n);
}

void pm_lost_flush(void)
{
	pm.owes = false;
	if (__atomic_load_n(&pending.pid, __ATOMIC_RELAXED) != pm.pid)
		return;
	for (int i = 0; i < PM_LOST_REASONS; i++) {
		int64_t lines = __atomic_exchange_n(&pending.lines[i], 0, __ATOMIC_RELAXED);
		int64_t bytes = __atomic_exchange_n(&pending.bytes[i], 0, __ATOMIC_RELAXED);

		if (lines > 0 && !write_count(i, lines, bytes))
			keep_count(i, lines, bytes);
	}
}
