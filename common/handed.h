/* The variables of common/safe/handed.def by name. The collector reads them through
 * libperfmon/base/env.def. */
#ifndef PM_COMMON_HANDED_H
#define PM_COMMON_HANDED_H

enum pm_handed_id {
#define PM_HANDED(id, rest) PM_HANDED_##id,
#include "common/safe/handed.def"
#undef PM_HANDED
	PM_HANDED_ALL /* number of variables */
};

/* The full names of the variables, in the order of the table. */
extern const char *const pm_handed_name[PM_HANDED_ALL];

#endif
