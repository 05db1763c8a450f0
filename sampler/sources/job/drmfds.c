/* Descriptors of processes that are files of DRM drivers. */
#include "config.h"

#include "sampler/sources/job/drmfds.h"

#include "common/grow.h"
#include "common/safe/tsv.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* How long it is remembered that a descriptor is another file. */
#define REMEMBER_US 60000000

/* Descriptors above this one are looked at each time. */
#define REMEMBERED_MAX 65536

struct pm_drmfds_process {
	pid_t pid;
	int64_t start;
	bool here;
	unsigned char *other; /* a bit for each descriptor that is another file; owned */
	size_t size;          /* B */
};

void pm_drmfds_begin(struct pm_drmfds *f, int64_t now_us)
{
	f->next = 0;
	for (size_t i = 0; i < f->count; i++)
		f->process[i].here = false;
	if (now_us < f->forget_us)
		return;
	f->forget_us = now_us + REMEMBER_US;
	for (size_t i = 0; i < f->count; i++)
		memset(f->process[i].other, 0, f->process[i].size);
}

/* The process, a new one if need be; NULL when memory is short. */
static struct pm_drmfds_process *get_process(struct pm_drmfds *f, pid_t pid, int64_t start)
{
	struct pm_drmfds_process *p;

	/* The tree lists processes in the same order at each reading. */
	for (size_t i = 0; i < f->count; i++) {
		const size_t at = (f->next + i) % f->count;

		p = &f->process[at];
		if (p->pid == pid && p->start == start) {
			f->next = at + 1;
			p->here = true;
			return p;
		}
	}
	if (!PM_GROW(f->process, f->count, f->room, 16))
		return NULL;
	p = &f->process[f->count++];
	*p = (struct pm_drmfds_process){ .pid = pid, .start = start, .here = true };
	return p;
}

static bool is_other(const struct pm_drmfds_process *p, int fd)
{
	const size_t byte = (size_t)fd / 8;

	return p && byte < p->size && p->other[byte] >> fd % 8 & 1;
}

static void remember_other(struct pm_drmfds_process *p, int fd)
{
	const size_t byte = (size_t)fd / 8;

	if (!p || fd >= REMEMBERED_MAX)
		return;
	if (byte >= p->size) {
		const size_t size = byte + 1 > 2 * p->size ? byte + 1 : 2 * p->size;
		unsigned char *more = realloc(p->other, size);

		if (!more)
			return;
		memset(more + p->size, 0, size - p->size);
		p->other = more;
		p->size = size;
	}
	p->other[byte] |= (unsigned char)(1U << fd % 8);
}

int pm_drmfds_look(struct pm_drmfds *f, const char *root, pid_t pid, int64_t start,
		   bool (*is_client)(void *ctx, pid_t pid, int fd), void *ctx)
{
	static const char dri[] = "/dev/dri/";
	struct pm_drmfds_process *p = get_process(f, pid, start);
	struct dirent *entry;
	char path[4096];
	DIR *dir;

	if (snprintf(path, sizeof path, "%s/proc/%d/fd", root, (int)pid) >= (int)sizeof path) {
		errno = ENAMETOOLONG;
		return -1;
	}
	dir = opendir(path);
	if (!dir)
		return -1;
	while ((entry = readdir(dir)) != NULL) {
		char target[sizeof dri] = "";
		int64_t fd;

		if (pm_tsv_number(entry->d_name, strlen(entry->d_name), &fd) < 0 || fd < 0 ||
		    fd > INT32_MAX || is_other(p, (int)fd))
			continue;
		if (readlinkat(dirfd(dir), entry->d_name, target, sizeof target - 1) < 0)
			continue;
		if (strcmp(target, dri) != 0 || !is_client(ctx, pid, (int)fd))
			remember_other(p, (int)fd);
	}
	closedir(dir);
	return 0;
}

void pm_drmfds_end(struct pm_drmfds *f)
{
	size_t kept = 0;

	for (size_t i = 0; i < f->count; i++) {
		if (f->process[i].here)
			f->process[kept++] = f->process[i];
		else
			free(f->process[i].other);
	}
	f->count = kept;
}

void pm_drmfds_free(struct pm_drmfds *f)
{
	for (size_t i = 0; i < f->count; i++)
		free(f->process[i].other);
	free(f->process);
	memset(f, 0, sizeof *f);
}
