/* Headers of tar archives: fields of a block, pax records, which members are refused. No I/O. */
#ifndef PM_SUBMIT_INPUT_TARHEAD_H
#define PM_SUBMIT_INPUT_TARHEAD_H

#include <stddef.h>
#include <stdint.h>

/* The fields of a header block that the reader needs. */
struct pm_tar_head {
	char name[257]; /* prefix and name */
	uint64_t size;
	int sum;
	char type; /* '0' for every form of a regular file */
};

/* A member, as described by its own header and the extended headers before it. */
struct pm_tar_member {
	char *path; /* owned */
	uint64_t size;
	int has_size; /* a pax header gave the size */
	int sparse;   /* stored with holes: its data is not its content */
};

/* 1 if a block of 512 bytes is all zero: two such blocks end an archive. */
int pm_tar_is_zero(const char *block);

/* 1 if a block has the magic "ustar" of a header, which headers of v7 tar lack. */
int pm_tar_is_marked(const char *block);

/* Decode a header block; the caller compares the check sum. Returns 0, or -1 if a number is
 * malformed. */
int pm_tar_head(struct pm_tar_head *h, const char *block);

/* Set the path to a GNU long name. Returns 0, or -1 if out of memory. */
int pm_tar_long_name(struct pm_tar_member *m, const char *name);

/* Apply a pax header's records. Returns 0, or -1 if they are damaged or memory ran out. */
int pm_tar_pax(struct pm_tar_member *m, const char *text, size_t n);

/* Complete a member with its own header. Returns 0, or -1 if out of memory. */
int pm_tar_member(struct pm_tar_member *m, const struct pm_tar_head *h);

/* Why a member must not be unpacked, or NULL. Directories are allowed and hold nothing. */
const char *pm_tar_refuse(const struct pm_tar_member *m, const struct pm_tar_head *h);

/* Free a member and make it empty. */
void pm_tar_member_free(struct pm_tar_member *m);

#endif
