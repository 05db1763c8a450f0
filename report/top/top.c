/* The verb top: a running job, refreshed every few seconds. */
#include "config.h"

#include "report/print/options.h"
#include "report/print/format.h"
#include "report/print/values.h"
#include "report/query/unloaded.h"
#include "report/top/loaded.h"
#include "report/top/screen.h"
#include "report/top/watch.h"

#include "common/cli/verb.h"
#include "common/job/jobdir.h"
#include "common/memtext.h"
#include "common/now.h"
#include "common/safe/tsv.h"
#include "common/settings/config_parse.h"
#include "common/settings/readconfig.h"

#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define DEFAULT_US 2000000
#define MIN_US     100000

/* Programs of a picture that is not on a screen. */
#define ROWS 20

/* A second picture follows so soon: rates are differences. */
#define FIRST_US 500000

/* Longest part of an interval in which a round reads. */
#define READING 0.5

/* How long a directory may not answer until that is said on the screen, and until a picture that is
 * not on a screen is given up. */
#define SILENT_US  3000000
#define GIVE_UP_US 30000000

struct top {
	const struct pm_cli *cli;
	struct pm_page page;
	struct pm_top_screen screen;
	struct pm_top_watch *watch;
	bool draw; /* on a screen */
	int64_t interval_us;
	int64_t limit; /* programs */
	int64_t count; /* pictures, INT64_MAX for no end */
	int64_t shown;
	int64_t asked_us; /* when the round under way was asked for, CLOCK_MONOTONIC; 0: none is */
	struct pm_top_picture *last;
};

/* --- which job ---------------------------------------------------------------------------------
 */

