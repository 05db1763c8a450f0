/* Gather jobs from sources, directories and archives, one file after the other. */
#include "config.h"

#include "submit/loading.h"

#include "common/grow.h"
#include "common/log.h"
#include "submit/foreign/epmt_db.h"
#include "submit/input/archive.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * Maximum numbers of jobs in memory; usually an archive has one job. Beyond JOBS_AT_ONCE the
 * gathered jobs are loaded to make room, and later files of such a job are added to it. JOBS_MAX
 * applies where that is impossible: in a spool, where anybody may put an archive, and with
 * --replace.
 */
#define JOBS_AT_ONCE 512
#define JOBS_MAX     4096

/* Key of the job in a directory of the current source. Returns a new text, or NULL if out of
 * memory. */
static char *key_of(const struct pm_loading *l, const char *directory)
{
	char *key;

	for (size_t i = 0; l->set && i < l->set->places; i++)
		if (l->set->place[i].source == l->number &&
		    strcmp(l->set->place[i].directory, directory) == 0)
			return strdup(l->set->place[i].key);
	return asprintf(&key, "%zu %s", l->number, directory) < 0 ? NULL : key;
}

/* Add the current source to those of a job. Returns 0 or -1 with e filled. */
static int add_source(struct pm_loading *l, struct pm_load_job *j, struct pm_err *e)
{
	char *all;

	/* The batch number tells lines of this source from those of others. */
	j->known.batch = (uint32_t)l->number + 1;
	if (j->sources && j->last == l->number)
		return 0;
	if (asprintf(&all, "%s%s%s", j->sources ? j->sources : "", j->sources ? ", " : "",
		     l->source) < 0)
		return pm_err(e, "out of memory");
	free(j->sources);
	j->sources = all;
	j->last = l->number;
	j->count++;
	return pm_gather_source(&j->gather, l->source, e);
}

static uint64_t key_hash(const char *key)
{
	return pm_hashmap_mix_bytes(1, key, strlen(key));
}

/* Find or add the job of a directory. Returns NULL with e filled. */
static struct pm_load_job *find_job(struct pm_loading *l, const char *directory, struct pm_err *e)
{
	struct pm_load_job *j = l->current;
	size_t at = 0;
	uint32_t i;
	char *key;

	/* Usually the job is that of the previous file. */
	if (j && j->last == l->number && strcmp(j->gather.directory, directory) == 0)
		return j;
	j = NULL;
	key = key_of(l, directory);
	while (key && (i = pm_hashmap_next(&l->by_key, key_hash(key), &at)) != UINT32_MAX)
		if (strcmp(l->job[i]->key, key) == 0) {
			free(key);
			return add_source(l, l->job[i], e) < 0 ? NULL : l->job[i];
		}
	if (l->jobs >= (l->make_room ? JOBS_AT_ONCE : JOBS_MAX) &&
	    (!l->make_room || l->make_room(l, e) < 0)) {
		l->crowded = !l->make_room;
		if (l->crowded)
			pm_err(e, "%s: more than %d jobs: load the archive by its file name",
			       l->source, JOBS_MAX);
		free(key);
		return NULL;
	}
	if (key && PM_GROW(l->job, l->jobs, l->jobs_cap, 4) &&
	    pm_hashmap_add(&l->by_key, key_hash(key), (uint32_t)l->jobs) == 0)
		j = calloc(1, sizeof *j);
	if (!j) {
		free(key);
		pm_err(e, "out of memory");
		return NULL;
	}
	j->key = key;
	l->job[l->jobs++] = j;
	if (pm_gather_init(&j->gather, l->source, directory, l->owner, e) < 0)
		return NULL;
	j->gather.keep = l->keep;
	j->gather.silent = l->scan;
	j->gather.progress = l->o ? l->o->progress : NULL;
	j->gather.strict = l->o && l->o->strict;
	if (l->set && l->set->places)
		j->gather.known = &j->known;
	return add_source(l, j, e) < 0 ? NULL : j;
}

void pm_loading_free(struct pm_loading *l)
{
	for (size_t i = 0; i < l->jobs; i++) {
		pm_gather_free(&l->job[i]->gather);
		pm_hashmap_free(&l->job[i]->known.lines);
		free(l->job[i]->key);
		free(l->job[i]->sources);
		free(l->job[i]);
	}
	free(l->job);
	pm_hashmap_free(&l->by_key);
	l->current = NULL;
	l->job = NULL;
	l->jobs = l->jobs_cap = 0;
}

