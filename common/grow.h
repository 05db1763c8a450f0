/* Arrays that grow. Programs only. */
#ifndef PM_GROW_H
#define PM_GROW_H

#include <stddef.h>

/*
 * Make room for `more` elements of `size` bytes in an array from malloc that has `count`, and room
 * for *room: where that is too little, it is doubled until it is enough, from `first` on where it
 * is 0. Returns the array, which may have moved, or NULL without memory: then all is as it was.
 */
void *pm_grow(void *array, size_t count, size_t more, size_t *room, size_t first, size_t size);

/* Whether there is room for `more` elements in `array`, a variable as `room` is one, or was made.
 */
#define PM_GROW_BY(array, count, more, room, first)                                                \
	({                                                                                         \
		void *pm_grown = pm_grow(array, count, more, &(room), first, sizeof *(array));     \
                                                                                                   \
		if (pm_grown)                                                                      \
			(array) = pm_grown;                                                        \
		pm_grown != NULL;                                                                  \
	})

/* The same for one more. */
#define PM_GROW(array, count, room, first) PM_GROW_BY(array, count, 1, room, first)

#endif
