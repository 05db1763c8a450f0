/* perfmon stage: pack closed jobs into archives, one per job and host. */
#include "config.h"

#include "wrapper/stage/stage.h"

#include "common/job/living.h"
#include "common/log.h"
#include "common/settings/readconfig.h"
#include "common/terminal.h"
#include "wrapper/job/collate.h"
#include "wrapper/job/job.h"
#include "wrapper/metadata/metadata.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Names of the files that are packed; submit reads no others. */
static const char *const kinds[] = { "job-*.json", "*.tsv", "*.series", "*.phases", "*.tally" };

/* One call of perfmon stage. */
struct staging {
	const struct pm_cli *cli;
	json_t *list; /* the output with --json, else NULL */
};

/* One job directory: an archive per host, and one for files of no host. */
struct directory {
	struct pm_jobdir *d;
	struct pm_stage *stage;
	size_t stages;
	bool resumed;      /* an earlier stage that was killed has been completed */
	int open, strange; /* hosts on which the job is open; files that are not packed */
	int living;        /* recorded processes that have not ended */
};

static int is_packed(const char *name)
{
	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
		if (fnmatch(kinds[i], name, FNM_PERIOD) == 0)
			return 1;
	return 0;
}

static struct pm_stage *add_stage(struct directory *dir, const char *host)
{
	struct pm_stage *s = realloc(dir->stage, (dir->stages + 1) * sizeof *s);
	struct stat st;

	if (!s)
		return NULL;
	dir->stage = s;
	s += dir->stages++;
	memset(s, 0, sizeof *s);
	s->d = dir->d;
	snprintf(s->host, sizeof s->host, "%.255s", host);
	if (fstat(dir->d->fd, &st) == 0) {
		s->owner = st.st_uid;
		s->group = st.st_gid;
	}
	return s;
}

/* Find the host of a file: the one with the longest name with which the file's name begins. NULL:
 * no such host. */
static struct pm_stage *find_stage(struct directory *dir, const char *name)
{
	struct pm_stage *best = NULL;

	for (size_t i = 0; i < dir->stages; i++) {
		struct pm_stage *s = &dir->stage[i];
		size_t n = strlen(s->host);
		char meta[NAME_MAX + 16];

		snprintf(meta, sizeof meta, "job-%s.json", s->host);
		if (strcmp(name, meta) == 0)
			return s;
		if (n && strncmp(name, s->host, n) == 0 && (name[n] == '-' || name[n] == '.') &&
		    (!best || n > strlen(best->host)))
			best = s;
	}
	return best;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_regular(int dir, const char *name)
{
	struct stat st;

	return fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode);
}

/* Find the hosts with metadata, and whether the job is open there. Returns 0 or -1 with e filled.
 */
static int find_hosts(struct directory *dir, struct dirent **entry, int n, struct pm_err *e)
{
	for (int i = 0; i < n; i++) {
		size_t len = strlen(entry[i]->d_name);
		char host[NAME_MAX + 1];
		struct pm_stage *s;
		json_t *doc;

		if (fnmatch(kinds[0], entry[i]->d_name, FNM_PERIOD) != 0 || len <= 9 ||
		    !is_regular(dir->d->fd, entry[i]->d_name))
			continue;
		snprintf(host, sizeof host, "%.*s", (int)len - 9, entry[i]->d_name + 4);
		s = add_stage(dir, host);
		if (!s)
			return pm_err(e, "out of memory");
		doc = pm_metadata_read(dir->d->fd, host, NULL);
		/* Metadata that cannot be read is packed as it is. */
		s->keep = doc && !pm_metadata_is_closed(doc);
		dir->open += s->keep;
		json_decref(doc);
	}
	return 0;
}

/* Assign the files to archives. Metadata come first in an archive, so that its job can be found
 * quickly. Returns 0 or -1 with e filled. */
