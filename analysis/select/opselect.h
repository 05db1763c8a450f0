/* Which processes make an operation: those whose tags contain given ones. */
#ifndef PM_ANALYSIS_SELECT_OPSELECT_H
#define PM_ANALYSIS_SELECT_OPSELECT_H

#include "common/err.h"

#include <stdbool.h>
#include <stddef.h>

/* A tag as the database has it, escaped as in perfmon-tsv(5). */
struct pm_optag {
	char *name, *value; /* in a selection: value NULL for any */
};

/* Tags that a process must have. */
struct pm_opselect_group {
	struct pm_optag *tag;
	size_t tags, room;
};

enum pm_opselect_mode {
	PM_OPSELECT_ALL,   /* an operation for each set of tags that processes have */
	PM_OPSELECT_EACH,  /* one for each tag */
	PM_OPSELECT_GROUPS /* one for each group, and for each value of its tags without one */
};

struct pm_opselect {
	enum pm_opselect_mode mode;
	struct pm_opselect_group *group; /* owned */
	size_t groups, room;
};

/*
 * Take the words of the user. tag: NAME:VALUE;NAME;..., several of them with commas between; by:
 * NAME,NAME..., tags that are added to each group without a value. A backslash makes a separator
 * part of a word. Both NULL: PM_OPSELECT_ALL. Returns 0, or -1 with e filled. To be freed in either
 * case.
 */
int pm_opselect_make(struct pm_opselect *s, const char *tag, const char *by, struct pm_err *e);

/* Add the group of a text without commas between groups, which it cuts. Returns 0, or -1 with e
 * filled. */
int pm_opselect_take(struct pm_opselect *s, char *text, struct pm_err *e);

/* Add a group of one tag. Returns 0, or -1 with e filled. */
int pm_opselect_add(struct pm_opselect *s, const char *name, const char *value, struct pm_err *e);

/*
 * Say which operations a process is of that has these tags, sorted by name: each(ctx, key) is
 * called for each, with what names it: NAME, '\1', VALUE and '\2' for each tag. Returns 0, or -1
 * with e filled, also where `each` returned -1.
 */
int pm_opselect_apply(const struct pm_opselect *s, const struct pm_optag *tag, size_t tags,
		      int (*each)(void *ctx, const char *key, struct pm_err *e), void *ctx,
		      struct pm_err *e);

/* The next tag of a key: both texts are not terminated. Returns false behind the last. */
bool pm_opselect_next(const char **key, const char **name, size_t *names, const char **value,
		      size_t *values);

/* Sort the tags of each group by name, so that the keys of equal groups are equal. */
void pm_opselect_sort(struct pm_opselect *s);

/* Add a group of the tags of a key. Returns 0, or -1 with e filled. */
int pm_opselect_add_key(struct pm_opselect *s, const char *key, struct pm_err *e);

/* The key of the only group, whose tags have values: a new text. NULL where there is another group,
 * a tag without a value, or no memory. */
char *pm_opselect_only_key(const struct pm_opselect *s);

/* A key as people write it: NAME:VALUE;NAME:VALUE, escaped as in the database. A new text, NULL if
 * out of memory. */
char *pm_opselect_text(const char *key);

void pm_opselect_free(struct pm_opselect *s);

#endif
