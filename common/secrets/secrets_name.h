/*
 * What the name of a variable, option or field says about its value, and what of the value is then
 * a secret. Allocates nothing, knows no locale; safe in the preload.
 */
#ifndef PM_SECRETS_NAME_H
#define PM_SECRETS_NAME_H

#include <stddef.h>

/* What stands in place of a secret. */
#define PM_REDACTED "[redacted]"

/* What to hide of a value, and of options of programs (secrets.def) where the value stands. */
enum pm_hide {
	PM_HIDE_NONE,
	PM_HIDE_ALL,     /* all but yes, no, none, and where to get it from (file:, env:) */
	PM_HIDE_LIKELY,  /* all but these, paths, numbers of up to 5 digits, methods (basic, md5) */
	PM_HIDE_RANDOM,  /* what looks like made by chance */
	PM_HIDE_PASS,    /* as ALL, but 1 and 2 are passes: ffmpeg -pass 1 */
	PM_HIDE_PLACE,   /* as ALL, but for paths: apptainer --pwd /work */
	PM_HIDE_COLON,   /* user:SECRET */
	PM_HIDE_COMMA,   /* user,SECRET */
	PM_HIDE_PERCENT, /* user%SECRET */
	PM_HIDE_EQUALS,  /* name=SECRET */
	PM_HIDE_SLASH,   /* user/SECRET@database */
	PM_HIDE_AT,      /* user:SECRET@host */
	PM_HIDE_OPERAND, /* as ALL, but for NAME=VALUE */
	PM_HIDE_NEXT,    /* as ALL, in the next argument alone, never behind the letter */
	PM_HIDE_QUOTED,  /* as NEXT, in quotation marks alone */
	PM_HIDE_NAMED,   /* what the name in the next argument says, of the one behind it */
	PM_HIDE_ATTACHED, /* as ALL, behind the letter alone: mysql -pSECRET database */
	PM_HIDE_NOTHING, /* from here on rows without a secret */
	PM_HIDE_SKIP = PM_HIDE_NOTHING, /* the value of this option is no operand */
	PM_HIDE_LETTERS, /* options without a value, behind which others may stand: -xvp */
	PM_HIDE_WRAP,    /* the program runs another command: srun, sudo */
	PM_HIDE_PHRASE,  /* words of SQL, between other words: IDENTIFIED BY SECRET */
	PM_HIDE_PIPED,   /* what is piped to a program that reads a secret: echo SECRET | kinit */
};

/* What a name of n bytes says: PASSWORD, --auth-token, clientSecret; any case. */
enum pm_hide pm_secrets_name(const char *name, size_t n);

/* The length of the secret in a value of n bytes, with *at its offset; 0 where there is none, as
 * where PM_REDACTED is all of it. */
size_t pm_secrets_value(enum pm_hide how, const char *value, size_t n, size_t *at);

/* 1 when the text begins with a word in upper case, in any case of its own. */
int pm_secrets_begins(const char *text, size_t n, const char *word);

#endif
