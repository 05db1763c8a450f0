/* Appending to the record file. */
#include "config.h"

#include "libperfmon/emit.h"

#include "common/columns.h"
#include "libperfmon/descriptors.h"
#include "libperfmon/fold.h"
#include "libperfmon/identity.h"
#include "libperfmon/lost.h"
#include "libperfmon/memory.h"
#include "libperfmon/recordfile.h"
#include "libperfmon/state.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>

/*
 * Beyond RLIMIT_FSIZE the kernel sends SIGXFSZ, which ends a program that did nothing wrong. Inside
 * a hook, where signals are blocked, the one that we caused is taken back; the constructor asks
 * first, whether n more bytes stay below the limit. A program that blocks the signal itself may
 * have one waiting, which the kernel does not tell from ours.
 */
static bool has_own_signal(void)
{
	const uint64_t bit = (uint64_t)1 << (SIGXFSZ - 1);
	uint64_t set = 0;

	return pm_self.busy && (pm_self.mask & bit) &&
	       pm_sys2(SYS_rt_sigpending, &set, sizeof set) == 0 && (set & bit);
}

static void take_signal_back(void)
{
	const struct timespec now = { 0, 0 };
	uint64_t set = (uint64_t)1 << (SIGXFSZ - 1);

	pm_sys4(SYS_rt_sigtimedwait, &set, NULL, &now, sizeof set);
}

/* What an image writes behind its start, in a file of its own. */
#define END_BYTES 512

static bool fits(const struct rlimit *limit, const struct stat *st, size_t n)
{
	return limit->rlim_cur == RLIM_INFINITY || ((uint64_t)st->st_size <= limit->rlim_cur &&
						    n <= limit->rlim_cur - (uint64_t)st->st_size);
}

/* Whether the start of an image is not written, since the record files are full. */
static bool keeps_back(bool start)
{
	if (!start || !pm.over || pm.unfolded)
		return false;
	if (pm.excluded)
		return pm_fold_excluded();
	pm.folding = true;
	return true;
}

/* Threads write at the same time. */
static uint32_t unlooked(void)
{
	return __atomic_load_n(&pm.unlooked, __ATOMIC_RELAXED);
}

/* Append data, behind a header where it is the first in the file: a start may be, and what comes
 * when the file was removed meanwhile. Returns how much of the data was written, or a negative
 * error number. */
static long append(int fd, const char *data, size_t n, bool start, bool may_be_first)
{
	struct iovec part[2] = { { (void *)(uintptr_t)pm_column_header, 0 },
				 { (void *)(uintptr_t)data, n } };
	struct rlimit limit = { RLIM_INFINITY, RLIM_INFINITY };
	bool own_signal = has_own_signal();
	struct stat st;
	long written;

	if (!pm_self.busy)
		pm_sys4(SYS_prlimit64, 0, RLIMIT_FSIZE, NULL, &limit);
	if (may_be_first || limit.rlim_cur != RLIM_INFINITY || unlooked() >= PM_FOLD_LOOK) {
		if (!pm.per_process)
			__atomic_store_n(&pm.unlooked, 0, __ATOMIC_RELAXED);
		written = pm_sys2(SYS_fstat, fd, &st);
		if (written < 0)
			return written;
		if (pm.max_bytes && !pm.per_process) {
			pm_fold_look(st.st_size, 0);
			if (keeps_back(start))
				return (long)n;
		}
		if (may_be_first && st.st_size == 0) {
			part[0].iov_len = pm_column_header_len;
			/* The program's umask may forbid the next open. */
			if ((st.st_mode & 0600) != 0600)
				pm_sys2(SYS_fchmod, fd, 0600);
		}
		if (!fits(&limit, &st, part[0].iov_len + n))
			return -EFBIG;
	}
	if (part[0].iov_len)
		written = pm_sys3(SYS_writev, fd, part, 2);
	else
		written = pm_sys3(SYS_write, fd, data, n);
	if (written > 0) {
		pm_own_write(written);
		__atomic_add_fetch(&pm.unlooked, (uint32_t)written, __ATOMIC_RELAXED);
	} else if (written == -EFBIG && pm_self.busy && !own_signal) {
		take_signal_back();
	}
	if (written < 0)
		return written;
	return (size_t)written > part[0].iov_len ? written - (long)part[0].iov_len : 0;
}

/* A write that came back short did not say why. */
static long reason_of_short(void)
{
	struct rlimit limit;

	return pm_sys4(SYS_prlimit64, 0, RLIMIT_FSIZE, NULL, &limit) == 0 &&
			       limit.rlim_cur != RLIM_INFINITY
		       ? EFBIG
		       : ENOSPC;
}

static long open_by_name(bool create)
{
	long fd = pm_descriptors_open(pm.file,
				      O_WRONLY | O_APPEND | (create ? O_CREAT : 0) | O_CLOEXEC |
					      O_NOFOLLOW | O_NOCTTY | O_NONBLOCK,
				      0600);

	if (fd < 0 || pm_recordfile_is_safe((int)fd))
		return fd;
	pm_sys1(SYS_close, fd);
	return -EACCES;
}

/* The file may be that of the user that the process, or the image before this one, was: as of su.
 */
static long open_file(bool create)
{
	long fd = open_by_name(create);

	return fd == -EACCES && pm_recordfile_change_user() ? open_by_name(create) : fd;
}

/* Open, append, close. Returns as append. */
static long append_to_file(const char *data, size_t n, bool start)
{
	bool may_be_first = start;
	long fd, written;

	if (pm.departed && pm_recordfile_is_astray())
		return -ENOENT;
	if (pm.max_bytes && pm.per_process && (start || unlooked() >= PM_FOLD_LOOK)) {
		pm_fold_look(0, start ? (int64_t)n + END_BYTES : unlooked());
		__atomic_store_n(&pm.unlooked, 0, __ATOMIC_RELAXED);
		if (keeps_back(start))
			return (long)n;
	}
	fd = open_file(may_be_first);
	if (fd == -ENOENT && !may_be_first) {
		may_be_first = true;
		fd = open_file(may_be_first);
	}
	if (fd < 0)
		return fd;
	written = append((int)fd, data, n, start, may_be_first);
	pm_sys1(SYS_close, fd);
	return written;
}

/* Longest start line, with every text at its longest. */
#define LINE_MAX_BYTES (112 * 1024)

/* Write the start record that was kept back. */
static void unfold(void)
{
	struct pm_buf b;
	char *mem;

	pm.unfolded = true;
	if (!__atomic_exchange_n(&pm.folding, false, __ATOMIC_ACQ_REL) ||
	    !(mem = pm_memory_map(LINE_MAX_BYTES)))
		return;
	pm_buf_init(&b, mem, LINE_MAX_BYTES);
	pm_buf_ch(&b, '\n');
	pm_record_format(pm_identity_start(), &b);
	if (!b.truncated)
		pm_emit(b.p, b.len, true);
}

void pm_emit(const char *data, size_t n, bool start)
{
	long written;

	/* An image that has more to say than its end is not short. */
	if (pm.folding && !start)
		unfold();
	written = append_to_file(data, n, start);
	if (written < 0)
		pm_lost_count(-written, data, n);
	else if ((size_t)written < n)
		pm_lost_count(reason_of_short(), data + written, n - (size_t)written);
	else if (pm.owes)
		pm_lost_flush();
}
