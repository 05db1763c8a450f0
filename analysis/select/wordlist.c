/* Cut lists of words. */
#include "config.h"

#include "analysis/select/wordlist.h"

#include <stddef.h>

char *pm_wordlist_next(char **rest, char separator)
{
	char *word = *rest, *to = word, *from = word;

	if (!word)
		return NULL;
	while (*from && *from != separator) {
		if (*from == '\\' && from[1] == separator)
			from++;
		*to++ = *from++;
	}
	*rest = *from ? from + 1 : NULL;
	*to = '\0';
	return word;
}
