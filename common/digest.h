/* SHA-256 (FIPS 180-4) of a stream, by libcrypto where it is there. Programs only. */
#ifndef PM_DIGEST_H
#define PM_DIGEST_H

#include <stddef.h>
#include <stdint.h>

struct pm_digest {
	void *evp; /* libcrypto's, NULL for our own: */
	uint32_t h[8];
	uint64_t bytes;
	unsigned char block[64];
};

/* Length of the text form, its NUL included. */
#define PM_DIGEST_TEXT 65

/* Start a digest of nothing, to be finished or dropped. */
void pm_digest_init(struct pm_digest *d);

/* The same without libcrypto. */
void pm_digest_init_plain(struct pm_digest *d);

/* Add bytes. */
void pm_digest_add(struct pm_digest *d, const void *p, size_t n);

/* Finish: write 64 lower-case hexadecimal digits and a NUL. The digest must be started again
 * before it is used again. */
void pm_digest_text(struct pm_digest *d, char text[PM_DIGEST_TEXT]);

/* Forget one that is not to be finished. One that was, or that is all zero, is fine. */
void pm_digest_drop(struct pm_digest *d);

#endif
