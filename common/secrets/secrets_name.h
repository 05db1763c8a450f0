/*
 * Which part of a value is secret, judged by the name of its variable, option or field. Allocates
 * nothing, knows no locale; safe in the preload.
 */
#ifndef PM_COMMON_SECRETS_SECRETS_NAME_H
#define PM_COMMON_SECRETS_SECRETS_NAME_H

#include <stddef.h>

/* Replacement for a secret. */
#define PM_REDACTED "[redacted]"

/* Which part of a value to hide, and for options of programs (secrets.def) where the value is. */
enum pm_hide {
	PM_HIDE_NONE,
	PM_HIDE_ALL,     /* everything but sources (file:, env:) and words such as yes, no, none */
	PM_HIDE_LIKELY,  /* as ALL, but for paths, numbers of up to 5 digits, methods (basic, md5) */
	PM_HIDE_RANDOM,  /* text that looks random */
	PM_HIDE_PASS,    /* as ALL, but 1 and 2 are passes: ffmpeg -pass 1 */
	PM_HIDE_PLACE,   /* as ALL, but for paths: apptainer --pwd /work */
	PM_HIDE_COLON,   /* user:SECRET */
	PM_HIDE_COMMA,   /* user,SECRET */
	PM_HIDE_PERCENT, /* user%SECRET */
	PM_HIDE_EQUALS,  /* name=SECRET */
	PM_HIDE_SLASH,   /* user/SECRET@database */
	PM_HIDE_AT,      /* user:SECRET@host */
	PM_HIDE_OPERAND, /* as ALL, but for NAME=VALUE */
	PM_HIDE_NEXT,    /* as ALL, only in the next argument, never right after the letter */
	PM_HIDE_QUOTED,  /* as NEXT, only in quotation marks */
	PM_HIDE_NAMED,   /* the argument after the next, by the name that the next one is */
	PM_HIDE_ATTACHED, /* as ALL, only right after the letter: mysql -pSECRET database */
	PM_HIDE_NOTHING, /* the kinds from here on hide nothing themselves */
	PM_HIDE_SKIP = PM_HIDE_NOTHING, /* the value of this option is no operand */
	PM_HIDE_LETTERS, /* options without a value that may be bundled with others: -xvp */
	PM_HIDE_WRAP,    /* the program runs another command: srun, sudo */
	PM_HIDE_PHRASE,  /* keywords of SQL, anywhere in a text: IDENTIFIED BY SECRET */
	PM_HIDE_PIPED,   /* text piped to a program that reads a secret: echo SECRET | kinit */
};

/* The rule that a name of n bytes implies for its value: PASSWORD, --auth-token, clientSecret; any
 * case. */
enum pm_hide pm_secrets_name(const char *name, size_t n);

/* Length of the secret in a value of n bytes, with *at its offset; 0 where there is none, for
 * example because the value is PM_REDACTED. */
size_t pm_secrets_value(enum pm_hide how, const char *value, size_t n, size_t *at);

/* The same, with *secret at the first byte of the secret where there is one. */
static inline size_t pm_secrets_hidden(enum pm_hide how, const char *value, size_t n,
				       const char **secret)
{
	size_t at, len = pm_secrets_value(how, value, n, &at);

	if (len)
		*secret = value + at;
	return len;
}

/* 1 when the text begins with `word`, ignoring case; `word` is in upper case. */
int pm_secrets_begins(const char *text, size_t n, const char *word);

#endif
