/* Lists of words as users write them: one,two\,three. */
#ifndef PM_ANALYSIS_SELECT_WORDLIST_H
#define PM_ANALYSIS_SELECT_WORDLIST_H

/* Cut the first word off a list, in place: up to a separator, where a backslash before one makes
 * it a part of the word. Returns the word, which may be empty, and NULL where *rest is NULL; *rest
 * is NULL behind the last word. */
char *pm_wordlist_next(char **rest, char separator);

#endif
