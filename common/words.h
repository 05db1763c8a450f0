/* Lists of words in a text. Programs only. */
#ifndef PM_COMMON_WORDS_H
#define PM_COMMON_WORDS_H

#include <stdbool.h>

/* Whether `words`, with blanks between, have a word. */
bool pm_words_have(const char *words, const char *word);

#endif
