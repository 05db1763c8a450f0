/* Check whether the files of a directory are loaded in their current state. */
#include "config.h"

#include "submit/load.h"

#include "common/digest.h"
#include "common/safe/tally.h"
#include "common/safe/tsv.h"
#include "submit/job/gather.h"
#include "submit/memory/hashmap.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct current {
	struct pm_hashmap sizes;   /* marks: name and size of each loaded file */
	struct pm_hashmap digests; /* marks: name and digest */
};

static uint64_t size_hash(const char *name, uint64_t bytes)
{
	return pm_hashmap_mix(pm_hashmap_mix_bytes(1, name, strlen(name)), bytes);
}

static uint64_t digest_hash(const char *name, const char *digest)
{
	return pm_hashmap_mix_bytes(pm_hashmap_mix_bytes(2, name, strlen(name)), digest,
				    strlen(digest));
}

static int read_loads(struct current *c, struct pm_db *db, int64_t job)
{
	struct pm_stmt *q;
	struct pm_err e;
	int rc;

	if (pm_db_prepare(db, "SELECT file, bytes, digest FROM load WHERE job_id = ?", &q, &e) < 0)
		return -1;
	pm_db_bind_int(q, 1, job);
	while ((rc = pm_db_step(q, &e)) > 0) {
		const char *name = pm_db_text(q, 0, NULL);

		if (pm_hashmap_mark(&c->sizes, size_hash(name, (uint64_t)pm_db_int(q, 1))) < 0 ||
		    pm_hashmap_mark(&c->digests, digest_hash(name, pm_db_text(q, 2, NULL))) < 0) {
			rc = -1;
			break;
		}
	}
	pm_db_finish(q);
	return rc;
}

/* Whether a tally, whose size never changes, holds counts that are not loaded. An empty one does
 * not count. Returns 1, 0, or -1 if it cannot be read. */
static int tally_counts(const struct current *c, int fd, const char *name)
{
	char slot[PM_TALLY_SLOT], text[PM_DIGEST_TEXT];
	struct pm_digest digest;
	bool counts = false;
	struct pm_tally t;
	ssize_t n;

	pm_digest_init(&digest);
	for (bool header = true; (n = read(fd, slot, sizeof slot)) > 0; header = false) {
		pm_digest_add(&digest, slot, (size_t)n);
		counts = counts || (!header && n == (ssize_t)sizeof slot &&
				    pm_tally_parse(slot, &t) == 0 && t.kind.n > 0);
	}
	pm_digest_text(&digest, text);
	return n < 0 ? -1 : counts && !pm_hashmap_has(&c->digests, digest_hash(name, text));
}

/* Whether a file of the directory is new or has changed since the load. Returns 1, 0, or -1 if it
 * cannot be read. */
static int is_new(const struct current *c, int dir, const char *file)
{
	enum pm_file_kind kind = pm_gather_kind(file);
	char name[4 * NAME_MAX + 1];
	struct stat st;
	struct pm_buf b;
	int fd, rc;

	/* Metadata are compared by their stop time in finddir.c. */
	if (kind == PM_FILE_OTHER || kind == PM_FILE_META ||
	    fstatat(dir, file, &st, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISREG(st.st_mode) ||
	    st.st_size == 0)
		return 0;
	pm_buf_init(&b, name, sizeof name - 1);
	pm_tsv_escape(&b, file, strlen(file));
	name[b.len] = '\0';
	if (kind != PM_FILE_TALLY)
		return !pm_hashmap_has(&c->sizes, size_hash(name, (uint64_t)st.st_size));
	fd = pm_db_open_file(dir, file, O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0)
		return -1;
	rc = tally_counts(c, fd, name);
	close(fd);
	return rc;
}

int pm_load_is_current(struct pm_db *db, int64_t job, int dir)
{
	struct current c = { .sizes = { .used = 0 } };
	int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	int rc = d ? read_loads(&c, db, job) : -1;
	struct dirent *entry;

	while (rc == 0 && (entry = readdir(d)) != NULL)
		rc = is_new(&c, dir, entry->d_name);
	pm_hashmap_free(&c.sizes);
	pm_hashmap_free(&c.digests);
	if (d)
		closedir(d);
	else if (fd >= 0)
		close(fd);
	return rc < 0 ? -1 : rc == 0;
}
