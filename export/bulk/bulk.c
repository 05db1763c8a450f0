/* Documents sent to a bulk interface. */
#include "config.h"

#include "export/bulk/bulk.h"

#include "export/bulk/answer.h"
#include "export/bulk/credentials.h"
#include "export/bulk/http.h"
#include "export/bulk/spool.h"

#include "common/bytes.h"
#include "common/log.h"
#include "common/now.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

/* Bytes of documents in a request, and one document more; the least where a server takes no such
 * requests. */
#define REQUEST (2 * 1024 * 1024)
#define LEAST   (16 * 1024)

/* Most bytes of a request in the spool. */
#define SPOOLED (64 * 1024 * 1024)

/* How long is waited before a request is sent again: at first, and at most. */
#define FIRST_US INT64_C(200000)
#define LAST_US  INT64_C(10000000)

/* Of the answer only what is needed. */
#define PATH "/_bulk?filter_path=errors,items.*.status,items.*.error.type,items.*.error.reason"

/* What became of a request. */
enum fate { FAILED = -1, DELIVERED, AWAY };

struct pm_bulk {
	const struct pm_bulk_ask *ask;
	struct pm_http *http;
	struct pm_bulkspool spool;
	size_t request; /* bytes of documents in one */
	bool away;      /* the server did not take a request: this and all others go to the spool */
	char *text;     /* of the stream */
	size_t length;
	FILE *f;
	unsigned random; /* for waits that differ */
	struct pm_bulk_result r;
	char last[256]; /* why the server did not take the last request */
};

/* Documents that are on their way. */
struct part {
	const char *p;
	size_t n;
};

/* The length of a document at p: two lines. */
static size_t document(const char *p, size_t n)
{
	const char *line = memchr(p, '\n', n);
	const char *end = line ? memchr(line + 1, '\n', n - (size_t)(line + 1 - p)) : NULL;

	return end ? (size_t)(end + 1 - p) : n;
}

static size_t count(const struct part *x)
{
	size_t documents = 0;

	for (size_t at = 0; at < x->n; at += document(x->p + at, x->n - at))
		documents++;
	return documents;
}

/* Wait before a request is sent again: twice as long each time, and as the server says, but not
 * beyond the end. Returns whether there is time for another. */
static bool wait_before(struct pm_bulk *b, unsigned attempt, int64_t after_us, int64_t end_us)
{
	const int64_t left_us = end_us - pm_now_monotonic_us();
	int64_t us = FIRST_US << (attempt < 8 ? attempt : 8);
	struct timespec t;

	if (us > LAST_US)
		us = LAST_US;
	/* Up to half as long again, so that many do not come at once. */
	us += (int64_t)(rand_r(&b->random) % 1000) * us / 2000;
	if (after_us > us)
		us = after_us;
	if (us > left_us)
		return false;
	t = (struct timespec){ us / 1000000, us % 1000000 * 1000 };
	while (nanosleep(&t, &t) < 0)
		;
	return true;
}

/* Note why a request was not taken. */
static void note_away(struct pm_bulk *b, const struct pm_http_answer *a)
{
	if (a->status == 0)
		snprintf(b->last, sizeof b->last, "%s", a->why);
	else
		snprintf(b->last, sizeof b->last, "status %d", a->status);
}

/* Take an answer of status 200: what is to be sent again is what x is then, a copy in *rest.
 * Returns 0, or -1 with e filled: it is no such answer. */
static int take_items(struct pm_bulk *b, struct part *x, struct pm_bytes *rest,
		      const struct pm_http_answer *a, struct pm_err *e)
{
	const size_t n = count(x);
	enum pm_bulk_fate *fate = calloc(n + 1, sizeof *fate);
	struct pm_bytes again = { .p = NULL };
	int rc = -1;

	if (!fate)
		return pm_err(e, "out of memory");
	if (pm_bulk_answer(a->body, a->length, n, fate, b->r.why, e) == 0) {
		size_t at = 0;

		for (size_t i = 0; i < n; i++) {
			const size_t length = document(x->p + at, x->n - at);

			b->r.taken += fate[i] == PM_BULK_TAKEN;
			b->r.refused += fate[i] == PM_BULK_REFUSED;
			if (fate[i] == PM_BULK_AGAIN)
				pm_bytes_add(&again, x->p + at, length);
			at += length;
		}
		rc = again.failed ? pm_err(e, "out of memory") : 0;
	}
	free(fate);
	if (rc < 0) {
		pm_bytes_free(&again);
		return -1;
	}
	pm_bytes_free(rest);
	*rest = again;
	*x = (struct part){ (const char *)rest->p, rest->n };
	return 0;
}

/* A document by itself is too large: it is refused. */
static void refuse(struct pm_bulk *b)
{
	b->r.refused++;
	if (!*b->r.why)
		snprintf(b->r.why, sizeof b->r.why,
			 "the server takes no request of its size (413)");
}

