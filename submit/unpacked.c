/*
 * Keep what the reader of an archive passes to its sink, as a sequence of items that can be passed
 * on again. The first byte of an item tells its kind.
 */
#include "config.h"

#include "submit/unpacked.h"

#include "submit/job/gather.h"
#include "submit/memory/filemem.h"

#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* Bytes to keep at most, of all archives, and as a part of the room for temporary files, which may
 * be memory. Writing and reading more than this costs what it spares. */
#define KEPT_MAX  ((uint64_t)64 << 20)
#define KEPT_PART 8

/* Bytes of a member in one item. */
#define PIECE 32768

enum item {
	ITEM_MEMBER = 'm',  /* path */
	ITEM_DATA = 'd',    /* bytes of the member */
	ITEM_WHOLE = 'w',   /* end of the member */
	ITEM_CUT = 'c',     /* end of the archive inside of the member */
	ITEM_SKIPPED = 's', /* path, and reason */
	ITEM_FAULT = 'f',   /* end of a damaged archive: what pm_archive_read_fd() says */
};

struct keeper {
	struct pm_unpacked *u;
	const struct pm_archive_sink *sink;
	bool kept;   /* everything so far is in the store */
	bool taken;  /* the sink takes the member */
	size_t used; /* bytes in `piece` */
	char piece[1 + PIECE];
};

void pm_unpacked_init(struct pm_unpacked *u)
{
	memset(u, 0, sizeof *u);
	pm_blobs_init(&u->store);
}

void pm_unpacked_free(struct pm_unpacked *u)
{
	pm_blobs_free(&u->store);
}

/* Determine how much can be kept: loading needs room for temporary files, too. */
static void find_room(struct pm_unpacked *u)
{
	int fd = pm_filemem_file();
	struct statvfs fs;

	u->asked = true;
	if (fd >= 0 && fstatvfs(fd, &fs) == 0)
		u->left = (uint64_t)fs.f_bavail * fs.f_frsize / KEPT_PART;
	if (u->left > KEPT_MAX)
		u->left = KEPT_MAX;
	if (fd >= 0)
		close(fd);
}

/* Put the item in k->piece into the store, or give the archive up. */
static void put_item(struct keeper *k, enum item kind, size_t n)
{
	struct pm_err ignored;

	k->piece[0] = (char)kind;
	k->kept = k->kept && n + 1 <= k->u->left &&
		  pm_blobs_put(&k->u->store, k->piece, n + 1, &ignored) != 0;
	if (k->kept)
		k->u->left -= n + 1;
}

/* Put an item of one or two texts. */
static void put_texts(struct keeper *k, enum item kind, const char *a, const char *b)
{
	size_t n = strlen(a) + 1, m = b ? strlen(b) + 1 : 0;

	if (n > PIECE || m > PIECE - n) {
		k->kept = false;
		return;
	}
	memcpy(k->piece + 1, a, n);
	if (m)
		memcpy(k->piece + 1 + n, b, m);
	put_item(k, kind, n + m);
}

static int member_begin(void *ctx, const char *path, struct pm_err *e)
{
	struct keeper *k = ctx;
	const char *slash = strrchr(path, '/');
	int rc = k->sink->begin(k->sink->ctx, path, e);

	if (rc < 0)
		return -1;
	put_texts(k, ITEM_MEMBER, path, NULL);
	k->taken = rc > 0;
	k->used = 0;
	return k->taken || (k->kept && pm_gather_kind(slash ? slash + 1 : path) != PM_FILE_OTHER);
}

static int member_data(void *ctx, const char *p, size_t n, struct pm_err *e)
{
	struct keeper *k = ctx;

	for (size_t done = 0, part; k->kept && done < n; done += part) {
		part = n - done < PIECE - k->used ? n - done : PIECE - k->used;
		memcpy(k->piece + 1 + k->used, p + done, part);
		k->used += part;
		if (k->used == PIECE) {
			put_item(k, ITEM_DATA, k->used);
			k->used = 0;
		}
	}
	return k->taken ? k->sink->data(k->sink->ctx, p, n, e) : 0;
}

static int member_end(void *ctx, bool whole, struct pm_err *e)
{
	struct keeper *k = ctx;

	if (k->used)
		put_item(k, ITEM_DATA, k->used);
	put_item(k, whole ? ITEM_WHOLE : ITEM_CUT, 0);
	return k->taken ? k->sink->end(k->sink->ctx, whole, e) : 0;
}

static void member_skipped(void *ctx, const char *path, const char *why)
{
	struct keeper *k = ctx;

	put_texts(k, ITEM_SKIPPED, path, why);
	k->sink->skipped(k->sink->ctx, path, why);
}

int pm_unpacked_read(struct pm_unpacked *u, struct pm_unpacked_part *part, int fd, const char *path,
		     const struct pm_archive_sink *sink, struct pm_err *e)
{
	struct keeper k = { .u = u, .sink = sink, .kept = true };
	const struct pm_archive_sink tee = { member_begin, member_data, member_end, member_skipped,
					     &k };
	uint64_t first = pm_blobs_end(&u->store);
	int rc;

	if (!u->asked)
		find_room(u);
	rc = pm_archive_read_fd(fd, path, &tee, e);
	if (rc > 0)
		put_texts(&k, ITEM_FAULT, e->text, NULL);
	part->first = rc >= 0 && k.kept ? first : 0;
	part->end = pm_blobs_end(&u->store);
	return rc;
}

bool pm_unpacked_settle(struct pm_unpacked *u)
{
	struct pm_err ignored;
	struct pm_str item;

	/* Access to the first item waits for the background write. */
	return !u->store.sick && (pm_blobs_end(&u->store) == PM_BLOBS_FIRST ||
				  pm_blobs_walk(&u->store, PM_BLOBS_FIRST, &item, &ignored) == 0);
}

int pm_unpacked_pass(struct pm_unpacked *u, const struct pm_unpacked_part *part,
		     const struct pm_archive_sink *sink, struct pm_err *e)
{
	bool taken = false;
	struct pm_str item;
	int rc = 0;

	for (uint64_t at = part->first; at < part->end && rc >= 0; at = pm_blobs_next(at, item)) {
		const char *text;

		if (pm_blobs_walk(&u->store, at, &item, e) < 0)
			return -1;
		text = item.p + 1;
		switch ((enum item)item.p[0]) {
		case ITEM_MEMBER:
			rc = sink->begin(sink->ctx, text, e);
			taken = rc > 0;
			break;
		case ITEM_DATA:
			rc = taken ? sink->data(sink->ctx, text, item.n - 1, e) : 0;
			break;
		case ITEM_WHOLE:
		case ITEM_CUT:
			rc = taken ? sink->end(sink->ctx, item.p[0] == ITEM_WHOLE, e) : 0;
			break;
		case ITEM_SKIPPED:
			sink->skipped(sink->ctx, text, text + strlen(text) + 1);
			break;
		case ITEM_FAULT:
			pm_err(e, "%s", text);
			return 1;
		}
	}
	return rc < 0 ? -1 : 0;
}
