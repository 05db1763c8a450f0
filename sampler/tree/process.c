/* Read one process: /proc/PID/stat, statm and io. */
#include "config.h"

#include "sampler/tree/process.h"

#include "sampler/kernel/procfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* Room for any stat line and any io file: at most 52 numbers of 20 digits. */
#define TEXT_MAX 2048

/* Descriptors left to the rest of the program. */
#define DESCRIPTORS_SPARE 64

/* Maximum number of descriptors kept: enough for 1 365 processes. */
#define DESCRIPTORS_MAX 4096

/* The lines of proc_pid_io(5), in the kernel's order. */
static const struct {
	const char *key;
	unsigned char length;
	enum pm_tree_counter counter;
} io_lines[] = {
#define LINE(key, counter)                                                                         \
	{                                                                                          \
		key, sizeof key - 1, counter                                                       \
	}
	LINE("rchar:", PM_TREE_RCHAR),
	LINE("wchar:", PM_TREE_WCHAR),
	LINE("syscr:", PM_TREE_SYSCR),
	LINE("syscw:", PM_TREE_SYSCW),
	LINE("read_bytes:", PM_TREE_READ_BYTES),
	LINE("write_bytes:", PM_TREE_WRITE_BYTES),
	LINE("cancelled_write_bytes:", PM_TREE_CANCELLED_WRITE_BYTES),
#undef LINE
};

#define IO_LINES (sizeof io_lines / sizeof io_lines[0])
_Static_assert(IO_LINES + PM_TREE_RCHAR == PM_TREE_COUNTERS, "one io line per I/O counter");

