/* Compressions, and the libraries that decompress them. */
#ifndef PM_SUBMIT_INPUT_STREAM_CODER_H
#define PM_SUBMIT_INPUT_STREAM_CODER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes needed to detect a file's compression. */
#define PM_STREAM_MAGIC 10

/* Result of a decoder's step. */
enum pm_coded {
	PM_CODED_MORE, /* needs more input, or more room for output */
	PM_CODED_END,  /* end of a stream; another one may follow */
	PM_CODED_BAD,  /* error: see pm_coding.why */
};

/* Input and output of a decoder, which advances both; the lengths are those left. */
struct pm_coding {
	const unsigned char *in;
	size_t in_len;
	unsigned char *out;
	size_t out_len;
	const char *why; /* reason of PM_CODED_BAD, a constant text */
};

/* Functions of a library; all are NULL if the build lacks it. */
struct pm_stream_library {
	/* begin: create a decoder at the beginning of a stream, or NULL if out of memory. step:
	 * decode. end: free the decoder. */
	void *(*begin)(void);
	enum pm_coded (*step)(void *decoder, struct pm_coding *c);
	void (*end)(void *decoder);
};

extern const struct pm_stream_library pm_stream_gzip, pm_stream_zstd, pm_stream_xz, pm_stream_bzip2;

struct pm_coder {
	const char *name; /* name of the compressing program */
	/* Records never compress this well, so a file that expands by more is a bomb. */
	unsigned ratio_max;
	/* Whether a stream begins with these PM_STREAM_MAGIC bytes; zeros follow on the end. */
	bool (*is)(const unsigned char *p);
	const struct pm_stream_library *library;
};

/* Compression of a file that begins with these PM_STREAM_MAGIC bytes; NULL if none. */
const struct pm_coder *pm_stream_coder(const unsigned char *p);

#endif
