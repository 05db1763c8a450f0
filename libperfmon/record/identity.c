/* The identity columns of a start record. */
#include "config.h"

#include "libperfmon/record/identity.h"

#include "common/safe/procfs.h"
#include "common/safe/variables.h"
#include "common/safe/rusage.h"
#include "libperfmon/base/exclude.h"
#include "libperfmon/base/memory.h"
#include "libperfmon/base/readfile.h"
#include "libperfmon/base/state.h"
#include "libperfmon/record/arguments.h"
#include "libperfmon/record/measure.h"
#include "libperfmon/record/mpi.h"
#include "libperfmon/record/recordfile.h"
#include "libperfmon/record/tags.h"

#include <fcntl.h>
#include <linux/prctl.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

/* Room for the texts of most images, and for the texts of any image. */
#define NEAR_SIZE 1280
#define FAR_SIZE  (96 * 1024)

/* Texts beside the arguments must always fit. */
_Static_assert(FAR_SIZE >= PM_ARGUMENTS_MAX + 8 * 4096, "too little memory for texts");

/* Room for a file of many control group hierarchies. */
#define CGROUP_SIZE (16 * 1024)

/* Longest path that the kernel returns. */
#define PATH_SIZE 4096

/* Longest escape of one byte. */
#define ESCAPED_MAX 4

/*
 * Escaped texts of this image, and the start record that points at them. Filled by the
 * constructor, kept for fork children, which write it again with their own ids.
 */
PM_NEAR static char near_memory[NEAR_SIZE];
PM_NEAR static struct pm_buf text = { near_memory, 0, NEAR_SIZE, false };
PM_NEAR static struct pm_record start;

/* Make room for `size` more bytes; texts that are there already stay where they are. */
static void make_room(size_t size)
{
	char *far;

	if (size <= text.cap - text.len || text.cap == FAR_SIZE ||
	    (far = pm_memory_map(FAR_SIZE)) == NULL)
		return;
	pm_buf_init(&text, far, FAR_SIZE);
}

/* Escape n bytes into the memory for texts and set the column, or leave it unknown where it does
 * not fit. */
static struct pm_str keep_text(enum pm_column column, const char *s, size_t n)
{
	struct pm_str kept;
	size_t before;

	make_room(n * ESCAPED_MAX);
	kept = (struct pm_str){ text.p + text.len, 0 };
	before = text.len;
	pm_tsv_escape(&text, s, n);
	if (text.truncated) {
		text.len = before;
		text.truncated = false;
		return kept;
	}
	kept.n = text.len - before;
	pm_record_text(&start, column, kept.p, kept.n);
	return kept;
}

static void keep_env(enum pm_column column, const char *value)
{
	if (value)
		keep_text(column, value, strlen(value));
}

static void keep_tags(const struct pm_settings *s, const char *tags)
{
	size_t before, room = tags ? strlen(tags) * (ESCAPED_MAX + 1) + 1 : 0;

	/* The text that replaces secrets may be longer than they are, so try with the largest
	 * memory. */
	for (int i = 0; i < 2 && tags; i++, room = FAR_SIZE) {
		make_room(room);
		before = text.len;
		pm_tags_render(&text, s, tags);
		if (!text.truncated) {
			pm_record_text(&start, PM_COL_tags, text.p + before, text.len - before);
			return;
		}
		text.len = before;
		text.truncated = false;
	}
}

/* Set an integer column from a variable; anything but a number leaves it unknown. */
static void keep_number(enum pm_column column, const char *value)
{
	int64_t v;

	if (value && pm_tsv_number(value, strlen(value), &v) == 0)
		pm_record_int(&start, column, v);
}

/* Take the path of the executable, of n bytes, as the kernel returns it. */
static int take_executable(const struct pm_settings *s, const char *path, size_t n)
{
	static const char deleted[] = " (deleted)";
	const size_t tail = sizeof deleted - 1;
	const char *own = s->env[PM_ENV_exe];
	size_t base;

	/* perfmon and its own helper programs are not part of the job. */
	if (own && strlen(own) == n && memcmp(own, path, n) == 0)
		return -1;
	/* The kernel's note that the file was removed or replaced since is not part of its name. */
	if (n > tail && memcmp(path + n - tail, deleted, tail) == 0)
		n -= tail;
	for (base = n; base > 0 && path[base - 1] != '/'; base--)
		;
	pm.excluded = pm_exclude_matches(s, path, n, base);
	if (!pm.excluded)
		keep_text(PM_COL_path, path, n);
	pm.exename = keep_text(PM_COL_exename, path + base, n - base);
	return 0;
}