static int open_file(const struct pm_process_place *place, pid_t pid, const char *name)
{
	char path[32];

	snprintf(path, sizeof path, "%d/%s", (int)pid, name);
	return openat(place->proc_fd, path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
}

/*
 * Read a file of a process by its kept descriptor or by opening it. A kept descriptor stays bound
 * to its process: once the process is gone, reads fail with ESRCH, even if the pid is reused.
 * Returns the length or -1 with errno set.
 */
static ssize_t read_file(struct pm_process_place *place, pid_t pid, const char *name, int *kept,
			 char text[TEXT_MAX])
{
	int fd = *kept >= 0 ? *kept : open_file(place, pid, name), saved;
	ssize_t n;

	if (fd < 0)
		return -1;
	n = pread(fd, text, TEXT_MAX, 0);
	saved = errno;
	if (*kept < 0) {
		if (n > 0 && place->keep && place->descriptors > 0) {
			place->descriptors--;
			*kept = fd;
		} else {
			close(fd);
		}
	}
	errno = saved;
	return n;
}

static void set_counter(struct pm_process *m, enum pm_tree_counter c, int64_t whole, int64_t waited)
{
	m->whole[c].known = true;
	m->whole[c].value = whole;
	m->waited[c] = waited;
}

static void set_cpu(struct pm_process *m)
{
	const struct pm_procfs_stat *s = &m->stat;

	set_counter(m, PM_TREE_USER, s->utime + s->cutime, s->cutime);
	set_counter(m, PM_TREE_SYSTEM, s->stime + s->cstime, s->cstime);
}

/* Raise a time in ns to `ticks` if it is behind. Returns the time in ticks. */
static int64_t catch_up(int64_t *ns, int64_t ticks, int64_t tick_ns)
{
	if (ticks > *ns / tick_ns)
		*ns = ticks * tick_ns;
	return *ns / tick_ns;
}

static void set_stat(struct pm_process *m, const struct pm_process_place *place,
		     const struct pm_procfs_stat *stat)
{
	m->stat = *stat;
	m->since = 0;
	m->unsure = m->threads = false;
	m->read.known = true;
	/* The kernel may split user and system time a little differently from read_clocks(). */
	if (m->clock_ns >= 0) {
		m->stat.utime = catch_up(&m->user_ns, stat->utime, place->tick_ns);
		m->stat.stime = catch_up(&m->system_ns, stat->stime, place->tick_ns);
	}
	set_cpu(m);
}

static int set_unreadable(struct pm_tree_value *v, enum pm_reason reason)
{
	v->known = false;
	v->reason = reason;
	return -1;
}

/* Parse stat. The name is copied to `name`, which may be NULL: stat->comm does not outlive text. */
static int parse_stat(struct pm_procfs_stat *stat, const char *text, size_t n, char *name)
{
	int rc = pm_procfs_stat(text, n, stat);

	if (rc == 0 && name) {
		size_t length = stat->comm.n < PM_PROCESS_NAME ? stat->comm.n : PM_PROCESS_NAME;

		memcpy(name, stat->comm.p, length);
		name[length] = '\0';
	}
	stat->comm = (struct pm_str){ NULL, 0 };
	return rc;
}

/* Returns 0 when the process is there, read or not; -1 when it is gone. */
static int read_stat(struct pm_process *m, struct pm_process_place *place)
{
	char text[TEXT_MAX];
	ssize_t n = read_file(place, m->pid, "stat", &m->stat_fd, text);
	char name[PM_PROCESS_NAME + 1];
	struct pm_procfs_stat stat;

	if (n < 0) {
		if (errno == ESRCH || errno == ENOENT)
			return -1;
		set_unreadable(&m->read, pm_reason_errno(errno));
		return 0;
	}
	if (parse_stat(&stat, text, (size_t)n, name) < 0) {
		set_unreadable(&m->read, PM_REASON_parse);
		return 0;
	}
	if (stat.starttime != m->stat.starttime)
		return -1;
	set_stat(m, place, &stat);
	memcpy(m->name, name, sizeof name);
	return 0;
}

/* After a failed read, by errno: true when the process is gone, false when the kernel has no such
 * file or refuses to show it. */
static bool has_vanished(const struct pm_process *m, const struct pm_process_place *place)
{
	struct pm_procfs_stat stat;

	if (errno != ENOENT)
		return errno == ESRCH;
	return pm_process_look(&stat, place, m->pid) != 0 || stat.starttime != m->stat.starttime;
}

/*
 * Read memory from statm, which has the exact sum. The value in stat lacks what the kernel has not
 * yet folded from its per-CPU counters and is some 100 kB per CPU off.
 * Returns 0, or -1 when the process is gone.
 */
static int read_statm(struct pm_process *m, struct pm_process_place *place)
{
	char text[TEXT_MAX];
	ssize_t n = read_file(place, m->pid, "statm", &m->statm_fd, text);
	enum pm_reason reason = n < 0 ? pm_reason_errno(errno) : PM_REASON_parse;
	const char *p = text;
	struct pm_tree_value *const values[] = { &m->vms, &m->rss, &m->shared };
	int64_t pages[3];

	if (n < 0 && has_vanished(m, place))
		return -1;
	for (size_t i = 0; i < 3; i++)
		set_unreadable(values[i], reason);
	if (n < 0)
		return 0;
	for (size_t i = 0; i < 3; i++)
		if (pm_procfile_number(&p, text + n, &pages[i]) < 0 || *p++ != ' ' ||
		    pages[i] > INT64_MAX / place->page)
			return 0;
	for (size_t i = 0; i < 3; i++) {
		values[i]->known = true;
		values[i]->value = pages[i] * place->page;
	}
	return 0;
}

/*
 * Parse one line "key: number" of io at p; *next is the line of the table to expect first.
 * Returns the beginning of the next line.
 */
static const char *parse_io_line(struct pm_process *m, const char *p, const char *end, size_t *next)
{
	const char *newline;

	for (size_t tries = 0; tries < IO_LINES; tries++) {
		const size_t i = (*next + tries) % IO_LINES, length = io_lines[i].length;
		int64_t number;

		if ((size_t)(end - p) < length || memcmp(p, io_lines[i].key, length) != 0)
			continue;
		*next = i + 1;
		p += length;
		while (p < end && *p == ' ')
			p++;
		if (pm_procfile_number(&p, end, &number) == 0 && *p == '\n') {
			set_counter(m, io_lines[i].counter, number, number);
			return p + 1;
		}
		set_unreadable(&m->whole[io_lines[i].counter], PM_REASON_parse);
		break;
	}
	newline = memchr(p, '\n', (size_t)(end - p));
	return newline ? newline + 1 : end;
}

/* Returns 0, or -1 when the process is gone. */
static int read_io(struct pm_process *m, struct pm_process_place *place)
{
	char text[TEXT_MAX];
	ssize_t n = read_file(place, m->pid, "io", &m->io_fd, text);
	enum pm_reason reason = n < 0 ? pm_reason_errno(errno) : PM_REASON_absent;
	size_t next = 0;

	if (n < 0 && has_vanished(m, place))
		return -1;
	for (size_t i = 0; i < IO_LINES; i++)
		set_unreadable(&m->whole[io_lines[i].counter], reason);
	if (n < 0)
		return 0;
	for (const char *p = text, *end = text + n; p < end;)
		p = parse_io_line(m, p, end, &next);
	return 0;
}

long pm_process_descriptors(void)
{
	struct rlimit limit;
	rlim_t wanted = DESCRIPTORS_MAX + DESCRIPTORS_SPARE;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return 0;
	if (limit.rlim_cur < wanted && limit.rlim_cur < limit.rlim_max) {
		limit.rlim_cur = limit.rlim_max < wanted ? limit.rlim_max : wanted;
		if (setrlimit(RLIMIT_NOFILE, &limit) < 0 || getrlimit(RLIMIT_NOFILE, &limit) < 0)
			return 0;
	}
	if (limit.rlim_cur >= wanted)
		return DESCRIPTORS_MAX;
	return limit.rlim_cur > DESCRIPTORS_SPARE ? (long)limit.rlim_cur - DESCRIPTORS_SPARE : 0;
}

int pm_process_look(struct pm_procfs_stat *stat, const struct pm_process_place *place, pid_t pid)
{
	struct pm_process_place once = { .proc_fd = place->proc_fd };
	char text[TEXT_MAX];
	int none = -1;
	ssize_t n = read_file(&once, pid, "stat", &none, text);

	if (n < 0)
		return -1;
	if (parse_stat(stat, text, (size_t)n, NULL) < 0) {
		errno = EBADMSG;
		return -1;
	}
	/* A thread that is no leader has its /proc/TID, too, though a listing leaves it out. */
	return stat->exit_signal == -1;
}

pid_t pm_process_process(const struct pm_process_place *place, pid_t tid)
{
	struct pm_process_place once = { .proc_fd = place->proc_fd };
	char text[TEXT_MAX];
	int none = -1;
	ssize_t n = read_file(&once, tid, "status", &none, text);
	int64_t pid;

	if (n < 0)
		return errno == ESRCH || errno == ENOENT ? 0 : -1;
	return pm_procfile_key(text, (size_t)n, "Tgid:", "", &pid) == 0 ? (pid_t)pid : -1;
}

void pm_process_name(struct pm_process *m, const char *name)
{
	/* The kernel escapes these characters in stat, so the two names would differ. */
	if (!name[0] || strpbrk(name, "\n\\"))
		return;
	snprintf(m->name, sizeof m->name, "%s", name);
	m->named = true;
}

static void start_member(struct pm_process *m, const struct pm_process_place *place, pid_t pid,
			 int64_t starttime)
{
	memset(m, 0, sizeof *m);
	m->pid = pid;
	m->stat_fd = m->statm_fd = m->io_fd = -1;
	m->stat.starttime = starttime;
	m->clock_ns = -1;
	m->ran = true;
	if (place->clocks && clock_getcpuclockid(pid, &m->clock) == 0)
		m->clock_ns = 0; /* differs from the clock, so the first reading sees a run */
}

void pm_process_resume(struct pm_process *m, const struct pm_process_place *place, pid_t pid,
		       pid_t ppid, int64_t starttime, const int64_t whole[PM_TREE_COUNTERS],
		       const int64_t waited[PM_TREE_COUNTERS])
{
	start_member(m, place, pid, starttime);
	m->stat.ppid = ppid;
	m->stat.utime = whole[PM_TREE_USER] - waited[PM_TREE_USER];
	m->stat.stime = whole[PM_TREE_SYSTEM] - waited[PM_TREE_SYSTEM];
	m->user_ns = m->stat.utime * place->tick_ns;
	m->system_ns = m->stat.stime * place->tick_ns;
	m->since = PM_PROCESS_STALE;
	for (int c = 0; c < PM_TREE_COUNTERS; c++)
		set_counter(m, (enum pm_tree_counter)c, whole[c], waited[c]);
}

int pm_process_init(struct pm_process *m, struct pm_process_place *place, pid_t pid,
		    const struct pm_procfs_stat *stat)
{
	start_member(m, place, pid, stat->starttime);
	/* Read stat again: the parent has been read since, and a child that is waited for between
	 * its own reading and its parent's would count twice. */
	if (read_stat(m, place) < 0 || read_statm(m, place) < 0 || read_io(m, place) < 0) {
		pm_process_close(m, place);
		return -1;
	}
	memcpy(m->waited_before, m->waited, sizeof m->waited);
	return 0;
}

/* Low bits of a clock id: the clock's kind (include/linux/posix-timers.h, since Linux 2.6.12). */
enum { CLOCK_OF_ALL, CLOCK_OF_USER, CLOCK_OF_SCHEDULER, CLOCK_BITS };

/* A clock of the process in ns, or -1. */
static int64_t read_clock(const struct pm_process *m, int which)
{
	struct timespec now;

	if (clock_gettime((m->clock & ~CLOCK_BITS) | which, &now) < 0)
		return -1;
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

bool pm_process_ask(struct pm_process *m)
{
	const int64_t before = m->clock_ns;

	/* Without a clock, or after stat could not be read, have stat read. */
	m->ran = true;
	if (before < 0 || !m->read.known)
		return true;
	m->clock_ns = read_clock(m, CLOCK_OF_SCHEDULER);
	m->ran = m->clock_ns != before;
	return m->clock_ns >= 0;
}

/*
 * Compute user and system time as stat has them, without reading stat. The kernel samples the mode
 * in which the process runs, and splits the scheduler's exact time in this ratio such that neither
 * part ever falls (cputime_adjust() in kernel/sched/cputime.c).
 */
static void divide_cpu(struct pm_process *m, const struct pm_process_place *place, int64_t user,
		       int64_t all)
{
	int64_t system = 0;

	if (all > user)
		system = (int64_t)((double)m->clock_ns * ((double)(all - user) / (double)all));
	if (system < m->system_ns)
		system = m->system_ns;
	if (system > m->clock_ns - m->user_ns)
		system = m->clock_ns - m->user_ns;
	m->user_ns = m->clock_ns - system;
	m->system_ns = system;
	m->stat.utime = m->user_ns / place->tick_ns;
	m->stat.stime = m->system_ns / place->tick_ns;
	set_cpu(m);
}

/* Take CPU time from clocks. Returns 0, or -1 when the process is gone. */
static int read_clocks(struct pm_process *m, const struct pm_process_place *place)
{
	const int64_t more = m->clock_ns - m->user_ns - m->system_ns;
	int64_t user, all;

	/* However the new time is split, neither part reaches its next tick. */
	if (m->user_ns % place->tick_ns + more < place->tick_ns &&
	    m->system_ns % place->tick_ns + more < place->tick_ns)
		return 0;
	user = read_clock(m, CLOCK_OF_USER);
	all = read_clock(m, CLOCK_OF_ALL);
	if (user < 0 || all < 0)
		return -1;
	divide_cpu(m, place, user, all);
	return 0;
}

/* Whether only CPU time can have changed in stat, and the name, which must not get too old. */
static bool clocks_suffice(const struct pm_process *m)
{
	/* A process without memory is a zombie or a kernel thread. Threads may end unnoticed, so
	 * only single-threaded processes qualify. */
	return m->clock_ns >= 0 && m->read.known && m->stat.num_threads == 1 && m->vms.known &&
	       m->vms.value > 0 && (m->since < PM_PROCESS_STALE - 1 || (m->named && !m->unsure));
}

void pm_process_read(struct pm_process *m, struct pm_process_place *place,
		     enum pm_process_depth depth)
{
	int rc = read_statm(m, place);

	memcpy(m->waited_before, m->waited, sizeof m->waited);
	m->since++;
	if (rc == 0 && depth == PM_PROCESS_SETTLED && m->ran && clocks_suffice(m))
		rc = read_clocks(m, place) < 0 ? -1 : read_io(m, place);
	else if (rc == 0 && (depth == PM_PROCESS_WHOLE || m->ran))
		rc = read_stat(m, place) < 0 ? -1 : read_io(m, place);
	m->named = m->named && !m->ran;
	m->gone = rc < 0;
}

static void set_pages(struct pm_tree_value *value, int64_t pages, long page)
{
	value->known = true;
	value->value = pages * page;
}

bool pm_process_tell(struct pm_process *m, const struct pm_process_place *place,
		     const struct pm_census_task *told)
{
	const int64_t tick = place->tick_ns, before = m->clock_ns;
	int64_t run = (int64_t)told->run_ns;

	/* Some kernels escape names with these characters in stat. */
	if (before < 0 || (int64_t)told->start_ns / tick != m->stat.starttime ||
	    strpbrk(told->name, "\n\\"))
		return false;
	if (told->running)
		run = read_clock(m, CLOCK_OF_SCHEDULER);
	if (run < 0)
		return false;
	memcpy(m->waited_before, m->waited, sizeof m->waited);
	m->ran = run != before || !m->read.known;
	m->clock_ns = run;
	m->stat.ppid = told->ppid;
	m->stat.num_threads = told->threads;
	m->stat.state = 'S';
	m->stat.cutime = (int64_t)told->waited_user_ns / tick;
	m->stat.cstime = (int64_t)told->waited_system_ns / tick;
	divide_cpu(m, place, (int64_t)told->user_ns, (int64_t)(told->user_ns + told->system_ns));
	m->read.known = true;
	for (size_t i = 0; i < IO_LINES; i++)
		set_counter(m, io_lines[i].counter, (int64_t)told->io[i], (int64_t)told->io[i]);
	set_pages(&m->vms, told->vms, place->page);
	set_pages(&m->rss, told->rss, place->page);
	set_pages(&m->shared, told->shared, place->page);
	memcpy(m->name, told->name, sizeof m->name);
	m->since = 0;
	m->unsure = m->threads = m->named = m->gone = false;
	return true;
}

void pm_process_close(struct pm_process *m, struct pm_process_place *place)
{
	int *fds[] = { &m->stat_fd, &m->statm_fd, &m->io_fd };

	for (size_t i = 0; i < sizeof fds / sizeof fds[0]; i++) {
		if (*fds[i] < 0)
			continue;
		close(*fds[i]);
		*fds[i] = -1;
		place->descriptors++;
	}
}

int pm_process_lives(const struct pm_process *m)
{
	/* A leader that has exited shows as a zombie while its other threads run on. */
	const bool ended = m->stat.state == 'Z' || m->stat.state == 'X';

	return !m->gone && (!ended || m->stat.num_threads > 1);
}
