/* Write the counts of tallies to their tables. */
#include "config.h"

#include "submit/rows/write.h"

#include <string.h>

/* Table for the slots of each kind; the statement's parameters are job, host, key and the values.
 */
static const struct target {
	const char *kind;
	int values;
	const char *sql;
} target[] = {
	{ "lost", 2,
	  "INSERT INTO lost (job_id, host_id, reason, lines, bytes) VALUES (?, ?, ?, ?, ?) "
	  "ON CONFLICT (job_id, host_id, reason) DO UPDATE SET lines = lost.lines + "
	  "excluded.lines, bytes = lost.bytes + excluded.bytes" },
	{ "folded", 6,
	  "INSERT INTO folded_program (job_id, host_id, exename, images, usertime, systemtime, "
	  "duration_us, failed, rssmax) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) "
	  "ON CONFLICT (job_id, host_id, exename) DO UPDATE SET "
	  "images = folded_program.images + excluded.images, "
	  "usertime = folded_program.usertime + excluded.usertime, "
	  "systemtime = folded_program.systemtime + excluded.systemtime, "
	  "duration_us = folded_program.duration_us + excluded.duration_us, "
	  "failed = folded_program.failed + excluded.failed, "
	  "rssmax = CASE WHEN excluded.rssmax > folded_program.rssmax THEN excluded.rssmax "
	  "ELSE folded_program.rssmax END" },
	{ "children", 5,
	  "INSERT INTO folded_wait (job_id, host_id, key, waits, usertime, systemtime, failed, "
	  "killed) VALUES (?, ?, ?, ?, ?, ?, ?, ?) "
	  "ON CONFLICT (job_id, host_id, key) DO UPDATE SET "
	  "waits = folded_wait.waits + excluded.waits, "
	  "usertime = folded_wait.usertime + excluded.usertime, "
	  "systemtime = folded_wait.systemtime + excluded.systemtime, "
	  "failed = folded_wait.failed + excluded.failed, "
	  "killed = folded_wait.killed + excluded.killed" },
	{ "excluded", 1,
	  "INSERT INTO excluded_program (job_id, host_id, exename, images) VALUES (?, ?, ?, ?) "
	  "ON CONFLICT (job_id, host_id, exename) DO UPDATE SET "
	  "images = excluded_program.images + excluded.images" },
};

int pm_write_tallies(struct pm_db *db, struct pm_gather *g, const struct pm_write_base *base,
		     struct pm_err *e)
{
	int rc = 0;

	for (size_t k = 0; k < sizeof target / sizeof target[0] && rc == 0; k++) {
		struct pm_stmt *q;

		if (g->tallies.count == 0)
			break;
		if (pm_db_prepare(db, target[k].sql, &q, e) < 0)
			return -1;
		for (size_t i = 0; i < g->tallies.count && rc == 0; i++) {
			const struct pm_tallies_item *t = &g->tallies.item[i];

			if (strcmp(t->kind, target[k].kind) != 0 || t->values != target[k].values)
				continue;
			pm_db_bind_int(q, 1, base->job_id);
			pm_db_bind_int(q, 2, base->host + t->host + 1);
			pm_db_bind_str(q, 3, t->key);
			for (int v = 0; v < t->values; v++)
				pm_db_bind_int(q, 4 + v, t->v[v]);
			rc = pm_db_run(q, e);
		}
		pm_db_finish(q);
	}
	return rc < 0 ? pm_err_prefix(e, "write tallies") : 0;
}
