/* Headers of tar archives: fields of a block, pax records, which members are refused. No I/O. */
#ifndef PM_TARHEAD_H
#define PM_TARHEAD_H

#include <stddef.h>
#include <stdint.h>

/* Fields of a header block that matter here. */
struct pm_tar_head {
	char name[257]; /* prefix and name */
	uint64_t size;
	int sum;
	char type; /* '0' for every form of a regular file */
};

/* A member, as the headers before it and its own say. */
struct pm_tar_member {
	char *path; /* owned */
	uint64_t size;
	int has_size; /* a pax header gave the size */
	int sparse;   /* stored with holes: its data is not its content */
};

/* 1 when a block of 512 bytes is all zero: two of them end an archive. */
int pm_tar_is_zero(const char *block);

/* 1 when a block says that it is a header, which v7 tar's do not. */
int pm_tar_is_marked(const char *block);

/* Decode a header block; the check sum is for the caller to compare. Returns 0, or -1 where a
 * number is none. */
int pm_tar_head(struct pm_tar_head *h, const char *block);

/* Take a GNU long name. Returns 0, or -1 without memory. */
int pm_tar_long_name(struct pm_tar_member *m, const char *name);

/* Take a pax header's records. Returns 0, or -1 where they are damaged. */
int pm_tar_pax(struct pm_tar_member *m, const char *text, size_t n);

/* Complete a member with its own header. Returns 0, or -1 without memory. */
int pm_tar_member(struct pm_tar_member *m, const struct pm_tar_head *h);

/* Why a member must not be taken, or NULL. Directories are fine and hold nothing. */
const char *pm_tar_refuse(const struct pm_tar_member *m, const struct pm_tar_head *h);

/* Forget a member. */
void pm_tar_member_free(struct pm_tar_member *m);

#endif
