/* The series file: exact text, restarts, torn lines, a full disk, hostile names. */
#include "config.h"

#include "sampler/sources/template.h"
#include "sampler/writer.h"

#include "tests/unit/sampler/root.h"

#include <limits.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>

static char host[HOST_NAME_MAX + 1], file[512];
static struct pm_sink sink;
static struct pm_sink *const sinks[] = { &sink };
static struct pm_writer writer;
static const struct pm_moment moment = { 1795228141795007, 2754978530, 0 };

static void begin(void)
{
	root_make();
	root_put("proc/sys/kernel/random/boot_id", "af40ef8f-c52a-471e-84dd-0a10b0e1ac12\n");
	PM_SURE(gethostname(host, sizeof host) == 0);
	snprintf(file, sizeof file, "%s/%s.series", root, host);
	PM_SURE(pm_sink_init(&sink, &pm_source_template) == 0);
}

static void end(void)
{
	pm_sink_free(&sink);
	root_remove();
}

static int open_writer(struct pm_err *e)
{
	return pm_writer_open(&writer, root, -1, 250000, root, e);
}

static int tick(void)
{
	return pm_writer_tick(&writer, moment, sinks, 1);
}

/* The file's text; valid until the next call. */
static const char *contents(void)
{
	static char text[1 << 20];
	int fd = open(file, O_RDONLY);
	ssize_t n = read(fd, text, sizeof text - 1);

	PM_SURE(n >= 0);
	close(fd);
	text[n] = '\0';
	return text;
}

#define HEADER  "\taf40ef8f-c52a-471e-84dd-0a10b0e1ac12\t250000\t.\n"
#define SERIES1 "series\t1\ttemplate\tnothing\t\tn\tgauge\t.\n"
#define TICK    "tick\t1795228141795007\t2754978530\t"

START_TEST(exact_text)
{
	char want[2048];

	ck_assert_int_eq(open_writer(NULL), 0);
	pm_sink_clear(&sink, PM_REASON_permission);
	ck_assert_int_eq(tick(), 0);
	pm_sink_value(&sink, 0, -7);
	ck_assert_int_eq(tick(), 0);
	/* A new object, whose name may hold anything. */
	ck_assert_int_eq(pm_sink_series(&sink, 1, "a b\t\\\n\xff"), 1);
	ck_assert_int_eq(pm_sink_series(&sink, 1, "cpu0"), 2);
	pm_sink_value(&sink, 1, INT64_MAX);
	pm_sink_unknown(&sink, 2, PM_REASON_late);
	ck_assert_int_eq(tick(), 0);
	ck_assert_int_eq(tick(), 0);
	snprintf(want, sizeof want,
		 "perfmon-series-1\t%s" HEADER SERIES1 TICK "1=\\N:permission\t.\n" TICK "1=-7\t.\n"
		 "series\t2\ttemplate\tnothing_per_object\ta b\\t\\\\\\n\\xff\tn\tcounter\t.\n"
		 "series\t3\ttemplate\tnothing_per_object\tcpu0\tn\tcounter\t.\n" TICK
		 "1=-7 2=9223372036854775807 3=\\N:late\t.\n" TICK
		 "1=-7 2=9223372036854775807 3=\\N:late\t.\n",
		 host);
	ck_assert_str_eq(contents(), want);
	pm_writer_close(&writer);
}
END_TEST

/* Each byte of a name may become four. */
START_TEST(long_names)
{
	char name[4096], want[3 * sizeof name + 1];

	memset(name, 'x', sizeof name - 1);
	memset(name, '\xff', (sizeof name - 1) * 2 / 3);
	name[sizeof name - 1] = '\0';
	want[0] = '\0';
	for (size_t i = 0, n = 0; name[i]; i++)
		n += (size_t)sprintf(want + n, name[i] == 'x' ? "x" : "\\xff");
	ck_assert_int_eq(open_writer(NULL), 0);
	ck_assert_int_eq(pm_sink_series(&sink, 1, name), 1);
	pm_sink_value(&sink, 1, INT64_MAX);
	ck_assert_int_eq(tick(), 0);
	ck_assert_ptr_nonnull(strstr(contents(), want));
	ck_assert_ptr_nonnull(strstr(contents(), " 2=9223372036854775807\t.\n"));
	pm_writer_close(&writer);
}
END_TEST

