/* Hashes of script and style, as a content security policy has them. */
#ifndef PM_REPORT_WEB_WEBHASH_H
#define PM_REPORT_WEB_WEBHASH_H

#include "common/base64.h"

/* Room for a hash: SHA-256 in base64, with a NUL. */
#define PM_WEBHASH_TEXT (PM_BASE64_LENGTH(32) + 1)

/* Write the hash of lines, which NULL ends. Returns it. */
const char *pm_webhash(char text[PM_WEBHASH_TEXT], const char *const line[]);

#endif
