/* Make text from records safe for a terminal, measure it and cut it to a width. */
#ifndef PM_COMMON_TEXT_H
#define PM_COMMON_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Write n bytes of any content as printable text into dst (cap bytes, NUL-terminated, cap >= 8).
 * Control characters, bytes that are not UTF-8, and characters that control a terminal or change
 * the direction of text become \n, \t, \r or \xHH; a backslash is doubled only before text that
 * would read as such an escape. Without utf8 every byte above 0x7e is escaped too. Characters are
 * never split; text that does not fit ends in an ellipsis. Returns the length written.
 */
size_t pm_text_safe(char *dst, size_t cap, const char *s, size_t n, bool utf8);

/* As pm_text_safe for a field from the database (escaped as in perfmon-tsv(5)); NULL gives "". */
size_t pm_text_field(char *dst, size_t cap, const char *field, bool utf8);

/* Number of columns that safe text takes on a terminal. */
int pm_text_columns(const char *s);

/* Copy safe text, cut to at most `columns` with an ellipsis. Returns the number of columns used. */
int pm_text_fit(char *dst, size_t cap, const char *s, int columns, bool utf8);

/* Length in bytes of the longest prefix of safe text that takes at most `columns`. */
size_t pm_text_prefix(const char *s, int columns);

#endif
