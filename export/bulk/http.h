/* Requests over HTTP, by libcurl, which is opened with the first: it needs thirty other libraries.
 */
#ifndef PM_EXPORT_BULK_HTTP_H
#define PM_EXPORT_BULK_HTTP_H

#include "common/bytes.h"
#include "common/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pm_http_ask {
	const char *url;         /* http or https, without user and password */
	const char *credentials; /* "user:password", or "ApiKey KEY"; NULL: none */
	const char *ca_file;     /* of certificates that are trusted; NULL: those of the system */
	bool unverified;         /* certificates are not checked */
	int64_t timeout_us;      /* of a request as a whole; connecting has a third of it */
};

struct pm_http;

/* Begin: nothing is sent yet. Returns NULL with e filled; `ask` is copied. */
struct pm_http *pm_http_new(const struct pm_http_ask *ask, struct pm_err *e);
void pm_http_free(struct pm_http *h); /* NULL is fine */

/* What became of a request. */
struct pm_http_answer {
	int status;       /* of HTTP; 0: there is no answer */
	bool again;       /* without an answer: another request may have one */
	int64_t after_us; /* how long the server wants to be left alone; 0: it does not say */
	const unsigned char *body; /* until the next request */
	size_t length;
	char why[256]; /* without an answer: why */
};

/* Post lines of JSON, compressed by gzip where perfmon has zlib. Waits for the answer at most as
 * long as `timeout_us` says. Returns 0, or -1 with e filled: out of memory. */
int pm_http_post(struct pm_http *h, const void *p, size_t n, struct pm_http_answer *a,
		 struct pm_err *e);

#endif