static int member_begin(void *ctx, const char *path, struct pm_err *e)
{
	struct pm_loading *l = ctx;
	const char *slash = strrchr(path, '/');
	char directory[PATH_MAX];
	size_t n = slash ? (size_t)(slash - path) : 0;

	if (l->scan && pm_gather_kind(slash ? slash + 1 : path) != PM_FILE_META)
		return 0;
	if (pm_gather_kind(slash ? slash + 1 : path) == PM_FILE_OTHER) {
		pm_debug("%s: %s: not a file of a job", l->source, path);
		return 0;
	}
	if (l->o && l->o->beside && pm_foreign_kind(slash ? slash + 1 : path) != PM_FOREIGN_NONE)
		return pm_err(e, "%s: %s is for the main thread", l->source, path);
	if (n >= sizeof directory) {
		pm_warn("%s: a member's path is too long", l->source);
		l->faulty = true;
		return 0;
	}
	memcpy(directory, path, n);
	directory[n] = '\0';
	l->current = find_job(l, n ? directory : ".", e);
	if (!l->current || pm_gather_begin(&l->current->gather, slash ? slash + 1 : path, e) < 0) {
		l->refused = !l->crowded;
		return -1;
	}
	return 1;
}

/* Update the progress after reading n bytes of a file; for an archive the compressed bytes count.
 */
static void show_progress(struct pm_loading *l, size_t n)
{
	static const char reading[] = "reading";
	struct pm_progress *p = l->o ? l->o->progress : NULL;
	const struct pm_operand *o = l->operand;
	off_t at = -1;

	if (!p || l->scan)
		return;
	l->read += n;
	if (pm_unpacked_has(&o->unpacked))
		at = (off_t)((double)o->st.st_size * (double)l->read /
			     (double)(o->unpacked.end - o->unpacked.first));
	else if (o->kind == PM_OPERAND_ARCHIVE)
		at = lseek(o->fd, 0, SEEK_CUR);
	l->done = at >= 0 ? l->before + (uint64_t)at : l->done + n;
	/* If a job was written in between, the display shows another activity. */
	if (p->what != reading)
		pm_progress_begin(p, reading, "MB", 1000000, l->done, l->total);
	pm_progress_at(p, l->done);
}

static int member_data(void *ctx, const char *p, size_t n, struct pm_err *e)
{
	struct pm_loading *l = ctx;
	struct pm_gather *g = &l->current->gather;
	int rc;

	pm_within_note(&l->within, g);
	rc = pm_gather_data(g, p, n, e);
	if (rc == 0)
		rc = pm_within_check(&l->within, g, e);
	show_progress(l, n);
	l->refused = l->refused || (rc < 0 && !l->within.over);
	return rc;
}

static int member_end(void *ctx, bool whole, struct pm_err *e)
{
	struct pm_loading *l = ctx;
	struct pm_gather *g = &l->current->gather;

	if (!whole && !l->scan)
		pm_gather_problem(g, "%s is truncated", g->file[g->files - 1].name);
	pm_within_note(&l->within, g);
	if (pm_gather_end(g, whole, e) == 0 && pm_within_check(&l->within, g, e) == 0)
		return 0;
	l->refused = !l->within.over;
	return -1;
}

static void member_skipped(void *ctx, const char *path, const char *why)
{
	struct pm_loading *l = ctx;

	if (l->scan)
		return;
	pm_warn("%s: %s skipped: %s", l->source, path, why);
	l->faulty = true;
}

/* Read one file of a directory. A file that cannot be read is noted as a problem. Returns 0 or -1
 * with e filled. */
static int read_file(struct pm_loading *l, int dir, const char *name, struct pm_err *e)
{
	struct pm_gather *g = &l->current->gather;
	char buffer[65536];
	struct stat st;
	ssize_t n = 0;
	int rc, fd = pm_db_open_file(dir, name, O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);

	if (fd < 0) {
		pm_gather_problem(g, "%s: %s", name,
				  errno == ELOOP   ? "a symbolic link, skipped"
				  : errno == EBUSY ? "the database itself, skipped"
						   : strerror(errno));
		return 0;
	}
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
		pm_gather_problem(g, "%s: not a regular file, skipped", name);
		close(fd);
		return 0;
	}
	if (l->o && l->o->remove &&
	    pm_remove_note(&l->taken, l->number, l->source, name,
			   pm_gather_kind(name) == PM_FILE_META, &st, e) < 0) {
		close(fd);
		return -1;
	}
	rc = pm_gather_begin(g, name, e);
	if (rc == 0 && st.st_uid != 0 && st.st_uid != l->owner)
		pm_gather_owned_by(g, st.st_uid);
	while (rc == 0 && (n = read(fd, buffer, sizeof buffer)) != 0) {
		if (n > 0) {
			rc = pm_gather_data(g, buffer, (size_t)n, e);
			show_progress(l, (size_t)n);
		} else if (errno != EINTR) {
			pm_gather_problem(g, "%s: read: %m", name);
			break;
		}
	}
	close(fd);
	return rc < 0 ? -1 : pm_gather_end(g, n == 0, e);
}

