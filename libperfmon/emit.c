/* Appending to the record file. */
#include "config.h"

#include "libperfmon/emit.h"

#include "common/columns.h"
#include "libperfmon/state.h"

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/uio.h>

/* Bytes of the kernel's signal set. */
#define SIGSET_BYTES 8

/*
 * Whether n more bytes stay below RLIMIT_FSIZE: beyond it the kernel would send SIGXFSZ, which
 * ends a program that did nothing wrong.
 */
static bool fits(const struct rlimit *limit, const struct stat *st, size_t n)
{
	return limit->rlim_cur == RLIM_INFINITY || ((uint64_t)st->st_size <= limit->rlim_cur &&
						    n <= limit->rlim_cur - (uint64_t)st->st_size);
}

static void append(int fd, const char *data, size_t n, bool want_header)
{
	struct iovec part[2] = { { (void *)(uintptr_t)pm_column_header, 0 },
				 { (void *)(uintptr_t)data, n } };
	struct rlimit limit = { RLIM_INFINITY, RLIM_INFINITY };
	struct stat st;
	long written;

	pm_sys4(SYS_prlimit64, 0, RLIMIT_FSIZE, NULL, &limit);
	if (want_header || limit.rlim_cur != RLIM_INFINITY) {
		if (pm_sys2(SYS_fstat, fd, &st) < 0)
			return;
		if (want_header && st.st_size == 0)
			part[0].iov_len = pm_column_header_len;
		if (!fits(&limit, &st, part[0].iov_len + n))
			return;
	}
	if (part[0].iov_len)
		written = pm_sys3(SYS_writev, fd, part, 2);
	else
		written = pm_sys3(SYS_write, fd, data, n);
	if (written > 0)
		pm_own_write(written);
}

void pm_emit(const char *data, size_t n, enum pm_emit flags)
{
	uint64_t all = ~(uint64_t)0, before = 0;
	struct rusage used;
	long fd;

	if (flags & PM_EMIT_SHIELD) {
		pm_sys4(SYS_rt_sigprocmask, SIG_SETMASK, &all, &before, SIGSET_BYTES);
		pm_sys2(SYS_getrusage, RUSAGE_THREAD, &used);
	}
	fd = pm_sys4(SYS_openat, AT_FDCWD, pm.file,
		     O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK,
		     0600);
	if (fd >= 0) {
		append((int)fd, data, n, flags & PM_EMIT_HEADER);
		pm_sys1(SYS_close, fd);
	}
	if (flags & PM_EMIT_SHIELD) {
		long blocks = used.ru_oublock;

		pm_sys2(SYS_getrusage, RUSAGE_THREAD, &used);
		pm_own_outblock(used.ru_oublock - blocks);
		pm_sys4(SYS_rt_sigprocmask, SIG_SETMASK, &before, NULL, SIGSET_BYTES);
	}
}
