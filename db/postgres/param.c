/* Convert the values of parameters to texts. */
#include "config.h"

#include "db/postgres/param.h"

#include "db/postgres/plaintext.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int pm_pgparam_init(struct pm_pgparam *p, int count)
{
	size_t n = (size_t)count + 1;

	memset(p, 0, sizeof *p);
	p->count = count;
	p->value = calloc(n, sizeof *p->value);
	p->text = calloc(n, sizeof *p->text);
	p->cap = calloc(n, sizeof *p->cap);
	return p->value && p->text && p->cap ? 0 : -1;
}

void pm_pgparam_free(struct pm_pgparam *p)
{
	for (int i = 0; p->text && i < p->count; i++)
		free(p->text[i]);
	free(p->value);
	free(p->text);
	free(p->cap);
	memset(p, 0, sizeof *p);
}

void pm_pgparam_clear(struct pm_pgparam *p)
{
	memset(p->value, 0, (size_t)p->count * sizeof *p->value);
	p->bad = 0;
}

static void note_bad(struct pm_pgparam *p, int error)
{
	if (!p->bad)
		p->bad = error;
}

/* Buffer for a value of n bytes and a NUL, or NULL. */
static char *buffer_for(struct pm_pgparam *p, int i, size_t n)
{
	char *grown;

	if (i < 1 || i > p->count) {
		note_bad(p, EINVAL);
		return NULL;
	}
	if (p->cap[i - 1] < n + 1) {
		grown = realloc(p->text[i - 1], n + 1);
		if (!grown) {
			note_bad(p, ENOMEM);
			return NULL;
		}
		p->text[i - 1] = grown;
		p->cap[i - 1] = n + 1;
	}
	p->text[i - 1][n] = '\0';
	p->value[i - 1] = p->text[i - 1];
	return p->text[i - 1];
}

void pm_pgparam_int(struct pm_pgparam *p, int i, int64_t v)
{
	char *to = buffer_for(p, i, 24);

	if (to)
		snprintf(to, 24, "%" PRId64, v);
}

void pm_pgparam_real(struct pm_pgparam *p, int i, double v)
{
	char *to;

	if (isnan(v)) {
		pm_pgparam_null(p, i);
		return;
	}
	to = buffer_for(p, i, 40);
	if (to)
		snprintf(to, 40, "%.17g", v);
}

void pm_pgparam_text(struct pm_pgparam *p, int i, const char *text, size_t n)
{
	char *to = buffer_for(p, i, pm_plaintext_length(text, n));

	if (to)
		pm_plaintext_copy(to, text, n);
}

void pm_pgparam_blob(struct pm_pgparam *p, int i, const void *bytes, size_t n)
{
	static const char digit[] = "0123456789abcdef";
	const unsigned char *b = bytes;
	char *to = buffer_for(p, i, 2 + 2 * n);

	if (!to)
		return;
	*to++ = '\\';
	*to++ = 'x';
	for (size_t k = 0; k < n; k++) {
		*to++ = digit[b[k] >> 4];
		*to++ = digit[b[k] & 15];
	}
}

void pm_pgparam_null(struct pm_pgparam *p, int i)
{
	if (i < 1 || i > p->count)
		note_bad(p, EINVAL);
	else
		p->value[i - 1] = NULL;
}
