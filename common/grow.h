/* Arrays that grow. Programs only. */
#ifndef PM_COMMON_GROW_H
#define PM_COMMON_GROW_H

#include <stddef.h>

/*
 * Make room for `more` further elements of `size` bytes in a malloc'ed array that holds `count`
 * elements and has room for *room. Where the room is too small it is doubled until it suffices,
 * starting from `first` where it is 0. Returns the array, which may have moved, or NULL if out of
 * memory: then nothing has changed.
 */
void *pm_grow(void *array, size_t count, size_t more, size_t *room, size_t first, size_t size);

/* Make room for `more` elements in the variable `array`, updating the variable `room`. False if out
 * of memory. */
#define PM_GROW_BY(array, count, more, room, first)                                                \
	({                                                                                         \
		void *pm_grown = pm_grow(array, count, more, &(room), first, sizeof *(array));     \
                                                                                                   \
		if (pm_grown)                                                                      \
			(array) = pm_grown;                                                        \
		pm_grown != NULL;                                                                  \
	})

/* Make room for one more element. */
#define PM_GROW(array, count, room, first) PM_GROW_BY(array, count, 1, room, first)

#endif
