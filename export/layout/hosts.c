/* The hosts of a job by names that differ. */
#include "config.h"

#include "export/layout/hosts.h"

#include "common/bytes.h"
#include "common/grow.h"
#include "common/record/formulas.h"
#include "common/utf8.h"
#include "common/words.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Most bytes of a host's name in that of a file, so that a number fits behind it. */
#define CUT (PM_HOSTS_FILE - 24)

/* Whether a name is taken: by a host before, or by a word of the layout. */
static bool is_taken(const struct pm_hosts *h, const char *name, const char *reserved)
{
	for (size_t i = 0; i < h->n; i++)
		if (strcmp(h->host[i].name, name) == 0)
			return true;
	return pm_words_have(reserved, name);
}

/* Make the name of a host; `name` of n bytes is NULL where it is unknown. Returns a text of its
 * own, or NULL if out of memory. */
static char *make_name(const struct pm_hosts *h, int64_t id, const char *name, size_t n,
		       const char *reserved)
{
	struct pm_bytes b = { .n = 0 };
	char number[32];

	if (name)
		pm_utf8_add_text(&b, name, n);
	snprintf(number, sizeof number, "host-%" PRId64, id);
	if (!name)
		pm_bytes_add(&b, number, strlen(number));
	pm_bytes_byte(&b, '\0');
	snprintf(number, sizeof number, "#%" PRId64, id);
	while (!b.failed && is_taken(h, (const char *)b.p, reserved)) {
		b.n--;
		pm_bytes_add(&b, number, strlen(number) + 1);
	}
	if (b.failed)
		pm_bytes_free(&b);
	return (char *)b.p;
}

int pm_hosts_read(struct pm_hosts *h, struct pm_db *db, int64_t job, const char *reserved,
		  struct pm_err *e)
{
	struct pm_stmt *q;
	int rc;

	*h = (struct pm_hosts){ .n = 0 };
	if (pm_db_prepare(db, "SELECT id, hostname, cpu_id FROM host WHERE job_id = ? ORDER BY id",
			  &q, e) < 0)
		return -1;
	pm_db_bind_int(q, 1, job);
	while ((rc = pm_db_step(q, e)) > 0) {
		struct pm_hosts_host x = { .id = pm_db_int(q, 0),
					   .march = pm_formula_march(pm_db_text(q, 2, NULL)) };
		size_t n = 0;
		const char *name = pm_db_text(q, 1, &n);

		x.name = make_name(h, x.id, name, n, reserved);
		if (!x.name || !PM_GROW(h->host, h->n, h->room, 16)) {
			free(x.name);
			rc = pm_err(e, "out of memory");
			break;
		}
		h->host[h->n++] = x;
	}
	pm_db_finish(q);
	return rc;
}

void pm_hosts_free(struct pm_hosts *h)
{
	for (size_t i = 0; i < h->n; i++)
		free(h->host[i].name);
	free(h->host);
	*h = (struct pm_hosts){ .n = 0 };
}

void pm_hosts_file(char file[PM_HOSTS_FILE], const struct pm_hosts_host *host)
{
	size_t n = 0;

	for (const char *p = host->name; *p; p++) {
		const unsigned char c = (unsigned char)*p;
		const bool plain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
				   (c >= 'a' && c <= 'z') || c == '-' || c == '_' ||
				   (c == '.' && n > 0);

		if (n + 3 > CUT) {
			n += (size_t)snprintf(file + n, PM_HOSTS_FILE - n, "~%" PRId64, host->id);
			break;
		}
		n += (size_t)snprintf(file + n, PM_HOSTS_FILE - n, plain ? "%c" : "%%%02X", c);
	}
	file[n] = '\0';
}
