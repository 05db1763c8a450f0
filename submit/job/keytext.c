/* Texts that rows are found by. */
#include "config.h"

#include "submit/keytext.h"

#include "common/digest.h"

#include <stdio.h>
#include <string.h>

/* "~" and digits. */
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
	/* Not within a character of UTF-8. */
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
