/* Who is asking: a user with a password, or a key. */
#ifndef PM_EXPORT_BULK_CREDENTIALS_H
#define PM_EXPORT_BULK_CREDENTIALS_H

#include "common/err.h"

/* Most of a line of credentials. */
#define PM_CREDENTIALS_MAX 4096

/*
 * Read the first line of a file: USER:PASSWORD, or "ApiKey KEY". Nobody but its owner, root or the
 * effective user, may read or write it. Returns a text, to be wiped and freed, or NULL with e
 * filled.
 */
char *pm_credentials_read(const char *path, struct pm_err *e);

/* Wipe and free; NULL is fine. */
void pm_credentials_free(char *text);

#endif
