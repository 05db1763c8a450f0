/* Reasons why a counter is unknown: the table common/safe/uncounted.def. Safe in the preload. */
#ifndef PM_COMMON_SAFE_UNCOUNTED_H
#define PM_COMMON_SAFE_UNCOUNTED_H

/* clang-format off */
enum pm_uncounted {
#define PM_UNCOUNTED(id, words)       PM_UNCOUNTED_##id,
#define PM_UNCOUNTED_ERROR(id, words) PM_UNCOUNTED_##id,
#include "common/safe/uncounted.def"
#undef PM_UNCOUNTED
#undef PM_UNCOUNTED_ERROR
	PM_UNCOUNTED_REASONS
};
/* clang-format on */

/* The text of a reason in records and metadata; a reason missing from the table does not compile.
 */
#define PM_UNCOUNTED_TEXT(id) ((void)PM_UNCOUNTED_##id, #id)

/* The reasons in the order of the table: their names, and their meanings in words without a final
 * full stop. */
extern const struct pm_uncounted_info {
	const char *name, *words;
} pm_uncounted_info[PM_UNCOUNTED_REASONS];

/* The reason for an errno of perf_event_open(2); "error" for an errno that is not in the table. */
const char *pm_uncounted_of_error(int error);

/* The meaning of a reason in a record; for a reason that is not in the table, that the kernel
 * refused the event. */
const char *pm_uncounted_words(const char *reason);

#endif
