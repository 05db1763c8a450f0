/* Split bytes into lines: most lines are passed on in place, only lines split by a read are copied.
 */
#include "config.h"

#include "submit/input/lines.h"

#include "common/grow.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void pm_lines_init(struct pm_lines *l, pm_lines_fn *take, void *ctx)
{
	memset(l, 0, sizeof *l);
	l->take = take;
	l->ctx = ctx;
}

/* Keep the beginning of a line. A line that gets too long is cut to the PM_LINES_KEEP bytes that
 * are handed on. */
static int keep_part(struct pm_lines *l, const char *p, size_t n)
{
	if (l->skipping || n == 0)
		return 0;
	if (l->fill + n > PM_LINES_MAX) {
		size_t room = l->fill < PM_LINES_KEEP ? PM_LINES_KEEP - l->fill : 0;

		l->skipping = true;
		n = n < room ? n : room;
	}
	if (!PM_GROW_BY(l->kept, l->fill, n, l->cap, 4096)) {
		errno = ENOMEM;
		return -1;
	}
	memcpy(l->kept + l->fill, p, n);
	l->fill += n;
	return 0;
}

/* Hand on the kept line. */
static int hand_on_line(struct pm_lines *l, enum pm_lines_state state)
{
	size_t n = l->fill;

	if (l->skipping) {
		state = PM_LINES_LONG;
		n = n < PM_LINES_KEEP ? n : PM_LINES_KEEP;
	}
	l->fill = 0;
	l->skipping = false;
	return n ? l->take(l->ctx, l->kept, n, l->number, state) : 0;
}

int pm_lines_feed(struct pm_lines *l, const char *p, size_t n)
{
	while (n > 0) {
		const char *newline = memchr(p, '\n', n);
		size_t len = newline ? (size_t)(newline - p) : n;
		int rc;

		if (!newline)
			return keep_part(l, p, len);
		l->number++;
		if (l->fill || l->skipping || len > PM_LINES_MAX) {
			if (keep_part(l, p, len) < 0)
				return -1;
			rc = hand_on_line(l, PM_LINES_WHOLE);
		} else {
			rc = len ? l->take(l->ctx, p, len, l->number, PM_LINES_WHOLE) : 0;
		}
		if (rc < 0)
			return -1;
		p = newline + 1;
		n -= len + 1;
	}
	return 0;
}

int pm_lines_end(struct pm_lines *l)
{
	int rc = 0;

	if (l->fill || l->skipping) {
		l->number++;
		rc = hand_on_line(l, PM_LINES_CUT);
	}
	free(l->kept);
	l->kept = NULL;
	l->cap = l->fill = 0;
	return rc;
}
