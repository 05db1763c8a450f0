/* The boot id of this host. Programs only. */
#ifndef PM_COMMON_BOOTID_H
#define PM_COMMON_BOOTID_H

/* Write the current boot id (36 characters) to `id`, which has room for 64 bytes; "" where it
 * cannot be read. */
void pm_bootid_read(char id[64]);

#endif
