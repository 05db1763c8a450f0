/* Why a counter is not known. */
#include "config.h"

#include "common/reason.h"

#include <errno.h>
#include <string.h>

const struct pm_reason_info pm_reason_info[PM_REASONS] = {
#define PM_REASON(id, words)       { #id, words },
#define PM_REASON_ERROR(id, words) { #id, words },
#include "common/reasons.def"
#undef PM_REASON
#undef PM_REASON_ERROR
};

const char *pm_reason_of_error(int error)
{
	switch (error) {
#define PM_REASON(id, words)
#define PM_REASON_ERROR(id, words)                                                                 \
	case id:                                                                                   \
		return #id;
#include "common/reasons.def"
#undef PM_REASON
#undef PM_REASON_ERROR
	default:
		return PM_REASON_TEXT(error);
	}
}

const char *pm_reason_words(const char *reason)
{
	for (int i = 0; i < PM_REASONS; i++)
		if (strcmp(pm_reason_info[i].name, reason) == 0)
			return pm_reason_info[i].words;
	return *reason ? "the kernel refused it" : "no reason was recorded";
}
