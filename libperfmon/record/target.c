/* Look into the file that an exec names; keep notes on children that cannot record themselves. */
#include "config.h"

#include "libperfmon/record/target.h"

#include "libperfmon/base/memory.h"
#include "libperfmon/base/state.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

/* Values of last_call, as perfmon-tsv(5) lists them. */
static const struct {
	int error;
	const char *text;
} failure[] = {
	{ ENOENT, "execve ENOENT" },   { EACCES, "execve EACCES" },   { ENOEXEC, "execve ENOEXEC" },
	{ E2BIG, "execve E2BIG" },     { ENOTDIR, "execve ENOTDIR" }, { ELOOP, "execve ELOOP" },
	{ ETXTBSY, "execve ETXTBSY" }, { ENOMEM, "execve ENOMEM" },   { EPERM, "execve EPERM" },
	{ 0, "execve failed" },
};
static const char set_uid[] = "execve set-uid", seteuid_before[] = "execve seteuid",
		  is_static[] = "execve static", foreign[] = "execve foreign";

/* Why the program's effective user or group will not be the real one, NULL if it will: ld.so
 * ignores LD_PRELOAD then (AT_SECURE). The program's file can cause that, or an earlier change of
 * this process. */
static const char *has_two_users(const struct stat *st)
{
	bool new_uid = st->st_mode & S_ISUID;
	bool new_gid = (st->st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP);
	uid_t uid[3] = { 0, 0, 0 };
	gid_t gid[3] = { 0, 0, 0 };

	/* Real, effective, saved. */
	if (pm_sys3(SYS_getresuid, &uid[0], &uid[1], &uid[2]) < 0 ||
	    pm_sys3(SYS_getresgid, &gid[0], &gid[1], &gid[2]) < 0)
		return NULL;
	if ((new_uid && st->st_uid != uid[0]) || (new_gid && st->st_gid != gid[0]))
		return set_uid;
	return (!new_uid && uid[1] != uid[0]) || (!new_gid && gid[1] != gid[0]) ? seteuid_before
										: NULL;
}

/* Segments read at once: a program's interpreter, if any, is among the first. */
#define SEGMENTS 4

/* Why the format of an open program prevents recording; NULL if it does not, or if the program is a
 * script. */
static const char *why_unsuited(long fd)
{
	Elf64_Phdr p[SEGMENTS];
	Elf64_Ehdr e;

	if (pm_sys3(SYS_read, fd, &e, sizeof e) != sizeof e ||
	    memcmp(e.e_ident, ELFMAG, SELFMAG) != 0)
		return NULL;
	if (e.e_ident[EI_CLASS] != ELFCLASS64 || e.e_phentsize != sizeof p[0])
		return foreign;
	for (unsigned i = 0; i < e.e_phnum; i++) {
		if (i % SEGMENTS == 0 &&
		    pm_sys4(SYS_pread64, fd, p, sizeof p, e.e_phoff + i * sizeof p[0]) < 0)
			return NULL;
		if (p[i % SEGMENTS].p_type == PT_INTERP)
			return NULL;
	}
	return is_static;
}

/* Set *why to the reason why a program cannot be recorded, NULL for none known. Returns 0, or the
 * error number if it cannot be opened. */
static int inspect_program(int dir, const char *path, const char **why)
{
	struct stat st;
	long fd;

	*why = NULL;
	fd = pm_sys4(SYS_openat, dir, path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0);
	if (fd < 0)
		return (int)-fd;
	if (pm_sys2(SYS_fstat, fd, &st) == 0 && S_ISREG(st.st_mode)) {
		*why = has_two_users(&st);
		if (!*why)
			*why = why_unsuited(fd);
	}
	pm_sys1(SYS_close, fd);
	return 0;
}

static void set_columns(struct pm_record *r, const char *path, const char *call,
			struct pm_buf *text)
{
	const char *p = text->p + text->len;
	size_t before = text->len;

