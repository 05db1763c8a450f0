/* Base64. */
#include "config.h"

#include "common/base64.h"

void pm_base64(char *out, const unsigned char *s, size_t n)
{
	static const char digit[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < n; i += 3) {
		unsigned v = (unsigned)s[i] << 16 | (i + 1 < n ? s[i + 1] : 0u) << 8 |
			     (i + 2 < n ? s[i + 2] : 0u);

		*out++ = digit[v >> 18];
		*out++ = digit[v >> 12 & 63];
		*out++ = i + 1 < n ? digit[v >> 6 & 63] : '=';
		*out++ = i + 2 < n ? digit[v & 63] : '=';
	}
	*out = '\0';
}
