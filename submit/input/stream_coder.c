/* Table of compressions, and the magic numbers that tell them. */
#include "config.h"

#include "submit/input/stream_coder.h"

#include <string.h>

static bool is_gzip(const unsigned char *p)
{
	return p[0] == 0x1f && p[1] == 0x8b;
}

static bool is_zstd(const unsigned char *p)
{
	/* A frame, or a skippable frame (RFC 8878, 3.1). */
	return (p[0] == 0x28 && p[1] == 0xb5 && p[2] == 0x2f && p[3] == 0xfd) ||
	       ((p[0] & 0xf0) == 0x50 && p[1] == 0x2a && p[2] == 0x4d && p[3] == 0x18);
}

static bool is_xz(const unsigned char *p)
{
	return memcmp(p,
		      "\xfd"
		      "7zXZ",
		      6) == 0;
}

static bool is_bzip2(const unsigned char *p)
{
	/* The magic of a first block or of an empty stream must follow: the name of a tar archive's
	 * first member may begin with "BZh1", too. */
	return memcmp(p, "BZh", 3) == 0 && p[3] >= '1' && p[3] <= '9' &&
	       (memcmp(p + 4, "\x31\x41\x59\x26\x53\x59", 6) == 0 ||
		memcmp(p + 4, "\x17\x72\x45\x38\x50\x90", 6) == 0);
}

static const struct pm_coder table[] = {
	{ "gzip", 200, is_gzip, &pm_stream_gzip },
	{ "zstd", 1000, is_zstd, &pm_stream_zstd },
	{ "xz", 1000, is_xz, &pm_stream_xz },
	{ "bzip2", 1000, is_bzip2, &pm_stream_bzip2 },
};

const struct pm_coder *pm_stream_coder(const unsigned char *p)
{
	for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
		if (table[i].is(p))
			return &table[i];
	return NULL;
}
