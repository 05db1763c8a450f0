/* Requests over HTTP, by libcurl. */
#include "config.h"

#include "export/bulk/http.h"

#include "export/bulk/gzip.h"

#include "common/library.h"
#include "common/text.h"
#include "common/version.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>
/* Macros of the header that check numbers of arguments. */
#undef curl_easy_setopt
#undef curl_easy_getinfo

/* Most of an answer that is read. */
#define ANSWER (4 * 1024 * 1024)

#define NEEDS "sending needs libcurl (Debian: libcurl4, Fedora: libcurl)"

/* Lives as long as the program: the library cannot be closed. */
static struct library {
#define PM_CURL(name) __typeof__(name) *name;
#include "export/bulk/curl.def"
#undef PM_CURL
} lib;

struct pm_http {
	CURL *curl;
	struct curl_slist *headers;
	struct pm_bytes packed, body;
	int64_t after_us;
	char why[CURL_ERROR_SIZE];
};

/* Open the library, once. Returns 0, or -1 with e filled. */
static int open_library(struct pm_err *e)
{
	static const char *const names[] = { PM_CURL_LIBRARY, NULL };
	static const struct pm_library_function symbol[] = {
#define PM_CURL(name) { #name, &lib.name },
#include "export/bulk/curl.def"
#undef PM_CURL
	};
	static bool ready;
	char why[256];

	if (ready)
		return 0;
	if (pm_library_open(names, symbol, sizeof symbol / sizeof symbol[0], why, sizeof why) < 0)
		return pm_err(e, NEEDS ": %s", why);
	if (lib.curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
		return pm_err(e, "libcurl does not start");
	ready = true;
	return 0;
}

/* Take a part of the answer; more than there is room for ends the request. */
static size_t take_body(char *p, size_t size, size_t n, void *self)
{
	struct pm_http *h = self;

	if (h->body.n + size * n > ANSWER)
		return 0;
	pm_bytes_add(&h->body, p, size * n);
	return h->body.failed ? 0 : size * n;
}

/* Take a line of the answer's head: only the time to wait matters, in s. */
static size_t take_header(char *p, size_t size, size_t n, void *self)
{
	static const char name[] = "retry-after:";
	struct pm_http *h = self;
	const size_t length = size * n;
	char text[16];

	if (length > sizeof name && strncasecmp(p, name, sizeof name - 1) == 0) {
		snprintf(text, sizeof text, "%.*s",
			 (int)(length - sizeof name + 1 < 10 ? length - sizeof name + 1 : 10),
			 p + sizeof name - 1);
		h->after_us = strtol(text, NULL, 10) * 1000000L;
		if (h->after_us < 0)
			h->after_us = 0;
	}
	return length;
}

/* Add a line to the head of requests. Returns 0 or -1. */
static int add_header(struct pm_http *h, const char *line)
{
	struct curl_slist *list = lib.curl_slist_append(h->headers, line);

	if (list)
		h->headers = list;
	return list ? 0 : -1;
}

/* Set who is asking. Returns 0 or -1. */
static int set_credentials(struct pm_http *h, const char *credentials)
{
	static const char key[] = "ApiKey ";
	char *line;
	int rc;

	if (!credentials)
		return 0;
	if (strncmp(credentials, key, sizeof key - 1) != 0)
		return lib.curl_easy_setopt(h->curl, CURLOPT_HTTPAUTH, (long)CURLAUTH_BASIC) ||
				       lib.curl_easy_setopt(h->curl, CURLOPT_USERPWD, credentials)
			       ? -1
			       : 0;
	if (asprintf(&line, "Authorization: %s", credentials) < 0)
		return -1;
	rc = add_header(h, line);
	explicit_bzero(line, strlen(line));
	free(line);
	return rc;
}

/* Set what all requests have. Returns 0 or -1. */
static int set_up(struct pm_http *h, const struct pm_http_ask *ask)
{
	const long ms = (long)(ask->timeout_us / 1000);
	CURL *c = h->curl;

	if (add_header(h, "Content-Type: application/x-ndjson") < 0 ||
	    add_header(h, "Expect:") < 0 ||
	    (pm_gzip_has() && add_header(h, "Content-Encoding: gzip") < 0) ||
	    set_credentials(h, ask->credentials) < 0)
		return -1;
	/* Redirections are not followed: they could lead credentials elsewhere. */
	return lib.curl_easy_setopt(c, CURLOPT_URL, ask->url) ||
			       lib.curl_easy_setopt(c, CURLOPT_HTTPHEADER, h->headers) ||
			       lib.curl_easy_setopt(c, CURLOPT_USERAGENT,
						    "perfmon/" PACKAGE_VERSION) ||
			       lib.curl_easy_setopt(c, CURLOPT_NOSIGNAL, 1L) ||
			       lib.curl_easy_setopt(c, CURLOPT_TIMEOUT_MS, ms) ||
			       lib.curl_easy_setopt(c, CURLOPT_CONNECTTIMEOUT_MS, ms / 3 + 1) ||
			       lib.curl_easy_setopt(c, CURLOPT_SSL_VERIFYPEER,
						    ask->unverified ? 0L : 1L) ||
			       lib.curl_easy_setopt(c, CURLOPT_SSL_VERIFYHOST,
						    ask->unverified ? 0L : 2L) ||
			       (ask->ca_file &&
				lib.curl_easy_setopt(c, CURLOPT_CAINFO, ask->ca_file)) ||
			       lib.curl_easy_setopt(c, CURLOPT_WRITEFUNCTION, take_body) ||
			       lib.curl_easy_setopt(c, CURLOPT_WRITEDATA, h) ||
			       lib.curl_easy_setopt(c, CURLOPT_HEADERFUNCTION, take_header) ||
			       lib.curl_easy_setopt(c, CURLOPT_HEADERDATA, h) ||
			       lib.curl_easy_setopt(c, CURLOPT_ERRORBUFFER, h->why)
		       ? -1
		       : 0;
}

struct pm_http *pm_http_new(const struct pm_http_ask *ask, struct pm_err *e)
{
	struct pm_http *h;

	if (open_library(e) < 0)
		return NULL;
	h = calloc(1, sizeof *h);
	if (h)
		h->curl = lib.curl_easy_init();
	if (h && h->curl && set_up(h, ask) == 0)
		return h;
	pm_http_free(h);
	pm_err(e, "out of memory, or libcurl does not take %s", ask->url);
	return NULL;
}

void pm_http_free(struct pm_http *h)
{
	if (!h)
		return;
	if (h->curl)
		lib.curl_easy_cleanup(h->curl);
	lib.curl_slist_free_all(h->headers);
	pm_bytes_free(&h->packed);
	pm_bytes_free(&h->body);
	free(h);
}

/* Whether what failed may work at another time: not what is wrong with the URL, nor with the
 * server's certificate. */
static bool may_work(CURLcode rc)
{
	return rc != CURLE_UNSUPPORTED_PROTOCOL && rc != CURLE_URL_MALFORMAT &&
	       rc != CURLE_PEER_FAILED_VERIFICATION && rc != CURLE_SSL_CACERT_BADFILE &&
	       rc != CURLE_OUT_OF_MEMORY && rc != CURLE_WRITE_ERROR && rc != CURLE_NOT_BUILT_IN;
}

int pm_http_post(struct pm_http *h, const void *p, size_t n, struct pm_http_answer *a,
		 struct pm_err *e)
{
	long status = 0;
	CURLcode rc;

	*a = (struct pm_http_answer){ .status = 0 };
	h->packed.n = h->body.n = 0;
	h->after_us = 0;
	h->why[0] = '\0';
	if (pm_gzip_has()) {
		if (pm_gzip_add(&h->packed, p, n) < 0)
			return pm_err(e, "out of memory");
		p = h->packed.p;
		n = h->packed.n;
	}
	if (lib.curl_easy_setopt(h->curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)n) ||
	    lib.curl_easy_setopt(h->curl, CURLOPT_POSTFIELDS, p))
		return pm_err(e, "out of memory");
	rc = lib.curl_easy_perform(h->curl);
	if (rc == CURLE_OK)
		lib.curl_easy_getinfo(h->curl, CURLINFO_RESPONSE_CODE, &status);
	a->status = (int)status;
	a->again = rc != CURLE_OK && may_work(rc);
	a->after_us = h->after_us;
	a->body = h->body.p;
	a->length = h->body.n;
	if (rc == CURLE_WRITE_ERROR)
		snprintf(a->why, sizeof a->why, "the answer is longer than %d MB", ANSWER >> 20);
	else if (rc != CURLE_OK)
		snprintf(a->why, sizeof a->why, "%s",
			 *h->why ? h->why : lib.curl_easy_strerror(rc));
	return 0;
}

void pm_version_curl(struct pm_version *v)
{
	struct pm_err e;

	if (open_library(&e) < 0)
		pm_version_fail(v, e.text);
	else
		pm_version_set(v, "%s", lib.curl_version_info(CURLVERSION_NOW)->version);
}
