/* Lists of words in a text. Programs only. */
#ifndef PM_COMMON_WORDS_H
#define PM_COMMON_WORDS_H

#include <stdbool.h>
#include <stddef.h>

/* Take the next word of a list that has `separator` between words: *list moves behind it. Returns
 * the word, of *n bytes, 0 between two separators; NULL at the end of the list. */
const char *pm_words_next(const char **list, char separator, size_t *n);

/* Whether a list with `separator` between words has a word of n bytes; an empty one is in none. */
bool pm_words_have_among(const char *list, char separator, const char *word, size_t n);

/* Whether `words`, with blanks between, have a word. */
bool pm_words_have(const char *words, const char *word);

#endif
