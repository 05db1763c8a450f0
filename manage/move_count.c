/* perfmon retire --to --dry-run: what would be moved, by archive. */
#include "config.h"

#include "manage/move.h"

#include "common/log.h"
#include "common/terminal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Jobs of one archive, for a dry run. */
struct tally {
	char name[PM_ARCHIVENAME];
	int64_t jobs, processes;
};

static int count_batch(struct pm_move *m, struct tally **tally, size_t *n, struct pm_err *e)
{
	for (size_t i = 0; i < m->n; i++) {
		struct pm_moved *job = &m->job[i];
		struct pm_db *ignored;
		struct tally *more;
		size_t k = 0;
		int rc = pm_archivedir_place(&m->dir, m->r->db, job->id, job->name, e);

		if (rc < 0)
			return -1;
		if (rc == 0)
			continue;
		while (k < *n && strcmp((*tally)[k].name, job->name) != 0)
			k++;
		if (k == *n) {
			/* An archive that cannot be opened is an error now, not in the night. */
			if (pm_archivedir_file(&m->dir, job->name, &ignored, e) < 0)
				return -1;
			pm_archivedir_shut(&m->dir);
			more = realloc(*tally, (*n + 1) * sizeof **tally);
			if (!more)
				return pm_err(e, "out of memory");
			*tally = more;
			more[k] = (struct tally){ .jobs = 0 };
			snprintf(more[k].name, sizeof more[k].name, "%s", job->name);
			++*n;
		}
		(*tally)[k].jobs++;
		(*tally)[k].processes += job->processes;
		m->r->jobs++;
		m->r->processes += job->processes;
	}
	return 0;
}

int pm_move_count(struct pm_move *m, struct pm_err *e)
{
	struct tally *tally = NULL;
	size_t n = 0;
	int rc;

	while ((rc = pm_move_find(m, e)) > 0 && (rc = count_batch(m, &tally, &n, e)) == 0)
		continue;
	for (size_t i = 0; i < n && rc == 0 && pm_log_level >= 0; i++)
		pm_terminal_print(stdout, "%s/%s: %lld job%s, %lld process%s\n", m->dir.path,
				  tally[i].name, (long long)tally[i].jobs,
				  tally[i].jobs == 1 ? "" : "s", (long long)tally[i].processes,
				  tally[i].processes == 1 ? "" : "es");
	free(tally);
	return rc;
}
