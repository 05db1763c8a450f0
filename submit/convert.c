/* perfmon convert: convert other tools' recordings to an archive of perfmon's own files. */
#include "config.h"

#include "common/cli/verb.h"
#include "common/log.h"
#include "common/terminal.h"
#include "submit/convert_job.h"
#include "submit/foreign/epmt_db.h"
#include "submit/job.h"
#include "submit/loading.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct converting {
	struct pm_tarwrite *tar; /* NULL: dry run */
	char **directory;        /* directory names used in the archive */
	size_t directories;
	bool faulty; /* something is missing: affects the exit status */
};

/* Whether another tool wrote a file of the job. */
static int is_foreign(const struct pm_gather *g)
{
	for (size_t i = 0; i < g->files; i++)
		if (pm_foreign_kind(g->file[i].name) != PM_FOREIGN_NONE)
			return 1;
	return 0;
}

/* Choose a directory name for the job that the archive does not have yet. Returns it, owned by c,
 * or NULL if out of memory. */
static const char *directory_of(struct converting *c, const struct pm_gather *g)
{
	char **grown = realloc(c->directory, (c->directories + 1) * sizeof c->directory[0]);
	char base[NAME_MAX + 1], *name = NULL;

	if (!grown)
		return NULL;
	c->directory = grown;
	pm_job_base_name(g, base, sizeof base);
	for (size_t k = 1, taken = 1; taken; k++) {
		free(name);
		if (asprintf(&name, k > 1 ? "%s-%zu" : "%s", base, k) < 0)
			return NULL;
		taken = 0;
		for (size_t i = 0; i < c->directories; i++)
			taken = taken || strcmp(c->directory[i], name) == 0;
	}
	c->directory[c->directories++] = name;
	return name;
}

/* Number of threads: a process without thread records counts as one. */
static size_t threads_of(const struct pm_gather *g)
{
	size_t threads = g->images.threads;

	for (size_t i = 0; i < g->images.images; i++)
		threads += g->images.image[i].threads == PM_NONE;
	return threads;
}

/* Convert a job. Returns 0 or -1 with e filled. */
static int convert_job(struct converting *c, struct pm_gather *g, struct pm_err *e)
{
	const char *directory, *jobid;

	if (pm_gather_finish(g, e) < 0)
		return -1;
	if (!is_foreign(g))
		return pm_err(e, "%s: it has no file of another tool", g->directory);
	directory = directory_of(c, g);
	if (!directory)
		return pm_err(e, "out of memory");
	c->faulty = c->faulty || g->faulty || g->reject_count;
	if (c->tar) {
		c->tar->mtime = g->metas ? g->meta[0].number[PM_JOB_job_epoch_us] / 1000000 : 0;
		if (pm_convert_job(g, c->tar, directory, e) < 0)
			return -1;
	}
	jobid = g->metas ? g->meta[0].text[PM_JOB_job_jobid] : NULL;
	if (pm_log_level >= 0)
		pm_terminal_print(stdout, "job %s: %zu process%s, %zu thread%s, %llu rejected\n",
				  jobid ? jobid : directory, g->images.images,
				  g->images.images == 1 ? "" : "es", threads_of(g),
				  threads_of(g) == 1 ? "" : "s",
				  (unsigned long long)g->reject_count);
	return 0;
}

/* Convert the jobs read from a source. Returns 0 or -1 with e filled. */
static int convert_jobs(struct converting *c, struct pm_loading *l, struct pm_err *e)
{
	int rc = 0;

	for (size_t i = 0; i < l->jobs && rc == 0; i++)
		rc = convert_job(c, &l->job[i]->gather, e);
	c->faulty = c->faulty || l->faulty;
	return rc;
}

/* Convert a database of EPMT, one job at a time. Returns 0 or -1 with e filled. */
static int convert_database(struct converting *c, const char *path, struct pm_err *e)
{
	struct pm_epmt_db *db = pm_epmt_db_open(path, e);
	size_t before = c->directories;
	int rc;

	if (!db)
		return -1;
	while ((rc = pm_epmt_db_next(db, e)) > 0) {
		struct pm_loading l = { .source = path };

		rc = pm_load_read_job(&l, path, db, e);
		if (rc == 0)
			rc = convert_jobs(c, &l, e);
		pm_loading_free(&l);
		if (rc < 0)
			break;
	}
	pm_epmt_db_close(db);
	if (rc == 0 && c->directories == before)
		rc = pm_err(e, "%s: no job in it", path);
	return rc;
}

