/* Follow the CPUs of a job. */
#include "config.h"

#include "sampler/cpuset.h"

#include "sampler/kernel/sysfslist.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define KEY "Cpus_allowed_list:"

bool pm_cpuset_exceeds(const char *root, int64_t n)
{
	int64_t *number;
	const ssize_t count =
		pm_sysfslist_directory(root, "sys/devices/system/cpu", "cpu", &number);

	if (count >= 0)
		free(number);
	return count > n;
}

void pm_cpuset_open(struct pm_cpuset *a, const char *root, pid_t pid)
{
	char path[64] = "proc/self/status";

	memset(a, 0, sizeof *a);
	a->pid = pid;
	a->real = root[0] == '\0';
	if (pid)
		snprintf(path, sizeof path, "proc/%d/status", (int)pid);
	if (pm_procfile_open(&a->status, root, path) < 0)
		a->reason = pm_reason_errno(errno);
}

void pm_cpuset_close(struct pm_cpuset *a)
{
	pm_procfile_close(&a->status);
	free(a->last);
	a->last = NULL;
}

/* Parse a list "0-3,8" of CPUs, followed by at least one other byte. Returns 0 or -1. */
static int parse_list(const char *text, size_t n, unsigned char *mask)
{
	/* pm_procfile_number() needs a byte after the last number. */
	const char *p = text, *end = text + n + 1;

	memset(mask, 0, PM_CPUSET_CPUS / 8);
	while (p < text + n) {
		int64_t first, last;

		if (pm_procfile_number(&p, end, &first) < 0)
			return -1;
		last = first;
		if (*p == '-') {
			p++;
			if (pm_procfile_number(&p, end, &last) < 0)
				return -1;
		}
		if (last < first || last >= PM_CPUSET_CPUS)
			return -1;
		for (int64_t i = first; i <= last; i++)
			mask[i / 8] |= (unsigned char)(1 << i % 8);
		if (p == text + n)
			return 0;
		if (*p++ != ',')
			return -1;
	}
	return -1;
}

/* Read the mask. Returns 0, or -1 with a->reason set. */
static int read_mask(struct pm_cpuset *a)
{
	unsigned char mask[sizeof a->mask];
	const char *text, *line, *end;
	ssize_t n = pm_procfile_read(&a->status, &text);

	a->reason = n < 0 ? pm_reason_errno(errno) : PM_REASON_parse;
	if (n <= 0)
		return -1;
	line = strstr(text, "\n" KEY);
	if (!line) {
		a->reason = PM_REASON_absent;
		return -1;
	}
	line += strlen("\n" KEY);
	line += strspn(line, " \t");
	end = strchr(line, '\n');
	if (!end || parse_list(line, (size_t)(end - line), mask) < 0)
		return -1;
	memcpy(a->mask, mask, sizeof mask);
	return 0;
}

/*
 * Whether the mask has not changed since the previous call. If so, the status file, which is
 * longer, need not be read. The answer holds even if the process has ended and another one with its
 * pid has the same CPUs.
 */
static bool mask_unchanged(struct pm_cpuset *a)
{
	unsigned char now[sizeof a->affinity];
	const long before = a->affinity_n;
	long n;

	if (!a->real)
		return false;
	n = syscall(SYS_sched_getaffinity, a->pid, sizeof now, now);
	if (n > 0 && n == before && memcmp(now, a->affinity, (size_t)n) == 0)
		return true;
	a->affinity_n = n > 0 ? n : 0;
	memcpy(a->affinity, now, (size_t)a->affinity_n);
	return false;
}

void pm_cpuset_begin(struct pm_cpuset *a)
{
	const bool known = mask_unchanged(a) && a->masked;

	a->cpus = 0;
	a->current = false;
	if (known || (a->status.path && read_mask(a) == 0))
		a->masked = a->current = true;
	else
		a->current = a->masked && a->reason == PM_REASON_absent;
	a->known = a->current;
}

/* Make room for a CPU's times. Returns 0, or -1 when memory is short. */
static int make_room(struct pm_cpuset *a, size_t cpu)
{
	size_t capacity = a->capacity ? a->capacity : 16;
	struct pm_cpuset_last *more;

	while (capacity <= cpu)
		capacity *= 2;
	if (capacity == a->capacity)
		return 0;
	more = realloc(a->last, capacity * sizeof *more);
	if (!more)
		return -1;
	memset(more + a->capacity, 0, (capacity - a->capacity) * sizeof *more);
	a->last = more;
	a->capacity = capacity;
	return 0;
}

void pm_cpuset_add(struct pm_cpuset *a, int64_t cpu, const int64_t us[PM_CPUSET_TIMES])
{
	bool mine = a->masked && (a->mask[cpu / 8] & 1 << cpu % 8);
	struct pm_cpuset_last *last;

	if (mine)
		a->cpus++;
	if (!us || make_room(a, (size_t)cpu) < 0) {
		/* The CPU's time until now will count when it can be read again. */
		if (mine && a->known) {
			a->known = false;
			a->reason = PM_REASON_parse;
		}
		return;
	}
	last = &a->last[cpu];
	for (int i = 0; i < PM_CPUSET_TIMES; i++) {
		/* A CPU that was offline begins anew; iowait may fall at any time, proc_stat(5). */
		if (mine && last->seen && us[i] > last->us[i])
			a->sum_us[i] += us[i] - last->us[i];
		last->us[i] = us[i];
	}
	last->seen = true;
}
