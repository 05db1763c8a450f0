/* Arrays that grow. */
#include "config.h"

#include "common/grow.h"

#include <stdint.h>
#include <stdlib.h>

void *pm_grow(void *array, size_t count, size_t more, size_t *room, size_t first, size_t size)
{
	size_t wanted = *room ? *room : first, most = SIZE_MAX / 2 / size;
	void *grown;

	/* NULL would mean failure, so allocate even where no room is needed. */
	if (array && *room - count >= more)
		return array;
	if (count > most || more > most - count)
		return NULL;
	while (wanted < count + more)
		wanted *= 2;
	grown = realloc(array, wanted * size);
	if (grown)
		*room = wanted;
	return grown;
}
