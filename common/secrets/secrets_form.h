/*
 * The forms that values have in texts: where they begin and end, and those that are none. Allocates
 * nothing, knows no locale; safe in the preload.
 */
#ifndef PM_SECRETS_FORM_H
#define PM_SECRETS_FORM_H

#include "common/secrets_name.h"

#include <stddef.h>

/* Length of a quotation mark at s, with the backslash that it may have inside another; else 0. */
size_t pm_secrets_quote(const char *s);

/* Length of the value of a header at p, up to the end of its line, or to a quotation mark that does
 * not begin a parameter of it; `before` is the character in front of the header. */
size_t pm_secrets_header(char before, const char *p);

/* 1 for a name, and its value at p, of "Server=x;Password=a b;Port=1", whose values end at a
 * semicolon; the name is in the text. */
int pm_secrets_connection(const char *text, const char *name, const char *p);

/* What a name of three letters, whose "=" is at p, hides where it is PWD: a password in a connection string of ODBC, as
 * "UID=me;PWD=x", but not the shell's variable. */
enum pm_hide pm_secrets_odbc(const char *text, const char *name, const char *p);

/* Length of an unquoted value at p of a list, as "user=me,password=x,uid=1", where another NAME=
 * follows its comma; else 0. */
size_t pm_secrets_listed(const char *p);

/* What a name of n bytes says that may have characters as %XX. */
enum pm_hide pm_secrets_encoded(const char *name, size_t n);

/* Behind "echo" or "printf" in a command: the length of what it prints, with *secret its first
 * byte, where that goes to a program that reads a secret from there; else 0. */
size_t pm_secrets_piped(const char *p, const char **secret);

/* 1 at the "<<<" of a command that reads a secret from its standard input. */
int pm_secrets_here(const char *text, const char *p);

/* Length of what assigns the value of a name, up to the value or the blanks before it: = := += ?=,
 * :TYPE= of cmake, => in front of a string; 0 where nothing does. */
size_t pm_secrets_assigns(const char *p);

/*
 * The length of an array or object at p, '[' or '{', up to its closing bracket, or to the end of
 * the text where that is missing; 0 where none of its words is what `how` hides. Brackets count
 * where they are in no quotation marks, which may have a backslash of an outer string.
 */
size_t pm_secrets_brackets(enum pm_hide how, const char *p);

/* The length of a private key in PEM at p, which the whole text is from there on; else 0. */
size_t pm_secrets_private_key(const char *p);

/*
 * 1 when an unquoted value, or one behind '"', says where a shell or a program gets it from: $x,
 * ${x}, $(command), `command`, call(); or is a regular expression, as sed has it. In code
 * (`code` 1), where blanks stand around "=", a call may have arguments.
 */
int pm_secrets_elsewhere(const char *p, int code);

#endif
