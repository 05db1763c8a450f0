/* Reasons why a counter is unknown. */
#include "config.h"

#include "common/safe/uncounted.h"

#include <errno.h>
#include <string.h>

const struct pm_uncounted_info pm_uncounted_info[PM_UNCOUNTED_REASONS] = {
#define PM_UNCOUNTED(id, words)       { #id, words },
#define PM_UNCOUNTED_ERROR(id, words) { #id, words },
#include "common/safe/uncounted.def"
#undef PM_UNCOUNTED
#undef PM_UNCOUNTED_ERROR
};

const char *pm_uncounted_of_error(int error)
{
	switch (error) {
#define PM_UNCOUNTED(id, words)
#define PM_UNCOUNTED_ERROR(id, words)                                                              \
	case id:                                                                                   \
		return #id;
#include "common/safe/uncounted.def"
#undef PM_UNCOUNTED
#undef PM_UNCOUNTED_ERROR
	default:
		return PM_UNCOUNTED_TEXT(error);
	}
}

const char *pm_uncounted_words(const char *reason)
{
	for (int i = 0; i < PM_UNCOUNTED_REASONS; i++)
		if (strcmp(pm_uncounted_info[i].name, reason) == 0)
			return pm_uncounted_info[i].words;
	return *reason ? "the kernel refused the event" : "no reason was recorded";
}
