/* Deliveries that failed. */
#include "config.h"

#include "forward/failures.h"

#include "common/grow.h"
#include "common/now.h"
#include "forward/backoff.h"

#include <stdlib.h>

static struct pm_failure *find(const struct pm_failures *f, ino_t inode)
{
	for (size_t i = 0; i < f->n; i++)
		if (f->failure[i].inode == inode)
			return &f->failure[i];
	return NULL;
}

void pm_failures_forget(struct pm_failures *f, ino_t inode)
{
	struct pm_failure *x = find(f, inode);

	if (x)
		*x = f->failure[--f->n];
}

void pm_failures_add(struct pm_failures *f, const struct pm_backlog_archive *a)
{
	struct pm_failure *x = find(f, a->inode);

	if (!x && PM_GROW(f->failure, f->n, f->room, 16)) {
		x = &f->failure[f->n++];
		*x = (struct pm_failure){ .inode = a->inode, .owner = a->owner };
	}
	if (x)
		x->tries++;
}

void pm_failures_postpone(struct pm_failures *f, uint64_t host, int64_t longest_us)
{
	const int64_t now_us = pm_now_monotonic_us();

	for (size_t i = 0; i < f->n; i++) {
		struct pm_failure *x = &f->failure[i];

		if (x->until_us <= now_us)
			x->until_us =
				now_us + pm_backoff_pause(host + x->inode, x->tries, longest_us);
	}
}

/* Failures of an owner: of its archives that are waiting. */
static unsigned of_owner(const struct pm_failures *f, uid_t owner)
{
	unsigned sum = 0;

	for (size_t i = 0; i < f->n; i++)
		if (f->failure[i].owner == owner)
			sum += f->failure[i].tries;
	return sum;
}

void pm_failures_apply(struct pm_failures *f, struct pm_backlog *b)
{
	size_t kept = 0;

	for (size_t i = 0; i < f->n; i++)
		f->failure[i].found = false;
	for (size_t i = 0; i < b->n && f->n; i++) {
		struct pm_failure *x = find(f, b->archive[i].inode);

		if (x && (x->owner == (uid_t)-1 || x->owner == b->archive[i].owner)) {
			x->found = true;
			x->owner = b->archive[i].owner;
			b->archive[i].tries = x->tries;
		}
	}
	for (size_t i = 0; i < f->n; i++)
		if (f->failure[i].found)
			f->failure[kept++] = f->failure[i];
	f->n = kept;
	for (size_t i = 0; i < b->n && f->n; i++)
		b->archive[i].failures = of_owner(f, b->archive[i].owner);
}

int64_t pm_failures_wait(const struct pm_failures *f, const struct pm_backlog_archive *a)
{
	const struct pm_failure *x = find(f, a->inode);
	const int64_t now_us = pm_now_monotonic_us();

	return x && x->until_us > now_us ? x->until_us - now_us : 0;
}

void pm_failures_keep(const struct pm_failures *f, struct pm_account *a)
{
	a->tried_n = f->n < PM_ACCOUNT_TRIED ? f->n : PM_ACCOUNT_TRIED;
	for (size_t i = 0; i < a->tried_n; i++)
		a->tried[i] = (struct pm_account_tried){ .inode = f->failure[i].inode,
							 .tries = f->failure[i].tries };
}

void pm_failures_recall(struct pm_failures *f, const struct pm_account *a)
{
	for (size_t i = 0; i < a->tried_n; i++)
		if (!find(f, a->tried[i].inode) && PM_GROW(f->failure, f->n, f->room, 16))
			f->failure[f->n++] = (struct pm_failure){ .inode = a->tried[i].inode,
								  .owner = (uid_t)-1,
								  .tries = a->tried[i].tries };
}

void pm_failures_free(struct pm_failures *f)
{
	free(f->failure);
	*f = (struct pm_failures){ .failure = NULL };
}