static int assign_files(struct directory *dir, struct dirent **entry, int n, struct pm_err *e)
{
	for (int k = 0; k < 2 * n; k++) {
		const char *name = entry[k % n]->d_name;
		json_t *text = json_string(name);
		struct pm_stage *s;

		json_decref(text);
		if ((fnmatch(kinds[0], name, FNM_PERIOD) == 0) != (k < n))
			continue;
		if (!is_packed(name) || !text || !is_regular(dir->d->fd, name)) {
			dir->strange += strcmp(name, ".") != 0 && strcmp(name, "..") != 0 &&
					!pm_stage_is_own(name);
			continue;
		}
		s = find_stage(dir, name);
		if (!s)
			s = add_stage(dir, "");
		if (!s || pm_pack_add(&s->pack, name) < 0)
			return pm_err(e, "out of memory");
	}
	return 0;
}

static void forget_stages(struct directory *dir)
{
	for (size_t i = 0; i < dir->stages; i++)
		pm_pack_free(&dir->stage[i].pack);
	free(dir->stage);
	dir->stage = NULL;
	dir->stages = 0;
	dir->open = dir->strange = 0;
}

/* Read the directory: find its hosts, and with `files` assign the files to archives. */
static int read_directory(struct directory *dir, bool files, struct pm_err *e)
{
	struct dirent **entry = NULL;
	int n = scandirat(dir->d->fd, ".", &entry, NULL, by_name), rc;

	forget_stages(dir);
	if (n < 0)
		return pm_err(e, "%s: %m", dir->d->path);
	rc = find_hosts(dir, entry, n, e);
	if (rc == 0 && files)
		rc = assign_files(dir, entry, n, e);
	for (int i = 0; i < n; i++)
		free(entry[i]);
	free(entry);
	return rc;
}

static void report_archive(struct staging *g, const struct pm_stage *s)
{
	int64_t bytes = 0, lines = 0;

	for (size_t i = 0; i < s->pack.files; i++) {
		bytes += s->pack.file[i].size;
		lines += s->pack.file[i].lines;
	}
	if (s->kept)
		pm_warn("%s: %d file%s changed since packing began: the job is kept", s->d->path,
			s->kept, s->kept == 1 ? "" : "s");
	if (s->living)
		pm_warn("%s: %d process%s of the job %s still there: %s; what %s so far is packed; "
			"the job is kept: stage it again later",
			s->d->path, s->living, s->living == 1 ? "" : "es",
			s->living == 1 ? "is" : "are", s->names,
			s->living == 1 ? "it has written" : "they have written");
	if (g->list)
		json_array_append_new(
			g->list, json_pack("{s:s, s:s, s:s, s:I, s:I, s:I, s:b}", "job", s->d->name,
					   "host", s->host, "archive", s->archive, "files",
					   (json_int_t)s->pack.files, "bytes", (json_int_t)bytes,
					   "lines", (json_int_t)lines, "kept", s->keep || s->kept));
	else if (pm_log_level >= 0)
		pm_terminal_name(stdout, s->archive);
}

/* Finish what interrupted calls left, for every host, even one whose metadata is gone. */
static int resume_hosts(struct staging *g, struct directory *dir, struct pm_err *e)
{
	struct dirent **entry = NULL;
	int n = scandirat(dir->d->fd, ".", &entry, NULL, by_name), rc = 0;

	for (int i = 0; i < n; i++) {
		const char *name = entry[i]->d_name;
		size_t len = strlen(name);
		struct pm_stage *s;

		if (rc >= 0 && fnmatch(".stage-*.json", name, 0) == 0) {
			char host[NAME_MAX + 1];

			snprintf(host, sizeof host, "%.*s", (int)len - 12, name + 7);
			forget_stages(dir);
			s = add_stage(dir, host);
			rc = s ? pm_stage_resume(s, e) : pm_err(e, "out of memory");
			if (rc == 1)
				report_archive(g, s);
			dir->resumed = true;
		}
		free(entry[i]);
	}
	free(entry);
	return rc < 0 ? -1 : 0;
}

