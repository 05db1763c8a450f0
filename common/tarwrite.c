/* Write ustar as in pax(1): headers of 512 bytes, data padded to a multiple of 512. */
#include "config.h"

#include "common/tarwrite.h"

/* The build's config.h; in this folder the #include above finds that of the settings. */
#include <config.h>

#include "common/safe/buf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef HAVE_ZLIB
#include <zlib.h>
#else
typedef void *gzFile;
static gzFile gzdopen(int fd, const char *mode)
{
	(void)fd;
	(void)mode;
	return NULL;
}
static int gzwrite(gzFile gz, const void *p, unsigned n)
{
	(void)gz;
	(void)p;
	(void)n;
	return -1;
}
static int gzclose(gzFile gz)
{
	(void)gz;
	return -1;
}
static const char *gzerror(gzFile gz, int *code)
{
	(void)gz;
	(void)code;
	return "";
}
#define Z_OK    0
#define Z_ERRNO (-1)
#endif

#define BLOCK 512

/* Largest size that a header can hold: eleven octal digits. */
#define SIZE_MAX_HEADER (((uint64_t)1 << 33) - 1)

static int ends_in(const char *path, const char *suffix)
{
	size_t n = strlen(path), len = strlen(suffix);

	return n > len && strcmp(path + n - len, suffix) == 0;
}

int pm_tarwrite_can(const char *path)
{
#ifdef HAVE_ZLIB
	if (ends_in(path, ".tar.gz") || ends_in(path, ".tgz"))
		return 1;
#endif
	return ends_in(path, ".tar");
}

int pm_tarwrite_begin(struct pm_tarwrite *t, int fd, bool compressed, struct pm_err *e)
{
	int copy;

	memset(t, 0, sizeof *t);
	t->fd = fd;
	t->mode = 0644;
	if (!compressed)
		return 0;
	/* gzclose() closes the descriptor that it was given. */
	copy = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	if (copy < 0)
		return pm_err(e, "%m");
	t->gz = gzdopen(copy, "wb");
	if (t->gz)
		return 0;
	close(copy);
	return pm_err(e, "out of memory, or built without zlib");
}

/* Describe the failure of the last write. Returns -1. */
static int write_error(struct pm_tarwrite *t, struct pm_err *e)
{
	int number = errno, code = Z_ERRNO;
	const char *text = t->gz ? gzerror(t->gz, &code) : "";

	return pm_err(e, "write the archive: %s", code == Z_ERRNO ? strerror(number) : text);
}

static int write_bytes(struct pm_tarwrite *t, const void *data, size_t n, struct pm_err *e)
{
	const char *p = data;

	while (n > 0) {
		size_t part = n < (size_t)1 << 20 ? n : (size_t)1 << 20;
		ssize_t done = t->gz ? gzwrite(t->gz, p, (unsigned)part) : write(t->fd, p, part);

		if (done < 0 && errno == EINTR && !t->gz)
			continue;
		if (done <= 0)
			return write_error(t, e);
		p += done;
		n -= (size_t)done;
	}
	return 0;
}

/* Fill a field with octal digits and a NUL. */
static void put_octal(char *field, size_t size, uint64_t v)
{
	field[--size] = '\0';
	while (size > 0) {
		field[--size] = (char)('0' + (v & 7));
		v >>= 3;
	}
}

static int write_header(struct pm_tarwrite *t, const char *name, uint64_t size, char type,
			struct pm_err *e)
{
	char block[BLOCK] = { 0 };
	size_t n = strlen(name);
	unsigned sum = 0;

	memcpy(block, name, n < 100 ? n : 100);
	put_octal(block + 100, 8, t->mode);
	put_octal(block + 108, 8, 0);
	put_octal(block + 116, 8, 0);
	put_octal(block + 124, 12, size <= SIZE_MAX_HEADER ? size : 0);
	put_octal(block + 136, 12,
		  t->mtime > 0 && (uint64_t)t->mtime <= SIZE_MAX_HEADER ? (uint64_t)t->mtime : 0);
	memset(block + 148, ' ', 8);
	block[156] = type;
	memcpy(block + 257, "ustar\00000", 8);
	for (size_t i = 0; i < sizeof block; i++)
		sum += (unsigned char)block[i];
	put_octal(block + 148, 7, sum);
	return write_bytes(t, block, sizeof block, e);
}