static int gather_executable(const struct pm_settings *s)
{
	/* Arguments may have left little of the stack: long paths go elsewhere. */
	char near_path[512], *path = near_path;
	size_t cap = sizeof near_path;
	long n = pm_sys4(SYS_readlinkat, AT_FDCWD, "/proc/self/exe", path, cap);

	if (n == (long)cap && (path = pm_memory_map(PATH_SIZE)) != NULL)
		n = pm_sys4(SYS_readlinkat, AT_FDCWD, "/proc/self/exe", path, PATH_SIZE);
	return n > 0 && path ? take_executable(s, path, (size_t)n) : -1;
}

/* The /proc that perfmon saw, by its device, and the pid namespace it was in; 0 unknown. */
PM_NEAR static struct {
	uint64_t dev;
	int64_t pid_ns;
} seen = { 0, 0 };

/* Take "<device>:<inode>". */
static void take_seen(const char *hint)
{
	const char *colon = memchr(hint, ':', strlen(hint));
	int64_t dev;

	if (colon && pm_tsv_number(hint, (size_t)(colon - hint), &dev) == 0 && dev > 0 &&
	    pm_tsv_number(colon + 1, strlen(colon + 1), &seen.pid_ns) == 0)
		seen.dev = (uint64_t)dev;
}

/*
 * Host name, boot, whether delays are accounted and GPUs tell of clients, and which pid namespace
 * /proc belongs to. PERFMON_HOST=<name>:<boot id>:<flags>[:<device of /proc>:<inode>] spares three
 * files per process; it counts only on the host it names, since environments travel to others.
 */
static int gather_host(const char *hint)
{
	const size_t fixed = 36 + 3; /* ":", boot id, ":", digit */
	struct utsname host;
	size_t len;
	char buf[64];
	long n;

	if (pm_sys1(SYS_uname, &host) < 0)
		return -1;
	len = strlen(host.nodename);
	pm.hostname = keep_text(PM_COL_hostname, host.nodename, len);
	if (hint && strlen(hint) >= len + fixed && memcmp(hint, host.nodename, len) == 0 &&
	    hint[len] == ':' && hint[len + 37] == ':' &&
	    (hint[len + fixed] == '\0' || hint[len + fixed] == ':')) {
		pm.boot_id = keep_text(PM_COL_boot_id, hint + len + 1, 36);
		pm.delayacct = hint[len + 38] & PM_HOST_DELAYS;
		pm.gpus = hint[len + 38] & PM_HOST_GPUS;
		if (hint[len + fixed])
			take_seen(hint + len + fixed + 1);
		return 0;
	}
	pm.gpus = true;
	n = pm_readfile("/proc/sys/kernel/random/boot_id", buf, sizeof buf);
	if (n < 36)
		return -1;
	pm.boot_id = keep_text(PM_COL_boot_id, buf, 36);
	n = pm_readfile("/proc/sys/kernel/task_delayacct", buf, sizeof buf);
	pm.delayacct = n > 0 && buf[0] == '1';
	return 0;
}

/* Keep the control group from the beginning of its file. Returns whether that was all of it. */
static bool keep_cgroup(char *buf, size_t cap)
{
	long n = pm_readfile("/proc/self/cgroup", buf, cap);
	struct pm_str path;

	if (n == (long)cap)
		return false;
	if (n > 0 && pm_procfs_cgroup(buf, (size_t)n, &path) == 0)
		keep_text(PM_COL_cgroup, path.p, path.n);
	return true;
}

void pm_identity_set_cgroup(struct pm_record *r)
{
	const struct pm_str *kept = &start.v[PM_COL_cgroup].s;
	char buf[768], *more;

	/* Read the file once: after a failed exec this function is called again. */
	if (!pm_record_has(&start, PM_COL_cgroup) && !keep_cgroup(buf, sizeof buf) &&
	    (more = pm_memory_map(CGROUP_SIZE)) != NULL)
		keep_cgroup(more, CGROUP_SIZE);
	if (pm_record_has(&start, PM_COL_cgroup))
		pm_record_text(r, PM_COL_cgroup, kept->p, kept->n);
}

