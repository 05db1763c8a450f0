/* The forwarder as a service, and its single pass. */
#ifndef PM_FORWARD_FORWARDER_H
#define PM_FORWARD_FORWARDER_H

#include "common/err.h"

#include <stdbool.h>

/*
 * Send what is in a spool: one pass with `once`, else until SIGTERM or SIGINT; SIGHUP reads the
 * settings anew. Returns the exit status, with e filled if it is not PM_EXIT_OK: PM_EXIT_AGAIN if
 * the target did not take all, or another forwarder is at work.
 */
int pm_forwarder_run(const char *spool, bool once, struct pm_err *e);

#endif
