/* Values that survive `eval $(perfmon source)` in every shell, quoted or not. */
#ifndef PM_WRAPPER_QUOTE_H
#define PM_WRAPPER_QUOTE_H

/* Families of shells. */
enum pm_shell { PM_SHELL_SH, PM_SHELL_CSH, PM_SHELL_FISH };

/*
 * A word that evaluates to exactly `value`. In sh and csh it has no blanks to split at, globs, nor
 * backslashes of its own: plain where every character is harmless, else a base64(1) substitution.
 * fish does neither, and gets single quotes.
 * Returns a new text, or NULL where the shell cannot hold the value (csh: newlines; sh: one at the
 * end).
 */
char *pm_quote(enum pm_shell shell, const char *value);

#endif
