/* Rendering tags: secrets left out unless asked for. */
#include "config.h"

#include "libperfmon/record/tags.h"

#include "common/safe/tsv.h"
#include "common/secrets/pairs.h"

#include <string.h>

/* Append one tag with its secrets replaced. */
static void put_tag(struct pm_buf *b, const char *tag, size_t len)
{
	size_t from = 0, at, n;
	struct pm_pairs p;

	pm_pairs_begin(&p, tag, ':');
	do {
		n = pm_pairs_secret(&p, from, &at);
		if (!n)
			at = len;
		pm_tsv_escape(b, tag + from, at - from);
		if (n > 0)
			pm_buf_str(b, PM_REDACTED);
		from = at + n;
	} while (n > 0 && !b->truncated);
}

void pm_tags_render(struct pm_buf *b, const struct pm_settings *s, const char *tags)
{
	size_t n = strlen(tags), cap = b->cap;
	char *copy, *tag, *end;

	if (s->env[PM_ENV_args] && s->env[PM_ENV_args][0] == 'f') {
		pm_tsv_escape(b, tags, n);
		return;
	}
	if (n >= cap - b->len) {
		b->truncated = true;
		return;
	}
	/* A copy at the end of the buffer, to cut into tags. */
	b->cap = cap - n - 1;
	copy = tag = b->p + b->cap;
	memcpy(copy, tags, n + 1);
	for (;;) {
		size_t left = n - (size_t)(tag - copy);

		end = memchr(tag, ';', left);
		if (end)
			*end = '\0';
		put_tag(b, tag, end ? (size_t)(end - tag) : left);
		if (!end)
			break;
		pm_buf_ch(b, ';');
		tag = end + 1;
	}
	b->cap = cap;
}
