/* Subtract what is not an image's own: earlier use, and the collector's cost. */
#include "config.h"

#include "submit/rows/subtract.h"

void pm_subtract(struct pm_record *r, enum pm_column c, int64_t off)
{
	if (pm_record_has(r, c))
		r->v[c].i = r->v[c].i > off ? r->v[c].i - off : 0;
}

/* Counters, and the columns with the collector's part of them. */
static const enum pm_column own_part[][2] = {
	{ PM_COL_minflt, PM_COL_own_minflt }, { PM_COL_rchar, PM_COL_own_rchar },
	{ PM_COL_wchar, PM_COL_own_wchar },   { PM_COL_syscr, PM_COL_own_syscr },
	{ PM_COL_syscw, PM_COL_own_syscw },   { PM_COL_outblock, PM_COL_own_outblock },
};
#define OWN_PARTS (sizeof own_part / sizeof own_part[0])

/*
 * A forked child that called exec within a millisecond did not read its counters, but records what
 * the collector did in it. The rest of the counts goes to the image it became.
 */
static bool was_brief(const struct pm_record *end)
{
	return pm_record_has(end, PM_COL_own_rchar) && !pm_record_has(end, PM_COL_rchar);
}

static int64_t own_part_of(const struct pm_record *r, enum pm_column c)
{
	for (size_t i = 0; i < OWN_PARTS; i++)
		if (own_part[i][0] == c)
			return pm_record_get(r, own_part[i][1], 0);
	return c == PM_COL_write_bytes ? 512 * pm_record_get(r, PM_COL_own_outblock, 0) : 0;
}

/*
 * Blocks carried over an exec: those of writing the end record that announces the exec. The
 * record's own counters were read before that write; the counters of the new image's start record
 * include it.
 */
static int64_t blocks_over_exec(const struct pm_record *previous, const struct pm_record *start,
				enum pm_column c)
{
	int64_t blocks;

	if ((c != PM_COL_outblock && c != PM_COL_write_bytes) ||
	    !pm_record_has(previous, PM_COL_outblock) || !pm_record_has(start, PM_COL_outblock))
		return 0;
	if (__builtin_sub_overflow(start->v[PM_COL_outblock].i, previous->v[PM_COL_outblock].i,
				   &blocks) ||
	    blocks <= 0)
		return 0;
	if (c == PM_COL_write_bytes && __builtin_mul_overflow(blocks, 512, &blocks))
		return 0;
	return blocks;
}

void pm_subtract_before(struct pm_record *r, enum pm_column c, bool first,
			const struct pm_record *previous, const struct pm_record *start)
{
	if (first)
		return;
	pm_subtract(r, c, blocks_over_exec(previous, start, c));
	if (pm_record_has(previous, c))
		pm_subtract(r, c, previous->v[c].i);
	else if (pm_record_has(start, c))
		pm_subtract(r, c, start->v[c].i);
	else if (was_brief(previous))
		pm_subtract(r, c, own_part_of(previous, c));
	else
		pm_record_unset(r, c);
}

/* The collector's CPU time is nearly all system time. */
void pm_subtract_own(struct pm_record *r)
{
	int64_t cpu = pm_record_get(r, PM_COL_own_cpu_us, 0);
	int64_t in_system = pm_record_get(r, PM_COL_systemtime, 0);

	for (size_t i = 0; i < OWN_PARTS; i++)
		pm_subtract(r, own_part[i][0], pm_record_get(r, own_part[i][1], 0));
	pm_subtract(r, PM_COL_write_bytes, 512 * pm_record_get(r, PM_COL_own_outblock, 0));
	pm_subtract(r, PM_COL_time_oncpu, 1000 * cpu);
	pm_subtract(r, PM_COL_systemtime, cpu);
	if (cpu > in_system)
		pm_subtract(r, PM_COL_usertime, cpu - in_system);
}
