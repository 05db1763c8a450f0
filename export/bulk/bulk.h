/*
 * Documents sent to the bulk interface of Elasticsearch or OpenSearch, in bounded memory: requests
 * of 2 MB, again after a while where the server is busy or away, in a spool where it stays so.
 * Knows no job and no database.
 */
#ifndef PM_EXPORT_BULK_BULK_H
#define PM_EXPORT_BULK_BULK_H

#include "common/err.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct pm_bulk_ask {
	const char *url;         /* of the server, with http or https */
	const char *credentials; /* the file that has them; NULL: none */
	const char *ca_file;     /* NULL: certificates of the system's authorities */
	bool unverified;
	int64_t timeout_us;  /* of a request */
	int64_t patience_us; /* how long one is sent again */
	const char *spool;   /* a directory for requests that were not taken; NULL: none */
	int64_t spool_limit; /* its bytes */
};

struct pm_bulk_result {
	uint64_t taken, refused,
		spooled; /* documents; those of a spool from before are among them */
	char why[256];   /* of the first refused one */
};

struct pm_bulk;

/* Begin, and send what the spool has from before. Texts of `ask` outlive it. Returns NULL with e
 * filled. */
struct pm_bulk *pm_bulk_new(const struct pm_bulk_ask *ask, struct pm_err *e);

/* Where documents are written, two lines each; owned by b. */
FILE *pm_bulk_stream(const struct pm_bulk *b);

/* Send documents where there are enough of them; to be called behind each. Returns 0, or -1 with e
 * filled. */
int pm_bulk_fit(struct pm_bulk *b, struct pm_err *e);

/* Send what is left, and tell what became of all. Returns 0, or -1 with e filled. */
int pm_bulk_finish(struct pm_bulk *b, struct pm_bulk_result *r, struct pm_err *e);
void pm_bulk_free(struct pm_bulk *b); /* NULL is fine */

#endif
