/* Validation of records. */
#include "config.h"

#include "submit/job/valid.h"

#include "submit/input/bounds.h"

#include <stdbool.h>
#include <string.h>

static bool has_text(const struct pm_record *r, enum pm_column c, const char *text)
{
	return pm_record_has(r, c) && r->v[c].s.n == strlen(text) &&
	       memcmp(r->v[c].s.p, text, r->v[c].s.n) == 0;
}

int pm_valid_kind(const struct pm_record *r)
{
	static const char *const name[] = { "start",   "end",      "thread", "reaped",
					    "resumed", "excluded", "last" };

	struct pm_str said;

	if (!pm_record_has(r, PM_COL_record))
		return -1;
	said = r->v[PM_COL_record].s;
	for (int i = 0; i < (int)(sizeof name / sizeof name[0]); i++)
		if (said.n > 0 && name[i][0] == said.p[0] && has_text(r, PM_COL_record, name[i]))
			return i;
	return -1;
}

/* Whether a pid, tid or ppid is present and in range. */
static int is_pid(const struct pm_record *r, enum pm_column c, int64_t low)
{
	return pm_record_has(r, c) && r->v[c].i >= low && r->v[c].i <= INT32_MAX;
}

static bool is_time(int64_t us)
{
	return us > 0 && us <= PM_BOUNDS_TIME;
}

const char *pm_valid_fault(const struct pm_record *r, int kind)
{
	int code, sig;

	if (kind < 0)
		return "record: not a kind of record";
	if (!is_pid(r, PM_COL_pid, 1) && (kind != PM_RECORD_REAPED || pm_record_has(r, PM_COL_pid)))
		return "pid: missing or out of range";
	if (!pm_record_has(r, PM_COL_boot_id) && !pm_record_has(r, PM_COL_hostname))
		return "boot_id and hostname are both unknown";
	if (pm_record_get(r, PM_COL_pid_ns, 0) < 0)
		return "pid_ns: out of range";
	if (pm_record_has(r, PM_COL_image_us) ? !is_time(r->v[PM_COL_image_us].i)
					      : kind != PM_RECORD_REAPED)
		return "image_us: missing or out of range";
	code = pm_record_has(r, PM_COL_exitcode);
	sig = pm_record_has(r, PM_COL_exitsignal);
	switch (kind) {
	case PM_RECORD_END:
		if (!has_text(r, PM_COL_end_reason, "exit") &&
		    !has_text(r, PM_COL_end_reason, "exec") &&
		    !has_text(r, PM_COL_end_reason, "signal"))
			return "end_reason: neither exit, exec nor signal";
		break;
	case PM_RECORD_LAST:
		if (!pm_record_has(r, PM_COL_last_call))
			return "last_call: missing";
		break;
	case PM_RECORD_THREAD:
		/* A negative number replaces an unknown id and tells threads of a process apart. */
		if (!is_pid(r, PM_COL_tid, -INT32_MAX) || r->v[PM_COL_tid].i == 0)
			return "tid: missing or out of range";
		break;
	case PM_RECORD_REAPED:
		if (pm_record_get(r, PM_COL_end_us, 0) <= 0)
			return "end_us: missing or out of range";
		if (code && sig)
			return "reaped with both exitcode and exitsignal";
		if (pm_record_has(r, PM_COL_pid) && !code && !sig)
			return "reaped with neither exitcode nor exitsignal";
		if (pm_record_has(r, PM_COL_pid))
			break;
		/* The record of a wait inside libc has no pid. */
		if (!is_pid(r, PM_COL_ppid, 1))
			return "reaped with neither pid nor ppid";
		if (pm_record_get(r, PM_COL_start_us, 0) <= 0)
			return "start_us: missing or out of range";
		break;
	default:
		break;
	}
	return NULL;
}
