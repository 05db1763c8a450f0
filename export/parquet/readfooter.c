/* The end of a Parquet file, read back; names of fields as in parquet.thrift of
 * apache/parquet-format, types as in Thrift's compact protocol. */
#include "config.h"

#include "export/parquet/readfooter.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Fields of FileMetaData, of RowGroup and of KeyValue. */
enum { NUM_ROWS = 3, ROW_GROUPS, KEY_VALUE_METADATA };
enum { GROUP_ROWS = 3 };
enum { KEY = 1, VALUE };

/* Types of values. */
enum { STOP, TRUE, FALSE, BYTE, I16, I32, I64, DOUBLE, BINARY, LIST, SET, MAP, STRUCT };

/* Structs and lists within each other; files of perfmon have nine. */
#define DEPTH_MAX 24

/* The mark at both ends, and the length of the footer in front of the last. */
#define MARK "PAR1"
#define TAIL 8

/* Longest key that is compared. */
#define KEY_MAX 64

struct source {
	int fd;
	off_t at, end;           /* of the next byte, and behind the last */
	unsigned char buf[4096]; /* bytes of the file */
	off_t buf_at;            /* where they are there */
	size_t buf_n;
	bool short_of, unreadable; /* the file ends before, errno says why not */
};

/* The next byte; 0 behind the end. */
static unsigned next_byte(struct source *s)
{
	ssize_t n;

	if (s->short_of || s->unreadable || s->at >= s->end) {
		s->short_of = true;
		return 0;
	}
	if (s->at < s->buf_at || s->at >= s->buf_at + (off_t)s->buf_n) {
		n = pread(s->fd, s->buf, sizeof s->buf, s->at);
		s->unreadable = n < 0;
		s->short_of = n == 0;
		if (n <= 0)
			return 0;
		s->buf_at = s->at;
		s->buf_n = (size_t)n;
	}
	return s->buf[s->at++ - s->buf_at];
}

static void skip_bytes(struct source *s, uint64_t n)
{
	if (n > (uint64_t)(s->end - s->at))
		s->short_of = true;
	else
		s->at += (off_t)n;
}

static uint64_t read_varint(struct source *s)
{
	uint64_t v = 0;

	for (unsigned shift = 0; shift < 64; shift += 7) {
		const unsigned byte = next_byte(s);

		v |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return v;
	}
	s->short_of = true;
	return 0;
}

static int64_t read_zigzag(struct source *s)
{
	const uint64_t v = read_varint(s);

	return (int64_t)(v >> 1 ^ -(v & 1));
}

/* The head of a list: the type of its elements, and how many there are. */
static uint64_t read_list(struct source *s, unsigned *type)
{
	const unsigned head = next_byte(s);

	*type = head & 15;
	return head >> 4 < 15 ? head >> 4 : read_varint(s);
}

/* The next field of a struct: its type, STOP at the end, and *id. */
static unsigned read_field(struct source *s, int64_t *id)
{
	const unsigned head = next_byte(s);

	if ((head & 15) != STOP)
		*id = head >> 4 ? *id + (head >> 4) : read_zigzag(s);
	return s->short_of || s->unreadable ? STOP : head & 15;
}

static void skip_value(struct source *s, unsigned type, int depth);

static void skip_list(struct source *s, int depth)
{
	unsigned type;
	uint64_t n = read_list(s, &type);

	/* Each element has a byte at least, so that a length that is a lie ends with the file. */
	for (; n > 0 && !s->short_of && !s->unreadable; n--) {
		if (type == TRUE || type == FALSE)
			next_byte(s);
		else
			skip_value(s, type, depth);
	}
}

static void skip_struct(struct source *s, int depth)
{
	int64_t id = 0;
	unsigned type;

	while ((type = read_field(s, &id)) != STOP)
		skip_value(s, type, depth);
}

static void skip_value(struct source *s, unsigned type, int depth)
{
	if (depth >= DEPTH_MAX) {
		s->short_of = true;
		return;
	}
	switch (type) {
	case TRUE:
	case FALSE:
		break;
	case BYTE:
		next_byte(s);
		break;
	case I16:
	case I32:
	case I64:
		read_varint(s);
		break;
	case DOUBLE:
		skip_bytes(s, 8);
		break;
	case BINARY:
		skip_bytes(s, read_varint(s));
		break;
	case LIST:
	case SET:
		skip_list(s, depth + 1);
		break;
	case STRUCT:
		skip_struct(s, depth + 1);
		break;
	default: /* a map, which Parquet does not have, or none */
		s->short_of = true;
	}
}

