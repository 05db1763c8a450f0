/* Find file systems. */
#include "config.h"

#include "sampler/kernel/mounts.h"

#include <stdlib.h>
#include <string.h>

/* File systems with space of their own: not proc, sysfs, cgroup, autofs, squashfs, ... */
static const struct {
	const char *type;
	enum pm_mounts_kind kind;
} type_info[] = {
	{ "ext2", PM_MOUNTS_LOCAL },     { "ext3", PM_MOUNTS_LOCAL },
	{ "ext4", PM_MOUNTS_LOCAL },     { "xfs", PM_MOUNTS_LOCAL },
	{ "btrfs", PM_MOUNTS_LOCAL },    { "zfs", PM_MOUNTS_LOCAL },
	{ "f2fs", PM_MOUNTS_LOCAL },     { "jfs", PM_MOUNTS_LOCAL },
	{ "reiserfs", PM_MOUNTS_LOCAL }, { "bcachefs", PM_MOUNTS_LOCAL },
	{ "vfat", PM_MOUNTS_LOCAL },     { "exfat", PM_MOUNTS_LOCAL },
	{ "tmpfs", PM_MOUNTS_LOCAL },    { "overlay", PM_MOUNTS_LOCAL },
	{ "nfs", PM_MOUNTS_NETWORK },    { "nfs4", PM_MOUNTS_NETWORK },
	{ "lustre", PM_MOUNTS_NETWORK }, { "gpfs", PM_MOUNTS_NETWORK },
	{ "beegfs", PM_MOUNTS_NETWORK }, { "ceph", PM_MOUNTS_NETWORK },
	{ "cifs", PM_MOUNTS_NETWORK },   { "smb3", PM_MOUNTS_NETWORK },
	{ "pvfs2", PM_MOUNTS_NETWORK },  { "wekafs", PM_MOUNTS_NETWORK },
	{ "9p", PM_MOUNTS_NETWORK },     { "virtiofs", PM_MOUNTS_NETWORK },
	{ "afs", PM_MOUNTS_NETWORK },    { "gfs2", PM_MOUNTS_NETWORK },
	{ "ocfs2", PM_MOUNTS_NETWORK },  { "panfs", PM_MOUNTS_NETWORK },
};

static enum pm_mounts_kind kind_of(const char *type)
{
	/* A program serves a FUSE file system, and may hang as a remote server may. */
	if (strcmp(type, "fuse") == 0 || strcmp(type, "fuseblk") == 0 ||
	    strncmp(type, "fuse.", 5) == 0)
		return PM_MOUNTS_NETWORK;
	for (size_t i = 0; i < sizeof type_info / sizeof type_info[0]; i++)
		if (strcmp(type_info[i].type, type) == 0)
			return type_info[i].kind;
	return PM_MOUNTS_NONE;
}

void pm_mounts_unescape(char *text)
{
	char *to = text;

	for (const char *p = text; *p; to++) {
		if (p[0] == '\\' && p[1] >= '0' && p[1] <= '3' && p[2] >= '0' && p[2] <= '7' &&
		    p[3] >= '0' && p[3] <= '7') {
			*to = (char)((p[1] - '0') * 64 + (p[2] - '0') * 8 + (p[3] - '0'));
			p += 4;
		} else {
			*to = *p++;
		}
	}
	*to = '\0';
}

/* Whether a mount point belongs to the system, so that jobs do not fill a tmpfs there. /dev/shm and
 * /tmp do not belong to it. */
static bool is_system(const char *point)
{
	static const char *const prefix[] = { "/run/", "/sys/", "/proc/", "/dev/" };

	if (strcmp(point, "/dev/shm") == 0)
		return false;
	if (strcmp(point, "/run") == 0 || strcmp(point, "/dev") == 0)
		return true;
	for (size_t i = 0; i < sizeof prefix / sizeof prefix[0]; i++)
		if (strncmp(point, prefix[i], strlen(prefix[i])) == 0)
			return true;
	return false;
}

static bool has_device(const struct pm_mounts *m, const char *device)
{
	for (size_t i = 0; i < m->count; i++)
		if (strcmp(m->entry[i].device, device) == 0)
			return true;
	return false;
}

/* Returns 0, or -1 when memory is short. */
static int add_mount(struct pm_mounts *m, const char *point, const char *device)
{
	struct pm_mounts_entry *more = realloc(m->entry, (m->count + 1) * sizeof *more);

	if (!more)
		return -1;
	m->entry = more;
	more[m->count].point = strdup(point);
	more[m->count].device = strdup(device);
	m->count++;
	return more[m->count - 1].point && more[m->count - 1].device ? 0 : -1;
}

/* Parse "id parent M:N part point options tags - type source options". Returns 0, or -1 when memory
 * is short. */
static int take_line(struct pm_mounts *m, char *line, enum pm_mounts_kind kind)
{
	char *tail = strstr(line, " - "), *field[5], *at, *type;

	if (!tail)
		return 0;
	*tail = '\0';
	type = tail + strlen(" - ");
	type[strcspn(type, " ")] = '\0';
	if (kind_of(type) != kind)
		return 0;
	for (int i = 0; i < 5; i++) {
		field[i] = strtok_r(i ? NULL : line, " ", &at);
		if (!field[i])
			return 0;
	}
	pm_mounts_unescape(field[4]);
	if (field[4][0] != '/' || is_system(field[4]) || has_device(m, field[2]))
		return 0;
	return add_mount(m, field[4], field[2]);
}

int pm_mounts_parse(struct pm_mounts *m, const char *text, enum pm_mounts_kind kind, size_t limit)
{
	memset(m, 0, sizeof *m);
	for (const char *p = text; *p && m->count < limit;) {
		size_t n = strcspn(p, "\n");
		char *line = strndup(p, n);

		if (!line || take_line(m, line, kind) < 0) {
			free(line);
			pm_mounts_free(m);
			return -1;
		}
		free(line);
		p += n + (p[n] == '\n');
	}
	return 0;
}

void pm_mounts_free(struct pm_mounts *m)
{
	for (size_t i = 0; i < m->count; i++) {
		free(m->entry[i].point);
		free(m->entry[i].device);
	}
	free(m->entry);
	memset(m, 0, sizeof *m);
}