/* Make all archives of the directory. Returns 0 or -1 with e filled. */
static int stage_all(struct staging *g, struct directory *dir, struct pm_err *e)
{
	int rc = read_directory(dir, true, e);

	for (size_t i = 0; i < dir->stages && rc == 0; i++) {
		struct pm_stage *s = &dir->stage[i];

		if (s->pack.files == 0)
			continue;
		if (g->cli->given[PM_OPT_dry_run]) {
			pm_terminal_print(stdout, "would stage %zu files of job %s on %s\n",
					  s->pack.files, s->d->name,
					  *s->host ? s->host : "other hosts");
			continue;
		}
		/* Keep the directory: living processes still record into it. */
		if (*s->host && !s->keep)
			s->living = pm_living_find(s->d->fd, s->host, s->names, sizeof s->names, e);
		if (s->living < 0)
			return -1;
		dir->living += s->living;
		/* Files of no known host belong to a job that is open somewhere. */
		s->keep = s->keep || s->living || (!*s->host && (dir->open || dir->living));
		s->keep_job = g->cli->given[PM_OPT_keep_job];
		rc = pm_stage_files(s, e);
		if (rc == 0)
			report_archive(g, s);
	}
	return rc;
}

/* Whether a directory is the parent of the path in arg, which ends the walk. */
static int is_above(int fd, const char *path, void *arg)
{
	const char *below = arg;
	size_t n = strlen(path);

	(void)fd;
	return strncmp(below, path, n) == 0 && below[n] == '/' && !strchr(below + n + 1, '/');
}

/* Whether the directory lies in a folder of this user's jobs. There an empty directory was left by
 * a stage that was killed; an empty directory anywhere else need not be perfmon's. */
static bool is_place_of_jobs(const char *path)
{
	char *real = realpath(path, NULL);
	struct pm_err why;
	bool is = real && pm_jobdir_each_user(is_above, real, &why) > 0;

	free(real);
	return is;
}

/* Stage one directory, which is locked until it is closed. Returns 0 or -1 with e filled. */
static int stage_locked(struct staging *g, struct directory *dir, struct pm_err *e)
{
	bool dry = g->cli->given[PM_OPT_dry_run];
	struct pm_err why;

	if (!dry && resume_hosts(g, dir, e) < 0)
		return -1;
	if (read_directory(dir, false, e) < 0)
		return -1;
	if (dir->open && !g->cli->given[PM_OPT_force])
		return pm_err(e,
			      "job %s is open; stop it first, or use --force to pack what there is",
			      dir->d->name);
	for (size_t i = 0; i < dir->stages && !dry; i++)
		if (!dir->stage[i].keep && pm_collate(dir->d->fd, dir->stage[i].host, &why) < 0)
			pm_warn("%s", why.text); /* uncollated files are packed as they are */
	if (stage_all(g, dir, e) < 0)
		return -1;
	if (dir->stages == 0 && !dir->resumed && !is_place_of_jobs(dir->d->path))
		return pm_err(e, "%s: no job in it", dir->d->path);
	if (dry || dir->open || dir->living || g->cli->given[PM_OPT_keep_job])
		return 0;
	if (rmdir(dir->d->path) < 0 && errno != ENOENT)
		pm_info("%s: %m", dir->d->path);
	return 0;
}

static int stage_directory(struct staging *g, struct pm_jobdir *d, struct pm_err *e)
{
	struct directory dir = { .d = d };
	struct stat st, now;
	int rc;

	if (pm_job_lock(d, e) < 0)
		return -1;
	/* Another stage was quicker, and removed the directory that we opened. */
	if (fstat(d->fd, &st) < 0 || stat(d->path, &now) < 0 || now.st_ino != st.st_ino ||
	    now.st_dev != st.st_dev) {
		pm_info("job %s has been staged by another process", d->name);
		return 0;
	}
	rc = stage_locked(g, &dir, e);
	if (rc == 0 && dir.strange && !dir.open)
		pm_warn("%s: %d file%s not packed: not written by perfmon, or not regular", d->path,
			dir.strange, dir.strange == 1 ? "" : "s");
	forget_stages(&dir);
	return rc;
}

static int stage_path(struct staging *g, const char *path, struct pm_err *e)
{
	struct pm_jobdir d;
	int rc = pm_jobdir_open(path, &d, e);

	if (rc == 0)
		rc = stage_directory(g, &d, e);
	pm_jobdir_close(&d);
	return rc;
}

/* The user's directories of closed jobs: all for --all, else the newest. */
struct closed {
	char **path;
	size_t n;
	int64_t newest_us;
	bool newest; /* keep the newest only */
};

