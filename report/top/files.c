/* Follow the files of a job directory. */
#include "config.h"

#include "report/top/files.h"

#include "report/top/jobfile.h"
#include "report/top/records.h"
#include "report/top/ticks.h"

#include "common/job/jobdir.h"
#include "common/now.h"
#include "db/db.h"
#include "submit/input/lines.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Files that are followed; with PER_PROCESS each process has one. */
#define FILES_MAX 20000

/* Bytes read at once, and how near to its end a series file's ticks count: some seconds' worth. */
#define CHUNK (1 << 20)
#define NEAR  (1 << 20)

enum kind { RECORDS, SERIES, METADATA };

struct file {
	char *name; /* owned */
	enum kind kind;
	int64_t offset, size;
	struct pm_lines lines;
	struct pm_top_records records;
	struct pm_top_ticks ticks;
	struct pm_top_jobfile *job; /* of metadata; owned */
	struct timespec changed;    /* when that was read */
};

struct pm_top_files {
	struct pm_jobdir dir;
	struct pm_top_model *model;
	void *names; /* tree of files */
	struct file **file;
	size_t count, room;
	int64_t skipped;
	char *chunk;
};

/* --- which files -------------------------------------------------------------------------------
 */

static bool ends_in(const char *name, const char *suffix)
{
	const size_t n = strlen(name), s = strlen(suffix);

	return n > s && strcmp(name + n - s, suffix) == 0;
}

/* The kind of file by its name, -1: none that is read. */
static int kind_of(const char *name)
{
	if (name[0] == '.')
		return -1;
	if (ends_in(name, ".tsv"))
		return RECORDS;
	if (ends_in(name, ".series"))
		return SERIES;
	return strncmp(name, "job-", 4) == 0 && ends_in(name, ".json") ? METADATA : -1;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct file *)a)->name, ((const struct file *)b)->name);
}

static int take_line(void *ctx, const char *p, size_t n, uint64_t number, enum pm_lines_state state)
{
	struct file *f = ctx;

	(void)number;
	if (state != PM_LINES_WHOLE) {
		f->records.damaged += f->kind == RECORDS;
		return 0;
	}
	if (f->kind == RECORDS)
		return pm_top_records_line(&f->records, p, n);
	return pm_top_ticks_line(&f->ticks, p, n, f->offset + NEAR < f->size);
}

static void free_file(struct file *f)
{
	if (!f)
		return;
	pm_lines_end(&f->lines);
	pm_top_ticks_free(&f->ticks);
	pm_top_jobfile_free(f->job);
	free(f->name);
	free(f);
}

/* Find or add the file of this name. Returns 0, or -1 if out of memory. */
static int find_file(struct pm_top_files *f, const char *name, enum kind kind)
{
	struct file key = { .name = (char *)(uintptr_t)name }, *new, **grown;

	if (tfind(&key, &f->names, by_name))
		return 0;
	if (f->count == FILES_MAX) {
		f->skipped++;
		return 0;
	}
	if (f->count == f->room) {
		const size_t room = f->room ? 2 * f->room : 16;

		grown = realloc(f->file, room * sizeof(*grown));
		if (!grown)
			return -1;
		f->file = grown;
		f->room = room;
	}
	new = calloc(1, sizeof *new);
	if (new)
		new->name = strdup(name);
	if (!new || !new->name || !tsearch(new, &f->names, by_name)) {
		free(new ? new->name : NULL);
		free(new);
		return -1;
	}
	new->kind = kind;
	pm_lines_init(&new->lines, take_line, new);
	pm_top_records_init(&new->records, f->model);
	pm_top_ticks_init(&new->ticks, f->model);
	f->file[f->count++] = new;
	return 0;
}

