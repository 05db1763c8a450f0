/* Text from records on a terminal: made safe, measured, cut to a width. */
#ifndef PM_TEXT_H
#define PM_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Write n bytes of any content as printable text into dst (cap bytes, NUL-terminated, cap >= 8):
 * control characters, bytes that are not UTF-8, and characters that steer a terminal or turn the
 * direction of text become \n, \t, \r or \xHH, a backslash is doubled only before what would read
 * as such an escape. Without utf8 every byte above 0x7e is escaped too. Whole characters only;
 * what does not fit is replaced by an ellipsis at the end. Returns the length written.
 */
size_t pm_text_safe(char *dst, size_t cap, const char *s, size_t n, bool utf8);

/* The same for a field as the database holds it (escaped as in perfmon-tsv(5)); NULL gives "". */
size_t pm_text_field(char *dst, size_t cap, const char *field, bool utf8);

/* Columns that safe text takes on a terminal. */
int pm_text_columns(const char *s);

/* Copy safe text cut to at most `columns`, with an ellipsis where something was left out.
 * Returns the columns it takes. */
int pm_text_fit(char *dst, size_t cap, const char *s, int columns, bool utf8);

/* Bytes of the longest start of safe text that takes at most `columns`. */
size_t pm_text_prefix(const char *s, int columns);

#endif
