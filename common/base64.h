/* Base64 (RFC 4648, section 4). Programs only. */
#ifndef PM_COMMON_BASE64_H
#define PM_COMMON_BASE64_H

#include <stddef.h>

/* Length of the text of n bytes, without its NUL. */
#define PM_BASE64_LENGTH(n) (4 * (((n) + 2) / 3))

/* Encode n bytes as text with padding and a NUL: `out` has PM_BASE64_LENGTH(n) + 1 bytes. Texts of
 * pieces of 3 bytes each, or a multiple, may be joined. */
void pm_base64(char *out, const unsigned char *s, size_t n);

#endif