static void gather_environment(const struct pm_settings *s)
{
	struct pm_mpi mpi = pm_mpi_find(s, pm.exename);

	keep_tags(s, pm_settings_first(s, PM_ENV_tags, PM_ENV_papiex_tags, PM_ENVS));
	keep_env(PM_COL_jobid,
		 pm_settings_first(s, PM_ENV_jobid, PM_ENV_slurm_jobid, PM_ENV_pbs_jobid, PM_ENVS));
	keep_env(PM_COL_step, s->env[PM_ENV_slurm_step]);
	keep_env(PM_COL_container, pm_settings_first(s, PM_ENV_apptainer, PM_ENV_singularity,
						     PM_ENV_container, PM_ENVS));
	keep_number(PM_COL_localid, s->env[PM_ENV_slurm_localid]);
	if (mpi.rank >= 0)
		pm_record_int(&start, PM_COL_mpirank, mpi.rank);
	if (mpi.size >= 0)
		pm_record_int(&start, PM_COL_numranks, mpi.size);
	if (s->auxv_uid >= 0)
		pm_record_int(&start, PM_COL_uid, s->auxv_uid);
}

static void gather_arguments(const struct pm_settings *s, int argc, char *const *argv)
{
	size_t longest = 0, n;
	const char *p;

	for (int i = 1; i < argc && longest < NEAR_SIZE; i++)
		longest += (strlen(argv[i]) + 1) * ESCAPED_MAX;
	make_room(longest + PM_ARGUMENTS_MARKER_MAX);
	p = text.p + text.len;
	n = pm_arguments_render(&text, s, argc, argv);
	if (!text.truncated)
		pm_record_text(&start, PM_COL_args, p, n);
	text.truncated = false;
}

/* The default of the setting max_bytes of perfmon.conf(5). */
#define DEFAULT_MAX ((int64_t)1 << 30)

/* Parse the limit on the size of the record files, in bytes. */
static int64_t parse_max_bytes(const char *value)
{
	int64_t v;

	return value && pm_tsv_number(value, strlen(value), &v) == 0 && v >= 0 ? v : DEFAULT_MAX;
}

/*
 * Slurm runs TaskProlog and TaskEpilog with the environment of the task, which includes LD_PRELOAD
 * of the batch script around it. perfmon's own two scripts, which a shell runs, are not part of the
 * job; nor is the slurmstepd that Slurm 24.11 starts and that then becomes the script.
 */
static bool is_own_script(int argc, char *const *argv)
{
	static const char where[] = "/perfmon/slurm/task", launcher[] = "slurm_script_launcher";
	const size_t head = sizeof where - 1, tail = sizeof "prolog.sh" - 1;
	const char *name;
	size_t n;

	if (argc > 2 && strlen(argv[1]) == sizeof launcher - 1 &&
	    memcmp(argv[1], launcher, sizeof launcher - 1) == 0)
		argv++;
	else if (argc != 2)
		return false;
	n = strlen(argv[1]);
	if (n < head + tail)
		return false;
	name = argv[1] + n - tail;
	return memcmp(name - head, where, head) == 0 &&
	       (memcmp(name, "prolog.sh", tail) == 0 || memcmp(name, "epilog.sh", tail) == 0);
}

int pm_identity_gather(const struct pm_settings *s, int argc, char *const *argv)
{
	const char *output = pm_settings_first(s, PM_ENV_output, PM_ENV_papiex_output, PM_ENVS);

	if (!output || output[0] != '/' || is_own_script(argc, argv) || gather_executable(s) < 0 ||
	    gather_host(s->env[PM_ENV_host]) < 0 || pm_recordfile_place(output) < 0)
		return -1;
	pm.uid = (int)s->auxv_uid;
	pm.root = s->auxv_uid == 0;
	pm.tick_ns = 1000000000 / s->auxv_clktck;
	pm.per_process = pm_settings_option(s, "PER_PROCESS");
	pm.max_bytes = parse_max_bytes(s->env[PM_ENV_max_bytes]);
	if (pm.excluded) {
		pm.gpus = false;
		pm_record_text(&start, PM_COL_record, "excluded", 8);
		return 0;
	}
	pm_record_text(&start, PM_COL_record, "start", 5);
	pm_record_text(&start, PM_COL_version, PACKAGE_VERSION, sizeof PACKAGE_VERSION - 1);
	gather_environment(s);
	gather_arguments(s, argc, argv);
	return 0;
}

/* Keep the name of the calling thread, as its image begins, until the next image. */
static void keep_thread_name(const char *name, size_t n)
{
	PM_NEAR static char escaped[PM_THREAD_NAME] = { 0 };
	struct pm_buf b;

	pm_buf_init(&b, escaped, sizeof escaped);
	pm_tsv_escape(&b, name, n);
	pm_record_text(&start, PM_COL_thread_name, b.p, b.len);
}

