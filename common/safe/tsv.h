/*
 * Escape, split and unescape the text of fields and lines; no other code knows the format.
 * Allocates nothing; safe in the preload. Format: perfmon-tsv(5).
 */
#ifndef PM_COMMON_SAFE_TSV_H
#define PM_COMMON_SAFE_TSV_H

#include "common/safe/buf.h"

#include <stddef.h>
#include <stdint.h>

/* An unknown value, and the constant last field of every line. */
#define PM_TSV_NULL "\\N"
#define PM_TSV_END  '.'

/* A piece of text that is not NUL-terminated and not owned by this struct. */
struct pm_str {
	const char *p;
	size_t n;
};

/*
 * Length of the well-formed UTF-8 character of two to four bytes at s, 0 where there is none.
 * Overlong forms, surrogates and code points above U+10FFFF are not well-formed (RFC 3629).
 */
size_t pm_tsv_character(const char *s, size_t n);

/*
 * Append `n` bytes escaped as a field: backslash, tab, newline, carriage return as \\ \t \n \r,
 * other control characters and every byte that is not part of valid UTF-8 as \xHH. Whole
 * characters only: on a full buffer it stops and sets `truncated`.
 * Returns how many bytes of s were written.
 */
size_t pm_tsv_escape(struct pm_buf *b, const char *s, size_t n);

/*
 * Append one item of a list field. Like pm_tsv_escape, but escapes a space inside the item as \x20
 * and an empty item as \e, and puts one space between items (`first` is 1 for the first item, else
 * 0). Returns how many bytes of s were written.
 */
size_t pm_tsv_escape_item(struct pm_buf *b, const char *s, size_t n, int first);

/*
 * Decode an escaped field or list item of `n` bytes into dst, which has room for n bytes (the
 * decoded text is never longer). May be called with dst == s.
 * Returns the decoded length, or -1 where the text is not well-formed.
 */
long pm_tsv_unescape(char *dst, const char *s, size_t n);

/* 1 when the field is well-formed: valid UTF-8, only the escapes above, no raw control
 * character; otherwise 0. */
int pm_tsv_valid(const char *s, size_t n);

/*
 * Append the last item of a truncated list, \+LENGTH:DIGEST. `length` and `digest` (64-bit FNV-1a)
 * are of the complete list, with a NUL after each item. `first` is as for pm_tsv_escape_item.
 */
void pm_tsv_cut_item(struct pm_buf *b, uint64_t length, uint64_t digest, int first);

/* 1 when a list item comes from pm_tsv_cut_item: it stands for no text and does not decode. */
int pm_tsv_is_cut(const char *s, size_t n);

/* Like pm_tsv_valid, but for a list field, whose last item may come from pm_tsv_cut_item. */
int pm_tsv_valid_list(const char *s, size_t n);

/* 1 when the field is the unknown value \N. */
int pm_tsv_is_null(const char *s, size_t n);

/*
 * Split a line of n bytes (without its newline) at its tabs into at most `max` fields. Returns the
 * number of fields in the line; if it exceeds max, only the first max were stored.
 */
size_t pm_tsv_split(const char *line, size_t n, struct pm_str *field, size_t max);

/*
 * Take the next item from a list field: *list advances past it, *item gets its escaped text (the
 * caller decodes it; \e is left as is and decodes to an empty text). Returns 1, or 0 at the end of
 * the list.
 */
int pm_tsv_next_item(struct pm_str *list, struct pm_str *item);

/*
 * Parse a decimal integer with an optional minus sign, nothing before or after it. Returns 0, or -1
 * on anything else and on overflow.
 */
int pm_tsv_number(const char *s, size_t n, int64_t *out);

#endif