	if (path)
		pm_tsv_escape(text, path, strlen(path));
	if (path && !text->truncated)
		pm_record_text(r, PM_COL_path, p, text->len - before);
	if (call)
		pm_record_text(r, PM_COL_last_call, call, strlen(call));
}

void pm_target_set(struct pm_record *r, const struct pm_target *t, struct pm_buf *text)
{
	const char *why = NULL;

	if (!t->path || !t->path[0])
		return;
	/* Of a program searched for along PATH only the name is known here. */
	if (memchr(t->path, '/', strlen(t->path)))
		inspect_program(t->dir, t->path, &why);
	set_columns(r, t->path, why, text);
}

#define NOTES 32

struct note {
	uint32_t pid;     /* 0 free, BUSY while it is written or read */
	const char *call; /* value of last_call; NULL: can be recorded as far as is known */
	char path[PM_TARGET_PATH];
};
#define BUSY UINT32_MAX

/* Life cycle: mapped with the first note, maybe by a vfork child, which shares this memory. */
static struct note *notes;

static struct note *map_notes(void)
{
	struct note *none = NULL, *n = __atomic_load_n(&notes, __ATOMIC_ACQUIRE);

	if (n || !(n = pm_memory_map(NOTES * sizeof *n)))
		return n;
	return __atomic_compare_exchange_n(&notes, &none, n, false, __ATOMIC_ACQ_REL,
					   __ATOMIC_ACQUIRE)
		       ? n
		       : none;
}

/* Lock a note if it belongs to that process. */
static bool lock_note(struct note *x, uint32_t pid)
{
	return __atomic_compare_exchange_n(&x->pid, &pid, BUSY, false, __ATOMIC_ACQUIRE,
					   __ATOMIC_RELAXED);
}

static struct note *find_note(struct note *n, uint32_t pid)
{
	for (unsigned i = 0; n && i < NOTES; i++)
		if (lock_note(&n[(pid + i) % NOTES], pid))
			return &n[(pid + i) % NOTES];
	return NULL;
}

/* Lock the note of a child, or a free note, or that of a child that was never waited for. */
static struct note *take_note(uint32_t pid)
{
	struct note *n = map_notes(), *x = find_note(n, pid);

	for (unsigned i = 0; n && !x && i < NOTES; i++)
		if (lock_note(&n[(pid + i) % NOTES], 0))
			x = &n[(pid + i) % NOTES];
	if (n && !x) {
		uint32_t other = __atomic_load_n(&n[pid % NOTES].pid, __ATOMIC_RELAXED);

		x = other != BUSY && lock_note(&n[pid % NOTES], other) ? &n[pid % NOTES] : NULL;
	}
	return x;
}

static void write_note(int pid, const char *path, const char *call)
{
	struct note *x = take_note((uint32_t)pid);
	size_t n = strlen(path);

	if (!x)
		return;
	/* A truncated path would name another file, so keep none. */
	if (n >= sizeof x->path)
		n = 0;
	memcpy(x->path, path, n);
	x->path[n] = '\0';
	x->call = call;
	__atomic_store_n(&x->pid, (uint32_t)pid, __ATOMIC_RELEASE);
}

void pm_target_note(int pid, int dir, const char *path)
{
	const char *why;

	/* A bad pointer is left to the kernel to reject. */
	if (path && inspect_program(dir, path, &why) != EFAULT && path[0])
		write_note(pid, path, why);
}

void pm_target_failed(int pid, const char *path, int error)
{
	size_t i = 0;

	while (failure[i].error && failure[i].error != error)
		i++;
	if (path && error != EFAULT && path[0])
		write_note(pid, path, failure[i].text);
}

void pm_target_reaped(struct pm_record *r, int pid, struct pm_buf *text)
{
	struct note *x = find_note(__atomic_load_n(&notes, __ATOMIC_ACQUIRE), (uint32_t)pid);

	if (!x)
		return;
	set_columns(r, x->path[0] ? x->path : NULL, x->call, text);
	__atomic_store_n(&x->pid, 0, __ATOMIC_RELEASE);
}
