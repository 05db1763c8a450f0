/* What the layout ska says of hosts: their hardware, and how they were sampled. */
#ifndef PM_EXPORT_LAYOUT_SKA_META_H
#define PM_EXPORT_LAYOUT_SKA_META_H

#include "export/layout.h"
#include "export/layout/hosts.h"

#include "common/err.h"

/* Write metrics/meta_data.json: of each host what lscpu(1) says, by its words, its memory and its
 * GPUs. Returns 0, or -1 with e filled. */
int pm_ska_meta_write(struct pm_layout_ask *a, const struct pm_hosts *hosts, struct pm_err *e);

/* Write configs/HOST_run_config.yml of each host. Returns 0, or -1 with e filled. */
int pm_ska_configs_write(struct pm_layout_ask *a, const struct pm_hosts *hosts, struct pm_err *e);

#endif