/* List the directory anew. Returns 0, or -1 with e filled. */
static int list_files(struct pm_top_files *f, struct pm_err *e)
{
	int fd = openat(f->dir.fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	struct stat st;
	int rc = 0;

	if (!dir) {
		if (fd >= 0)
			close(fd);
		return pm_err(e, "%s: %m", f->dir.path);
	}
	f->skipped = 0;
	while (rc == 0 && (entry = readdir(dir)) != NULL) {
		const int kind = kind_of(entry->d_name);

		if (kind >= 0)
			rc = find_file(f, entry->d_name, (enum kind)kind);
	}
	closedir(dir);
	if (rc < 0)
		return pm_err(e, "out of memory");
	/* A removed directory can still be listed. */
	if (fstat(f->dir.fd, &st) == 0 && st.st_nlink == 0)
		return pm_err(e, "%s: the directory is gone: the job was staged, loaded or removed",
			      f->dir.path);
	return 0;
}

/* --- reading -----------------------------------------------------------------------------------
 */

static int open_file(const struct pm_top_files *f, const struct file *x, struct stat *st)
{
	int fd = pm_db_open_file(f->dir.fd, x->name, O_NOFOLLOW | O_NONBLOCK);

	if (fd >= 0 && (fstat(fd, st) < 0 || !S_ISREG(st->st_mode))) {
		close(fd);
		return -1;
	}
	return fd;
}

static void read_metadata(const struct pm_top_files *f, struct file *x)
{
	struct pm_top_jobfile *job;
	struct stat st;
	int fd;

	if (fstatat(f->dir.fd, x->name, &st, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISREG(st.st_mode) ||
	    (x->job && st.st_mtim.tv_sec == x->changed.tv_sec &&
	     st.st_mtim.tv_nsec == x->changed.tv_nsec))
		return;
	fd = open_file(f, x, &st);
	if (fd < 0)
		return;
	job = pm_top_jobfile_read(fd);
	close(fd);
	if (!job)
		return;
	pm_top_jobfile_free(x->job);
	x->job = job;
	x->changed = st.st_mtim;
}

/* Read on in a file. Returns 0, or -1 if out of memory. */
static int read_file(struct pm_top_files *f, struct file *x, int64_t until_us)
{
	struct stat st;
	ssize_t n = 1;
	int fd, rc = 0;

	if (fstatat(f->dir.fd, x->name, &st, AT_SYMLINK_NOFOLLOW) < 0 || st.st_size <= x->offset)
		return 0;
	fd = open_file(f, x, &st);
	if (fd < 0)
		return 0;
	x->size = st.st_size;
	while (rc == 0 && x->offset < x->size) {
		/* At least a chunk of each file in a round. */
		n = pread(fd, f->chunk, CHUNK, x->offset);
		if (n <= 0)
			break;
		x->offset += n;
		rc = pm_lines_feed(&x->lines, f->chunk, (size_t)n);
		if (pm_now_monotonic_us() > until_us)
			break;
	}
	close(fd);
	return rc;
}

int pm_top_files_read(struct pm_top_files *f, int64_t until_us, struct pm_err *e)
{
	if (list_files(f, e) < 0)
		return -1;
	for (size_t i = 0; i < f->count; i++) {
		struct file *x = f->file[i];

		if (x->kind == METADATA)
			read_metadata(f, x);
		else if (read_file(f, x, until_us) < 0)
			return pm_err(e, "out of memory");
	}
	return 0;
}

void pm_top_files_describe(const struct pm_top_files *f, struct pm_top_picture *p)
{
	const char *name = f->dir.name;
	int64_t end_us = 0;

	snprintf(p->jobid, sizeof p->jobid, "%s", name);
	p->skipped = f->skipped;
	for (size_t i = 0; i < f->count; i++) {
		const struct file *x = f->file[i];

		p->damaged += x->records.damaged;
		p->bytes += x->size;
		p->behind += x->size - x->offset;
		if (x->job)
			pm_top_jobfile_add(x->job, p, &end_us);
	}
	/* It is over when all hosts are. */
	p->end_us = p->hosts > 0 && p->closed == p->hosts ? end_us : 0;
}

struct pm_top_files *pm_top_files_open(const char *directory, struct pm_top_model *m,
				       struct pm_err *e)
{
	struct pm_top_files *f = calloc(1, sizeof *f);

	if (f)
		f->chunk = malloc(CHUNK);
	if (!f || !f->chunk) {
		free(f);
		pm_err(e, "out of memory");
		return NULL;
	}
	f->model = m;
	if (pm_jobdir_open(directory, &f->dir, e) < 0) {
		free(f->chunk);
		free(f);
		return NULL;
	}
	return f;
}

static void keep_node(void *node)
{
	(void)node; /* the list owns the files */
}

void pm_top_files_close(struct pm_top_files *f)
{
	if (!f)
		return;
	tdestroy(f->names, keep_node);
	for (size_t i = 0; i < f->count; i++)
		free_file(f->file[i]);
	free(f->file);
	pm_jobdir_close(&f->dir);
	free(f->chunk);
	free(f);
}
