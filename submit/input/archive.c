/*
 * Tar archives over their compression. Headers are decoded here even with libtar, whose own
 * decoding trusts sizes and does not know pax headers.
 */
#include "config.h"

#include "submit/archive.h"

#include "common/config.h"
#include "submit/stream.h"
#include "submit/tarblocks.h"
#include "submit/tarhead.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int pm_archive_named(const char *path)
{
	static const char *const suffix[] = {
		".tar",    ".tar.gz", ".tgz",     ".tar.zst", ".tzst",
		".tar.xz", ".txz",    ".tar.bz2", ".tbz2",    ".tbz",
	};
	size_t n = strlen(path);

	for (size_t i = 0; i < sizeof suffix / sizeof suffix[0]; i++) {
		size_t len = strlen(suffix[i]);

		if (n > len && strcmp(path + n - len, suffix[i]) == 0)
			return 1;
	}
	return 0;
}

/* What unpacks to this part of max_unpacked, and to more times its size than records can, is none.
 */
#define BOMB_PART 64

/* Longest name and extended header that is believed. */
#define NAME_LIMIT     65536
#define EXTENDED_LIMIT (1024 * 1024)

/* The one archive that is open. */
static struct {
	struct pm_stream *stream;
	bool over;             /* the last read came up short: end of the data */
	uint64_t bytes, limit; /* unpacked so far; max_unpacked, 0 for none */
} reading;

/* Whether so much was unpacked that the rest is refused. */
static bool is_bomb(void)
{
	unsigned ratio = pm_stream_ratio_max(reading.stream);

	if (!reading.limit || reading.bytes <= reading.limit / BOMB_PART)
		return false;
	return reading.bytes > reading.limit ||
	       (ratio && reading.bytes / ratio > pm_stream_packed(reading.stream));
}

/* Read as much as is asked for, less at the end. Returns -1 where it is broken, or unpacks to too
 * much. */
static ssize_t stream_read(void *ctx, void *p, size_t n)
{
	size_t done = 0;

	(void)ctx;
	while (done < n) {
		ssize_t got;

		if (is_bomb())
			return -1;
		got = pm_stream_read(reading.stream, (char *)p + done, n - done);
		if (got < 0)
			return -1;
		if (got == 0)
			break;
		done += (size_t)got;
		reading.bytes += (uint64_t)got;
	}
	reading.over = done < n;
	return (ssize_t)done;
}

struct reader {
	struct pm_tarblocks *tar;
	const struct pm_archive_sink *sink;
	const char *path;
	struct pm_err *e;
	struct pm_tar_member member;
	const char *spoilt;  /* why the member to come cannot be taken, NULL */
	struct pm_err fault; /* the first that was passed over */
	bool lost;           /* the next header is looked for */
	uint64_t block;      /* number of the next one */
};

/* Why the stream gave less than asked for. Returns 1. */
static int broken(struct reader *r, const char *where)
{
	const char *why = pm_stream_error(reading.stream);

	if (!why && is_bomb())
		pm_err(r->e,
		       "%s: %s: the first %llu kB unpack to %llu kB, and the rest is not read; set "
		       "max_unpacked, now %s, higher where that is right",
		       r->path, where, (unsigned long long)pm_stream_packed(reading.stream) / 1000,
		       (unsigned long long)reading.bytes / 1000,
		       pm_config_get(PM_SET_max_unpacked));
	else
		pm_err(r->e, "%s: %s: %s", r->path, where, why ? why : "it ends too early");
	return 1;
}

/* Note a fault behind which it goes on. */
static void note(struct reader *r, const char *what)
{
	if (!r->fault.text[0])
		pm_err(&r->fault, "%s: %s, block %llu: it is passed over", r->path, what,
		       (unsigned long long)r->block);
}

/* Read one block. Returns 1, 0 at the end of the stream, or -1 when it is broken or cut. */
static int read_block(struct reader *r, char block[PM_TARBLOCKS_SIZE])
{
	ssize_t n = pm_tarblocks_read(r->tar, block);

	r->block++;
	if (n == PM_TARBLOCKS_SIZE)
		return 1;
	return n == 0 && reading.over ? 0 : -1;
}

/* Pass over the blocks of so many bytes. Returns 0, or 1 where the stream is broken. */
static int pass(struct reader *r, uint64_t size, const char *what)
{
	char block[PM_TARBLOCKS_SIZE];

	for (uint64_t done = 0; done < size; done += PM_TARBLOCKS_SIZE)
		if (read_block(r, block) <= 0)
			return broken(r, what);
	return 0;
}

/* Read a header's data of `size` bytes, as text to be freed. Returns 0, 1 broken, -1 stopped. */
static int read_text(struct reader *r, uint64_t size, char **text)
{
	char block[PM_TARBLOCKS_SIZE];

	*text = malloc((size_t)size + PM_TARBLOCKS_SIZE + 1);
	if (!*text)
		return pm_err(r->e, "out of memory");
	for (uint64_t done = 0; done < size; done += PM_TARBLOCKS_SIZE) {
		if (read_block(r, block) <= 0)
			return broken(r, "an extended header");
		memcpy(*text + done, block, PM_TARBLOCKS_SIZE);
	}
	(*text)[size] = '\0';
	return 0;
}

