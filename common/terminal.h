/*
 * Text of others on its way to a terminal or a file that will be shown at one: nothing in it may
 * steer the terminal, turn the direction of text or hide. Programs only.
 */
#ifndef PM_TERMINAL_H
#define PM_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Characters from the first to the last. */
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
 * Make the character or byte at s, of n > 0 bytes, safe: `piece` gets *len bytes, without a NUL.
 * What is safe stays as it is; control characters (C0, DEL, C1), invisible and direction-turning
 * ones, bytes that are not UTF-8, and without utf8 all that is not ASCII, become \n, \t, \r or
 * \xHH. Returns how many bytes of s it was.
 */
size_t pm_terminal_piece(const char *s, size_t n, bool utf8, char piece[PM_TERMINAL_PIECE],
			 size_t *len);

/* Write a text made safe into dst, of cap >= PM_TERMINAL_PIECE bytes, as much as there is room for,
 * with a NUL behind it. Returns its length. */
size_t pm_terminal_text(char *dst, size_t cap, const char *s, bool utf8);

/* Write n bytes, each made safe. With `exact` a backslash is doubled: the text can be had back, as
 * a field of perfmon-tsv(5). */
void pm_terminal_put(FILE *f, const char *s, size_t n, bool exact);

/* printf whose arguments are made safe; a newline that ends the format stays one. Without memory
 * nothing is written. */
void pm_terminal_print(FILE *f, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The same for a text that fills a whole line and that a script reads, such as a path: made safe
 * only where f is a terminal. */
void pm_terminal_name(FILE *f, const char *text);

/* Whether the environment's locale writes UTF-8 (LC_ALL, LC_CTYPE, LANG in this order). */
bool pm_terminal_utf8(void);

#endif
