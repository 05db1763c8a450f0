/*
 * Tar archives through libtar over zlib. libtar gives handles, blocks and check sums; headers
 * are decoded here, because its own decoding believes sizes and knows no pax headers.
 */
#include "config.h"

#include "submit/archive.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int pm_archive_named(const char *path)
{
	static const char *const suffix[] = { ".tar", ".tar.gz", ".tgz" };
	size_t n = strlen(path);

	for (size_t i = 0; i < sizeof suffix / sizeof suffix[0]; i++) {
		size_t len = strlen(suffix[i]);

		if (n > len && strcmp(path + n - len, suffix[i]) == 0)
			return 1;
	}
	return 0;
}

#if defined HAVE_LIBTAR && defined HAVE_ZLIB

#include "submit/tarhead.h"

#include <libtar.h>
#include <stdint.h>
#include <zlib.h>

/* Longest name and extended header that is believed. */
#define NAME_LIMIT     65536
#define EXTENDED_LIMIT (1024 * 1024)

/* libtar's functions get an int where we need a stream: the one archive that is open. */
static struct {
	int fd;        /* where it is, set for gz_open */
	gzFile stream; /* open between pm_archive_read_fd's begin and end */
} reading;

static int gz_open(const char *path, int flags, ...)
{
	/* The caller keeps its own. */
	int fd = fcntl(reading.fd, F_DUPFD_CLOEXEC, 0);

	(void)path;
	(void)flags;
	if (fd < 0)
		return -1;
	reading.stream = gzdopen(fd, "rb");
	if (!reading.stream) {
		close(fd);
		return -1;
	}
	gzbuffer(reading.stream, 128 * 1024);
	return fd;
}

static int gz_close(int fd)
{
	(void)fd;
	return gzclose(reading.stream) == Z_OK ? 0 : -1;
}

static ssize_t gz_read(int fd, void *p, size_t n)
{
	(void)fd;
	return gzread(reading.stream, p, (unsigned)n);
}

static ssize_t gz_write(int fd, const void *p, size_t n)
{
	(void)fd;
	(void)p;
	(void)n;
	errno = EBADF;
	return -1;
}

struct reader {
	TAR *tar;
	const struct pm_archive_sink *sink;
	const char *path;
	struct pm_err *e;
	struct pm_tar_member member;
};

/* Why the stream gave less than asked for. Returns 1. */
static int broken(struct reader *r, const char *where)
{
	int code = Z_OK;
	const char *text = gzerror(reading.stream, &code);

	if (code == Z_ERRNO)
		text = strerror(errno);
	if (code == Z_OK || code == Z_STREAM_END || code == Z_BUF_ERROR)
		text = "it ends too early";
	pm_err(r->e, "%s: %s: %s", r->path, where, text);
	return 1;
}

/* Read one block. Returns 1, 0 at the end of the stream, or -1 when it is broken or cut. */
static int read_block(struct reader *r, char block[T_BLOCKSIZE])
{
	ssize_t n = tar_block_read(r->tar, block);

	if (n == T_BLOCKSIZE)
		return 1;
	return n == 0 && gzeof(reading.stream) ? 0 : -1;
}

/* Read a header's data of `size` bytes, at most `limit`, as text to be freed. */
static int read_text(struct reader *r, uint64_t size, size_t limit, char **text)
{
	char block[T_BLOCKSIZE];

	*text = NULL;
	if (size > limit) {
		pm_err(r->e, "%s: an extended header of %llu bytes", r->path,
		       (unsigned long long)size);
		return 1;
	}
	*text = malloc((size_t)size + T_BLOCKSIZE + 1);
	if (!*text)
		return pm_err(r->e, "out of memory");
	for (uint64_t done = 0; done < size; done += T_BLOCKSIZE) {
		if (read_block(r, block) <= 0)
			return broken(r, "an extended header");
		memcpy(*text + done, block, T_BLOCKSIZE);
	}
	(*text)[size] = '\0';
	return 0;
}

