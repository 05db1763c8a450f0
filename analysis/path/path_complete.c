/* Times that were not recorded, and tasks whose launcher was: before the critical path is sought.
 */
#include "config.h"

#include "analysis/path/path_frame.h"

#include <stdlib.h>
#include <string.h>

/* Launchers before a task's start that are looked at, the latest first. */
#define LAUNCHERS_TRIED 256

static int64_t larger(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

void pm_path_complete(struct pm_path_image *image, size_t n, int64_t end_us)
{
	/* Children come after their parent: backwards, each is complete before its parent is. */
	for (size_t i = n; i-- > 0;) {
		struct pm_path_image *x = &image[i];
		struct pm_path_image *p;

		if (x->parent != PM_PATH_NONE && x->parent >= i)
			x->parent = PM_PATH_NONE;
		if (x->running && x->end_us == PM_PATH_UNKNOWN)
			x->end_us = end_us;
		/* Until now the end is the last end of a child. */
		if (x->end_us == PM_PATH_UNKNOWN || x->unended) {
			x->unended = true;
			x->end_us = larger(x->end_us, x->start_us);
		}
		/* And the start the first start of a child. */
		if (x->start_us == PM_PATH_UNKNOWN)
			x->unstarted = true;
		if (x->unstarted && x->end_us != PM_PATH_UNKNOWN &&
		    (x->start_us == PM_PATH_UNKNOWN ||
		     x->start_us > x->end_us - larger(x->busy_us, 0)))
			x->start_us = x->end_us - larger(x->busy_us, 0);
		if (x->start_us > x->end_us)
			x->start_us = x->end_us;
		if (x->parent == PM_PATH_NONE || x->end_us == PM_PATH_UNKNOWN)
			continue;
		p = &image[x->parent];
		if (!p->running && (p->end_us == PM_PATH_UNKNOWN || p->unended)) {
			p->unended = true;
			p->end_us = larger(p->end_us, x->end_us);
		}
		if (p->start_us == PM_PATH_UNKNOWN || p->unstarted) {
			if (!p->unstarted || x->start_us < p->start_us)
				p->start_us = x->start_us;
			p->unstarted = true;
		}
	}
}

/* --- tasks of launchers ------------------------------------------------------------------------
 */

static int by_start(const void *a, const void *b, void *ctx)
{
	const struct pm_path_image *image = ctx;
	const uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;

	if (image[i].start_us != image[k].start_us)
		return image[i].start_us < image[k].start_us ? -1 : 1;
	return i < k ? -1 : 1;
}

/* The host where the job began: of the first top-level process that is no task. */
static uint16_t main_host(const struct pm_path_image *image, size_t n)
{
	const struct pm_path_image *best = NULL;

	for (size_t i = 0; i < n; i++) {
		const struct pm_path_image *x = &image[i];

		if (x->parent != PM_PATH_NONE || x->end_us == PM_PATH_UNKNOWN)
			continue;
		if (!best || (best->rank && !x->rank) ||
		    (best->rank == x->rank && x->start_us < best->start_us))
			best = x;
	}
	return best ? best->host : 0;
}

/* The shortest launcher that ran from `start` to `end`, as far as clocks can tell. */
static uint32_t find_launcher(const struct pm_path_image *image, const uint32_t *launcher, size_t n,
			      uint16_t host, int64_t start, int64_t end)
{
	uint32_t best = PM_PATH_NONE;
	size_t low = 0, high = n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (image[launcher[mid]].start_us <= start + PM_PATH_CLOCKS_US)
			low = mid + 1;
		else
			high = mid;
	}
	for (size_t k = low; k > 0 && low - k < LAUNCHERS_TRIED; k--) {
		const struct pm_path_image *l = &image[launcher[k - 1]];
		int64_t slack = l->host == host ? PM_PATH_HOST_US : PM_PATH_CLOCKS_US;

		if (l->start_us - slack > start || l->end_us + slack < end)
			continue;
		if (best == PM_PATH_NONE ||
		    l->end_us - l->start_us < image[best].end_us - image[best].start_us)
			best = launcher[k - 1];
	}
	return best;
}

/* Set the launcher of each process among tasks, which are in the order of pm_path_by_process. */
static void attach_tasks(struct pm_path_image *image, const uint32_t *task, size_t tasks,
			 const uint32_t *launcher, size_t launchers)
{
	for (size_t i = 0, next; i < tasks; i = next) {
		const struct pm_path_image *first = &image[task[i]];
		int64_t end = first->end_us;
		uint32_t found;

		for (next = i + 1; next < tasks && pm_path_same_process(first, &image[task[next]]);
		     next++)
			end = larger(end, image[task[next]].end_us);
		found = find_launcher(image, launcher, launchers, first->host, first->start_us,
				      end);
		for (size_t k = i; k < next && found != PM_PATH_NONE; k++)
			image[task[k]].parent = found;
	}
}

int pm_path_attach(struct pm_path_image *image, size_t n, struct pm_err *e)
{
	const uint16_t host = main_host(image, n);
	size_t tasks = 0, launchers = 0;
	uint32_t *list;

	for (size_t i = 0; i < n; i++) {
		struct pm_path_image *x = &image[i];

		if (x->parent == PM_PATH_NONE)
			x->foreign = x->rank || x->host != host;
		else
			x->foreign = image[x->parent].foreign;
		if (x->end_us == PM_PATH_UNKNOWN)
			continue;
		tasks += x->foreign && x->parent == PM_PATH_NONE;
		launchers += x->launcher && !x->foreign;
	}
	if (tasks == 0 || launchers == 0)
		return 0;
	list = malloc((tasks + launchers) * sizeof *list);
	if (!list)
		return pm_err(e, "critical path: out of memory");
	tasks = launchers = 0;
	for (size_t i = 0; i < n; i++)
		if (image[i].foreign && image[i].parent == PM_PATH_NONE &&
		    image[i].end_us != PM_PATH_UNKNOWN)
			list[tasks++] = (uint32_t)i;
	for (size_t i = 0; i < n; i++)
		/* A launcher below a task could be attached below itself. */
		if (image[i].launcher && !image[i].foreign && image[i].end_us != PM_PATH_UNKNOWN)
			list[tasks + launchers++] = (uint32_t)i;
	qsort_r(list, tasks, sizeof *list, pm_path_by_process, image);
	qsort_r(list + tasks, launchers, sizeof *list, by_start, image);
	attach_tasks(image, list, tasks, list + tasks, launchers);
	free(list);
	return 0;
}
