/* Find jobs that are recorded but not loaded. */
#include "config.h"

#include "report/query/unloaded.h"

#include "common/job/jobdir.h"
#include "db/db.h"

#include <dirent.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct search {
	const char *name; /* NULL: any */
	int64_t after_us;
	char *path;
	int found;
};

/* Start time of the job of a metadata file, or -1. A file last written before after_us is not read:
 * no job starts after its metadata is written. */
static int64_t start_of(int dir, const char *file, int64_t after_us)
{
	int fd = pm_db_open_file(dir, file, O_NOFOLLOW | O_NONBLOCK);
	json_t *doc = NULL, *start;
	int64_t start_us = -1;
	struct stat st;

	if (fd < 0)
		return -1;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_mtime >= after_us / 1000000)
		doc = json_loadfd(fd, 0, NULL);
	start = json_object_get(json_object_get(doc, "start"), "time_us");
	if (json_is_integer(start))
		start_us = json_integer_value(start);
	json_decref(doc);
	close(fd);
	return start_us;
}

/* Start time of the job of a directory, from its earliest host; -1 where unknown. */
static int64_t start_of_job(int dir, int64_t after_us)
{
	int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	int64_t first_us = -1;
	struct dirent *entry;

	if (!d) {
		if (fd >= 0)
			close(fd);
		return -1;
	}
	while ((entry = readdir(d)) != NULL) {
		size_t len = strlen(entry->d_name);
		int64_t start_us;

		if (strncmp(entry->d_name, "job-", 4) != 0 || len < 10 ||
		    strcmp(entry->d_name + len - 5, ".json") != 0)
			continue;
		start_us = start_of(dir, entry->d_name, after_us);
		if (start_us >= 0 && (first_us < 0 || start_us < first_us))
			first_us = start_us;
	}
	closedir(d);
	return first_us;
}

static int check_directory(const struct pm_jobdir *d, void *arg)
{
	struct search *s = arg;
	int64_t start_us;

	if (s->name && !pm_jobdir_is_named(d->name, s->name))
		return 0;
	start_us = start_of_job(d->fd, s->after_us);
	if (start_us <= s->after_us)
		return 0;
	s->after_us = start_us;
	snprintf(s->path, PATH_MAX, "%s", d->path);
	s->found = 1;
	return 0;
}

int pm_unloaded_find(const char *name, int64_t after_us, char *path, struct pm_err *e)
{
	struct search s = { name, after_us, path, 0 };

	if (pm_jobdir_each(check_directory, &s, e) < 0)
		return -1;
	return s.found;
}
