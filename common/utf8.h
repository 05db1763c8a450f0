/* Texts of any bytes as valid UTF-8. Programs only. */
#ifndef PM_COMMON_UTF8_H
#define PM_COMMON_UTF8_H

#include "common/bytes.h"

/* U+FFFD, which stands for a byte that is part of no character. */
#define PM_UTF8_REPLACEMENT "\xef\xbf\xbd"

/* Length of the longest part of a text, from its beginning, that is valid UTF-8. */
size_t pm_utf8_valid(const char *p, size_t n);

/* Append a text; each byte that is not part of a character of valid UTF-8 becomes U+FFFD. */
void pm_utf8_add(struct pm_bytes *out, const char *p, size_t n);

/* Whether a text is valid UTF-8 without NUL. */
bool pm_utf8_is_text(const char *p, size_t n);

/* Append a text as pm_utf8_add(); a NUL becomes U+FFFD, too. Returns pm_utf8_is_text(). */
bool pm_utf8_add_text(struct pm_bytes *out, const char *p, size_t n);

/* Make a text of valid UTF-8 a greater one, of as many bytes at most, that no continuation of it
 * exceeds: characters at its end go until one has a successor of its length. Returns the new
 * length, 0 if there is none. */
size_t pm_utf8_next(unsigned char *p, size_t n);

#endif