/* Pass over a member's data, or hand it on. Returns 0, 1 broken, -1 stopped. */
static int member_data(struct reader *r, int take)
{
	char block[PM_TARBLOCKS_SIZE];
	uint64_t left = r->member.size;

	while (left > 0) {
		size_t n = left < PM_TARBLOCKS_SIZE ? (size_t)left : PM_TARBLOCKS_SIZE;

		if (read_block(r, block) <= 0) {
			if (take && r->sink->end(r->sink->ctx, false, r->e) < 0)
				return -1;
			return broken(r, r->member.path);
		}
		if (take && r->sink->data(r->sink->ctx, block, n, r->e) < 0)
			return -1;
		left -= n;
	}
	return take ? r->sink->end(r->sink->ctx, true, r->e) : 0;
}

/* A header that describes the next member. Returns 0, 1, -1 as above. */
static int extended(struct reader *r, const struct pm_tar_head *h)
{
	bool pax = h->type == 'x' || h->type == 'g';
	char *text = NULL;
	int rc;

	if (h->size > (pax ? EXTENDED_LIMIT : NAME_LIMIT)) {
		if (h->type != 'g') {
			r->spoilt = "its extended header is too long";
			note(r, "an extended header that is too long");
		}
		return pass(r, h->size, "an extended header");
	}
	rc = read_text(r, h->size, &text);
	if (rc == 0 && h->type == 'L')
		rc = pm_tar_long_name(&r->member, text);
	else if (rc == 0 && h->type == 'x')
		rc = pm_tar_pax(&r->member, text, (size_t)h->size);
	if (rc < 0 && text) {
		r->spoilt = "its extended header is damaged";
		note(r, "a damaged extended header");
		rc = 0;
	}
	free(text);
	return rc;
}

static int member(struct reader *r, const struct pm_tar_head *h)
{
	const char *why = r->spoilt;
	int take = 0, rc;

	if (pm_tar_member(&r->member, h) < 0)
		return pm_err(r->e, "out of memory");
	if (!why)
		why = pm_tar_refuse(&r->member, h);
	if (why) {
		r->sink->skipped(r->sink->ctx, r->member.path, why);
	} else if (h->type != '5') {
		take = r->sink->begin(r->sink->ctx, r->member.path, r->e);
		if (take < 0)
			return -1;
	}
	rc = member_data(r, take);
	pm_tar_member_free(&r->member);
	r->spoilt = NULL;
	return rc;
}

/* Whether a block is a header: where one is looked for, only of the kind that says so. */
static bool is_header(struct reader *r, struct pm_tar_head *h)
{
	const char *block = pm_tarblocks_header(r->tar);

	return pm_tar_head(h, block) == 0 && (!r->lost || pm_tar_is_marked(block)) &&
	       pm_tarblocks_sums(r->tar, h->sum);
}

/*
 * Members, until the stream ends. Behind a header that is damaged the next one is looked for, and
 * behind the end of an archive another one may follow.
 */
static int read_members(struct reader *r)
{
	char *block = pm_tarblocks_header(r->tar);
	struct pm_tar_head h;
	bool first = true, ended = false;
	int rc = 0, zeros = 0;

	while (rc == 0) {
		int got = read_block(r, block);

		if (got < 0 || (got == 0 && (first || (zeros == 0 && !ended))))
			return broken(r, first            ? "no archive, or cut in its first header"
					 : r->member.path ? r->member.path
							  : "header of a member");
		if (got == 0)
			break;
		if (pm_tar_is_zero(block)) {
			ended = ended || ++zeros == 2;
			continue;
		}
		zeros = 0;
		if (!is_header(r, &h)) {
			if (first)
				return pm_err(r->e, "%s: not a tar archive", r->path);
			note(r, ended ? "something behind its end" : "a damaged header");
			r->lost = true;
			pm_tar_member_free(&r->member);
			r->spoilt = NULL;
			continue;
		}
		first = ended = r->lost = false;
		if (h.type == 'x' || h.type == 'g' || h.type == 'L' || h.type == 'K')
			rc = extended(r, &h);
		else
			rc = member(r, &h);
	}
	if (rc == 0 && r->fault.text[0]) {
		*r->e = r->fault;
		rc = 1;
	}
	return rc;
}

int pm_archive_read_fd(int fd, const char *path, const struct pm_archive_sink *sink,
		       struct pm_err *e)
{
	struct reader r = { .sink = sink, .path = path, .e = e };
	int rc;

	reading.bytes = 0;
	reading.over = false;
	reading.limit = (uint64_t)pm_config_int(PM_SET_max_unpacked);
	reading.stream = pm_stream_new(fd);
	if (!reading.stream || !(r.tar = pm_tarblocks_open(path, stream_read, NULL))) {
		pm_stream_free(reading.stream);
		return pm_err(e, "%s: %m", path);
	}
	rc = read_members(&r);
	pm_tar_member_free(&r.member);
	pm_tarblocks_close(r.tar);
	pm_stream_free(reading.stream);
	return rc;
}

int pm_archive_read(const char *path, const struct pm_archive_sink *sink, struct pm_err *e)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY), rc;

	if (fd < 0)
		return pm_err(e, "%s: %m", path);
	rc = pm_archive_read_fd(fd, path, sink, e);
	close(fd);
	return rc;
}
