/*
 * A job's record files are limited in size, so an image that starts when they are full keeps its
 * start record back. If it is short, it is counted in the total of its program; if not, both its
 * records are written as it ends. No process needs to know of another for that.
 */
#include "config.h"

#include "libperfmon/record/sizelimit.h"

#include "common/safe/rusage.h"
#include "libperfmon/base/state.h"
#include "libperfmon/record/identity.h"
#include "libperfmon/record/tally.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

/* An image that lasts less is short, in microseconds; perfmon-tsv(5) states this limit. */
#define SHORT_US 10000000

/* What was counted of this image already, at a failed exec or its last words. */
static struct {
	int64_t image_us; /* start of the image; of any other image nothing was counted */
	int64_t user_us, system_us, duration_us, own_us;
} counted;

void pm_sizelimit_look(int64_t size, int64_t bytes)
{
	if (pm.per_process)
		size = pm_tally_size(bytes);
	if (size >= pm.max_bytes)
		pm.over = true;
}

/* Look whether the record files have become full since this process wrote: a short child that began
 * since then is counted already, and so must be its end. */
static void look_again(void)
{
	struct stat st;

	if (pm.per_process)
		pm_sizelimit_look(0, 0);
	else if (pm_sys4(SYS_newfstatat, AT_FDCWD, pm.file, &st, AT_SYMLINK_NOFOLLOW) == 0)
		pm_sizelimit_look(st.st_size, 0);
}

static uint32_t hash_name(struct pm_str s)
{
	uint32_t h = 2166136261u;

	for (size_t i = 0; i < s.n; i++)
		h = (h ^ (unsigned char)s.p[i]) * 16777619u;
	return h;
}

/* Add to the total of this program; if the tally has no room for it, to the total of all others. */
static bool add_total(const char *kind, size_t kind_len, int values, const int64_t *v)
{
	struct pm_tally t = { { kind, kind_len }, pm.exename, values, { 0 } };
	uint32_t h = hash_name(pm.exename);

	memcpy(t.v, v, (size_t)values * sizeof v[0]);
	for (unsigned i = 0; i < PM_TALLY_TRIES && t.key.n <= PM_TALLY_KEY_MAX; i++) {
		unsigned window = (h + i) % PM_TALLY_WINDOWS;

		if (pm_tally_add(&t, PM_TALLY_FOLDED + window * PM_TALLY_SPARE, PM_TALLY_SPARE,
				 h >> 16))
			return true;
	}
	t.key = (struct pm_str){ "", 0 };
	return pm_tally_add(&t, PM_TALLY_OTHERS, PM_TALLY_SPARE, (unsigned)pm.pid);
}

/* now less before, never below 0. */
static int64_t growth(int64_t now, int64_t before)
{
	return now > before ? now - before : 0;
}

/* An image that began within so many clock ticks of its process is the whole of it: the image
 * before was a vfork child, or a fork child on its way to exec. */
#define BRIEF_TICKS 2

/* Whether the image began when its process did: what the process used before is its start-up. */
static bool is_whole(int64_t duration_us)
{
	int64_t began_ns = pm_clock_ns(CLOCK_BOOTTIME) - duration_us * 1000;

	return pm_ticks(began_ns) - pm.starttime <= BRIEF_TICKS;
}

/* Whether the next image of the process will count what this one used. */
static bool hands_on(const struct pm_record *r, int64_t duration_us)
{
	return pm_record_has(r, PM_COL_end_reason) && r->v[PM_COL_end_reason].s.p[1] == 'x' &&
	       r->v[PM_COL_end_reason].s.p[2] == 'e' && is_whole(duration_us) &&
	       duration_us * 1000 < BRIEF_TICKS * pm.tick_ns;
}

bool pm_sizelimit_image(const struct pm_record *r, int status)
{
	const struct pm_record *start = pm_identity_start();
	bool again = counted.image_us == pm.image.real_us;
	int64_t user = pm_record_get(r, PM_COL_usertime, 0);
	int64_t system = pm_record_get(r, PM_COL_systemtime, 0);
	int64_t duration = pm_record_get(r, PM_COL_duration_us, 0);
	int64_t own = pm_record_get(r, PM_COL_own_cpu_us, 0), used_own, v[PM_TALLY_VALUES];

	if (duration >= SHORT_US)
		return false;
	if (!again) {
		memset(&counted, 0, sizeof counted);
		if (!is_whole(duration)) {
			counted.user_us = pm_record_get(start, PM_COL_usertime, 0);
			counted.system_us = pm_record_get(start, PM_COL_systemtime, 0);
		}
	}
	/* Subtract the collector's own cost, as the loader does: nearly all is system time. */
	used_own = growth(own, counted.own_us);
	v[0] = !again;
	v[2] = growth(system, counted.system_us);
	v[1] = growth(user, counted.user_us) - growth(used_own, v[2]);
	v[1] = v[1] > 0 ? v[1] : 0;
	v[2] = growth(v[2], used_own);
	if (hands_on(r, duration))
		v[1] = v[2] = 0;
	v[3] = growth(duration, counted.duration_us);
	v[4] = status > 0;
	v[5] = pm_record_get(r, PM_COL_rssmax, 0);
	if (!add_total("folded", 6, 6, v))
		return false;
	counted.image_us = pm.image.real_us;
	counted.user_us = user;
	counted.system_us = system;
	counted.duration_us = duration;
	counted.own_us = own;
	return true;
}

bool pm_sizelimit_wait(const struct rusage *used, bool failed, bool killed)
{
	struct pm_tally t = { { "children", 8 }, { "", 0 }, 5, { 1 } };

	if (!pm.over && pm.max_bytes)
		look_again();
	if (!pm.over)
		return false;
	if (used) {
		t.v[1] = pm_rusage_us(&used->ru_utime);
		t.v[2] = pm_rusage_us(&used->ru_stime);
	}
	if (t.v[1] + t.v[2] >= SHORT_US)
		return false;
	t.v[3] = failed;
	t.v[4] = killed;
	return pm_tally_add(&t, PM_TALLY_CHILDREN, PM_TALLY_SPARE, (unsigned)pm.pid);
}

bool pm_sizelimit_excluded(void)
{
	const int64_t one = 1;

	return add_total("excluded", 8, 1, &one);
}
