/*
 * Make untrusted text safe for a terminal, or for a file that will be shown at one: nothing in it
 * may control the terminal, change the direction of text or hide. Programs only.
 */
#ifndef PM_COMMON_TERMINAL_H
#define PM_COMMON_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A range of characters, both ends included. */
struct pm_terminal_range {
	uint32_t first, last;
};

/* Whether a character is in one of n ranges. */
bool pm_terminal_within(const struct pm_terminal_range *r, size_t n, uint32_t code);

/* Decode the well-formed UTF-8 character at s. Returns its length in bytes, 0 where there is none.
 */
size_t pm_terminal_decode(const char *s, size_t n, uint32_t *code);

/* Longest text of pm_terminal_piece. */
#define PM_TERMINAL_PIECE 8

/*
 * Make the character or byte at s safe; s has n > 0 bytes. `piece` gets *len bytes, without a NUL.
 * Safe characters stay unchanged; control characters (C0, DEL, C1), invisible and direction-turning
 * ones, bytes that are not UTF-8, and without utf8 all non-ASCII bytes, become \n, \t, \r or \xHH.
 * Returns the number of bytes of s consumed.
 */
size_t pm_terminal_piece(const char *s, size_t n, bool utf8, char piece[PM_TERMINAL_PIECE],
			 size_t *len);

/* Write the safe form of a text into dst, of cap >= PM_TERMINAL_PIECE bytes, as much as fits, and
 * add a NUL. Returns its length. */
size_t pm_terminal_text(char *dst, size_t cap, const char *s, bool utf8);

/* Write the safe form of n bytes. With `exact` a backslash is doubled, so that the text can be
 * decoded again like a field of perfmon-tsv(5). */
void pm_terminal_put(FILE *f, const char *s, size_t n, bool exact);

/* printf whose output is made safe; a newline at the end of the format stays one. If out of memory,
 * writes nothing. */
void pm_terminal_print(FILE *f, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Print a text on a line of its own, such as a path that a script may read: made safe only where f
 * is a terminal. */
void pm_terminal_name(FILE *f, const char *text);

/* Whether the environment's locale uses UTF-8 (LC_ALL, LC_CTYPE, LANG in this order). */
bool pm_terminal_utf8(void);

#endif
