/*
 * Tar archives over their compression. Headers are decoded here even with libtar, whose own
 * decoding trusts sizes and does not know pax headers.
 */
#include "config.h"

#include "submit/input/archive.h"

#include "common/settings/readconfig.h"
#include "submit/input/stream.h"
#include "submit/input/tarblocks.h"
#include "submit/input/tarhead.h"

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

/* An archive is refused as a decompression bomb once it has unpacked to 1/BOMB_PART of max_unpacked
 * and to more times its size than records can be compressed. */
#define BOMB_PART 64

/* Longest name and extended header that are accepted. */
#define NAME_LIMIT     65536
#define EXTENDED_LIMIT (1024 * 1024)

/* The one archive that is open. */
static struct {
	struct pm_stream *stream;
	bool over;             /* the last read came up short: end of the data */
	uint64_t bytes, limit; /* unpacked so far; max_unpacked, 0 for none */
	int error;             /* stays when it is closed: see pm_archive_errno() */
} reading;

/* Whether the archive unpacks to too much: see BOMB_PART. */
static bool is_bomb(void)
{
	unsigned ratio = pm_stream_ratio_max(reading.stream);

	if (!reading.limit || reading.bytes <= reading.limit / BOMB_PART)
		return false;
	return reading.bytes > reading.limit ||
	       (ratio && reading.bytes / ratio > pm_stream_packed(reading.stream));
}

/* Read n bytes, fewer only at the end. Returns -1 if the stream is broken or unpacks to too much.
 */
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
	const char *spoilt;  /* why the next member cannot be read, or NULL */
	struct pm_err fault; /* first fault that was skipped */
	bool lost;           /* the next header is being searched for */
	uint64_t block;      /* number of the next block */
};

/* Fill r->e with why the stream returned too few bytes. Returns 1. */
static int report_broken(struct reader *r, const char *where)
{
	const char *why = pm_stream_error(reading.stream);

	if (!why && is_bomb())
		pm_err(r->e,
		       "%s: %s: the first %llu kB unpack to %llu kB, so the rest is not read; if "
		       "the archive is valid, raise max_unpacked, now %s",
		       r->path, where, (unsigned long long)pm_stream_packed(reading.stream) / 1000,
		       (unsigned long long)reading.bytes / 1000,
		       pm_config_get(PM_SET_max_unpacked));
	else
		pm_err(r->e, "%s: %s: %s", r->path, where, why ? why : "it ends too early");
	return 1;
}

/* Note a fault after which reading continues. */
static void note_fault(struct reader *r, const char *what)
{
	if (!r->fault.text[0])
		pm_err(&r->fault, "%s: %s, block %llu: skipped", r->path, what,
		       (unsigned long long)r->block);
}

/* Read one block. Returns 1, 0 at the end of the stream, or -1 if the stream is broken or cut. */
static int read_block(struct reader *r, char block[PM_TARBLOCKS_SIZE])
{
	ssize_t n = pm_tarblocks_read(r->tar, block);

	r->block++;
	if (n == PM_TARBLOCKS_SIZE)
		return 1;
	return n == 0 && reading.over ? 0 : -1;
}

/* Skip the blocks of `size` bytes. Returns 0, or 1 if the stream is broken. */
static int skip_blocks(struct reader *r, uint64_t size, const char *what)
{
	char block[PM_TARBLOCKS_SIZE];

	for (uint64_t done = 0; done < size; done += PM_TARBLOCKS_SIZE)
		if (read_block(r, block) <= 0)
			return report_broken(r, what);
	return 0;
}

/* Read `size` bytes of a header's data into *text, to be freed even on failure. Returns 0, 1 if the
 * stream is broken, or -1 if out of memory. */
static int read_text(struct reader *r, uint64_t size, char **text)
{
	char block[PM_TARBLOCKS_SIZE];

	*text = malloc((size_t)size + PM_TARBLOCKS_SIZE + 1);
	if (!*text)
		return pm_err(r->e, "out of memory");
	for (uint64_t done = 0; done < size; done += PM_TARBLOCKS_SIZE) {
		if (read_block(r, block) <= 0)
			return report_broken(r, "an extended header");
		memcpy(*text + done, block, PM_TARBLOCKS_SIZE);
	}
	(*text)[size] = '\0';
	return 0;
}

/* Skip a member's data, or with `take` pass it to the sink. Returns 0, 1 if the stream is broken,
 * or -1 if the sink fails. */
static int member_data(struct reader *r, int take)
{
	char block[PM_TARBLOCKS_SIZE];
	uint64_t left = r->member.size;

	while (left > 0) {
		size_t n = left < PM_TARBLOCKS_SIZE ? (size_t)left : PM_TARBLOCKS_SIZE;

		if (read_block(r, block) <= 0) {
			if (take && r->sink->end(r->sink->ctx, false, r->e) < 0)
				return -1;
			return report_broken(r, r->member.path);
		}
		if (take && r->sink->data(r->sink->ctx, block, n, r->e) < 0)
			return -1;
		left -= n;
	}
	return take ? r->sink->end(r->sink->ctx, true, r->e) : 0;
}

/* Read an extended header, which describes the next member. Returns the same as member_data(). */
static int read_extended(struct reader *r, const struct pm_tar_head *h)
{
	bool pax = h->type == 'x' || h->type == 'g';
	char *text = NULL;
	int rc;

	if (h->size > (pax ? EXTENDED_LIMIT : NAME_LIMIT)) {
		if (h->type != 'g') {
			r->spoilt = "its extended header is too long";
			note_fault(r, "an extended header that is too long");
		}
		return skip_blocks(r, h->size, "an extended header");
	}
	rc = read_text(r, h->size, &text);
	if (rc == 0 && h->type == 'L')
		rc = pm_tar_long_name(&r->member, text);
	else if (rc == 0 && h->type == 'x')
		rc = pm_tar_pax(&r->member, text, (size_t)h->size);
	if (rc < 0 && text) {
		r->spoilt = "its extended header is damaged";
		note_fault(r, "a damaged extended header");
		rc = 0;
	}
	free(text);
	return rc;
}

static int read_member(struct reader *r, const struct pm_tar_head *h)
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

/* Whether the block read is a header with the right check sum. While searching, only a header with
 * the ustar magic counts. */
static bool is_header(struct reader *r, struct pm_tar_head *h)
{
	const char *block = pm_tarblocks_header(r->tar);

	return pm_tar_head(h, block) == 0 && (!r->lost || pm_tar_is_marked(block)) &&
	       pm_tarblocks_sums(r->tar, h->sum);
}

/*
 * Read members until the stream ends. After a damaged header search for the next one; after the end
 * of an archive another archive may follow.
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
			return report_broken(
				r, first ? "not an archive, or truncated in its first header"
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
			note_fault(r, ended ? "data after its end" : "a damaged header");
			r->lost = true;
			pm_tar_member_free(&r->member);
			r->spoilt = NULL;
			continue;
		}
		first = ended = r->lost = false;
		if (h.type == 'x' || h.type == 'g' || h.type == 'L' || h.type == 'K')
			rc = read_extended(r, &h);
		else
			rc = read_member(r, &h);
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
	reading.error = 0;
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
	reading.error = pm_stream_errno(reading.stream);
	pm_stream_free(reading.stream);
	return rc;
}

int pm_archive_errno(void)
{
	return reading.error;
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