/* Objects come and go: each is absent once more, and its place is the next one's. */
START_TEST(objects_leave)
{
	char want[2048];

	ck_assert_int_eq(open_writer(NULL), 0);
	pm_sink_value(&sink, 0, 1);
	ck_assert_int_eq(pm_sink_series(&sink, 1, "a"), 1);
	ck_assert_int_eq(pm_sink_series(&sink, 1, "b"), 2);
	pm_sink_value(&sink, 1, 5);
	pm_sink_value(&sink, 2, 6);
	ck_assert_int_eq(tick(), 0);
	pm_sink_passed(&sink);
	pm_sink_forget(&sink, 1);
	/* Not before it is written is the place free. */
	ck_assert_int_eq(pm_sink_series(&sink, 1, "c"), 3);
	pm_sink_value(&sink, 3, 7);
	ck_assert_int_eq(tick(), 0);
	pm_sink_passed(&sink);
	ck_assert_int_eq(tick(), 0);
	ck_assert_int_eq(pm_sink_series(&sink, 1, "d"), 1);
	pm_sink_value(&sink, 1, 8);
	ck_assert_int_eq(tick(), 0);
#define LEAVING(id, object)                                                                        \
	"series\t" id "\ttemplate\tnothing_per_object\t" object "\tn\tcounter\t.\n"
	snprintf(want, sizeof want,
		 "perfmon-series-1\t%s" HEADER SERIES1 LEAVING("2", "a") LEAVING("3", "b") TICK
		 "1=1 2=5 3=6\t.\n" LEAVING("4", "c") TICK "1=1 2=\\N:absent 3=6 4=7\t.\n" TICK
							   "1=1 3=6 4=7\t.\n" LEAVING("5", "d") TICK
		 "1=1 5=8 3=6 4=7\t.\n",
		 host);
	ck_assert_str_eq(contents(), want);
	/* A header declares those alone that are there. */
	writer.header_due = true;
	pm_sink_forget(&sink, 2);
	ck_assert_int_eq(tick(), 0);
	pm_sink_passed(&sink);
	writer.header_due = true;
	ck_assert_int_eq(tick(), 0);
	snprintf(want, sizeof want,
		 "perfmon-series-1\t%s" HEADER SERIES1 LEAVING("5", "d") LEAVING("4", "c") TICK
		 "1=1 5=8 4=7\t.\n",
		 host);
	ck_assert_str_eq(contents() + strlen(contents()) - strlen(want), want);
	pm_writer_close(&writer);
}
END_TEST

START_TEST(no_values)
{
	char want[512];

	ck_assert_int_eq(open_writer(NULL), 0);
	ck_assert_int_eq(pm_writer_tick(&writer, moment, sinks, 0), 0);
	snprintf(want, sizeof want, "perfmon-series-1\t%s" HEADER TICK "\t.\n", host);
	ck_assert_str_eq(contents(), want);
	pm_writer_close(&writer);
}
END_TEST

START_TEST(no_boot_id)
{
	char want[512];

	root_remove_path("proc");
	ck_assert_int_eq(open_writer(NULL), 0);
	ck_assert_int_eq(pm_writer_tick(&writer, moment, sinks, 0), 0);
	snprintf(want, sizeof want, "perfmon-series-1\t%s\t\\N\t250000\t.\n" TICK "\t.\n", host);
	ck_assert_str_eq(contents(), want);
	pm_writer_close(&writer);
}
END_TEST

/* A sampler that was killed left a torn line; the next one begins on a line of its own. */
START_TEST(restart)
{
	char want[2048], relative[300];

	snprintf(relative, sizeof relative, "%s.series", host);
	root_put(relative, "perfmon-series-1\tx\ty\t1\t.\ntick\t17952");
	ck_assert_int_eq(open_writer(NULL), 0);
	pm_sink_value(&sink, 0, 1);
	ck_assert_int_eq(tick(), 0);
	snprintf(want, sizeof want,
		 "perfmon-series-1\tx\ty\t1\t.\ntick\t17952\nperfmon-series-1\t%s" HEADER SERIES1
			 TICK "1=1\t.\n",
		 host);
	ck_assert_str_eq(contents(), want);
	pm_writer_close(&writer);
}
END_TEST

