/* Which boot of this host it is. Programs only. */
#ifndef PM_BOOTID_H
#define PM_BOOTID_H

/* This boot's id (36 characters), "" where it cannot be read. `id` has room for 64 bytes. */
void pm_bootid_read(char id[64]);

#endif