static enum fate send_part(struct pm_bulk *b, struct part x, int64_t end_us, struct pm_err *e);

/* Send a request that is too large in halves. */
static enum fate send_halves(struct pm_bulk *b, const struct part *x, int64_t end_us,
			     struct pm_err *e)
{
	const size_t half = count(x) / 2;
	size_t at = 0;
	enum fate first, second;

	for (size_t i = 0; i < half; i++)
		at += document(x->p + at, x->n - at);
	/* Further ones are of the size that the server may take. */
	if (at < b->request)
		b->request = at > LEAST ? at : LEAST;
	first = send_part(b, (struct part){ x->p, at }, end_us, e);
	if (first != DELIVERED)
		return first;
	second = send_part(b, (struct part){ x->p + at, x->n - at }, end_us, e);
	return second;
}

/* Whether a status says that the same request may be taken later. */
static bool is_busy(int status)
{
	return status == 408 || status == 429 || (status >= 502 && status <= 504);
}

/* Explain a request that will never be taken. Returns FAILED. */
static enum fate explain(const struct pm_bulk *b, const struct pm_http_answer *a, struct pm_err *e)
{
	char why[PM_BULK_WHY] = "";

	if (a->status == 0) {
		pm_err(e, "send to %s: %s", b->ask->url, a->why);
		return FAILED;
	}
	pm_bulk_reason(a->body, a->length, why);
	pm_err(e, "send to %s: status %d%s%s%s", b->ask->url, a->status, *why ? ": " : "", why,
	       a->status == 401 || a->status == 403 ? ": see --credentials" : "");
	return FAILED;
}

/* Send documents until they are taken, refused or time is over. */
static enum fate send_part(struct pm_bulk *b, struct part x, int64_t end_us, struct pm_err *e)
{
	struct pm_bytes rest = { .p = NULL };
	enum fate fate = DELIVERED;

	for (unsigned attempt = 0; x.n > 0; attempt++) {
		struct pm_http_answer a;

		if (pm_http_post(b->http, x.p, x.n, &a, e) < 0) {
			fate = FAILED;
			break;
		}
		if (a.status == 200) {
			if (take_items(b, &x, &rest, &a, e) < 0) {
				fate = FAILED;
				pm_err_prefix(e, "send to %s", b->ask->url);
				break;
			}
			if (x.n == 0)
				break;
			a.status = 429;
		} else if (a.status == 413) {
			if (count(&x) > 1)
				fate = send_halves(b, &x, end_us, e);
			else
				refuse(b);
			break;
		} else if (!(a.status == 0 ? a.again : is_busy(a.status))) {
			fate = explain(b, &a, e);
			break;
		}
		note_away(b, &a);
		if (!wait_before(b, attempt, a.after_us, end_us)) {
			fate = AWAY;
			break;
		}
	}
	pm_bytes_free(&rest);
	return fate;
}

static enum fate send_all(struct pm_bulk *b, struct part x, struct pm_err *e)
{
	return send_part(b, x, pm_now_monotonic_us() + b->ask->patience_us, e);
}

/* Send documents, or keep them in the spool. Returns 0, or -1 with e filled. */
static int deliver(struct pm_bulk *b, struct part x, struct pm_err *e)
{
	const struct pm_bulk_result before = b->r;

	if (!b->away) {
		const enum fate fate = send_all(b, x, e);

		if (fate != AWAY)
			return fate == DELIVERED ? 0 : -1;
		if (!b->ask->spool)
			return pm_err(e,
				      "send to %s: %s; --patience says how long it is tried, "
				      "--spool DIR keeps what was not taken",
				      b->ask->url, b->last);
		pm_warn("%s: %s: what is left goes to %s", b->ask->url, b->last, b->ask->spool);
		b->away = true;
	}
	/* All of it, also what was taken: sent again it takes its own place. */
	b->r = before;
	if (pm_bulkspool_add(&b->spool, x.p, x.n, e) < 0)
		return -1;
	b->r.spooled += count(&x);
	return 0;
}

/* Send a request of the spool, and remove it. Returns what became of it. */
static enum fate send_spooled(struct pm_bulk *b, const char *name, struct pm_bytes *text,
			      struct pm_err *e)
{
	const struct pm_bulk_result before = b->r;
	const int rc = pm_bulkspool_read(&b->spool, name, SPOOLED, text, e);
	enum fate fate;

	if (rc <= 0)
		return rc < 0 ? FAILED : DELIVERED;
	fate = send_all(b, (struct part){ (const char *)text->p, text->n }, e);
	if (fate == DELIVERED)
		return pm_bulkspool_remove(&b->spool, name, e) < 0 ? FAILED : DELIVERED;
	if (fate == AWAY)
		b->r = before;
	return fate;
}

