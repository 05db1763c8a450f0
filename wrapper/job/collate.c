/*
 * Collating, safe against being killed anywhere:
 *   1. copy all per-process files into one hidden file, sync it;
 *   2. write a journal of what was copied (name and length of each), sync and rename it in place;
 *   3. link the hidden file to its *.tsv name, which never replaces another, and unlink it;
 *   4. remove the per-process files that the journal lists;
 *   5. remove the journal.
 * Killed before 2: the hidden file is not a record file, the next call starts over. Killed after 2:
 * the next call goes on at 3 (the hidden file is still there) or 4. Only between 3 and 4 do records
 * exist twice, byte for byte, and a loader recognises the copies.
 */
#include "config.h"

#include "wrapper/job/collate.h"

#include "common/log.h"
#include "common/safe/columns.h"
#include "common/safe/record.h"
#include "common/trusted.h"
#include "common/version.h"
#include "common/writeall.h"
#include "wrapper/metadata/jsonfile.h"
#include "wrapper/node/host.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HIDDEN      ".collate.new"
#define JOURNAL     ".collate.journal"
#define JOURNAL_NEW ".collate.journal.new"

/* Most names that are tried: <host>-<uid>.tsv, then <host>-<uid>.<n>.tsv. */
#define NAME_TRIES 10000

/* Size of the copy buffer, and so the longest first line that can be recognised as a header. */
#define COPY_BYTES 65536

/* Parse <host>-<pid>-<starttime>.tsv. Returns whether the name has this form. */
static int is_per_process(const char *name, const char *host, int64_t *pid, int64_t *starttime)
{
	size_t len = strlen(host), n;

	if (strncmp(name, host, len) != 0 || name[len] != '-')
		return 0;
	name += len + 1;
	n = strspn(name, "0123456789");
	if (name[n] != '-' || pm_tsv_number(name, n, pid) < 0)
		return 0;
	name += n + 1;
	n = strspn(name, "0123456789");
	return strcmp(name + n, ".tsv") == 0 && pm_tsv_number(name, n, starttime) == 0;
}

/* Whether the process may still write its file. Our own file is complete. */
static int is_alive(int64_t pid, int64_t starttime)
{
	return pid != getpid() && pm_host_starttime(pid) == starttime;
}

/* Whether the name is that of a collated file of another host, whose name is ours with "-number"
 * behind it: n1-2-1000.tsv of n1-2. */
