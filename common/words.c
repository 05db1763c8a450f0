/* Lists of words in a text. */
#include "config.h"

#include "common/words.h"

#include <string.h>

bool pm_words_have(const char *words, const char *word)
{
	const size_t n = strlen(word);

	while (*words) {
		const size_t length = strcspn(words, " ");

		if (length == n && n > 0 && memcmp(words, word, n) == 0)
			return true;
		words += length;
		words += *words == ' ';
	}
	return false;
}