/* Send what the spool has from before. Returns 0, or -1 with e filled. */
static int send_spool(struct pm_bulk *b, struct pm_err *e)
{
	struct pm_bytes text = { .p = NULL };
	enum fate fate = DELIVERED;
	char **name;
	size_t n;

	if (pm_bulkspool_list(&b->spool, &name, &n, e) < 0)
		fate = FAILED;
	for (size_t i = 0; i < n && fate == DELIVERED; i++)
		fate = send_spooled(b, name[i], &text, e);
	for (size_t i = 0; i < n; i++)
		free(name[i]);
	free(name);
	pm_bytes_free(&text);
	if (fate == AWAY) {
		pm_warn("%s: %s: what is new goes to %s, too", b->ask->url, b->last, b->ask->spool);
		b->away = true;
	}
	return fate == FAILED ? -1 : 0;
}

/* Check a URL, which may have a password where it is wrong: messages do not show it. Returns 0, or
 * -1 with e filled. */
static int check_url(const struct pm_bulk_ask *ask, struct pm_err *e)
{
	const bool plain = strncasecmp(ask->url, "http://", 7) == 0;
	const char *host = strstr(ask->url, "://");

	/* A password may have a slash. */
	if (strchr(ask->url, '@'))
		return pm_err(e, "--url: user and password stand in a file, see --credentials; in "
				 "a path @ is %%40");
	if (!plain && strncasecmp(ask->url, "https://", 8) != 0)
		return pm_err(e, "--url: it begins with https:// or http://");
	if (strpbrk(ask->url, "?# \t\r\n"))
		return pm_err(e, "--url: it is that of a server, without ? and #");
	if (strchr("/:", host[3]))
		return pm_err(e, "--url: there is no host behind ://");
	if (plain && ask->credentials)
		pm_warn("--credentials go to %s without encryption: use https", ask->url);
	return 0;
}

/* Open what requests need. Returns 0, or -1 with e filled. */
static int open_http(struct pm_bulk *b, const struct pm_bulk_ask *ask, struct pm_err *e)
{
	char *credentials = NULL, *url;
	size_t n = strlen(ask->url);
	int rc = 0;

	if (ask->credentials && !(credentials = pm_credentials_read(ask->credentials, e)))
		return -1;
	while (n > 0 && ask->url[n - 1] == '/')
		n--;
	if (asprintf(&url, "%.*s" PATH, (int)n, ask->url) < 0) {
		url = NULL;
		rc = pm_err(e, "out of memory");
	} else {
		const struct pm_http_ask http = { .url = url,
						  .credentials = credentials,
						  .ca_file = ask->ca_file,
						  .unverified = ask->unverified,
						  .timeout_us = ask->timeout_us };

		b->http = pm_http_new(&http, e);
		rc = b->http ? 0 : -1;
	}
	free(url);
	pm_credentials_free(credentials);
	return rc;
}

struct pm_bulk *pm_bulk_new(const struct pm_bulk_ask *ask, struct pm_err *e)
{
	struct pm_bulk *b = calloc(1, sizeof *b);

	if (!b) {
		pm_err(e, "out of memory");
		return NULL;
	}
	b->ask = ask;
	b->spool.dir = b->spool.lock = -1;
	b->request = REQUEST;
	b->random = (unsigned)pm_now_us();
	if (check_url(ask, e) == 0 && open_http(b, ask, e) == 0 &&
	    (!ask->spool || (pm_bulkspool_open(&b->spool, ask->spool, ask->spool_limit, e) == 0 &&
			     send_spool(b, e) == 0))) {
		b->f = open_memstream(&b->text, &b->length);
		if (b->f)
			return b;
		pm_err(e, "out of memory");
	}
	pm_bulk_free(b);
	return NULL;
}

FILE *pm_bulk_stream(const struct pm_bulk *b)
{
	return b->f;
}

/* Send what is in the stream. Returns 0, or -1 with e filled. */
static int flush(struct pm_bulk *b, struct pm_err *e)
{
	struct part x;

	if (fflush(b->f) != 0 || ferror(b->f))
		return pm_err(e, "out of memory");
	x = (struct part){ b->text, b->length };
	if (x.n > 0 && deliver(b, x, e) < 0)
		return -1;
	rewind(b->f);
	return 0;
}

int pm_bulk_fit(struct pm_bulk *b, struct pm_err *e)
{
	return ftello(b->f) < (off_t)b->request ? 0 : flush(b, e);
}

int pm_bulk_finish(struct pm_bulk *b, struct pm_bulk_result *r, struct pm_err *e)
{
	const int rc = flush(b, e);

	*r = b->r;
	return rc;
}

void pm_bulk_free(struct pm_bulk *b)
{
	if (!b)
		return;
	if (b->f)
		fclose(b->f);
	free(b->text);
	pm_http_free(b->http);
	pm_bulkspool_close(&b->spool);
	free(b);
}
