/*
 * Options and operands of programs that hold secrets: rows of secrets_option.def. Allocates
 * nothing, knows no locale; safe in the preload.
 */
#ifndef PM_SECRETS_OPTION_H
#define PM_SECRETS_OPTION_H

#include "common/secrets_name.h"

#include <stddef.h>

/* Longest program and option of a row of PM_SECRET_OPTION, with the 0 that ends them. */
#define PM_SECRETS_PROGRAM_MAX 30
#define PM_SECRETS_OPTION_MAX  26

/* How far the search is in a command line: zero before its first argument. */
struct pm_secrets {
	unsigned short program; /* whose options count, its first row and 1 */
	unsigned char expect;   /* enum pm_hide: what the next argument is */
	unsigned char state;    /* of the command: secrets_option.c */
	unsigned char operands; /* of the program until here */
	/* The same of the arguments that the text is one of. */
	unsigned char outer_state;
	unsigned char outer_operands;
	unsigned short outer_program;
};

/* The program that the command line is of, by path or name: what its options hide is known then. */
void pm_secrets_program(struct pm_secrets *s, const char *path);

/*
 * The next word of a command line, n bytes at p in an argument or a text. Returns what of it is to
 * be hidden from *from on, or, where that is n, of the word behind it; PM_HIDE_NONE where nothing
 * is.
 */
enum pm_hide pm_secrets_option(struct pm_secrets *s, const char *text, const char *p, size_t n,
			       size_t *from);

/* 1 when the words of the current program are in a text, 0 when each is an argument of its own. */
int pm_secrets_inner(const struct pm_secrets *s);

/* The next word is the value of an option: no operand, and no other program. */
void pm_secrets_skip(struct pm_secrets *s);

/* Another command begins in the text. */
void pm_secrets_command(struct pm_secrets *s);

/* The next argument comes: what the one before it had in it is over. */
void pm_secrets_outer(struct pm_secrets *s);

#endif
