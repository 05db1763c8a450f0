/* Texts and numbers, for JSON and YAML. */
#include "config.h"

#include "export/layout/jsontext.h"

#include "common/utf8.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* The character that begins at p, which is valid UTF-8; its bytes are *n. */
static unsigned character(const char *p, size_t *n)
{
	const unsigned char *u = (const unsigned char *)p;

	*n = u[0] < 0x80 ? 1 : u[0] < 0xe0 ? 2 : u[0] < 0xf0 ? 3 : 4;
	switch (*n) {
	case 1:
		return u[0];
	case 2:
		return (u[0] & 0x1fu) << 6 | (u[1] & 0x3fu);
	case 3:
		return (u[0] & 0xfu) << 12 | (u[1] & 0x3fu) << 6 | (u[2] & 0x3fu);
	default:
		return 0x10000;
	}
}

/* Whether YAML takes a character for a break of a line or for a mark, or not at all. */
static bool is_special(unsigned c)
{
	return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x2028 || c == 0x2029 || c == 0xfeff ||
	       c == 0xfffe || c == 0xffff;
}

/* Write what is valid UTF-8; in a text that JSON is to be made of, quotes and backslashes are
 * escaped, in JSON they are as they should be. */
static void put_characters(FILE *f, const char *p, size_t n, bool text)
{
	size_t bytes;

	for (; n > 0; p += bytes, n -= bytes) {
		const unsigned c = character(p, &bytes);

		if (text && (c == '"' || c == '\\'))
			fprintf(f, "\\%c", (int)c);
		else if (is_special(c))
			fprintf(f, "\\u%04x", c);
		else
			fwrite(p, 1, bytes, f);
	}
}

void pm_jsontext(FILE *f, const char *p, size_t n)
{
	fputc('"', f);
	while (n > 0) {
		const size_t valid = pm_utf8_valid(p, n);

		put_characters(f, p, valid, true);
		p += valid;
		n -= valid;
		if (n > 0) {
			fputs(PM_UTF8_REPLACEMENT, f);
			p++;
			n--;
		}
	}
	fputc('"', f);
}

void pm_jsontext_put(FILE *f, const char *text)
{
	if (text)
		pm_jsontext(f, text, strlen(text));
	else
		fputs("null", f);
}

void pm_jsontext_value(FILE *f, const char *p, size_t n)
{
	json_t *v = json_loadb(p, n, JSON_DECODE_ANY, NULL);
	char *text =
		v ? json_dumps(v, JSON_ENCODE_ANY | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(17))
		  : NULL;

	if (text)
		put_characters(f, text, strlen(text), false);
	else
		pm_jsontext(f, p, n);
	free(text);
	json_decref(v);
}

void pm_jsontext_number(FILE *f, const struct pm_export_value *v)
{
	char s[PM_EXPORT_NUMBER] = "null";

	if (v->type == PM_DB_INTEGER)
		pm_export_integer(s, v->integer);
	else if (v->type == PM_DB_REAL)
		pm_export_real(s, v->real);
	fputs(s, f);
}

void pm_jsontext_time(FILE *f, int64_t us)
{
	const uint64_t of = us < 0 ? -(uint64_t)us : (uint64_t)us;

	fprintf(f, "%s%" PRIu64, us < 0 ? "-" : "", of / 1000000);
	if (of % 1000000)
		fprintf(f, ".%06" PRIu64, of % 1000000);
}
