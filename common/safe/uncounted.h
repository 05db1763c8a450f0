/* Why a counter is not known: the table common/uncounted.def. Safe in the preload. */
#ifndef PM_UNCOUNTED_H
#define PM_UNCOUNTED_H

/* clang-format off */
enum pm_uncounted {
#define PM_UNCOUNTED(id, words)       PM_UNCOUNTED_##id,
#define PM_UNCOUNTED_ERROR(id, words) PM_UNCOUNTED_##id,
#include "common/uncounted.def"
#undef PM_UNCOUNTED
#undef PM_UNCOUNTED_ERROR
	PM_UNCOUNTED_REASONS
};
/* clang-format on */

/* The text of a reason in records and metadata; what is not in the table does not compile. */
#define PM_UNCOUNTED_TEXT(id) ((void)PM_UNCOUNTED_##id, #id)

/* The names in the order of the table, and what each means, in words that end without a dot. */
extern const struct pm_uncounted_info {
	const char *name, *words;
} pm_uncounted_info[PM_UNCOUNTED_REASONS];

/* The name of an error number of perf_event_open(2); "error" for one that it does not give. */
const char *pm_uncounted_of_error(int error);

/* What the reason in a record means; of one that is not in the table, that the kernel refused. */
const char *pm_uncounted_words(const char *reason);

#endif
