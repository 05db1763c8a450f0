/* Decode taskstats records. */
#include "config.h"

#include "sampler/kernel/taskstats.h"

#include <linux/taskstats.h>
#include <string.h>

/* Offsets of the members that are not figures, in all versions but VERSION_WIDE. */
enum { AT_VERSION = 0, AT_FLAG = 8, AT_NAME = 80, AT_PID = 128, AT_PPID = 132, AT_TGID = 368 };

/* Since this version the struct has tgid, and a flag marks the last task of a process. */
#define VERSION_TGID 12
#define FLAG_LAST    0x20

/*
 * Linux 6.14 and 6.15 put a maximum and a minimum behind every delay, in the middle of the struct.
 * In all other versions the struct only grew at its end.
 */
#define VERSION_WIDE 15
#define WIDENED      16

/* Offset of the end of each delay's numbers in the other versions. */
static const unsigned short behind_delay[] = { 32, 48, 64, 328, 344, 368, 416, 432 };

const struct pm_taskstats_info pm_taskstats_info[PM_TASKSTATS_VALUES] = {
#define PM_TASKSTATS(id, offset, unit, scale, how, needs, help)                                    \
	{ #id, unit, help, offset, scale, PM_TASKSTATS_##how, PM_TASKSTATS_##needs },
#include "sampler/kernel/taskstats.def"
};

/* The offset in a record of this version of the member that is at `offset` in most versions. */
static size_t find_offset(unsigned version, size_t offset)
{
	size_t at = offset;

	if (version != VERSION_WIDE)
		return at;
	for (size_t i = 0; i < sizeof behind_delay / sizeof behind_delay[0]; i++)
		if (offset >= behind_delay[i])
			at += WIDENED;
	return at;
}

static uint32_t read_u32(const char *p, unsigned version, size_t offset)
{
	uint32_t v;

	memcpy(&v, p + find_offset(version, offset), sizeof v);
	return v;
}

int pm_taskstats_decode(struct pm_taskstats *t, const char *p, size_t n)
{
	uint16_t version;

	memset(t, 0, sizeof *t);
	if (n < sizeof version)
		return -1;
	memcpy(&version, p + AT_VERSION, sizeof version);
	t->version = version;
	if (n < find_offset(version, AT_PPID) + sizeof(uint32_t))
		return -1;
	t->tid = t->tgid = (pid_t)read_u32(p, version, AT_PID);
	t->ppid = (pid_t)read_u32(p, version, AT_PPID);
	memcpy(t->name, p + find_offset(version, AT_NAME), sizeof t->name - 1);
	if (version >= VERSION_TGID && n >= find_offset(version, AT_TGID) + sizeof(uint32_t)) {
		t->tgid = (pid_t)read_u32(p, version, AT_TGID);
		t->last = (p[AT_FLAG] & FLAG_LAST) != 0;
	} else {
		t->last = true; /* true at least of a single-threaded process */
	}
	for (; t->values < PM_TASKSTATS_VALUES; t->values++) {
		const struct pm_taskstats_info *info = &pm_taskstats_info[t->values];
		const size_t at = find_offset(version, info->offset);
		uint64_t v;

		if (n < at + sizeof v)
			break;
		memcpy(&v, p + at, sizeof v);
		/* Most are not scaled. */
		if ((info->scale != 1 && __builtin_mul_overflow(v, info->scale, &v)) ||
		    v > INT64_MAX)
			v = INT64_MAX;
		t->value[t->values] = (int64_t)v;
	}
	return 0;
}

int pm_taskstats_message(struct pm_taskstats *t, struct pm_netlink_part attributes)
{
	struct pm_netlink_part task, stats;

	if (pm_netlink_find(attributes, TASKSTATS_TYPE_AGGR_PID, &task) < 0 ||
	    pm_netlink_find(task, TASKSTATS_TYPE_STATS, &stats) < 0)
		return -1;
	return pm_taskstats_decode(t, stats.p, stats.n);
}
