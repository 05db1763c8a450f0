/* Open and read counters by perf_event_open(2). */
#include "config.h"

#include "sampler/kernel/perf.h"

#include "common/cpuid.h"
#include "common/record/formulas.h"
#include "common/safe/event_attr.h"
#include "sampler/kernel/procfile.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Values of `group`, the group that the next events join, besides the place of its first event: no
 * group, or a group without events yet. */
enum { ALONE = -2, EMPTY = -1 };

/* The place of an event with this name, or -1. */
static int find_event(const struct pm_perf_list *l, const char *name, size_t n)
{
	for (int i = 0; i < l->count; i++)
		if (l->event[i].name.n == n && memcmp(l->event[i].name.p, name, n) == 0)
			return i;
	return -1;
}

static int add_event(struct pm_perf_list *l, const char *name, size_t n, int *group,
		     struct pm_err *e)
{
	if (l->count == PM_PERF_MAX)
		return pm_err(e, "more than %d events", PM_PERF_MAX);
	if (pm_event_find(&l->event[l->count], name, n) < 0)
		return pm_err(e, "unknown kernel event '%.*s'; perfmon events lists them", (int)n,
			      name);
	if (*group == EMPTY)
		*group = l->count;
	l->leader[l->count] = *group == ALONE ? l->count : *group;
	l->count++;
	return 0;
}

/* Add the events of a metric, as a group of their own unless within braces. Returns 0, 1 where no
 * metric has this name, or -1 with e filled. */
static int add_metric(struct pm_perf_list *l, const char *id, size_t n, const char *march,
		      int *group, struct pm_err *e)
{
	const char *name[PM_FORMULA_TERMS];
	size_t len[PM_FORMULA_TERMS];
	int count = pm_formula_events(id, n, march, name, len), own = EMPTY;

	if (count == 0 && l->missing.n == 0)
		l->missing = (struct pm_str){ id, n };
	for (int i = 0; i < count; i++)
		if (find_event(l, name[i], len[i]) < 0 &&
		    add_event(l, name[i], len[i], *group == ALONE ? &own : group, e) < 0)
			return -1;
	return count < 0;
}

static int add_word(struct pm_perf_list *l, const char *word, size_t n, const char *march,
		    int *group, struct pm_err *e)
{
	int rc = add_metric(l, word, n, march, group, e);

	if (rc <= 0)
		return rc;
	if (find_event(l, word, n) >= 0)
		return pm_err(e, "event '%.*s' is named twice", (int)n, word);
	return add_event(l, word, n, group, e);
}

int pm_perf_parse(struct pm_perf_list *l, const char *list, const char *march, struct pm_err *e)
{
	int group = ALONE;

	memset(l, 0, sizeof *l);
	for (const char *p = list; *p;) {
		size_t n = pm_event_word(p);
		const char *next = p + n + (p[n] == ',');
		bool begins = n && *p == '{', ends = n && p[n - 1] == '}';

		if ((begins && group != ALONE) || (ends && !begins && group == ALONE))
			return pm_err(e, "unmatched braces of an event group: '%.*s'", (int)n, p);
		group = begins ? EMPTY : group;
		p += begins;
		n -= (size_t)begins + ends;
		if (n && add_word(l, p, n, march, &group, e) < 0)
			return -1;
		group = ends ? ALONE : group;
		p = next;
	}
	return group == ALONE ? 0 : pm_err(e, "unterminated event group: } is missing");
}

const char *pm_perf_march(void)
{
	struct pm_procfile file;
	char id[PM_CPUID_MAX];
	const char *text, *march = NULL;

	if (pm_procfile_open(&file, "", "proc/cpuinfo") < 0)
		return NULL;
	if (pm_procfile_read(&file, &text) > 0 && pm_cpuid(text, id) == 0)
		march = pm_formula_march(id);
	pm_procfile_close(&file);
	return march;
}

int pm_perf_open(const struct pm_event *e, const struct pm_perf_whom *whom, int leader)
{
	struct perf_event_attr attr = pm_event_attr(e);
	const bool grouped = whom->cgroup >= 0;

	attr.inherit = !grouped && whom->task >= 0;
	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	return (int)syscall(SYS_perf_event_open, &attr, grouped ? whom->cgroup : whom->task,
			    whom->cpu, leader,
			    PERF_FLAG_FD_CLOEXEC | (grouped ? PERF_FLAG_PID_CGROUP : 0));
}

int pm_perf_read(int fd, struct pm_perf_count *out)
{
	uint64_t value[3];
	ssize_t n = read(fd, value, sizeof value);

	if (n != sizeof value) {
		errno = n < 0 ? errno : EIO;
		return -1;
	}
	*out = (struct pm_perf_count){ value[0], value[1], value[2] };
	return 0;
}
