/* Quote values so that they survive `eval $(perfmon source)` in every shell, with or without quotes
 * around the substitution. */
#ifndef PM_WRAPPER_PROCESS_QUOTE_H
#define PM_WRAPPER_PROCESS_QUOTE_H

/* Families of shells. */
enum pm_shell { PM_SHELL_SH, PM_SHELL_CSH, PM_SHELL_FISH };

/*
 * Make a word that evaluates to exactly `value`. In sh and csh the word has nothing that word
 * splitting, globbing or quote removal would change: it is the plain value if every character is
 * harmless, else mostly a base64(1) substitution. fish neither splits nor globs, and gets single
 * quotes. Returns a new text, or NULL: no memory, or the shell cannot hold the value (csh:
 * newlines; sh: a newline at the end).
 */
char *pm_quote(enum pm_shell shell, const char *value);

#endif
