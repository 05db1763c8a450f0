/* The variables of common/handed.def by name. The collector reads them with others:
 * libperfmon/env.def. */
#ifndef PM_HANDED_H
#define PM_HANDED_H

enum pm_handed_id {
#define PM_HANDED(id, rest) PM_HANDED_##id,
#include "common/handed.def"
#undef PM_HANDED
	PM_HANDED_ALL /* how many there are */
};

/* Their whole names, in the order of the table. */
extern const char *const pm_handed_name[PM_HANDED_ALL];

#endif
