/* Decompression of a file. Concatenated streams count as one, as gzip(1) and its kin have it. */
#include "config.h"

#include "submit/input/stream.h"

#include "submit/input/stream_coder.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUFFER ((size_t)128 * 1024)

/* Largest ratio of size to disk usage of a file without holes: file systems compress, and so do
 * programs. */
#define SPARSE_RATIO_MAX 200

/* Zeros accepted as padding after compressed data: more than a tape block holds. */
#define ZEROS_MAX ((uint64_t)16 << 20)

struct stream_buffer {
	size_t at, fill;
	unsigned char p[BUFFER];
};

struct pm_stream {
	int fd;
	bool begun, over;             /* the first bytes were examined; the file is at its end */
	const struct pm_coder *coder; /* NULL: not compressed */
	void *decoder;                /* state of the library inside a stream, else NULL */
	uint64_t packed;              /* bytes read from the file */
	uint64_t disk;                /* bytes the file takes on its disk, UINT64_MAX unknown */
	uint64_t zeros;               /* zeros after the last stream */
	bool failed;
	int error; /* errno of a read(2) that failed, or 0 */
	char why[128];
	struct stream_buffer buffer;
};

/*
 * Disk usage of a file, small for a sparse one of any size. If the file system does not count
 * blocks: the file's size, unless it has a hole.
 */
static uint64_t bytes_on_disk(int fd)
{
	struct stat st;
	off_t at, hole;

	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return UINT64_MAX;
	if (st.st_blocks > 0)
		return (uint64_t)st.st_blocks * 512;
	at = lseek(fd, 0, SEEK_CUR);
	hole = lseek(fd, 0, SEEK_HOLE);
	if (at >= 0)
		lseek(fd, at, SEEK_SET);
	return hole >= 0 && hole < st.st_size ? 0 : UINT64_MAX;
}

struct pm_stream *pm_stream_new(int fd)
{
	struct pm_stream *s = malloc(sizeof *s);

	if (!s)
		return NULL;
	memset(s, 0, offsetof(struct pm_stream, buffer));
	s->buffer.at = s->buffer.fill = 0;
	s->fd = fd;
	s->disk = bytes_on_disk(fd);
	return s;
}

void pm_stream_free(struct pm_stream *s)
{
	if (s && s->decoder)
		s->coder->library->end(s->decoder);
	free(s);
}

const char *pm_stream_error(const struct pm_stream *s)
{
	return s->failed ? s->why : NULL;
}

int pm_stream_errno(const struct pm_stream *s)
{
	return s->error;
}

uint64_t pm_stream_packed(const struct pm_stream *s)
{
	return s->packed < s->disk ? s->packed : s->disk;
}

unsigned pm_stream_ratio_max(const struct pm_stream *s)
{
	return s->coder ? s->coder->ratio_max : s->disk < UINT64_MAX ? SPARSE_RATIO_MAX : 0;
}

static ssize_t set_failed(struct pm_stream *s, const char *fmt, const char *what)
{
	s->failed = true;
	snprintf(s->why, sizeof s->why, fmt, what);
	return -1;
}

/* Read until the buffer holds at least n bytes or the file ends. Returns 0 or -1. */
static int fill_buffer(struct pm_stream *s, size_t n)
{
	struct stream_buffer *b = &s->buffer;

	if (b->fill - b->at >= n || s->over)
		return 0;
	memmove(b->p, b->p + b->at, b->fill - b->at);
	b->fill -= b->at;
	b->at = 0;
	while (b->fill < n && !s->over) {
		ssize_t got = read(s->fd, b->p + b->fill, sizeof b->p - b->fill);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0) {
			s->error = errno;
			return (int)set_failed(s, "read: %s", strerror(s->error));
		}
		s->over = got == 0;
		b->fill += (size_t)got;
		s->packed += (uint64_t)got;
	}
	return 0;
}

/* Compression of the stream that begins at the buffer's position; NULL: none. */
static const struct pm_coder *coder_here(const struct pm_stream *s)
{
	unsigned char magic[PM_STREAM_MAGIC] = { 0 };
	size_t n = s->buffer.fill - s->buffer.at;

	memcpy(magic, s->buffer.p + s->buffer.at, n < sizeof magic ? n : sizeof magic);
	return pm_stream_coder(magic);
}

/* Begin the next stream. Returns 1, 0 if there is none, or -1. */
static int begin_next(struct pm_stream *s)
{
	struct stream_buffer *b = &s->buffer;

	/* Skip the zeros that pad the last stream to a tape block. */
	do {
		while (s->begun && b->at < b->fill && !b->p[b->at]) {
			b->at++;
			s->zeros++;
		}
		if (s->zeros > ZEROS_MAX)
			return (int)set_failed(
				s,
				"after the end of the %s data, more zeros follow than fill a block",
				s->coder->name);
		if (fill_buffer(s, PM_STREAM_MAGIC) < 0)
			return -1;
	} while (s->begun && b->at < b->fill && !b->p[b->at]);
	if (b->at == b->fill)
		return 0;
	if (coder_here(s) != s->coder)
		return (int)set_failed(
			s, "after the end of the compressed data, something other than %s follows",
			s->coder->name);
	s->decoder = s->coder->library->begin();
	s->begun = true;
	return s->decoder ? 1 : (int)set_failed(s, "%s", "out of memory");
}

/* Detect the file's compression. Returns 0 or -1. */
static int detect_coder(struct pm_stream *s)
{
	if (fill_buffer(s, PM_STREAM_MAGIC) < 0)
		return -1;
	s->coder = coder_here(s);
	if (s->coder && !s->coder->library->begin)
		return (int)set_failed(s,
				       "compressed by %s, which this perfmon was built without: "
				       "decompress it first",
				       s->coder->name);
	if (!s->coder)
		s->begun = true;
	return 0;
}

/* Decode up to n bytes into p. Returns their number, 0 at the end, or -1. */
static ssize_t decode_some(struct pm_stream *s, void *p, size_t n)
{
	struct stream_buffer *b = &s->buffer;
	struct pm_coding c = { .out = p, .out_len = n };

	while (c.out_len == n) {
		enum pm_coded rc;

		if (!s->decoder) {
			int more = begin_next(s);

			if (more <= 0)
				return more;
		}
		if (fill_buffer(s, 1) < 0)
			return -1;
		c.in = b->p + b->at;
		c.in_len = b->fill - b->at;
		rc = s->coder->library->step(s->decoder, &c);
		if (rc == PM_CODED_BAD)
			return set_failed(s, "%s", c.why);
		/* A decoder may still have output after its input has ended. */
		if (rc == PM_CODED_MORE && s->over && b->at == b->fill && c.out_len == n)
			return set_failed(s, "%s", "it ends too early");
		b->at = b->fill - c.in_len;
		if (rc == PM_CODED_END) {
			s->coder->library->end(s->decoder);
			s->decoder = NULL;
		}
	}
	return (ssize_t)(n - c.out_len);
}

ssize_t pm_stream_read(struct pm_stream *s, void *p, size_t n)
{
	struct stream_buffer *b = &s->buffer;

	if (s->failed || (!s->begun && !s->coder && detect_coder(s) < 0))
		return -1;
	if (s->coder)
		return decode_some(s, p, n);
	if (fill_buffer(s, 1) < 0)
		return -1;
	if (n > b->fill - b->at)
		n = b->fill - b->at;
	memcpy(p, b->p + b->at, n);
	b->at += n;
	return (ssize_t)n;
}