static int is_wanted(const struct dirent *d)
{
	return pm_gather_kind(d->d_name) != PM_FILE_OTHER;
}

static int read_directory(struct pm_loading *l, int fd, struct pm_err *e)
{
	struct dirent **name = NULL;
	int n, rc = 0;

	/* Sort by name, so that a job loads the same from any file system; metadata first, since
	 * they tell the job's user. */
	n = scandirat(fd, ".", &name, is_wanted, alphasort);
	if (n < 0)
		return pm_err(e, "%s: %m", l->source);
	if (n > 0) {
		l->current = find_job(l, l->source, e);
		rc = l->current ? 0 : -1;
	}
	for (int metadata = 1; metadata >= (l->scan ? 1 : 0); metadata--)
		for (int i = 0; i < n && rc == 0; i++)
			if ((pm_gather_kind(name[i]->d_name) == PM_FILE_META) == metadata)
				rc = read_file(l, fd, name[i]->d_name, e);
	for (int i = 0; i < n; i++)
		free(name[i]);
	free(name);
	l->refused = l->refused || (rc < 0 && !l->crowded);
	return rc;
}

int pm_load_read_job(struct pm_loading *l, const char *path, struct pm_epmt_db *db,
		     struct pm_err *e)
{
	const struct pm_archive_sink sink = { member_begin, member_data, member_end, member_skipped,
					      l };
	struct stat st;
	int rc;

	l->source = path;
	if (stat(path, &st) < 0)
		return pm_err(e, "%s: %m", path);
	l->owner = st.st_uid;
	rc = pm_epmt_db_read(db, &sink, e);
	if (rc < 0 && l->keep)
		pm_filecontent_end(l->keep);
	l->current = NULL;
	return rc;
}

/* Read every job of a database of EPMT. Returns 0 or -1 with e filled. */
static int read_database(struct pm_loading *l, const char *path, struct pm_err *e)
{
	struct pm_epmt_db *db = pm_epmt_db_open(path, e);
	int rc;

	if (!db)
		return -1;
	while ((rc = pm_epmt_db_next(db, e)) > 0)
		if (pm_load_read_job(l, path, db, e) < 0) {
			l->refused = true;
			break;
		}
	pm_epmt_db_close(db);
	return rc == 0 ? 0 : -1;
}

/* Read an archive: its file, or what is kept of it since its jobs were looked for. Returns the same
 * as pm_load_read(). */
static int read_archive(struct pm_loading *l, struct pm_operand *o,
			const struct pm_archive_sink *sink, struct pm_err *e)
{
	if (l->o && l->o->remove && !o->input &&
	    pm_remove_note(&l->taken, l->number, o->path, NULL, false, &o->st, e) < 0)
		return -1;
	if (pm_unpacked_has(&o->unpacked))
		return pm_unpacked_pass(&l->set->unpacked, &o->unpacked, sink, e);
	return l->scan ? pm_unpacked_read(l->unpacked, &o->unpacked, o->fd, l->source, sink, e)
		       : pm_archive_read_fd(o->fd, l->source, sink, e);
}

int pm_load_read(struct pm_loading *l, struct pm_operand *o, struct pm_err *e)
{
	const struct pm_archive_sink sink = { member_begin, member_data, member_end, member_skipped,
					      l };
	size_t jobs = l->jobs;
	int rc;

	l->operand = o;
	l->source = o->name;
	l->read = 0;
	if (!pm_unpacked_has(&o->unpacked) && pm_operand_open(o, e) < 0)
		return -1;
	/* Data from a pipe belongs to the user who runs this command. */
	l->owner = o->input && !S_ISREG(o->st.st_mode) && !S_ISDIR(o->st.st_mode) ? getuid()
										  : o->st.st_uid;
	if (o->kind == PM_OPERAND_DIRECTORY)
		rc = read_directory(l, o->fd, e);
	else if (o->kind == PM_OPERAND_DATABASE)
		rc = read_database(l, o->path, e);
	else
		rc = read_archive(l, o, &sink, e);
	/* End an unfinished file, so that its content does not run into the next one. */
	if (rc < 0 && l->keep)
		pm_filecontent_end(l->keep);
	if (rc == 0 && l->jobs == jobs && !l->current)
		rc = pm_err(e, "%s: no job in it: no job-*.json, *.tsv or *.series", l->source);
	l->current = NULL;
	return rc;
}
