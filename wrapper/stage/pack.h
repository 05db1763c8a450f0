/* Archives of a job's files: gzipped tar with a manifest; each is read back before it is trusted.
 */
#ifndef PM_WRAPPER_STAGE_PACK_H
#define PM_WRAPPER_STAGE_PACK_H

#include "common/digest.h"
#include "common/err.h"

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

/* Format of the manifest; to be changed when keys change their meaning. */
#define PM_PACK_FORMAT "perfmon-manifest-1"

/* Name of the manifest, the last member of an archive. */
#define PM_PACK_MANIFEST "manifest.json"

struct pm_pack_file {
	char *name;   /* base name; owned */
	int64_t size; /* bytes packed; lines and digest are of these bytes */
	int64_t lines;
	char digest[PM_DIGEST_TEXT];
};

/* The files of one archive. */
struct pm_pack {
	struct pm_pack_file *file;
	size_t files;
};

/* Add a file that is to be packed. Returns 0, or -1 if out of memory. */
int pm_pack_add(struct pm_pack *p, const char *name);

/* Free the list. */
void pm_pack_free(struct pm_pack *p);

/*
 * Write the archive of the listed files of a directory to an empty file. Members are named
 * `stem`/NAME; the last is the manifest, which also has the keys of `about`. A file that grows
 * meanwhile is packed up to its size when it was opened. Fills size, lines and digest of each file,
 * and syncs the archive. Returns 0, or -1 with e filled: no space, a file is not regular or got
 * shorter.
 */
int pm_pack_write(int fd, int dir, const char *stem, struct pm_pack *p, const json_t *about,
		  struct pm_err *e);

/*
 * Read an archive back. Returns 0 if it holds exactly the files of the list with their sizes and
 * digests, and the manifest; else -1 with e filled.
 */
int pm_pack_verify(const char *path, const char *stem, const struct pm_pack *p, struct pm_err *e);

/* Convert the list to JSON, an array of objects with name, size, lines and sha256, and back.
 * pm_pack_list returns NULL if out of memory, pm_pack_from_list -1 if the JSON is not such a list.
 */
json_t *pm_pack_list(const struct pm_pack *p);
int pm_pack_from_list(struct pm_pack *p, const json_t *list);

#endif
