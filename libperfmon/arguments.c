/* Rendering argv: bounded, boundaries kept, secrets left out on request. */
#include "config.h"

#include "libperfmon/arguments.h"

#include "common/tsv.h"

#include <string.h>

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c + 'a' - 'A') : c;
}

/* 1 when the first n bytes of s hold the word, in any case. */
static int holds(const char *s, size_t n, const char *word)
{
	size_t len = strlen(word);

	for (size_t i = 0; i + len <= n; i++) {
		size_t k = 0;

		while (k < len && lower(s[i + k]) == word[k])
			k++;
		if (k == len)
			return 1;
	}
	return 0;
}

static int names_secret(const char *s, size_t n)
{
	static const char word[][12] = { "passw",  "secret",  "token",   "credential",
					 "apikey", "api-key", "api_key", "private-key" };

	for (size_t i = 0; i < sizeof word / sizeof word[0]; i++)
		if (holds(s, n, word[i]))
			return 1;
	return 0;
}

/* Where a secret begins and ends inside one argument. Returns 0 when there is none. */
static int find_secret(const char *s, size_t *from, size_t *to)
{
	const char *equals = s, *scheme;
	size_t n = strlen(s);

	while (*equals && *equals != '=')
		equals++;
	if (*equals && names_secret(s, (size_t)(equals - s))) {
		*from = (size_t)(equals - s) + 1;
		*to = n;
		return 1;
	}
	/* scheme://user:password@host */
	for (scheme = s; *scheme && !(scheme[0] == ':' && scheme[1] == '/' && scheme[2] == '/');)
		scheme++;
	if (*scheme) {
		const char *p = scheme + 3, *colon = NULL;

		for (; *p && *p != '/' && *p != '@'; p++)
			if (*p == ':' && !colon)
				colon = p;
		if (*p == '@' && colon) {
			*from = (size_t)(colon - s) + 1;
			*to = (size_t)(p - s);
			return 1;
		}
	}
	return 0;
}

/* Append one argument with its secret replaced. `hide` says that all of it is one. */
static void put_redacted(struct pm_buf *b, const char *arg, int hide, int first)
{
	char shown[512];
	size_t from = 0, to = strlen(arg), n = to;
	struct pm_buf item;

	if (!hide && !find_secret(arg, &from, &to)) {
		pm_tsv_escape_item(b, arg, n, first);
		return;
	}
	pm_buf_init(&item, shown, sizeof shown);
	pm_buf_mem(&item, arg, from);
	pm_buf_mem(&item, "***", 3);
	pm_buf_mem(&item, arg + to, n - to);
	pm_tsv_escape_item(b, shown, item.len, first);
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
	const char *mode = s->env[PM_ENV_args] ? s->env[PM_ENV_args] : "full";
	const char *max = s->env[PM_ENV_args_max];
	int64_t limit = PM_ARGUMENTS_DEFAULT;
	int last = mode[0] == 'n' ? (mode[1] == 'a' ? 2 : 1) : argc;
	int redact = mode[0] == 'r', hide = 0;
	struct pm_buf b;

	if (max && (pm_tsv_number(max, strlen(max), &limit) < 0 || limit < 0))
		limit = PM_ARGUMENTS_DEFAULT;
	if (limit > PM_ARGUMENTS_MAX)
		limit = PM_ARGUMENTS_MAX;
	/* Long texts before this one leave less room. */
	if (out->cap - out->len < (size_t)limit + 1 + PM_ARGUMENTS_MARKER_MAX)
		limit = (int64_t)(out->cap - out->len) - 1 - PM_ARGUMENTS_MARKER_MAX;
	if (limit < 0) {
		out->truncated = true;
		return 0;
	}
	pm_buf_init(&b, out->p + out->len, (size_t)limit + 1);
	for (int i = 1; i < argc && i < last; i++) {
		size_t before = b.len;

		if (redact)
			put_redacted(&b, argv[i], hide, i == 1);
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
		hide = redact && argv[i][0] == '-' && names_secret(argv[i], strlen(argv[i])) &&
		       !find_secret(argv[i], &(size_t){ 0 }, &(size_t){ 0 });
	}
	out->len += b.len;
	return b.len;
}
