/* Hashes of script and style. */
#include "config.h"

#include "report/web/webhash.h"

#include "common/digest.h"

#include <string.h>

static unsigned digit_value(char c)
{
	return (unsigned)(c <= '9' ? c - '0' : c - 'a' + 10);
}

const char *pm_webhash(char text[PM_WEBHASH_TEXT], const char *const line[])
{
	char hex[PM_DIGEST_TEXT];
	unsigned char byte[32];
	struct pm_digest d;

	pm_digest_init(&d);
	for (; *line; line++)
		pm_digest_add(&d, *line, strlen(*line));
	pm_digest_text(&d, hex);
	for (size_t i = 0; i < sizeof byte; i++)
		byte[i] =
			(unsigned char)(digit_value(hex[2 * i]) << 4 | digit_value(hex[2 * i + 1]));
	pm_base64(text, byte, sizeof byte);
	return text;
}