static int convert_source(struct converting *c, const char *path, struct pm_err *e)
{
	struct pm_loading l = { .source = path };
	struct pm_operand o;
	int rc;

	pm_operand_init(&o, path, -1);
	if (pm_operand_open(&o, e) < 0)
		return -1;
	if (o.kind == PM_OPERAND_DATABASE)
		return convert_database(c, path, e);
	rc = pm_load_read(&l, &o, e);
	pm_operand_close(&o);
	if (rc > 0) {
		pm_warn("%s", e->text);
		c->faulty = true;
	}
	if (rc >= 0)
		rc = convert_jobs(c, &l, e);
	pm_loading_free(&l);
	return rc;
}

/* Write the archive under a temporary name and link it to its path once it is complete: a killed
 * process leaves nothing under that path. Returns 0 or -1 with e filled. */
static int write_archive(struct converting *c, const char *path, char **source, int n,
			 struct pm_err *e)
{
	const char *slash = strrchr(path, '/');
	size_t dir = slash ? (size_t)(slash + 1 - path) : 0, length = strlen(path);
	struct pm_tarwrite tar = { .fd = -1 };
	char *name = NULL;
	int fd = -1, rc = -1;

	if (asprintf(&name, "%.*s.%s.XXXXXX", (int)dir, path, path + dir) < 0) {
		name = NULL;
		pm_err(e, "out of memory");
	} else if ((fd = mkostemp(name, O_CLOEXEC)) < 0) {
		pm_err(e, "create %s: %m", name);
	} else {
		rc = pm_tarwrite_begin(&tar, fd, strcmp(path + length - 4, ".tar") != 0, e);
	}
	c->tar = &tar;
	for (int i = 0; i < n && rc == 0; i++)
		rc = convert_source(c, source[i], e);
	if (rc == 0)
		rc = pm_tarwrite_end(&tar, e);
	pm_tarwrite_free(&tar);
	/* link(2) does not overwrite an existing file. */
	if (rc == 0 && link(name, path) < 0)
		rc = errno == EEXIST ? pm_err(e, "%s: it exists already", path)
				     : pm_err(e, "create %s: %m", path);
	if (fd >= 0) {
		unlink(name);
		close(fd);
	}
	free(name);
	return rc;
}

int pm_verb_convert(const struct pm_cli *cli, struct pm_err *e)
{
	const char *path = cli->value[PM_OPT_archive];
	struct converting c = { .tar = NULL };
	int rc = 0, sources = cli->argc;

	/* As EPMT's: convert FROM TO. */
	if (!path && cli->argc == 2 && access(cli->argv[1], F_OK) < 0)
		path = cli->argv[--sources];
	if (cli->argc == 0 || !path) {
		pm_err(e, cli->argc ? "convert needs the name of the archive to write: -o FILE"
				    : "convert needs files of another tool");
		return PM_EXIT_USAGE;
	}
	if (!pm_tarwrite_can(path)) {
		pm_err(e, "%s: neither .tar, .tar.gz nor .tgz", path);
		return PM_EXIT_USAGE;
	}
	if (access(path, F_OK) == 0) {
		pm_err(e, "%s: it exists already", path);
		return PM_EXIT_FAILED;
	}
	if (cli->given[PM_OPT_dry_run]) {
		for (int i = 0; i < sources && rc == 0; i++)
			rc = convert_source(&c, cli->argv[i], e);
		if (rc == 0 && pm_log_level >= 0)
			puts("nothing was written: this was a dry run");
	} else {
		rc = write_archive(&c, path, cli->argv, sources, e);
	}
	for (size_t i = 0; i < c.directories; i++)
		free(c.directory[i]);
	free(c.directory);
	/* Drop the text of a damaged archive: a warning has been printed. */
	if (rc == 0)
		e->text[0] = '\0';
	if (fflush(stdout) != 0)
		rc = pm_err(e, "write: %m");
	return rc < 0 || c.faulty ? PM_EXIT_FAILED : PM_EXIT_OK;
}
