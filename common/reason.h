/* Why a counter is not known: the table common/reasons.def. Safe in the preload. */
#ifndef PM_REASON_H
#define PM_REASON_H

/* clang-format off */
enum pm_reason {
#define PM_REASON(id, words)       PM_REASON_##id,
#define PM_REASON_ERROR(id, words) PM_REASON_##id,
#include "common/reasons.def"
#undef PM_REASON
#undef PM_REASON_ERROR
	PM_REASONS
};
/* clang-format on */

/* The text of a reason in records and metadata; what is not in the table does not compile. */
#define PM_REASON_TEXT(id) ((void)PM_REASON_##id, #id)

/* The names in the order of the table, and what each means, in words that end without a dot. */
extern const struct pm_reason_info {
	const char *name, *words;
} pm_reason_info[PM_REASONS];

/* The name of an error number of perf_event_open(2); "error" for one that it does not give. */
const char *pm_reason_of_error(int error);

/* What the reason in a record means; of one that is not in the table, that the kernel refused. */
const char *pm_reason_words(const char *reason);

#endif