static int is_of_other_host(int dir, const char *host, int64_t pid)
{
	char name[NAME_MAX + 1];
	int n = snprintf(name, sizeof name, "job-%s-%lld.json", host, (long long)pid);

	return n < (int)sizeof name && faccessat(dir, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

/* Append the records of fd from `offset` on to out, without a first line equal to our header, and
 * with a newline at the end. Returns the offset at the end of fd, or -1 with errno. */
static off_t copy_records(int fd, off_t offset, int out)
{
	char *buf = malloc(COPY_BYTES), last = '\n';
	off_t at = offset, rc = -1;
	ssize_t n;

	if (!buf)
		return -1;
	while ((n = pread(fd, buf, COPY_BYTES, at)) != 0) {
		const char *p = buf;
		size_t left;

		if (n < 0) {
			if (errno == EINTR)
				continue;
			goto out;
		}
		left = (size_t)n;
		if (at == 0 && left >= pm_column_header_len &&
		    memcmp(p, pm_column_header, pm_column_header_len) == 0) {
			p += pm_column_header_len;
			left -= pm_column_header_len;
		} else if (at == 0 && !pm_map_is_header(p, left) &&
			   pm_write_all(out, pm_column_header, pm_column_header_len) < 0) {
			goto out;
		}
		if (pm_write_all(out, p, left) < 0)
			goto out;
		at += n;
		last = buf[n - 1];
	}
	if (last == '\n' || pm_write_all(out, "\n", 1) == 0)
		rc = at;
out:
	free(buf);
	return rc;
}

/* Open a regular file that we own. Returns a descriptor, or -1 with errno. */
static int open_own(int dir, const char *name, int flags)
{
	int fd = pm_trusted_open(dir, name, flags, 0, NULL);
	struct stat st;

	if (fd < 0)
		return -1;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid())
		return fd;
	close(fd);
	errno = EPERM;
	return -1;
}

/* Create the hidden file and write the header. Returns a descriptor, or -1 with errno. */
static int open_hidden(int dir)
{
	int fd = openat(dir, HIDDEN, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600),
	    saved;

	if (fd < 0 || pm_write_all(fd, pm_column_header, pm_column_header_len) == 0)
		return fd;
	saved = errno;
	close(fd);
	errno = saved;
	return -1;
}

/* Step 1. Returns the journal, an object from name to length, empty if there are no files to
 * collate; or NULL with e filled. */
static json_t *copy_all(int dir, const char *host, struct pm_err *e)
{
	int copy = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), out = -1;
	DIR *d = copy >= 0 ? fdopendir(copy) : NULL;
	json_t *journal = json_object();
	struct dirent *entry;

	unlinkat(dir, HIDDEN, 0);
	if (!d)
		goto fail;
	while ((entry = readdir(d)) != NULL) {
		int64_t pid, starttime;
		off_t length;
		int fd;

		if (!is_per_process(entry->d_name, host, &pid, &starttime) ||
		    is_of_other_host(dir, host, pid) || is_alive(pid, starttime))
			continue;
		fd = open_own(dir, entry->d_name, O_RDONLY);
		if (fd < 0)
			continue;
		/* Create the hidden file only when there are records to copy: the disk may be
		 * full. */
		if (out < 0 && (out = open_hidden(dir)) < 0) {
			close(fd);
			goto fail;
		}
		length = copy_records(fd, 0, out);
		close(fd);
		if (length < 0)
			goto fail;
		json_object_set_new(journal, entry->d_name, json_integer(length));
	}
	if (out >= 0 && fsync(out) < 0)
		goto fail;
	if (out >= 0 && close(out) < 0) {
		out = -1;
		goto fail;
	}
	closedir(d);
	return journal;
fail:
	pm_err(e, "collate record files: %m");
	if (out >= 0)
		close(out);
	if (d)
		closedir(d);
	else if (copy >= 0)
		close(copy);
	unlinkat(dir, HIDDEN, 0);
	json_decref(journal);
	return NULL;
}

