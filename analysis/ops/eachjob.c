/* Threads that take one job after the other. */
#include "config.h"

#include "analysis/ops/eachjob.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>

/* For fewer jobs than this by connection, opening it takes longer than it saves. */
#define LEAST_JOBS 4

/* What threads share. */
struct shared {
	atomic_size_t next; /* job */
	atomic_bool failed;
	size_t jobs;
	int (*work)(void *ctx, struct pm_db *db, size_t i, struct pm_err *e);
};

struct worker {
	struct shared *shared;
	struct pm_db *db;
	void *ctx;
	pthread_t thread;
	bool started;
	int rc;
	struct pm_err e;
};

size_t pm_eachjob_connections(size_t jobs, size_t most)
{
	size_t n = jobs / LEAST_JOBS;
	cpu_set_t cpus;

	if (sched_getaffinity(0, sizeof cpus, &cpus) < 0)
		return 1;
	if (n > (size_t)CPU_COUNT(&cpus))
		n = (size_t)CPU_COUNT(&cpus);
	if (n > most)
		n = most;
	return n ? n : 1;
}

static void *take_jobs(void *arg)
{
	struct worker *w = arg;
	struct shared *s = w->shared;
	size_t i;

	while (w->rc == 0 && !atomic_load(&s->failed) &&
	       (i = atomic_fetch_add(&s->next, 1)) < s->jobs)
		w->rc = s->work(w->ctx, w->db, i, &w->e);
	if (w->rc < 0)
		atomic_store(&s->failed, true);
	return NULL;
}

int pm_eachjob(struct pm_db *const *db, size_t n, size_t jobs,
	       int (*work)(void *ctx, struct pm_db *db, size_t i, struct pm_err *e),
	       void *const *ctx, struct pm_err *e)
{
	struct shared s = { .jobs = jobs, .work = work };
	struct worker w[PM_EACHJOB_MOST];
	int rc = 0;

	if (n > PM_EACHJOB_MOST)
		n = PM_EACHJOB_MOST;
	for (size_t k = 0; k < n; k++) {
		w[k] = (struct worker){ .shared = &s, .db = db[k], .ctx = ctx[k] };
		if (k)
			w[k].started = pthread_create(&w[k].thread, NULL, take_jobs, &w[k]) == 0;
	}
	take_jobs(&w[0]);
	for (size_t k = 0; k < n; k++) {
		if (w[k].started)
			pthread_join(w[k].thread, NULL);
		if (w[k].rc < 0 && rc == 0) {
			rc = -1;
			*e = w[k].e;
		}
	}
	return rc;
}