/* Read a text; one that does not fit becomes "". */
static void read_text(struct source *s, char *text, size_t size)
{
	const uint64_t n = read_varint(s);

	text[0] = '\0';
	if (n >= size) {
		skip_bytes(s, n);
		return;
	}
	for (size_t i = 0; i < n; i++)
		text[i] = (char)next_byte(s);
	text[n] = '\0';
}

/* Read a list of row groups. Returns the rows that they have. */
static int64_t read_groups(struct source *s)
{
	unsigned type, field;
	uint64_t n = read_list(s, &type);
	int64_t rows = 0;

	s->short_of |= n > 0 && type != STRUCT;
	for (; n > 0 && !s->short_of && !s->unreadable; n--) {
		int64_t id = 0, v;

		while ((field = read_field(s, &id)) != STOP) {
			if (id != GROUP_ROWS || field != I64) {
				skip_value(s, field, 2);
				continue;
			}
			v = read_zigzag(s);
			s->short_of |= v < 0 || v > INT64_MAX - rows;
			rows += s->short_of ? 0 : v;
		}
	}
	return rows;
}

/* Read a list of keys and values for the value of one. */
static void read_notes(struct source *s, const char *key, char *value, size_t size)
{
	unsigned type, field;
	uint64_t n = read_list(s, &type);

	s->short_of |= n > 0 && type != STRUCT;
	for (; n > 0 && !s->short_of && !s->unreadable; n--) {
		char name[KEY_MAX] = "";
		int64_t id = 0;

		while ((field = read_field(s, &id)) != STOP) {
			if (id == KEY && field == BINARY)
				read_text(s, name, sizeof name);
			else if (id == VALUE && field == BINARY && strcmp(name, key) == 0)
				read_text(s, value, size);
			else
				skip_value(s, field, 2);
		}
	}
}

/* Find the footer: the place of its bytes. Returns as pm_parquet_readfooter(). */
static int find_footer(struct source *s, struct pm_err *e)
{
	unsigned char head[4], tail[TAIL];
	struct stat st;
	uint64_t n;

	if (fstat(s->fd, &st) < 0)
		return pm_err(e, "%m");
	if (st.st_size < (off_t)(sizeof head + TAIL)) {
		pm_err(e, "too short for a Parquet file");
		return 0;
	}
	errno = EIO;
	if (pread(s->fd, head, sizeof head, 0) != (ssize_t)sizeof head ||
	    pread(s->fd, tail, TAIL, st.st_size - TAIL) != TAIL)
		return pm_err(e, "%m");
	n = tail[0] | tail[1] << 8 | tail[2] << 16 | (uint64_t)tail[3] << 24;
	if (memcmp(head, MARK, 4) != 0 || memcmp(tail + 4, MARK, 4) != 0 ||
	    n > (uint64_t)st.st_size - sizeof head - TAIL) {
		pm_err(e, "no complete Parquet file");
		return 0;
	}
	s->end = st.st_size - TAIL;
	s->at = s->end - (off_t)n;
	return 1;
}

int pm_parquet_readfooter(int fd, const char *key, int64_t *rows, char *value, size_t size,
			  struct pm_err *e)
{
	struct source s = { .fd = fd };
	int64_t id = 0, in_groups = -1;
	unsigned type;
	int rc = find_footer(&s, e);

	*rows = -1;
	value[0] = '\0';
	if (rc <= 0)
		return rc;
	while ((type = read_field(&s, &id)) != STOP) {
		if (id == NUM_ROWS && type == I64)
			*rows = read_zigzag(&s);
		else if (id == ROW_GROUPS && type == LIST)
			in_groups = read_groups(&s);
		else if (id == KEY_VALUE_METADATA && type == LIST)
			read_notes(&s, key, value, size);
		else
			skip_value(&s, type, 0);
	}
	if (s.unreadable)
		return pm_err(e, "%m");
	if (!s.short_of && s.at == s.end && *rows >= 0 && *rows == in_groups)
		return 1;
	pm_err(e, "its footer does not say what it has");
	return 0;
}
