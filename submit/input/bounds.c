/*
 * The bounds are the most that a process could reach on the largest machine in a long life, so that
 * sums over a job do not overflow: 127 years of CPU time, 512 PB, times of this century.
 */
#include "config.h"

#include "submit/input/bounds.h"

#include <string.h>

static const struct {
	enum pm_column column;
	int64_t low, high;
} of_column[] = {
	{ PM_COL_starttime, 0, 4000000000000 }, { PM_COL_tid, -INT32_MAX, INT32_MAX },
	{ PM_COL_ppid, 0, INT32_MAX },          { PM_COL_exitcode, 0, 255 },
	{ PM_COL_exitsignal, 1, 127 },          { PM_COL_numtids, 0, 4194304 },
	{ PM_COL_num_threads, 0, 4194304 },
};

/* Bounds of sums and peaks. */
static const struct {
	const char *unit;
	int64_t high;
} of_unit[] = {
	{ "us", PM_BOUNDS_NUMBER },           { "ns", 1000 * PM_BOUNDS_NUMBER },
	{ "ticks", PM_BOUNDS_NUMBER / 1000 }, { "kB", (int64_t)1 << 47 },
	{ "n", 10000000000000000 },           { "512 B", 1000000000000000 },
	{ "B", 512000000000000000 },          { "cycles", PM_BOUNDS_EVENT },
};

static void set_bounds(struct pm_bounds *b, int c, int64_t low, int64_t high)
{
	b->low[c] = low;
	b->span[c] = (uint64_t)high - (uint64_t)low;
	b->checked[c / 64] |= (uint64_t)1 << (c % 64);
}

void pm_bounds_init(struct pm_bounds *b)
{
	memset(b, 0, sizeof *b);
	for (int c = 0; c < PM_COLUMNS; c++) {
		const struct pm_column_info *info = &pm_column_info[c];

		switch ((enum pm_kind)info->kind) {
		case PM_KIND_KEY:
		case PM_KIND_TEXT:
		case PM_KIND_LIST:
			break;
		case PM_KIND_GAUGE:
			/* An id that the process does not have is -1. */
			set_bounds(b, c, -1, UINT32_MAX);
			break;
		case PM_KIND_TIME:
			set_bounds(b, c, 1, PM_BOUNDS_TIME);
			break;
		default:
			set_bounds(b, c, 0, PM_BOUNDS_EVENT);
			for (size_t i = 0; i < sizeof of_unit / sizeof of_unit[0]; i++)
				if (strcmp(info->unit, of_unit[i].unit) == 0)
					set_bounds(b, c, 0, of_unit[i].high);
		}
	}
	for (size_t i = 0; i < sizeof of_column / sizeof of_column[0]; i++)
		set_bounds(b, of_column[i].column, of_column[i].low, of_column[i].high);
}

static bool is_odd(const struct pm_bounds *b, size_t c, int64_t v)
{
	return (uint64_t)v - (uint64_t)b->low[c] > b->span[c];
}

bool pm_bounds_have(const struct pm_bounds *b, enum pm_column c, int64_t v)
{
	return !(b->checked[c / 64] >> (c % 64) & 1) || !is_odd(b, c, v);
}

bool pm_bounds_odd(const struct pm_bounds *b, const struct pm_record *r,
		   uint64_t odd[PM_BOUNDS_WORDS])
{
	bool any = false;

	for (size_t w = 0; w < PM_BOUNDS_WORDS; w++) {
		odd[w] = 0;
		for (uint64_t bits = r->set[w] & b->checked[w]; bits; bits &= bits - 1) {
			size_t c = w * 64 + (size_t)__builtin_ctzll(bits);

			if (is_odd(b, c, r->v[c].i))
				odd[w] |= bits & -bits;
		}
		any = any || odd[w];
	}
	return any;
}