static int is_closed(const struct pm_jobdir *d, int64_t *start_us)
{
	struct dirent **entry = NULL;
	int n = scandirat(d->fd, ".", &entry, NULL, by_name), closed = n > 0;

	*start_us = 0;
	for (int i = 0; i < n; i++) {
		size_t len = strlen(entry[i]->d_name);
		char host[NAME_MAX + 1];
		json_t *doc;

		if (len > 9 && fnmatch(kinds[0], entry[i]->d_name, FNM_PERIOD) == 0) {
			snprintf(host, sizeof host, "%.*s", (int)len - 9, entry[i]->d_name + 4);
			doc = pm_metadata_read(d->fd, host, NULL);
			closed = closed && doc && pm_metadata_is_closed(doc);
			*start_us = pm_metadata_get_int(doc, PM_JOB_start_time_us, *start_us);
			json_decref(doc);
		}
		free(entry[i]);
	}
	free(entry);
	return closed;
}

static int add_closed(const struct pm_jobdir *d, void *arg)
{
	struct closed *c = arg;
	int64_t us;
	char **path;

	if (!is_closed(d, &us) || (c->newest && c->n && us <= c->newest_us))
		return 0;
	c->newest_us = us;
	if (c->newest && c->n)
		free(c->path[--c->n]);
	path = realloc(c->path, (c->n + 1) * sizeof *path);
	if (!path)
		return -1;
	c->path = path;
	path[c->n] = strdup(d->path);
	return path[c->n] ? (c->n++, 0) : -1;
}

/* Find the jobs to stage without operands: the job in use, else the newest closed job, or with
 * --all every closed job. Returns the number of paths in c, or -1 with e filled. */
static int find_jobs(const struct pm_cli *cli, struct closed *c, struct pm_err *e)
{
	struct pm_jobdir d = { .fd = -1 };
	int rc = 1;

	if (!cli->given[PM_OPT_all]) {
		rc = pm_job_find(cli, PM_JOB_ANY, &d, e);
		if (rc < 0 || (rc == 1 && cli->value[PM_OPT_job]))
			return -1;
	}
	if (rc == 0) {
		c->path = malloc(sizeof *c->path);
		if (c->path && (c->path[0] = strdup(d.path)))
			c->n = 1;
		pm_jobdir_close(&d);
	} else {
		c->newest = !cli->given[PM_OPT_all];
		if (pm_jobdir_each(add_closed, c, e) < 0)
			return -1;
	}
	if (c->n == 0 && c->newest)
		return pm_err(e, "no closed job to stage");
	e->text[0] = '\0';
	return (int)c->n;
}

int pm_verb_stage(const struct pm_cli *cli, struct pm_err *e)
{
	struct staging g = { .cli = cli };
	struct closed c = { .n = 0 };
	char **path = cli->argv;
	int n = cli->argc, status = PM_EXIT_OK;

	if (cli->given[PM_OPT_no_collate])
		pm_info("--no-collate has no effect: records are collated already");
	if (n > 0 && (cli->given[PM_OPT_all] || cli->value[PM_OPT_job])) {
		pm_err(e, "stage takes directories, or -j, or --all");
		return PM_EXIT_USAGE;
	}
	if (n == 0) {
		n = find_jobs(cli, &c, e);
		path = c.path;
		if (n < 0) {
			status = cli->off ? PM_EXIT_OK : PM_EXIT_FAILED;
			n = 0;
		}
		if (cli->off && status == PM_EXIT_OK)
			e->text[0] = '\0';
	}
	g.list = cli->given[PM_OPT_json] ? json_array() : NULL;
	for (int i = 0; i < n; i++) {
		/* Go on after a failure: print its error first. */
		if (status != PM_EXIT_OK && e->text[0])
			pm_error("%s", e->text);
		e->text[0] = '\0';
		if (stage_path(&g, path[i], e) < 0)
			status = PM_EXIT_FAILED;
		fflush(stdout);
		if (status != PM_EXIT_OK && cli->given[PM_OPT_error])
			break;
	}
	if (g.list) {
		json_dumpf(g.list, stdout,
			   JSON_ENSURE_ASCII | JSON_INDENT(1) | JSON_PRESERVE_ORDER);
		putchar('\n');
	}
	json_decref(g.list);
	for (size_t i = 0; i < c.n; i++)
		free(c.path[i]);
	free(c.path);
	return status;
}