/* Step 2. Returns 0 or -1 with e filled. */
static int write_journal(int dir, const json_t *journal, struct pm_err *e)
{
	int fd, rc;

	unlinkat(dir, JOURNAL_NEW, 0);
	fd = openat(dir, JOURNAL_NEW, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return pm_err(e, "create %s: %m", JOURNAL_NEW);
	rc = pm_jsonfile_write(fd, journal, JSON_COMPACT) < 0;
	rc |= close(fd) < 0;
	if (rc || renameat(dir, JOURNAL_NEW, dir, JOURNAL) < 0) {
		pm_err(e, "write %s: %m", JOURNAL);
		unlinkat(dir, JOURNAL_NEW, 0);
		return -1;
	}
	fsync(dir);
	return 0;
}

/* Step 3: link the hidden file to the first free name, never over another file. Does nothing if an
 * earlier call has done step 3. Returns 0 or -1 with e filled. */
static int publish_hidden(int dir, const char *host, struct pm_err *e)
{
	char name[NAME_MAX + 1];
	struct stat st;

	/* An earlier call linked the file, but was killed before it unlinked the hidden name. */
	if (fstatat(dir, HIDDEN, &st, AT_SYMLINK_NOFOLLOW) == 0 && st.st_nlink > 1) {
		unlinkat(dir, HIDDEN, 0);
		return 0;
	}
	for (int i = 1; i <= NAME_TRIES; i++) {
		if (i == 1)
			snprintf(name, sizeof name, "%.200s-%lu.tsv", host,
				 (unsigned long)geteuid());
		else
			snprintf(name, sizeof name, "%.200s-%lu.%d.tsv", host,
				 (unsigned long)geteuid(), i);
		/* linkat fails if the name exists; renameat would replace the file. */
		if (linkat(dir, HIDDEN, dir, name, 0) == 0) {
			unlinkat(dir, HIDDEN, 0);
			fsync(dir);
			return 0;
		}
		if (errno == ENOENT)
			return 0;
		if (errno != EEXIST)
			return pm_err(e, "link %s: %m", name);
	}
	return pm_err(e, "no free name for the collated file");
}

/* Append records that were written to a file after it was copied. Returns 0 or -1. */
static int save_rest(int dir, const char *host, const char *name, off_t length)
{
	int in = open_own(dir, name, O_RDONLY), out, rc;
	char target[NAME_MAX + 1];
	struct stat st;

	if (in < 0)
		return errno == ENOENT ? 0 : -1;
	if (fstat(in, &st) == 0 && st.st_size <= length) {
		close(in);
		return 0;
	}
	snprintf(target, sizeof target, "%.200s-%lu.tsv", host, (unsigned long)geteuid());
	out = pm_trusted_open(dir, target, O_WRONLY | O_APPEND | O_CREAT, 0600, NULL);
	rc = out < 0 || pm_write_all(out, "\n", 1) < 0 || copy_records(in, length, out) < 0 ||
			     fsync(out) < 0
		     ? -1
		     : 0;
	if (out >= 0)
		close(out);
	close(in);
	return rc;
}

/* Steps 4 and 5. Returns the number of files removed, or -1 with e filled. */
static int remove_copied(int dir, const char *host, json_t *journal, struct pm_err *e)
{
	const char *name;
	json_t *length;
	int count = 0;

	json_object_foreach (journal, name, length) {
		int64_t pid, starttime;

		/* The user can edit the journal, so remove no files but per-process record files.
		 */
		if (!is_per_process(name, host, &pid, &starttime))
			continue;
		if (save_rest(dir, host, name, (off_t)json_integer_value(length)) < 0 ||
		    (unlinkat(dir, name, 0) < 0 && errno != ENOENT))
			return pm_err(e, "remove %s: %m", name);
		count++;
	}
	if (unlinkat(dir, JOURNAL, 0) < 0)
		return pm_err(e, "remove %s: %m", JOURNAL);
	return count;
}

/* Read the journal of a call that was killed; NULL: no journal. */
static json_t *read_journal(int dir)
{
	int fd = open_own(dir, JOURNAL, O_RDONLY);
	json_t *journal;

	if (fd < 0)
		return NULL;
	journal = pm_jsonfile_read(fd, NULL);
	close(fd);
	return journal;
}

static int finish_steps(int dir, const char *host, json_t *journal, struct pm_err *e)
{
	return publish_hidden(dir, host, e) < 0 ? -1 : remove_copied(dir, host, journal, e);
}

int pm_collate(int dir, const char *host, struct pm_err *e)
{
	json_t *journal = read_journal(dir);
	int before = 0, count = 0;

	if (journal) {
		pm_info("completing an earlier stop that was interrupted");
		before = finish_steps(dir, host, journal, e);
		json_decref(journal);
		if (before < 0)
			return -1;
	}
	journal = copy_all(dir, host, e);
	if (!journal)
		return -1;
	if (json_object_size(journal) > 0)
		count = write_journal(dir, journal, e) < 0 ? -1
							   : finish_steps(dir, host, journal, e);
	json_decref(journal);
	return count < 0 ? -1 : before + count;
}

void pm_version_records(struct pm_version *v)
{
	/* The first word of the line that names the columns. */
	pm_version_set(v, "%.*s", (int)strcspn(pm_column_header, "\t"), pm_column_header);
}
