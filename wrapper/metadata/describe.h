/* Facts of this host for job metadata. */
#ifndef PM_WRAPPER_METADATA_DESCRIBE_H
#define PM_WRAPPER_METADATA_DESCRIBE_H

#include <jansson.h>

/* Set the keys of section host. A value that cannot be read stays absent. */
void pm_describe_host(json_t *doc);

#endif
