/* Memory that a process and those that it starts have in common. */
#ifndef PM_FORWARD_SHARED_H
#define PM_FORWARD_SHARED_H

#include "common/err.h"

#include <stddef.h>

/* Map memory of zeros that processes started later share. Returns it, to be given to
 * pm_shared_free(), or NULL with e filled. */
void *pm_shared_new(size_t size, struct pm_err *e);

void pm_shared_free(void *p, size_t size);

#endif
