/* Rendering argv: bounded, boundaries kept, secrets left out on request. */
#include "config.h"

#include "libperfmon/record/arguments.h"

#include "common/safe/tsv.h"
#include "common/secrets/secrets.h"

#include <string.h>

/* Append one argument with its secrets replaced. */
static void put_redacted(struct pm_buf *b, struct pm_secrets *s, const char *arg, int first)
{
	size_t from = 0, len = strlen(arg), at, n;

	do {
		n = pm_secrets_argument(s, arg, from, &at);
		if (!n)
			at = len;
		if (at > from || len == 0) {
			pm_tsv_escape_item(b, arg + from, at - from, first);
			first = 1;
		}
		if (n > 0) {
			pm_tsv_escape_item(b, PM_REDACTED, sizeof PM_REDACTED - 1, first);
			first = 1;
		}
		from = at + n;
	} while (n > 0 && !b->truncated);
}

static void put_marker(struct pm_buf *b, int argc, char *const *argv)
{
	uint64_t length = 0, digest = 0xcbf29ce484222325u;

	for (int i = 1; i < argc; i++) {
		const unsigned char *p = (const unsigned char *)argv[i];

		do {
			digest = (digest ^ *p) * 0x100000001b3u;
			length++;
		} while (*p++);
	}
	pm_tsv_cut_item(b, length, digest, b->len == 0);
}

size_t pm_arguments_render(struct pm_buf *out, const struct pm_settings *s, int argc,
			   char *const *argv)
{
	const char *mode = s->env[PM_ENV_args] ? s->env[PM_ENV_args] : "redacted";
	const char *max = s->env[PM_ENV_args_max];
	int64_t limit = PM_ARGUMENTS_DEFAULT;
	int last = mode[0] == 'n' ? (mode[1] == 'a' ? 2 : 1) : argc;
	int redact = mode[0] != 'f';
	struct pm_secrets secrets = { 0 };
	struct pm_buf b;

	if (max && (pm_tsv_number(max, strlen(max), &limit) < 0 || limit < 0))
		limit = PM_ARGUMENTS_DEFAULT;
	if (limit > PM_ARGUMENTS_MAX)
		limit = PM_ARGUMENTS_MAX;
	/* Long texts that the buffer has already leave less room. */
	if (out->cap - out->len < (size_t)limit + 1 + PM_ARGUMENTS_MARKER_MAX)
		limit = (int64_t)(out->cap - out->len) - 1 - PM_ARGUMENTS_MARKER_MAX;
	if (limit < 0) {
		out->truncated = true;
		return 0;
	}
	pm_buf_init(&b, out->p + out->len, (size_t)limit + 1);
	if (redact && argc > 1)
		pm_secrets_program(&secrets, argv[0]);
	for (int i = 1; i < argc && i < last; i++) {
		size_t before = b.len;

		if (redact)
			put_redacted(&b, &secrets, argv[i], i == 1);
		else
			pm_tsv_escape_item(&b, argv[i], strlen(argv[i]), i == 1);
		if (b.truncated || b.len > (size_t)limit) {
			/* An argument is kept whole or not at all. */
			b.len = before;
			b.cap += PM_ARGUMENTS_MARKER_MAX;
			b.truncated = false;
			put_marker(&b, argc, argv);
			break;
		}
	}
	out->len += b.len;
	return b.len;
}