static bool is_directory(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* Find the directory of the job. Returns whether there is one. */
static bool find_directory(const struct pm_cli *cli, const char *operand, char path[PATH_MAX])
{
	const char *own = pm_config_get(PM_SET_output);
	struct pm_err ignored;

	if (!operand && own && *own && is_directory(own))
		operand = own;
	if (operand && strchr(operand, '/') && is_directory(operand)) {
		snprintf(path, PATH_MAX, "%s", operand);
		return true;
	}
	if (pm_unloaded_find(operand ? operand : cli->batch_job, INT64_MIN, path, &ignored) > 0)
		return true;
	/* A path that is no job's name. */
	if (!operand || !is_directory(operand))
		return false;
	snprintf(path, PATH_MAX, "%s", operand);
	return true;
}

/* --- pictures ----------------------------------------------------------------------------------
 */

static void free_picture(struct pm_top_picture *p)
{
	if (p)
		pm_top_picture_free(p);
	free(p);
}

/* Draw the last picture, with a line about a directory that does not answer. */
static int draw(struct top *t, struct pm_err *e)
{
	const int64_t silent = t->asked_us ? pm_now_monotonic_us() - t->asked_us : 0;
	const int rows = pm_top_screen_rows();
	struct pm_page page = t->page;
	char *text, age[PM_FORMAT_MAX];
	size_t size;
	int rc = 0;

	if (pm_options_page(t->cli, &page, e) < 0)
		return -1;
	page.f = open_memstream(&text, &size);
	if (!page.f)
		return pm_err(e, "out of memory");
	if (silent > SILENT_US)
		fprintf(page.f, "The directory of the job has not answered for %s.\n",
			pm_format_duration(age, silent));
	if (t->last)
		rc = pm_top_picture_print(&page, t->last, t->limit < rows ? t->limit : rows);
	if (!pm_memtext_end(page.f, &text) || rc < 0) {
		free(text);
		return pm_err(e, "out of memory");
	}
	pm_top_screen_draw(text, rows);
	free(text);
	return 0;
}

/* Print the last picture below what is there. */
static int print(struct top *t, struct pm_err *e)
{
	if (t->cli->given[PM_OPT_json])
		return pm_values_dump(pm_top_picture_json(t->last, t->limit), e);
	if (t->shown > 0)
		fputc('\n', t->page.f);
	if (pm_top_picture_print(&t->page, t->last, t->limit) < 0)
		return pm_err(e, "out of memory");
	return pm_options_flush(e);
}

static void ask(struct top *t)
{
	t->asked_us = pm_now_monotonic_us();
	pm_top_watch_ask(t->watch, (int64_t)((double)t->interval_us * READING));
}

/* Take a picture that has come. Returns 1, 0 where there is none, or -1 with e filled. */
static int take(struct top *t, struct pm_err *e)
{
	struct pm_top_picture *p;
	int rc = pm_top_watch_take(t->watch, &p, e);

	if (rc == 0)
		return 0;
	t->asked_us = 0;
	if (rc < 0)
		return -1;
	free_picture(t->last);
	t->last = p;
	return 1;
}

/* Show pictures on the screen until q, a signal, the end of the job or of the count. Returns 0 or
 * -1 with e filled. */
static int show_screen(struct top *t, struct pm_err *e)
{
	int64_t next_us = 0;
	char key;

	ask(t);
	for (;;) {
		const int64_t now = pm_now_monotonic_us();
		const int64_t wait = t->asked_us ? 1000000 : next_us - now;
		int rc = 0;

		if (!t->asked_us && wait <= 0) {
			ask(t);
			continue;
		}
		switch (pm_top_screen_wait(&t->screen, true, pm_top_watch_descriptor(t->watch),
					   wait, &key)) {
		case PM_TOP_END:
			return 0;
		case PM_TOP_KEY:
			if (key == 'q' || key == 'Q')
				return 0;
			next_us = now;
			break;
		case PM_TOP_PICTURE:
			rc = take(t, e);
			next_us =
				now + (t->shown == 0 && t->interval_us > FIRST_US ? FIRST_US
										  : t->interval_us);
			/* What is left to read is read at once. */
			if (rc > 0 && t->last->behind > 0)
				next_us = now;
			t->shown += rc > 0;
			if (rc >= 0)
				rc = draw(t, e);
			break;
		case PM_TOP_RESIZED:
			rc = draw(t, e);
			break;
		case PM_TOP_NOTHING:
			if (t->asked_us)
				rc = draw(t, e);
		}
		if (rc < 0)
			return -1;
		if (t->last && (t->shown >= t->count || (t->last->end_us && t->last->behind == 0)))
			return 0;
	}
}

/* Make a round and wait for its picture. Returns 1; 0 after a signal; -1 with e filled. */
static int await(struct top *t, struct pm_err *e)
{
	char key;

	ask(t);
	for (;;) {
		const int64_t left = t->asked_us + GIVE_UP_US - pm_now_monotonic_us();
		int rc;

		if (left <= 0)
			return pm_err(e, "top: the directory of the job does not answer");
		if (pm_top_screen_wait(&t->screen, false, pm_top_watch_descriptor(t->watch), left,
				       &key) == PM_TOP_END)
			return 0;
		rc = take(t, e);
		if (rc != 0)
			return rc;
	}
}

/* Wait between two pictures. Returns whether no signal came. */
static bool pause_us(struct top *t, int64_t us)
{
	const int64_t until = pm_now_monotonic_us() + us;
	int64_t left;
	char key;

	while ((left = until - pm_now_monotonic_us()) > 0)
		if (pm_top_screen_wait(&t->screen, false, -1, left, &key) == PM_TOP_END)
			return false;
	return true;
}

/* Print pictures one below the other. Returns 0 or -1 with e filled. */
static int print_pictures(struct top *t, struct pm_err *e)
{
	const int64_t first = t->interval_us < FIRST_US ? t->interval_us : FIRST_US;
	int rc;

	/* The first one has all records, but no rates. */
	do
		rc = await(t, e);
	while (rc > 0 && t->last->behind > 0);
	if (rc <= 0 || (!t->last->end_us && !pause_us(t, first)))
		return rc < 0 ? -1 : 0;
	while (t->shown < t->count) {
		rc = await(t, e);
		if (rc <= 0)
			return rc;
		if (print(t, e) < 0)
			return -1;
		if (++t->shown == t->count || t->last->end_us || !pause_us(t, t->interval_us))
			break;
	}
	return 0;
}

/* --- the verb ----------------------------------------------------------------------------------
 */

static int watch(struct top *t, const char *directory, struct pm_err *e)
{
	int rc;

	t->watch = pm_top_watch_new(directory, e);
	if (!t->watch)
		return PM_EXIT_FAILED;
	pm_top_screen_open(&t->screen, t->draw);
	rc = t->draw ? show_screen(t, e) : print_pictures(t, e);
	pm_top_screen_close(&t->screen, t->draw);
	/* The job is over: its last picture stays. */
	if (rc == 0 && t->draw && t->last && t->last->end_us && !pm_top_screen_signal()) {
		t->shown = 0;
		rc = print(t, e);
	}
	pm_top_watch_end(t->watch);
	free_picture(t->last);
	if (pm_top_screen_signal())
		raise(pm_top_screen_signal());
	return rc < 0 ? PM_EXIT_FAILED : PM_EXIT_OK;
}

static int read_options(struct top *t, struct pm_err *e)
{
	const struct pm_cli *cli = t->cli;
	const char *count = cli->value[PM_OPT_count], *interval = cli->value[PM_OPT_interval];

	t->interval_us = DEFAULT_US;
	t->draw = !cli->given[PM_OPT_once] && !cli->given[PM_OPT_json] && pm_top_screen_able();
	t->count = t->draw ? INT64_MAX : 1;
	if (interval && pm_duration_parse(interval, &t->interval_us, e) < 0)
		return pm_err_prefix(e, "--interval");
	if (t->interval_us < MIN_US)
		return pm_err(e, "--interval must be at least %d ms", MIN_US / 1000);
	if (count && (pm_tsv_number(count, strlen(count), &t->count) < 0 || t->count < 1))
		return pm_err(e, "--count %s: a number of pictures is needed", count);
	if (count && cli->given[PM_OPT_once])
		return pm_err(e, "top: --once or --count, not both");
	return pm_options_page(cli, &t->page, e) < 0 ||
			       pm_options_limit(cli, t->draw ? 0 : ROWS, &t->limit, e) < 0
		       ? -1
		       : 0;
}

int pm_verb_top(const struct pm_cli *cli, struct pm_err *e)
{
	const char *operand = cli->argc ? cli->argv[0] : cli->value[PM_OPT_job];
	struct top t = { .cli = cli };
	char path[PATH_MAX];

	if (cli->argc > 1) {
		pm_err(e, "top: one job at a time");
		return PM_EXIT_USAGE;
	}
	if (read_options(&t, e) < 0)
		return PM_EXIT_USAGE;
	if (find_directory(cli, operand, path))
		return watch(&t, path, e);
	return pm_top_loaded(cli, operand, &t.page, t.limit == INT64_MAX ? ROWS : t.limit, e);
}
