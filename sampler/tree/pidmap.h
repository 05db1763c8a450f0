/* Values by pid: a hash table. */
#ifndef PM_SAMPLER_TREE_PIDMAP_H
#define PM_SAMPLER_TREE_PIDMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct pm_pidmap {
	size_t size; /* of a value, bytes */
	size_t count, capacity;
	pid_t *pid;  /* 0: free; owned */
	char *value; /* owned */
};

/* Start an empty map of values of `size` bytes. */
void pm_pidmap_init(struct pm_pidmap *m, size_t size);

/* Release the map with all values. */
void pm_pidmap_free(struct pm_pidmap *m);

/* The value of a pid, or NULL. The pointer is valid until the next put or removal. */
void *pm_pidmap_get(const struct pm_pidmap *m, pid_t pid);

/* The value of a pid > 0, added as zeros where the pid is new; NULL when memory is short. */
void *pm_pidmap_put(struct pm_pidmap *m, pid_t pid);

/* Remove a pid, if present, and its value. */
void pm_pidmap_remove(struct pm_pidmap *m, pid_t pid);

/*
 * Remove each pid for which `gone` returns true. It is called once per pid, in no order, and may
 * change the value.
 */
void pm_pidmap_sweep(struct pm_pidmap *m, bool (*gone)(void *context, pid_t pid, void *value),
		     void *context);

#endif
