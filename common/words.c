/* Lists of words in a text. */
#include "config.h"

#include "common/words.h"

#include <string.h>

const char *pm_words_next(const char **list, char separator, size_t *n)
{
	const char *word = *list, *end;

	if (!*word)
		return NULL;
	end = strchrnul(word, separator);
	*n = (size_t)(end - word);
	*list = end + (*end != '\0');
	return word;
}

bool pm_words_have_among(const char *list, char separator, const char *word, size_t n)
{
	const char *have;
	size_t length;

	while ((have = pm_words_next(&list, separator, &length)))
		if (n > 0 && length == n && memcmp(have, word, n) == 0)
			return true;
	return false;
}

bool pm_words_have(const char *words, const char *word)
{
	return pm_words_have_among(words, ' ', word, strlen(word));
}