/* Pass over a member's data, or hand it on. Returns 0, 1 broken, -1 stopped. */
static int member_data(struct reader *r, int take)
{
	char block[T_BLOCKSIZE];
	uint64_t left = r->member.size;

	while (left > 0) {
		size_t n = left < T_BLOCKSIZE ? (size_t)left : T_BLOCKSIZE;

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
	char *text;
	int rc = read_text(r, h->size,
			   h->type == 'x' || h->type == 'g' ? EXTENDED_LIMIT : NAME_LIMIT, &text);

	if (rc == 0 && h->type == 'L')
		rc = pm_tar_long_name(&r->member, text);
	else if (rc == 0 && h->type == 'x')
		rc = pm_tar_pax(&r->member, text, (size_t)h->size);
	if (rc < 0) {
		pm_err(r->e, "%s: damaged extended header", r->path);
		rc = 1;
	}
	free(text);
	return rc;
}

static int member(struct reader *r, const struct pm_tar_head *h)
{
	const char *why;
	int take = 0, rc;

	if (pm_tar_member(&r->member, h) < 0)
		return pm_err(r->e, "out of memory");
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
	return rc;
}

/* Read to the end, so that a damaged end of the stream is seen. */
static int drain(struct reader *r)
{
	char block[16 * T_BLOCKSIZE];
	int n, code;

	while ((n = gzread(reading.stream, block, sizeof block)) > 0)
		continue;
	/* An end in the middle of compressed data is told by the code alone. */
	gzerror(reading.stream, &code);
	return n < 0 || code != Z_OK ? broken(r, "after its last member") : 0;
}

static int read_members(struct reader *r)
{
	struct pm_tar_head h;
	int rc = 0, zeros = 0, first = 1;

	while (rc == 0) {
		char *block = (char *)&r->tar->th_buf;
		int got = read_block(r, block);

		if (got < 0 || (got == 0 && (first || zeros == 0)))
			return broken(r, first            ? "no archive, or cut in its first header"
					 : r->member.path ? r->member.path
							  : "header of a member");
		if (got == 0)
			return 0;
		if (pm_tar_is_zero(block)) {
			if (++zeros == 2)
				return drain(r);
			continue;
		}
		zeros = 0;
		if (pm_tar_head(&h, block) < 0 ||
		    (h.sum != th_crc_calc(r->tar) && h.sum != th_signed_crc_calc(r->tar))) {
			pm_err(r->e,
			       first ? "%s: not a tar archive"
				     : "%s: a damaged header; what follows is not read",
			       r->path);
			return first ? -1 : 1;
		}
		first = 0;
		if (h.type == 'x' || h.type == 'g' || h.type == 'L' || h.type == 'K')
			rc = extended(r, &h);
		else
			rc = member(r, &h);
	}
	return rc;
}

int pm_archive_read_fd(int fd, const char *path, const struct pm_archive_sink *sink,
		       struct pm_err *e)
{
	static tartype_t type = { gz_open, gz_close, gz_read, gz_write };
	struct reader r = { .sink = sink, .path = path, .e = e };
	int rc;

	/* libtar wants a path and opens it by our function, which has the descriptor. */
	reading.fd = fd;
	if (tar_open(&r.tar, path, &type, O_RDONLY, 0, 0) < 0)
		return pm_err(e, "%s: %m", path);
	rc = read_members(&r);
	pm_tar_member_free(&r.member);
	tar_close(r.tar);
	return rc;
}

#else

int pm_archive_read_fd(int fd, const char *path, const struct pm_archive_sink *sink,
		       struct pm_err *e)
{
	(void)fd;
	(void)sink;
	return pm_err(e,
		      "%s: this perfmon was built without libtar and zlib, which archives need; "
		      "unpack it and submit the directory",
		      path);
}

#endif

int pm_archive_read(const char *path, const struct pm_archive_sink *sink, struct pm_err *e)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY), rc;

	if (fd < 0)
		return pm_err(e, "%s: %m", path);
	rc = pm_archive_read_fd(fd, path, sink, e);
	close(fd);
	return rc;
}
