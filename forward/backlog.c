/* Order and bounds of a spool's archives. */
#include "config.h"

#include "forward/backlog.h"

#include "common/grow.h"
#include "submit/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* What an archive counts at least, since it takes an inode and a name, and the file that says why
 * it is set aside. */
#define BLOCK 4096

/* --- reading ---------------------------------------------------------------------------------- */

/* Bytes of an archive, which leave room for those of the file that says why it is set aside. A
 * sparse one counts with its length: that is what its target gets. */
static int64_t bytes_of(const struct stat *st)
{
	const int64_t blocks = (int64_t)st->st_blocks * 512;
	const int64_t most = st->st_size > blocks ? st->st_size : blocks;

	return most < BLOCK ? BLOCK : most < INT64_MAX - BLOCK ? most : INT64_MAX - BLOCK;
}

/* Add an entry. What waits and is no regular file will be set aside, and counts then. Takes the
 * name. Returns 0 or -1 if out of memory. */
static int add_archive(struct pm_backlog *b, int dir, char *name, enum pm_backlog_place place)
{
	struct stat st;

	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
	    (!S_ISREG(st.st_mode) && place == PM_BACKLOG_WAITING)) {
		free(name);
		return 0;
	}
	if (!PM_GROW(b->archive, b->n, b->room, 64)) {
		free(name);
		return -1;
	}
	b->archive[b->n++] = (struct pm_backlog_archive){
		.name = name,
		.place = place,
		.owner = st.st_uid,
		.inode = st.st_ino,
		.bytes = bytes_of(&st) + (place == PM_BACKLOG_FAILED ? BLOCK : 0),
		.since_us = (int64_t)st.st_ctim.tv_sec * 1000000 + st.st_ctim.tv_nsec / 1000,
	};
	return 0;
}

int pm_backlog_read(struct pm_backlog *b, const struct pm_spool *s, enum pm_backlog_place place,
		    struct pm_err *e)
{
	const int dir[] = { [PM_BACKLOG_WAITING] = s->dir,
			    [PM_BACKLOG_LOADED] = s->loaded,
			    [PM_BACKLOG_FAILED] = s->failed };
	const struct pm_spool folder = { .path = s->path, .dir = dir[place] };
	char **name;
	int n = pm_spool_list(&folder, &name, e), rc = 0;

	if (n < 0) {
		pm_backlog_free(b);
		return -1;
	}
	for (int i = 0; i < n; i++)
		if (add_archive(b, dir[place], name[i], place) < 0)
			rc = -1;
	free(name);
	if (rc == 0)
		return 0;
	pm_backlog_free(b);
	return pm_err(e, "out of memory");
}

int pm_backlog_read_all(struct pm_backlog *b, const struct pm_spool *s, struct pm_err *e)
{
	static const enum pm_backlog_place all[] = { PM_BACKLOG_WAITING, PM_BACKLOG_LOADED,
						     PM_BACKLOG_FAILED };

	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
		if (pm_backlog_read(b, s, all[i], e) < 0)
			return -1;
	return 0;
}

void pm_backlog_free(struct pm_backlog *b)
{
	for (size_t i = 0; i < b->n; i++)
		free(b->archive[i].name);
	free(b->archive);
	*b = (struct pm_backlog){ .archive = NULL };
}

/* What an archive adds to a sum. A user may make a file as long as a number can say: then it counts
 * so much that the sum of all is one, too. */
static int64_t addend(const struct pm_backlog *b, const struct pm_backlog_archive *a)
{
	const int64_t most = INT64_MAX / (int64_t)b->n;

	return a->bytes < most ? a->bytes : most;
}

int64_t pm_backlog_bytes(const struct pm_backlog *b, enum pm_backlog_place place, size_t *number,
			 int64_t *oldest_us)
{
	int64_t bytes = 0;

	*number = 0;
	*oldest_us = 0;
	for (size_t i = 0; i < b->n; i++) {
		const struct pm_backlog_archive *a = &b->archive[i];

		if (a->place != place)
			continue;
		if (!*number || a->since_us < *oldest_us)
			*oldest_us = a->since_us;
		++*number;
		bytes += addend(b, a);
	}
	return bytes;
}

