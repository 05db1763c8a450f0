/* The table of the kernel's events with their help texts; programs only. */
#include "config.h"

#include "common/safe/events.h"

#include <linux/perf_event.h>

enum { WHERE_ANY, WHERE_KERNEL };

const struct pm_event_info pm_event_info[PM_EVENT_ROWS] = {
#define PM_EVENT(names_, type_, config_, where_, help_)                                            \
	{                                                                                          \
		.names = names_,                                                                   \
		.type = PERF_TYPE_##type_,                                                         \
		.config = config_,                                                                 \
		.kernel_only = WHERE_##where_ == WHERE_KERNEL,                                     \
		.help = help_,                                                                     \
	},
#include "common/safe/events.def"
};

const char *pm_event_how_name(enum pm_event_how how)
{
	static const char *const name[PM_HOWS] = { "direct", "clock", "rusage", "papi" };

	return name[how];
}