static size_t digits_of(size_t v)
{
	size_t n = 1;

	for (; v >= 10; v /= 10)
		n++;
	return n;
}

/* Append a pax record "LENGTH KEY=VALUE\n"; LENGTH counts its own digits. */
static void append_record(struct pm_buf *b, const char *key, const char *value)
{
	size_t rest = strlen(key) + strlen(value) + 3, digits = 1;

	while (digits_of(rest + digits) > digits)
		digits++;
	pm_buf_u64(b, rest + digits);
	pm_buf_ch(b, ' ');
	pm_buf_str(b, key);
	pm_buf_ch(b, '=');
	pm_buf_str(b, value);
	pm_buf_ch(b, '\n');
}

/* Write n zeros to fill up a block. */
static int write_zeros(struct pm_tarwrite *t, unsigned n, struct pm_err *e)
{
	static const char zero[2 * BLOCK];

	return write_bytes(t, zero, n, e);
}

static unsigned padding(uint64_t size)
{
	return (unsigned)((BLOCK - size % BLOCK) % BLOCK);
}

/* Write a pax header with the path and size of a member where the ustar header cannot hold them. */
static int write_pax_header(struct pm_tarwrite *t, const char *path, uint64_t size,
			    struct pm_err *e)
{
	size_t room = strlen(path) + 128;
	char *text = malloc(room), number[32];
	struct pm_buf b, digits;
	int rc;

	if (!text)
		return pm_err(e, "out of memory");
	pm_buf_init(&b, text, room);
	if (strlen(path) > 100)
		append_record(&b, "path", path);
	if (size > SIZE_MAX_HEADER) {
		pm_buf_init(&digits, number, sizeof number - 1);
		pm_buf_u64(&digits, size);
		number[digits.len] = '\0';
		append_record(&b, "size", number);
	}
	rc = write_header(t, "pax", b.len, 'x', e);
	if (rc == 0)
		rc = write_bytes(t, b.p, b.len, e);
	if (rc == 0)
		rc = write_zeros(t, padding(b.len), e);
	free(text);
	return rc;
}

int pm_tarwrite_member(struct pm_tarwrite *t, const char *path, uint64_t size, struct pm_err *e)
{
	if ((strlen(path) > 100 || size > SIZE_MAX_HEADER) &&
	    write_pax_header(t, path, size, e) < 0)
		return -1;
	if (write_header(t, path, size, '0', e) < 0)
		return -1;
	t->left = size;
	t->pad = padding(size);
	return 0;
}

int pm_tarwrite_data(struct pm_tarwrite *t, const void *p, size_t n, struct pm_err *e)
{
	if (n > t->left)
		return pm_err(e, "write the archive: a file grew while it was packed; try again");
	if (write_bytes(t, p, n, e) < 0)
		return -1;
	t->left -= n;
	return n && t->left == 0 ? write_zeros(t, t->pad, e) : 0;
}

int pm_tarwrite_end(struct pm_tarwrite *t, struct pm_err *e)
{
	int rc = t->left ? pm_err(e,
				  "write the archive: a file shrank while it was packed; try again")
			 : write_zeros(t, 2 * BLOCK, e);
	int code = t->gz ? gzclose(t->gz) : Z_OK;

	t->gz = NULL;
	if (rc == 0 && code != Z_OK)
		rc = pm_err(e, "write the archive: %s",
			    code == Z_ERRNO ? strerror(errno) : "failed");
	if (rc == 0 && fsync(t->fd) < 0 && errno != EINVAL && errno != ENOTSUP)
		rc = pm_err(e, "write the archive: %m");
	return rc;
}

void pm_tarwrite_free(struct pm_tarwrite *t)
{
	if (t->gz)
		gzclose(t->gz);
	t->gz = NULL;
}