static void limit_file(rlim_t bytes)
{
	struct rlimit limit = { bytes, RLIM_INFINITY };

	PM_SURE(setrlimit(RLIMIT_FSIZE, &limit) == 0);
}

/* A file that may not grow stands in for a full disk, at every length of the first two ticks. */
START_TEST(full_disk)
{
	const char *whole;
	size_t length, all;

	signal(SIGXFSZ, SIG_IGN);
	ck_assert_int_eq(open_writer(NULL), 0);
	pm_sink_value(&sink, 0, 42);
	ck_assert_int_eq(tick(), 0);
	all = strlen(contents());
	ck_assert_int_eq(tick(), 0);
	length = strlen(contents());
	pm_writer_close(&writer);
	for (size_t cut = 0; cut < length; cut++) {
		const char *after;

		PM_SURE(unlink(file) == 0);
		sink.series[0].header = 0;
		sink.series[0].id = 0;
		PM_SURE(open_writer(NULL) == 0);
		limit_file(cut);
		PM_SURE(tick() == (cut < all ? -1 : 0));
		PM_SURE(tick() == -1);
		PM_SURE(strlen(contents()) == cut);
		limit_file(RLIM_INFINITY);
		PM_SURE(tick() == 0);
		whole = contents();
		after = whole + cut;
		PM_SURE(*after++ == '\n');
		/* Where declarations may be lost they come again, else the tick alone. */
		if (cut < all)
			PM_SURE(strncmp(after, "perfmon-series-1\t", 17) == 0 &&
				strstr(after, "\n" SERIES1 TICK "1=42\t.\n"));
		else
			PM_SURE(strcmp(after, TICK "1=42\t.\n") == 0);
		PM_SURE(tick() == 0);
		PM_SURE(strcmp(contents() + strlen(contents()) - strlen(TICK "1=42\t.\n"),
			       TICK "1=42\t.\n") == 0);
		pm_writer_close(&writer);
	}
}
END_TEST

START_TEST(mode)
{
	struct stat st;

	umask(0);
	ck_assert_int_eq(open_writer(NULL), 0);
	ck_assert_int_eq(tick(), 0);
	pm_writer_close(&writer);
	ck_assert_int_eq(stat(file, &st), 0);
	ck_assert_int_eq(st.st_mode & 07777, 0600);
}
END_TEST

START_TEST(symbolic_links)
{
	struct pm_err e = { "" };
	char target[512], link[512];

	snprintf(target, sizeof target, "%s/target", root);
	root_put("target", "precious");
	ck_assert_int_eq(symlink(target, file), 0);
	ck_assert_int_eq(open_writer(&e), -1);
	ck_assert_ptr_nonnull(strstr(e.text, "symbolic links"));
	/* Nor in the directory's place. */
	PM_SURE(unlink(file) == 0);
	snprintf(link, sizeof link, "%s/link", root);
	ck_assert_int_eq(symlink(root, link), 0);
	ck_assert_int_eq(pm_writer_open(&writer, link, -1, 1, root, &e), -1);
	ck_assert_int_eq(access(file, F_OK), -1);
}
END_TEST

START_TEST(not_a_file)
{
	struct pm_err e = { "" };
	int reader;

	ck_assert_int_eq(mkfifo(file, 0600), 0);
	ck_assert_int_eq(open_writer(&e), -1);
	reader = open(file, O_RDONLY | O_NONBLOCK);
	ck_assert_int_eq(open_writer(&e), -1);
	ck_assert_ptr_nonnull(strstr(e.text, "not a regular file"));
	close(reader);
}
END_TEST

