/*
 * Archives from arbitrary bytes, plain and compressed: every member that begins ends, none has a
 * path that leads out, none is longer than what is there.
 */
#include "config.h"

#include "common/settings/readconfig.h"
#include "submit/input/archive.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* More than max_unpacked is noticed by the block. */
#define UNPACKED_MAX ((16 << 20) + 512)

struct reading {
	uint64_t bytes;
	int open, begun, ended, cut;
};

static void check_path(const char *path)
{
	FUZZ_SURE(path[0] && path[0] != '/');
	for (const char *p = path; p; p = strchr(p, '/')) {
		p += *p == '/';
		FUZZ_SURE(strncmp(p, "..", 2) != 0 || (p[2] && p[2] != '/'));
	}
}

static int begin(void *ctx, const char *path, struct pm_err *e)
{
	struct reading *r = ctx;

	(void)e;
	check_path(path);
	FUZZ_SURE(!r->open);
	/* Some are passed over. */
	if (path[0] == 'x')
		return 0;
	r->open = 1;
	r->begun++;
	return 1;
}

static int data(void *ctx, const char *p, size_t n, struct pm_err *e)
{
	struct reading *r = ctx;
	volatile char last = p[n - 1];

	(void)last;
	(void)e;
	FUZZ_SURE(r->open && n > 0);
	r->bytes += n;
	return 0;
}

static int end(void *ctx, bool whole, struct pm_err *e)
{
	struct reading *r = ctx;

	(void)e;
	FUZZ_SURE(r->open && !r->cut);
	r->open = 0;
	r->ended++;
	r->cut = !whole;
	return 0;
}

static void skipped(void *ctx, const char *path, const char *why)
{
	struct reading *r = ctx;

	FUZZ_SURE(!r->open && path != NULL && why != NULL && why[0]);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct reading r = { .bytes = 0 };
	const struct pm_archive_sink sink = { begin, data, end, skipped, &r };
	struct pm_err e = { "" };
	int fd = memfd_create("fuzz", MFD_CLOEXEC), rc;

	/* Bombs are what is slow alone. */
	FUZZ_SURE(pm_config_set(PM_SET_max_unpacked, "16M", &e) == 0);
	FUZZ_SURE(fd >= 0 && write(fd, bytes, n) == (ssize_t)n && lseek(fd, 0, SEEK_SET) == 0);
	rc = pm_archive_read_fd(fd, "fuzz", &sink, &e);
	FUZZ_SURE(rc == 0 || e.text[0] != '\0');
	FUZZ_SURE(!r.open && r.begun == r.ended && (rc != 0 || !r.cut));
	/* Nothing is made up: deflate shrinks 1032 to 1 at most, the others have no such bound. */
	FUZZ_SURE(r.bytes <= UNPACKED_MAX);
	FUZZ_SURE(n < 2 || bytes[0] != 0x1f || bytes[1] != 0x8b || r.bytes <= 1040 * (uint64_t)n);
	close(fd);
	return 0;
}
