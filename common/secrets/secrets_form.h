/*
 * Recognise the forms that values have in texts: where a value begins and ends, and texts that are
 * no values. Allocates nothing, knows no locale; safe in the preload.
 */
#ifndef PM_COMMON_SECRETS_SECRETS_FORM_H
#define PM_COMMON_SECRETS_SECRETS_FORM_H

#include "common/secrets/secrets_name.h"

#include <stddef.h>

/* Length of a quotation mark at s, including the backslash before it inside another string; else 0.
 */
size_t pm_secrets_quote(const char *s);

/* Length of a header's value at p, up to the end of its line, or to a quotation mark that does not
 * begin a parameter of the value; `before` is the character in front of the header. */
size_t pm_secrets_header(char before, const char *p);

/* 1 when `name` and its value at p belong to "Server=x;Password=a b;Port=1", whose values end at a
 * semicolon; `name` points into the text. */
int pm_secrets_connection(const char *text, const char *name, const char *p);

/* The rule for the name PWD, whose "=" is at p: a password in an ODBC connection string such as
 * "UID=me;PWD=x", but not the shell's variable. PM_HIDE_NONE for any other name. */
enum pm_hide pm_secrets_odbc(const char *text, const char *name, const char *p);

/* Length of an unquoted value at p in a list such as "user=me,password=x,uid=1", where another
 * NAME= follows its comma; else 0. */
size_t pm_secrets_listed(const char *p);

/* Like pm_secrets_name(), but for a name of n bytes that may be percent-encoded. */
enum pm_hide pm_secrets_encoded(const char *name, size_t n);

/* After "echo" or "printf" in a command: the length of the printed text, with *secret its first
 * byte, where it is piped to a program that reads a secret from its standard input; else 0. */
size_t pm_secrets_piped(const char *p, const char **secret);

/* 1 at the "<<<" of a command that reads a secret from its standard input. */
int pm_secrets_here(const char *text, const char *p);

/* Length of the assignment operator at p: = := += ?=, :TYPE= of cmake, => before a string; 0 where
 * there is none. */
size_t pm_secrets_assigns(const char *p);

/*
 * Length of an array or object at p, '[' or '{', up to its closing bracket, or to the end of the
 * text if that bracket is missing; 0 if `how` hides none of the words inside. Brackets between
 * quotation marks do not count, nor between marks escaped by a backslash, as in an outer string.
 */
size_t pm_secrets_brackets(enum pm_hide how, const char *p);

/* Length of a private key in PEM at p, which extends to the end of the text; else 0. */
size_t pm_secrets_private_key(const char *p);

/*
 * 1 when an unquoted value, or one after '"', refers to its source in a shell or program: $x, ${x},
 * $(command), `command`, call(); or is a regular expression as for sed. In program code (`code` 1),
 * where blanks surround "=", a call may have arguments.
 */
int pm_secrets_elsewhere(const char *p, int code);

#endif
