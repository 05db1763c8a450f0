/* The thread that reads the directory of a running job. */
#include "config.h"

#include "report/top/watch.h"

#include "report/top/files.h"
#include "report/top/live.h"

#include "common/now.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* How long the end waits for the thread, in ms. */
#define END_MS 300

struct pm_top_watch {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	/* Under the lock. */
	bool asked, stop;
	int64_t budget_us;
	bool done;                      /* a round is over */
	struct pm_top_picture *picture; /* NULL: it failed */
	struct pm_err why;
	/* Of the thread alone. */
	char *directory;
	struct pm_top_files *files;
	struct pm_top_model model;
	int64_t before_us; /* time of the round before, CLOCK_MONOTONIC; 0: none */
	int pipe[2];
};

/* Make a picture. Returns it, or NULL with e filled. */
static struct pm_top_picture *make_round(struct pm_top_watch *w, int64_t budget_us,
					 struct pm_err *e)
{
	struct pm_top_picture *p;
	int64_t now;
	bool all;

	if (!w->files)
		w->files = pm_top_files_open(w->directory, &w->model, e);
	if (!w->files || pm_top_files_read(w->files, pm_now_monotonic_us() + budget_us, e) < 0)
		return NULL;
	p = calloc(1, sizeof *p);
	if (!p) {
		pm_err(e, "out of memory");
		return NULL;
	}
	now = pm_now_monotonic_us();
	all = pm_top_live_read(&w->model);
	p->now_us = pm_now_us();
	p->live_cut = !all;
	pm_top_files_describe(w->files, p);
	if (pm_top_picture_fill(p, &w->model, w->before_us ? now - w->before_us : 0) < 0) {
		pm_top_picture_free(p);
		free(p);
		pm_err(e, "out of memory");
		return NULL;
	}
	/* While old records are read, totals grow by what was used long ago. */
	w->before_us = p->behind > 0 ? 0 : now;
	return p;
}

static void *run(void *arg)
{
	struct pm_top_watch *w = arg;

	pthread_mutex_lock(&w->lock);
	for (;;) {
		struct pm_err why = { "" };
		struct pm_top_picture *p;
		int64_t budget_us;

		while ((!w->asked || w->done) && !w->stop)
			pthread_cond_wait(&w->wake, &w->lock);
		if (w->stop)
			break;
		budget_us = w->budget_us;
		pthread_mutex_unlock(&w->lock);
		p = make_round(w, budget_us, &why);
		pthread_mutex_lock(&w->lock);
		w->picture = p;
		w->why = why;
		w->done = true;
		if (write(w->pipe[1], "", 1) != 1)
			w->stop = true; /* cannot be: the pipe is empty */
	}
	pthread_mutex_unlock(&w->lock);
	if (write(w->pipe[1], "", 1) != 1)
		return NULL;
	return NULL;
}

static void free_watch(struct pm_top_watch *w)
{
	pm_top_files_close(w->files);
	pm_top_model_free(&w->model);
	if (w->picture)
		pm_top_picture_free(w->picture);
	free(w->picture);
	close(w->pipe[0]);
	close(w->pipe[1]);
	pthread_cond_destroy(&w->wake);
	pthread_mutex_destroy(&w->lock);
	free(w->directory);
	free(w);
}

struct pm_top_watch *pm_top_watch_new(const char *directory, struct pm_err *e)
{
	struct pm_top_watch *w = calloc(1, sizeof *w);
	sigset_t all, before;
	int error;

	if (w)
		w->directory = strdup(directory);
	if (!w || !w->directory || pipe2(w->pipe, O_CLOEXEC) < 0) {
		pm_err(e, "watch %s: %m", directory);
		free(w ? w->directory : NULL);
		free(w);
		return NULL;
	}
	pthread_mutex_init(&w->lock, NULL);
	pthread_cond_init(&w->wake, NULL);
	pm_top_model_init(&w->model);
	/* Signals are the terminal's thread's. */
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	error = pthread_create(&w->thread, NULL, run, w);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (error) {
		pm_err(e, "start a thread: %s", strerror(error));
		free_watch(w);
		return NULL;
	}
	return w;
}

void pm_top_watch_ask(struct pm_top_watch *w, int64_t budget_us)
{
	pthread_mutex_lock(&w->lock);
	if (!w->asked) {
		w->asked = true;
		w->budget_us = budget_us;
		pthread_cond_signal(&w->wake);
	}
	pthread_mutex_unlock(&w->lock);
}

int pm_top_watch_descriptor(const struct pm_top_watch *w)
{
	return w->pipe[0];
}

int pm_top_watch_take(struct pm_top_watch *w, struct pm_top_picture **p, struct pm_err *e)
{
	int rc = 0;
	char byte;

	pthread_mutex_lock(&w->lock);
	if (w->done && read(w->pipe[0], &byte, 1) == 1) {
		*p = w->picture;
		w->picture = NULL;
		w->done = w->asked = false;
		rc = *p ? 1 : -1;
		if (!*p)
			*e = w->why;
	}
	pthread_mutex_unlock(&w->lock);
	return rc;
}

void pm_top_watch_end(struct pm_top_watch *w)
{
	struct pollfd end = { .fd = w->pipe[0], .events = POLLIN };
	bool idle;

	pthread_mutex_lock(&w->lock);
	w->stop = true;
	idle = !w->asked || w->done;
	pthread_cond_signal(&w->wake);
	pthread_mutex_unlock(&w->lock);
	/* A round that is under way ends soon, or hangs. */
	if (idle || poll(&end, 1, END_MS) > 0) {
		pthread_join(w->thread, NULL);
		free_watch(w);
	} else {
		pthread_detach(w->thread);
	}
}
