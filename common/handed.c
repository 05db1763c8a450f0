/* Names of the variables that perfmon passes to the collector. */
#include "config.h"

#include "common/handed.h"

#include "common/safe/variables.h"

const char *const pm_handed_name[PM_HANDED_ALL] = {
#define PM_HANDED(id, rest) PM_VARIABLE_PREFIX rest,
#include "common/safe/handed.def"
#undef PM_HANDED
};
