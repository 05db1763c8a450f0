/* Texts used in keys of database rows. */
#include "config.h"

#include "submit/job/keytext.h"

#include "common/digest.h"

#include <stdio.h>
#include <string.h>

/* Length of "~" and the digits. */
#define TAIL 17

struct pm_str pm_keytext(struct pm_str text, char room[PM_KEYTEXT_MAX + 1])
{
	size_t n = PM_KEYTEXT_MAX - TAIL;
	char digits[PM_DIGEST_TEXT];
	struct pm_digest d;

	if (text.n <= PM_KEYTEXT_MAX)
		return text;
	pm_digest_init(&d);
	pm_digest_add(&d, text.p, text.n);
	pm_digest_text(&d, digits);
	/* Do not cut within a UTF-8 character. */
	while (n > 0 && ((unsigned char)text.p[n] & 0xc0) == 0x80)
		n--;
	memmove(room, text.p, n);
	snprintf(room + n, TAIL + 1, "~%.16s", digits);
	return (struct pm_str){ room, n + TAIL };
}

void pm_keytext_cut(char *text)
{
	struct pm_str all = { text, strlen(text) };

	pm_keytext(all, text);
}
