/* SHA-256 (FIPS 180-4) of a stream. Programs only. */
#ifndef PM_COMMON_DIGEST_H
#define PM_COMMON_DIGEST_H

#include <stddef.h>
#include <stdint.h>

struct pm_digest {
	void (*add)(uint32_t sum[8], const unsigned char *p, size_t blocks); /* hashes blocks of 64
									      * bytes */
	uint32_t h[8];
	uint64_t bytes;
	unsigned char block[64];
};

/* Length of the text form, its NUL included. */
#define PM_DIGEST_TEXT 65

/* Start an empty digest, using the fastest implementation that the processor supports. */
void pm_digest_init(struct pm_digest *d);

/* Start an empty digest, using the implementation that runs on every processor. */
void pm_digest_init_plain(struct pm_digest *d);

/* Add n bytes to the digest. */
void pm_digest_add(struct pm_digest *d, const void *p, size_t n);

/* Finish: write 64 lower-case hexadecimal digits and a NUL. The digest must be initialised again
 * before it is used again. */
void pm_digest_text(struct pm_digest *d, char text[PM_DIGEST_TEXT]);

#endif
