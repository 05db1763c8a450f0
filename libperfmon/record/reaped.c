/* Reaped records: the kernel's account of a child that has ended. */
#include "config.h"

#include "libperfmon/record/reaped.h"

#include "common/safe/rusage.h"
#include "libperfmon/base/stack.h"
#include "libperfmon/base/state.h"
#include "libperfmon/record/sizelimit.h"
#include "libperfmon/record/target.h"
#include "libperfmon/record/threadbuffer.h"

#include <time.h>

static void write_reaped(void *reaped)
{
	const struct pm_reaped *x = reaped;
	char room[PM_TARGET_PATH];
	struct pm_charge charge;
	struct pm_record r;
	struct pm_buf text;

	pm_charge_begin(&charge);
	if (pm_sizelimit_wait(x->usage, x->code > 0, x->signal >= 0))
		goto out;
	pm_record_clear(&r);
	pm_record_text(&r, PM_COL_record, "reaped", 6);
	pm_record_text(&r, PM_COL_boot_id, pm.boot_id.p, pm.boot_id.n);
	pm_record_text(&r, PM_COL_hostname, pm.hostname.p, pm.hostname.n);
	if (pm.pid_ns)
		pm_record_int(&r, PM_COL_pid_ns, pm.pid_ns);
	if (x->pid)
		pm_record_int(&r, PM_COL_pid, x->pid);
	pm_record_int(&r, PM_COL_ppid, pm.pid);
	if (x->start_us)
		pm_record_int(&r, PM_COL_start_us, x->start_us);
	pm_record_int(&r, PM_COL_end_us, pm_clock_ns(CLOCK_REALTIME) / 1000);
	if (x->code >= 0)
		pm_record_int(&r, PM_COL_exitcode, x->code);
	if (x->signal >= 0)
		pm_record_int(&r, PM_COL_exitsignal, x->signal);
	if (x->usage && x->peak)
		pm_record_int(&r, PM_COL_rssmax, x->usage->ru_maxrss);
	if (x->usage)
		pm_rusage_set(&r, x->usage);
	pm_buf_init(&text, room, sizeof room);
	pm_target_reaped(&r, x->pid, &text);
	pm_threadbuffer_write(&r, false);
out:
	pm_charge_end(&charge);
}

void pm_reaped_write(const struct pm_reaped *x)
{
	if (!pm_enter())
		return;
	pm_stack_run(write_reaped, (void *)(uintptr_t)x);
	pm_leave();
}