/* Begin an image, in the main thread, which has the name `name`. */
static void begin_image(const char *name, size_t n, int64_t ppid, int64_t pgid, int64_t sid)
{
	pm_self.tid = pm.pid;
	pm_recordfile_name();
	pm_identity_key(&start);
	pm_record_int(&start, PM_COL_ppid, ppid);
	if (pm.excluded)
		return;
	keep_thread_name(name, n);
	pm_record_int(&start, PM_COL_tid, pm.pid);
	pm_record_int(&start, PM_COL_pgid, pgid);
	pm_record_int(&start, PM_COL_sid, sid);
	pm_record_int(&start, PM_COL_start_us, pm.image.real_us);
}

int pm_identity_read(void)
{
	struct pm_procfs_stat stat;
	char buf[1024];
	uint64_t dev;
	long n = pm_readfile_of("/proc/self/stat", buf, sizeof buf, &dev);

	if (n <= 0 || pm_procfs_stat(buf, (size_t)n, &stat) < 0)
		return -1;
	pm.starttime = stat.starttime;
	pm.pid = (int)pm_sys0(SYS_getpid);
	/* A process with the same pid here as in the /proc of a namespace is in that namespace (or,
	 * seen from outside, has a pid that no process in it has). */
	pm.pid_ns = seen.dev && dev == seen.dev && stat.pid == pm.pid ? seen.pid_ns
								      : pm_state_namespace();
	/* A /proc of another pid namespace has pids of that namespace, which mean nothing here. */
	if (stat.pid != pm.pid) {
		stat.ppid = pm_sys0(SYS_getppid);
		stat.pgrp = pm_sys1(SYS_getpgid, 0);
		stat.session = pm_sys1(SYS_getsid, 0);
	}
	begin_image(stat.comm.p, stat.comm.n, stat.ppid, stat.pgrp, stat.session);
	return 0;
}

int pm_identity_inherit(int parent, int64_t before_ns)
{
	int64_t born = pm_ticks(before_ns);
	char name[16] = "";

	/* A child of another pid namespace cannot see its parent, and its cached ids mean nothing.
	 */
	if (pm_sys0(SYS_getppid) == 0)
		return pm_identity_read();
	if (born != pm_ticks(pm_clock_ns(CLOCK_BOOTTIME))) {
		if (pm_identity_read() < 0)
			return -1;
		/* The kernel returns another parent if this one is gone already. */
		pm_record_int(&start, PM_COL_ppid, parent);
		return 0;
	}
	pm.pid = (int)pm_sys0(SYS_getpid);
	pm.starttime = born;
	pm_sys2(SYS_prctl, PR_GET_NAME, name);
	begin_image(name, strlen(name), parent, pm_sys1(SYS_getpgid, 0), pm_sys1(SYS_getsid, 0));
	return 0;
}

const struct pm_record *pm_identity_start(void)
{
	return &start;
}

void pm_identity_set_used(const struct rusage *used)
{
	pm_rusage_set(&start, used);
}

void pm_identity_scratch(struct pm_buf *b)
{
	pm_buf_init(b, text.p + text.len, text.cap - text.len);
}

void pm_identity_tell_rank(int rank, int size)
{
	pm_record_unset(&start, PM_COL_numranks);
	pm_record_int(&start, PM_COL_mpirank, rank);
	if (size > rank)
		pm_record_int(&start, PM_COL_numranks, size);
	pm.told_rank = true;
}

void pm_identity_set_rank(struct pm_record *r)
{
	if (!pm.told_rank)
		return;
	pm_record_copy(r, &start, PM_COL_mpirank);
	pm_record_copy(r, &start, PM_COL_numranks);
}

void pm_identity_key(struct pm_record *r)
{
	pm_record_text(r, PM_COL_boot_id, pm.boot_id.p, pm.boot_id.n);
	pm_record_text(r, PM_COL_hostname, pm.hostname.p, pm.hostname.n);
	if (pm.pid_ns)
		pm_record_int(r, PM_COL_pid_ns, pm.pid_ns);
	pm_record_int(r, PM_COL_pid, pm.pid);
	pm_record_int(r, PM_COL_starttime, pm.starttime);
	pm_record_int(r, PM_COL_image_us, pm.image.real_us);
}