/* --- order ------------------------------------------------------------------------------------ */

#define COMPARE(x, y) (((x) > (y)) - ((x) < (y)))

/* The archives of an owner in the order in which they are sent. */
static int by_owner(const void *va, const void *vb)
{
	const struct pm_backlog_archive *a = va, *b = vb;
	int c = COMPARE(a->owner, b->owner);

	c = c ? c : COMPARE(a->tries, b->tries);
	c = c ? c : COMPARE(a->since_us, b->since_us);
	return c ? c : strcmp(a->name, b->name);
}

static int by_turn(const void *va, const void *vb)
{
	const struct pm_backlog_archive *a = va, *b = vb;
	int c = COMPARE(a->failures, b->failures);

	c = c ? c : COMPARE(a->rank, b->rank);
	c = c ? c : COMPARE(a->tries, b->tries);
	c = c ? c : COMPARE(a->since_us, b->since_us);
	return c ? c : strcmp(a->name, b->name);
}

void pm_backlog_order(struct pm_backlog *b)
{
	if (b->n == 0)
		return;
	qsort(b->archive, b->n, sizeof *b->archive, by_owner);
	for (size_t i = 0; i < b->n; i++)
		b->archive[i].rank = i && b->archive[i].owner == b->archive[i - 1].owner
					     ? b->archive[i - 1].rank + 1
					     : 0;
	qsort(b->archive, b->n, sizeof *b->archive, by_turn);
}

/* --- bounds ----------------------------------------------------------------------------------- */

/* The archives of an owner, those that are dropped first at the end. */
struct holder {
	size_t first, end; /* in the backlog: those that are kept */
	int64_t bytes;
};

/* The archives of an owner in the order in which they are kept. */
static int by_worth(const void *va, const void *vb)
{
	const struct pm_backlog_archive *a = va, *b = vb;
	int c = COMPARE(a->owner, b->owner);

	c = c ? c : COMPARE(a->place != PM_BACKLOG_WAITING, b->place != PM_BACKLOG_WAITING);
	c = c ? c : COMPARE(a->since_us, b->since_us);
	return c ? c : strcmp(a->name, b->name);
}

/* Find the owners of sorted archives. Returns their number. */
static size_t find_holders(struct pm_backlog *b, struct holder *holder)
{
	size_t n = 0;

	for (size_t i = 0; i < b->n; i++) {
		if (i == 0 || b->archive[i].owner != b->archive[i - 1].owner)
			holder[n++] = (struct holder){ .first = i };
		holder[n - 1].end = i + 1;
		holder[n - 1].bytes += addend(b, &b->archive[i]);
	}
	return n;
}

ssize_t pm_backlog_excess(struct pm_backlog *b, int64_t max, struct pm_err *e)
{
	struct holder *holder;
	int64_t total = 0;
	ssize_t dropped = 0;
	size_t n;

	for (size_t i = 0; i < b->n; i++)
		if (!b->archive[i].drop)
			total += addend(b, &b->archive[i]);
	if (total <= max)
		return 0;
	holder = calloc(b->n, sizeof *holder);
	if (!holder)
		return pm_err(e, "out of memory");
	qsort(b->archive, b->n, sizeof *b->archive, by_worth);
	n = find_holders(b, holder);
	while (total > max && n) {
		struct holder *most = holder;
		struct pm_backlog_archive *a;

		for (size_t i = 1; i < n; i++)
			if (holder[i].bytes > most->bytes)
				most = &holder[i];
		if (most->end == most->first)
			break;
		a = &b->archive[--most->end];
		a->drop = true;
		most->bytes -= addend(b, a);
		total -= addend(b, a);
		dropped++;
	}
	free(holder);
	return dropped;
}