START_TEST(two_samplers)
{
	struct pm_writer second;
	struct pm_err e = { "" };
	int status;

	ck_assert_int_eq(open_writer(NULL), 0);
	ck_assert_int_eq(pm_writer_open(&second, root, -1, 1, root, &e), -1);
	ck_assert_ptr_nonnull(strstr(e.text, "another sampler"));
	pm_writer_close(&writer);
	ck_assert_int_eq(pm_writer_open(&second, root, -1, 1, root, &e), 0);
	pm_writer_close(&second);
	/* One that was killed is in nobody's way. */
	pid_t pid = fork();

	if (pid == 0) {
		PM_SURE(open_writer(NULL) == 0);
		raise(SIGKILL);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(WTERMSIG(status), SIGKILL);
	ck_assert_int_eq(open_writer(&e), 0);
	pm_writer_close(&writer);
}
END_TEST

/* --- checkpoints ------------------------------------------------------------------------------ */

/* What is brought to the disk, as those see it who share this memory. */
static struct {
	int calls, result;
	ino_t inode;
} *disk;

/* In place of libc's. */
int fdatasync(int fd)
{
	struct stat st;

	if (!disk)
		return fsync(fd);
	disk->calls++;
	disk->inode = fstat(fd, &st) == 0 ? st.st_ino : 0;
	return disk->result;
}

/* Its end is told once. */
static bool is_on_disk(struct pm_output *o)
{
	bool done = false;
	siginfo_t info;

	PM_SURE(waitid(P_PID, (id_t)o->sync, &info, WEXITED | WNOWAIT) == 0);
	ck_assert(pm_output_synced(o, &done));
	ck_assert(!pm_output_synced(o, &done));
	return done;
}

START_TEST(checkpoints)
{
	struct pm_output *o = &writer.output[PM_WRITER_FILE], stream;
	struct stat st;

	disk = mmap(NULL, sizeof *disk, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	PM_SURE(disk != MAP_FAILED);
	ck_assert_int_eq(open_writer(NULL), 0);
	ck_assert_int_eq(tick(), 0);
	PM_SURE(stat(file, &st) == 0);
	ck_assert_int_eq(pm_output_sync(o), 0);
	/* Not while the one before is under way. */
	ck_assert_int_eq(pm_output_sync(o), -1);
	ck_assert(is_on_disk(o));
	ck_assert_int_eq(disk->calls, 1);
	ck_assert(disk->inode == st.st_ino);
	disk->result = -1;
	ck_assert_int_eq(pm_output_sync(o), 0);
	ck_assert(!is_on_disk(o));
	ck_assert_int_eq(disk->calls, 2);
	/* A stream has no disk. */
	pm_output_stream(&stream, o->fd, false);
	ck_assert_int_eq(pm_output_sync(&stream), -1);
	pm_writer_close(&writer);
	disk = NULL;
}
END_TEST

/* The first number that is free, at each time; the old file stays whole and is nobody's then. */
START_TEST(next_files)
{
	char next[600], want[2048], relative[300];
	struct pm_writer second;
	struct stat st;

	ck_assert_int_eq(open_writer(NULL), 0);
	pm_sink_value(&sink, 0, 1);
	ck_assert_int_eq(tick(), 0);
	snprintf(relative, sizeof relative, "%s.1.series", host);
	root_put(relative, "precious");
	ck_assert_int_eq(pm_writer_rotate(&writer, 77, NULL), 0);
	pm_sink_value(&sink, 0, 2);
	ck_assert_int_eq(tick(), 0);
	snprintf(want, sizeof want, "perfmon-series-1\t%s" HEADER SERIES1 TICK "1=1\t.\n", host);
	ck_assert_str_eq(contents(), want);
	/* The first one is free for another sampler. */
	ck_assert_int_eq(pm_writer_open(&second, root, -1, 1, root, NULL), 0);
	pm_writer_close(&second);
	ck_assert_int_eq(pm_writer_rotate(&writer, 78, NULL), 0);
	pm_sink_value(&sink, 0, 3);
	ck_assert_int_eq(tick(), 0);
	for (int i = 2; i < 4; i++) {
		snprintf(next, sizeof next, "%s/%s.%d.series", root, host, i);
		memcpy(file, next, sizeof file);
		snprintf(want, sizeof want,
			 "perfmon-series-1\t%s\taf40ef8f-c52a-471e-84dd-0a10b0e1ac12\t%d\t.\n" SERIES1 TICK
			 "1=%d\t.\n",
			 host, 75 + i, i);
		ck_assert_str_eq(contents(), want);
		ck_assert_int_eq(stat(file, &st), 0);
		ck_assert_int_eq(st.st_mode & 07777, 0600);
	}
	snprintf(file, sizeof file, "%s/%s", root, relative);
	ck_assert_str_eq(contents(), "precious");
	pm_writer_close(&writer);
}
END_TEST

/* Many series: the whole tick is still one write. */
START_TEST(one_write)
{
	int fds[2];
	char *text = malloc(1 << 20);
	ssize_t n;

	for (int i = 0; i < 2000; i++)
		PM_SURE(pm_sink_series(&sink, 1, "an object with a name") == i + 1);
	/* A pipe of packets shows where writes begin and end. */
	ck_assert_int_eq(pipe2(fds, O_DIRECT), 0);
	ck_assert_int_ge(fcntl(fds[1], F_SETPIPE_SZ, 1 << 20), 0);
	ck_assert_int_eq(pm_writer_open(&writer, NULL, fds[1], 1, root, NULL), 0);
	ck_assert_int_eq(pm_writer_tick(&writer, moment, sinks, 1), 0);
	close(fds[1]);
	n = 0;
	for (ssize_t got; (got = read(fds[0], text + n, (1 << 20) - (size_t)n)) > 0; n += got)
		ck_assert_int_eq(n % 4096, 0); /* the kernel cuts packets at pages only */
	ck_assert_int_gt(n, 100000);
	ck_assert_int_eq(memcmp(text + n - 2, ".\n", 2), 0);
	free(text);
	pm_writer_close(&writer);
}
END_TEST

/* A stream that is all there is waits for its reader, and loses nothing. */
START_TEST(stream_alone)
{
	static char text[1 << 20];
	int end[2], status, ticks = 0;
	size_t n = 0;
	ssize_t got;
	pid_t pid;

	PM_SURE(pipe(end) == 0 && fcntl(end[1], F_SETPIPE_SZ, 4096) > 0);
	pid = fork();
	if (pid == 0) {
		close(end[0]);
		PM_SURE(pm_writer_open(&writer, NULL, end[1], 250000, root, NULL) == 0);
		for (int i = 0; i < 500; i++) {
			pm_sink_value(&sink, 0, i);
			PM_SURE(tick() == 0);
		}
		_exit(0);
	}
	close(end[1]);
	usleep(200000);
	while ((got = read(end[0], text + n, sizeof text - 1 - n)) > 0)
		n += (size_t)got;
	close(end[0]);
	for (const char *p = text; (p = strstr(p, "\n" TICK)) != NULL; p++)
		ticks++;
	ck_assert_int_eq(ticks, 500);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
}
END_TEST

/* One beside a file keeps nobody waiting. */
START_TEST(stream_beside_a_file)
{
	const char *p;
	int end[2], ticks = 0;

	PM_SURE(pipe(end) == 0 && fcntl(end[1], F_SETPIPE_SZ, 4096) > 0);
	ck_assert_int_eq(pm_writer_open(&writer, root, end[1], 250000, root, NULL), 0);
	for (int i = 0; i < 500; i++) {
		pm_sink_value(&sink, 0, i);
		ck_assert_int_eq(tick(), 0);
	}
	for (p = contents(); (p = strstr(p, "\n" TICK)) != NULL; p++)
		ticks++;
	ck_assert_int_eq(ticks, 500);
	pm_writer_close(&writer);
	/* The stream is the caller's. */
	ck_assert_int_eq(close(end[1]), 0);
	close(end[0]);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("sampler_writer");
	TCase *t = tcase_create("writer");

	tcase_set_timeout(t, 120);
	tcase_add_checked_fixture(t, begin, end);
	tcase_add_test(t, exact_text);
	tcase_add_test(t, long_names);
	tcase_add_test(t, objects_leave);
	tcase_add_test(t, no_values);
	tcase_add_test(t, no_boot_id);
	tcase_add_test(t, restart);
	tcase_add_test(t, full_disk);
	tcase_add_test(t, mode);
	tcase_add_test(t, symbolic_links);
	tcase_add_test(t, not_a_file);
	tcase_add_test(t, two_samplers);
	tcase_add_test(t, checkpoints);
	tcase_add_test(t, next_files);
	tcase_add_test(t, one_write);
	tcase_add_test(t, stream_alone);
	tcase_add_test(t, stream_beside_a_file);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
