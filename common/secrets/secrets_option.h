/*
 * Options and operands of programs that hold secrets: rows of secrets_option.def. Allocates
 * nothing, knows no locale; safe in the preload.
 */
#ifndef PM_COMMON_SECRETS_SECRETS_OPTION_H
#define PM_COMMON_SECRETS_SECRETS_OPTION_H

#include "common/secrets/secrets_name.h"

#include <stddef.h>

/* Longest program and option in a row of PM_SECRET_OPTION, including the NUL. */
#define PM_SECRETS_PROGRAM_MAX 30
#define PM_SECRETS_OPTION_MAX  26

/* State of a search in a command line; all zero before the first argument. */
struct pm_secrets {
	unsigned short program; /* current program: index of its first row plus 1; 0: none */
	unsigned char expect;   /* enum pm_hide: rule for the next argument */
	unsigned char state;    /* state bits of the command: secrets_option.c */
	unsigned char operands; /* operands of the program so far */
	/* State bits, operands and program of the outer command, whose argument the text is. */
	unsigned char outer_state;
	unsigned char outer_operands;
	unsigned short outer_program;
};

/* Set the program of the command line, by path or name, so that the rules for its options apply. */
void pm_secrets_program(struct pm_secrets *s, const char *path);

/*
 * Handle the next word of a command line, n bytes at p in an argument or a text. Returns the rule
 * for hiding the word from offset *from on or, if *from is n, for hiding the next word;
 * PM_HIDE_NONE where nothing is hidden.
 */
enum pm_hide pm_secrets_option(struct pm_secrets *s, const char *text, const char *p, size_t n,
			       size_t *from);

/* 1 when the words of the current program are inside one text, 0 when each is an argument of its
 * own. */
int pm_secrets_inner(const struct pm_secrets *s);

/* Mark the next word as the value of an option: neither operand nor program. */
void pm_secrets_skip(struct pm_secrets *s);

/* Begin another command inside the text. */
void pm_secrets_command(struct pm_secrets *s);

/* Begin the next argument: a command inside the previous one has ended. */
void pm_secrets_outer(struct pm_secrets *s);

#endif
