/* Appending to the record file. */
#include "config.h"

#include "libperfmon/record/emit.h"

#include "common/safe/columns.h"
#include "libperfmon/base/descriptors.h"
#include "libperfmon/base/memory.h"
#include "libperfmon/base/state.h"
#include "libperfmon/record/identity.h"
#include "libperfmon/record/lost.h"
#include "libperfmon/record/recordfile.h"
#include "libperfmon/record/sizelimit.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>

/*
 * Beyond RLIMIT_FSIZE the kernel sends SIGXFSZ, which ends a program that did nothing wrong. Inside
 * a hook, where signals are blocked, the signal that we caused is taken off the queue; the
 * constructor checks first that n more bytes stay below the limit. A program that blocks the signal
 * itself may have its own pending, which cannot be told from ours, and stays.
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

/* Bytes that an image writes after its start record, with a file per process. */
#define END_BYTES 512

static bool fits_limit(const struct rlimit *limit, const struct stat *st, size_t n)
{
	return limit->rlim_cur == RLIM_INFINITY || ((uint64_t)st->st_size <= limit->rlim_cur &&
						    n <= limit->rlim_cur - (uint64_t)st->st_size);
}

/* Whether a start record is kept back, since the record files are full. */
static bool keeps_back(bool start)
{
	if (!start || !pm.over || pm.unfolded)
		return false;
	if (pm.excluded)
		return pm_sizelimit_excluded();
	pm.folding = true;
	return true;
}

/* Bytes since the last check of the size: threads write at the same time. */
static uint32_t unchecked_bytes(void)
{
	return __atomic_load_n(&pm.unlooked, __ATOMIC_RELAXED);
}

/* The record file, opened for one write. */
struct opened {
	long fd;           /* descriptor, or a negative error number */
	bool may_be_first; /* the write may be the first in the file: a start, or any record after
			    * the file was removed */
	bool known;        /* st is filled */
	struct stat st;
};

/* Append data, after the header line in an empty file. Returns how many bytes of the data were
 * written, or a negative error number. */
static long append_data(struct opened *f, const char *data, size_t n, bool start)
{
	struct iovec part[2] = { { (void *)(uintptr_t)pm_column_header, 0 },
				 { (void *)(uintptr_t)data, n } };
	struct rlimit limit = { RLIM_INFINITY, RLIM_INFINITY };
	bool own_signal = has_own_signal();
	long written;

	if (!pm_self.busy)
		pm_sys4(SYS_prlimit64, 0, RLIMIT_FSIZE, NULL, &limit);
	if (f->may_be_first || limit.rlim_cur != RLIM_INFINITY ||
	    unchecked_bytes() >= PM_SIZELIMIT_LOOK) {
		if (!pm.per_process)
			__atomic_store_n(&pm.unlooked, 0, __ATOMIC_RELAXED);
		written = f->known ? 0 : pm_sys2(SYS_fstat, f->fd, &f->st);
		if (written < 0)
			return written;
		if (pm.max_bytes && !pm.per_process) {
			pm_sizelimit_look(f->st.st_size, 0);
			if (keeps_back(start))
				return (long)n;
		}
		if (f->may_be_first && f->st.st_size == 0) {
			part[0].iov_len = pm_column_header_len;
			/* The program's umask may forbid the next open. */
			if ((f->st.st_mode & 0600) != 0600)
				pm_sys2(SYS_fchmod, f->fd, 0600);
		}
		if (!fits_limit(&limit, &f->st, part[0].iov_len + n))
			return -EFBIG;
	}
	if (part[0].iov_len)
		written = pm_sys3(SYS_writev, f->fd, part, 2);
	else
		written = pm_sys3(SYS_write, f->fd, data, n);
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

/* Reason of a short write, which sets no errno. */
static long reason_of_short(void)
{
	struct rlimit limit;

	return pm_sys4(SYS_prlimit64, 0, RLIMIT_FSIZE, NULL, &limit) == 0 &&
			       limit.rlim_cur != RLIM_INFINITY
		       ? EFBIG
		       : ENOSPC;
}

static void open_by_name(struct opened *f)
{
	f->fd = pm_descriptors_open(pm.file,
				    O_WRONLY | O_APPEND | (f->may_be_first ? O_CREAT : 0) |
					    O_CLOEXEC | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK,
				    0600);
	f->known = f->fd >= 0 && (f->may_be_first || pm.root) &&
		   pm_sys2(SYS_fstat, f->fd, &f->st) == 0;
	if (f->fd >= 0 && pm.root && (!f->known || !pm_recordfile_is_safe(&f->st))) {
		pm_sys1(SYS_close, f->fd);
		f->fd = -EACCES;
	}
}

/* If access is denied, retry with the file of the user that the process has become, as after su. */
static void open_file(struct opened *f)
{
	open_by_name(f);
	if (f->fd == -EACCES && pm_recordfile_change_user())
		open_by_name(f);
}

/* Open, append, close. Returns the same as append_data(). */
static long append_to_file(const char *data, size_t n, bool start)
{
	struct opened f;
	long written;

	f.may_be_first = start;
	if (pm.departed && pm_recordfile_is_astray())
		return -ENOENT;
	if (pm.max_bytes && pm.per_process && (start || unchecked_bytes() >= PM_SIZELIMIT_LOOK)) {
		pm_sizelimit_look(0, start ? (int64_t)n + END_BYTES : unchecked_bytes());
		__atomic_store_n(&pm.unlooked, 0, __ATOMIC_RELAXED);
		if (keeps_back(start))
			return (long)n;
	}
	open_file(&f);
	if (f.fd == -ENOENT && !f.may_be_first) {
		f.may_be_first = true;
		open_file(&f);
	}
	if (f.fd < 0)
		return f.fd;
	written = append_data(&f, data, n, start);
	pm_sys1(SYS_close, f.fd);
	return written;
}

/* Longest start line, with every text at its longest. */
#define LINE_MAX_BYTES (112 * 1024)

/* Write the start record that was kept back. */
static void write_kept_back(void)
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

	/* An image that writes more than its end record is not short. */
	if (pm.folding && !start)
		write_kept_back();
	written = append_to_file(data, n, start);
	if (written < 0)
		pm_lost_count(-written, data, n);
	else if ((size_t)written < n)
		pm_lost_count(reason_of_short(), data + written, n - (size_t)written);
	else if (pm.owes)
		pm_lost_flush();
}
