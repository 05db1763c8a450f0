/* Ways to compress, and the libraries that undo them. */
#ifndef PM_STREAM_CODER_H
#define PM_STREAM_CODER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes that tell what a file is compressed with. */
#define PM_STREAM_MAGIC 10

/* What a step of a decoder came to. */
enum pm_coded {
	PM_CODED_MORE, /* it wants more bytes, or room for more */
	PM_CODED_END,  /* a stream is over; another one may follow */
	PM_CODED_BAD,  /* these are no bytes of such a stream */
};

/* What a decoder reads from and writes to: it moves both on, the lengths being what is left. */
struct pm_coding {
	const unsigned char *in;
	size_t in_len;
	unsigned char *out;
	size_t out_len;
	const char *why; /* of PM_CODED_BAD, a constant text */
};

/* A library. All are NULL where this build is without it. */
struct pm_stream_library {
	/* A decoder at the beginning of a stream, NULL without memory; a step of it; free it. */
	void *(*begin)(void);
	enum pm_coded (*step)(void *decoder, struct pm_coding *c);
	void (*end)(void *decoder);
};

extern const struct pm_stream_library pm_stream_gzip, pm_stream_zstd, pm_stream_xz, pm_stream_bzip2;

struct pm_coder {
	const char *name; /* of the program that does so */
	/* Records never become this many times smaller: what unpacks to more is none. */
	unsigned ratio_max;
	/* Whether a stream begins with these PM_STREAM_MAGIC bytes; zeros follow on the end. */
	bool (*is)(const unsigned char *p);
	const struct pm_stream_library *library;
};

/* How a file is compressed that begins with these PM_STREAM_MAGIC bytes; NULL where it is not. */
const struct pm_coder *pm_stream_coder(const unsigned char *p);

#endif
