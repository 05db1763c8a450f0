/*
 * wrapper/stage/stage_pack.c: from files to an archive without ever having neither. What is called in
 * which order, where a call fails, and what a killed one left.
 */
#include "config.h"

#include "common/log.h"
#include "common/settings/readconfig.h"
#include "tests/unit/sampler/root.h"
#include "wrapper/stage/stage.h"

#include <dirent.h>
#include <sys/syscall.h>

static struct pm_jobdir d;
static struct pm_stage s;
static struct pm_err e;
static int spool;

/* --- what is called -----------------------------------------------------------------------------
 */

static char calls[4096];
static const char *failing = ""; /* the call that fails */

/* Note a call; -1 with errno where it is to fail. */
__attribute__((format(printf, 1, 2))) static int note(const char *fmt, ...)
{
	char text[600];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	snprintf(calls + strlen(calls), sizeof calls - strlen(calls), "%s\n", text);
	if (strcmp(text, failing) != 0)
		return 0;
	errno = EIO;
	return -1;
}

/* The name behind a descriptor: that of a hidden archive without the number of our process. */
static const char *name_of(int fd)
{
	static char path[PATH_MAX];
	char link[64], *end;
	ssize_t n;

	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	n = readlink(link, path, sizeof path - 1);
	path[n > 0 ? n : 0] = '\0';
	end = strstr(path, ".new");
	if (end && strstr(path, ".tgz."))
		memcpy(strstr(path, ".tgz.") + 4, "\0", 1);
	return strrchr(path, '/') + 1;
}

int fsync(int fd)
{
	return note("sync %s", name_of(fd)) < 0 ? -1 : (int)syscall(SYS_fsync, fd);
}

int renameat(int from, const char *old, int to, const char *new)
{
	if (note("rename %s %s", old, new) < 0)
		return -1;
	return (int)syscall(SYS_renameat2, from, old, to, new, 0);
}

int unlinkat(int at, const char *name, int flags)
{
	struct stat st;

	/* What is removed in case it is there is none of an event. */
	if (fstatat(at, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && !strstr(name, ".new") &&
	    note("remove %s", name) < 0)
		return -1;
	return (int)syscall(SYS_unlinkat, at, name, flags);
}

/* --- places -------------------------------------------------------------------------------------
 */

static char listed[1024];

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

/* The names in a directory. */
static const char *ls(int at)
{
	struct dirent **entry;
	int n = scandirat(at, ".", &entry, NULL, by_name);

	listed[0] = '\0';
	for (int i = 0; i < n; i++) {
		if (strcmp(entry[i]->d_name, ".") != 0 && strcmp(entry[i]->d_name, "..") != 0)
			snprintf(listed + strlen(listed), sizeof listed - strlen(listed), "%s%s",
				 *listed ? " " : "", entry[i]->d_name);
		free(entry[i]);
	}
	free(entry);
	return listed;
}

/* A stage as one of these files that begins anew. */
static void fresh(void)
{
	static const char *const name[] = { "job-h.json", "h-0.tally", "h-0.tsv", "h-1.tsv" };

	pm_pack_free(&s.pack);
	memset(&s, 0, sizeof s);
	s.d = &d;
	snprintf(s.host, sizeof s.host, "h");
	s.owner = geteuid();
	s.group = getegid();
	for (size_t i = 0; i < sizeof name / sizeof name[0]; i++)
		PM_SURE(pm_pack_add(&s.pack, name[i]) == 0);
	calls[0] = '\0';
}

static void put_files(void)
{
	root_put("job/job-h.json", "{}\n");
	root_put("job/h-0.tally", "t\n");
	root_put("job/h-0.tsv", "a\nb\n");
	root_put("job/h-1.tsv", "c\n");
}

static void set(enum pm_setting which, const char *value)
{
	ck_assert_msg(pm_config_set(which, value, &e) == 0, "%s", e.text);
}

static void begin(void)
{
	char path[128];

	root_make();
	put_files();
	root_put("spool/.keep", "");
	snprintf(path, sizeof path, "%s/job", root);
	ck_assert_msg(pm_jobdir_open(path, &d, &e) == 0, "%s", e.text);
	snprintf(path, sizeof path, "%s/spool", root);
	spool = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	PM_SURE(syscall(SYS_unlinkat, spool, ".keep", 0) == 0);
	set(PM_SET_stage_to, path);
	set(PM_SET_stage_command, "");
	pm_log_level = -1;
	fresh();
}

static void end(void)
{
	close(spool);
	pm_jobdir_close(&d);
	pm_pack_free(&s.pack);
	root_remove();
}

#define ALL "h-0.tally h-0.tsv h-1.tsv job-h.json"

/* --- the usual way ------------------------------------------------------------------------------
 */

START_TEST(order)
{
	char path[PATH_MAX];

	ck_assert_msg(pm_stage_files(&s, &e) == 0, "%s", e.text);
	/* The archive and its name, the journal and its name are on disk before a file goes; the
	 * records go first, the metadata last. */
	ck_assert_str_eq(calls, "sync .job.h.tgz\nsync spool\n"
				"sync .stage-new\nrename .stage-new .stage-h.json\nsync job\n"
				"sync .stage-new\nrename .stage-new .stage-h.json\nsync job\n"
				"rename h-0.tsv .stage-aside\nremove .stage-aside\n"
				"rename h-1.tsv .stage-aside\nremove .stage-aside\n"
				"rename h-0.tally .stage-aside\nremove .stage-aside\n"
				"rename job-h.json .stage-aside\nremove .stage-aside\n"
				"remove .stage-h.json\n");
	snprintf(path, sizeof path, "%s/spool/job.h.tgz", root);
	ck_assert_str_eq(s.archive, path);
	ck_assert_str_eq(ls(spool), "job.h.tgz");
	ck_assert_str_eq(ls(d.fd), "");
	ck_assert_int_eq(s.kept, 0);
	ck_assert_int_eq(pm_pack_verify(path, "job", &s.pack, NULL), 0);
}
END_TEST

START_TEST(what_stays)
{
	/* The job is open: the files stay, and nothing says that they may go. */
	s.keep = true;
	ck_assert_int_eq(pm_stage_files(&s, &e), 0);
	ck_assert_str_eq(calls, "sync .job.h.tgz\nsync spool\n");
	ck_assert_str_eq(ls(d.fd), ALL);
	/* The same again is there already, other content gets another name. */
	fresh();
	s.keep = true;
	ck_assert_int_eq(pm_stage_files(&s, &e), 0);
	ck_assert_str_eq(ls(spool), "job.h.tgz");
	fresh();
	s.keep = true;
	root_put("job/h-1.tsv", "d\n");
	ck_assert_int_eq(pm_stage_files(&s, &e), 0);
	ck_assert_str_eq(ls(spool), "job.h.2.tgz job.h.tgz");
	ck_assert_str_eq(strrchr(s.archive, '/'), "/job.h.2.tgz");
	/* It may be opened again: metadata and tallies stay. */
	fresh();
	s.keep_job = true;
	ck_assert_int_eq(pm_stage_files(&s, &e), 0);
	ck_assert_str_eq(ls(d.fd), "h-0.tally job-h.json");
	ck_assert_int_eq(s.kept, 0);
}
END_TEST

START_TEST(names)
{
	/* Of no known host, and names that are no file names. */
	s.host[0] = '\0';
	s.keep = true;
	snprintf(d.name, sizeof d.name, ".a.\n\x7f.b");
	ck_assert_int_eq(pm_stage_files(&s, &e), 0);
	ck_assert_str_eq(ls(spool), "_a.__.b.other.tgz");
	ck_assert_int_eq(pm_pack_verify(s.archive, "_a.__.b", &s.pack, NULL), 0);
	ck_assert(pm_stage_is_own(".stage-h.json") && pm_stage_is_own(".stage-"));
	ck_assert(!pm_stage_is_own(".stage") && !pm_stage_is_own("h.stage-x"));
}
END_TEST

/* --- the command --------------------------------------------------------------------------------
 */

START_TEST(command)
{
	char text[256];

	snprintf(text, sizeof text, "echo \"$0 $1\" >%s/told; exit 3", root);
	set(PM_SET_stage_command, text);
	ck_assert_int_lt(pm_stage_files(&s, &e), 0);
	ck_assert_ptr_nonnull(strstr(e.text, "failed with status 3"));
	ck_assert_ptr_nonnull(strstr(e.text, s.archive));
	ck_assert_str_eq(ls(d.fd), ".stage-h.json " ALL);
	ck_assert_str_eq(ls(spool), "job.h.tgz");
	{
		char path[128], want[PATH_MAX + 16];
		FILE *f;

		snprintf(path, sizeof path, "%s/told", root);
		f = fopen(path, "re");
		ck_assert(f && fgets(text, sizeof text, f));
		fclose(f);
		snprintf(want, sizeof want, "perfmon %s\n", s.archive);
		ck_assert_str_eq(text, want);
	}
	/* The next call goes on there, with the archive that was published. */
	set(PM_SET_stage_command, "kill -9 $$");
	fresh();
	pm_pack_free(&s.pack);
	ck_assert_int_lt(pm_stage_resume(&s, &e), 0);
	ck_assert_ptr_nonnull(strstr(e.text, "killed by signal 9"));
	ck_assert_str_eq(ls(d.fd), ".stage-h.json " ALL);
	set(PM_SET_stage_command, "mv \"$1\" \"$1.moved\"");
	pm_pack_free(&s.pack);
	ck_assert_int_eq(pm_stage_resume(&s, &e), 1);
	ck_assert_str_eq(ls(spool), "job.h.tgz.moved");
	ck_assert_str_eq(ls(d.fd), "");
	ck_assert_uint_eq(s.pack.files, 4);
	ck_assert_str_eq(strrchr(s.archive, '/'), "/job.h.tgz");
	/* There is nothing more to complete. */
	pm_pack_free(&s.pack);
	ck_assert_int_eq(pm_stage_resume(&s, &e), 0);
	/* A job that is kept has its archive told, too. */
	fresh();
	put_files();
	s.keep = true;
	set(PM_SET_stage_command, "exit 4");
	ck_assert_int_lt(pm_stage_files(&s, &e), 0);
	ck_assert_ptr_nonnull(strstr(e.text, "status 4"));
}
END_TEST

/* A file that has grown keeps all of them. */
START_TEST(grown)
{
	char text[256];

	snprintf(text, sizeof text, "echo late >>%s/job/h-1.tsv", root);
	set(PM_SET_stage_command, text);
	ck_assert_int_eq(pm_stage_files(&s, &e), 0);
	ck_assert_int_eq(s.kept, 1);
	ck_assert_str_eq(ls(d.fd), ALL);
}
END_TEST

/* --- killed -------------------------------------------------------------------------------------
 */

/* Stage until the command fails: the journal says published. */
static void published(void)
{
	put_files();
	fresh();
	set(PM_SET_stage_command, "exit 1");
	ck_assert_int_lt(pm_stage_files(&s, &e), 0);
	set(PM_SET_stage_command, "");
	fresh();
	pm_pack_free(&s.pack);
}

/* Stage until the first file is to go: the journal says delivered. */
static void delivered(void)
{
	put_files();
	fresh();
	failing = "rename h-0.tsv .stage-aside";
	ck_assert_int_lt(pm_stage_files(&s, &e), 0);
	failing = "";
	ck_assert_ptr_nonnull(strstr(ls(d.fd), ".stage-h.json "));
	ck_assert_ptr_nonnull(strstr(listed, ALL));
	fresh();
	pm_pack_free(&s.pack);
}

static void remove_spooled(void)
{
	ck_assert_int_eq(syscall(SYS_unlinkat, spool, "job.h.tgz", 0), 0);
}

START_TEST(resumed)
{
	/* Nothing was begun, or the journal is none. */
	pm_pack_free(&s.pack);
	ck_assert_int_eq(pm_stage_resume(&s, &e), 0);
	root_put("job/.stage-h.json", "{\"state\": \"delivered\"}");
	ck_assert_int_eq(pm_stage_resume(&s, &e), 0);
	root_put("job/.stage-h.json", "{\"state\": \"delivered\", \"archive\": \"/x\"}");
	ck_assert_int_eq(pm_stage_resume(&s, &e), 0);
	ck_assert_str_eq(ls(d.fd), ".stage-h.json " ALL);
	if (geteuid() == 0) {
		delivered();
		ck_assert_int_eq(fchownat(d.fd, ".stage-h.json", 65534, (gid_t)-1, 0), 0);
		ck_assert_int_eq(pm_stage_resume(&s, &e), 0);
		ck_assert_str_eq(ls(d.fd), ".stage-h.json " ALL);
		remove_spooled();
	}
	/* Delivered: what is as it was packed goes, also without the archive. */
	delivered();
	remove_spooled();
	ck_assert_int_eq(pm_stage_resume(&s, &e), 1);
	ck_assert_str_eq(ls(d.fd), "");
	/* Published: not without it. */
	published();
	remove_spooled();
	ck_assert_int_eq(pm_stage_resume(&s, &e), 0);
	ck_assert_str_eq(ls(d.fd), ".stage-h.json " ALL);
	published();
	pm_pack_free(&s.pack);
	calls[0] = '\0';
	ck_assert_int_eq(pm_stage_resume(&s, &e), 1);
	ck_assert_str_eq(ls(d.fd), "");
	ck_assert_int_eq(
		strncmp(calls, "sync .stage-new\nrename .stage-new .stage-h.json\nsync job\n", 54),
		0);
	remove_spooled();
	/* As it was asked for. */
	put_files();
	fresh();
	s.keep_job = true;
	failing = "rename h-1.tsv .stage-aside";
	ck_assert_int_lt(pm_stage_files(&s, &e), 0);
	failing = "";
	fresh();
	pm_pack_free(&s.pack);
	ck_assert_int_eq(pm_stage_resume(&s, &e), 1);
	ck_assert_str_eq(ls(d.fd), "h-0.tally job-h.json");
}
END_TEST

START_TEST(changed_since)
{
	/* Of the same size, but other bytes. */
	delivered();
	root_put("job/h-1.tsv", "x\n");
	ck_assert_int_eq(pm_stage_resume(&s, &e), 1);
	ck_assert_int_eq(s.kept, 1);
	ck_assert_str_eq(ls(d.fd), "h-0.tally h-1.tsv job-h.json");
	remove_spooled();
	/* Some are gone already. */
	delivered();
	ck_assert_int_eq(syscall(SYS_unlinkat, d.fd, "h-0.tsv", 0), 0);
	ck_assert_int_eq(pm_stage_resume(&s, &e), 1);
	ck_assert_int_eq(s.kept, 0);
	ck_assert_str_eq(ls(d.fd), "");
	remove_spooled();
	/* One that is no file any more is none of ours. */
	delivered();
	ck_assert_int_eq(syscall(SYS_unlinkat, d.fd, "h-0.tsv", 0), 0);
	ck_assert_int_eq(symlinkat("/etc/passwd", d.fd, "h-0.tsv"), 0);
	ck_assert_int_eq(pm_stage_resume(&s, &e), 1);
	ck_assert_int_ge(s.kept, 1);
	ck_assert_ptr_nonnull(strstr(ls(d.fd), "job-h.json"));
}
END_TEST

START_TEST(set_aside)
{
	/* What is packed goes. */
	delivered();
	root_put("job/.stage-aside", "c\n");
	ck_assert_int_eq(pm_stage_resume(&s, &e), 1);
	ck_assert_int_eq(s.kept, 0);
	ck_assert_str_eq(ls(d.fd), "");
	remove_spooled();
	/* Anything else stays, under the name of a record file that was free. */
	delivered();
	root_put("job/.stage-aside", "new\n");
	root_put("job/aside.tsv", "old\n");
	ck_assert_int_eq(pm_stage_resume(&s, &e), 1);
	ck_assert_int_eq(s.kept, 1);
	ck_assert_str_eq(ls(d.fd), "aside.late1.tsv aside.tsv " ALL);
	remove_spooled();
	root_remove_path("job/aside.late1.tsv");
	delivered();
	root_put("job/.stage-aside", "new\n");
	root_put("job/aside.late1.tsv", "old\n");
	ck_assert_int_eq(pm_stage_resume(&s, &e), 1);
	ck_assert_str_eq(ls(d.fd), "aside.late1.tsv aside.late2.tsv aside.tsv " ALL);
}
END_TEST

/* --- calls that fail ----------------------------------------------------------------------------
 */

START_TEST(failures)
{
	static const struct {
		const char *call, *spool, *job;
	} cases[] = {
		{ "sync .job.h.tgz", "", ALL },
		{ "sync .stage-new", "job.h.tgz", ALL },
		{ "rename .stage-new .stage-h.json", "job.h.tgz", ALL },
		{ "rename h-0.tsv .stage-aside", "job.h.tgz", ".stage-h.json " ALL },
		{ "rename job-h.json .stage-aside", "job.h.tgz", ".stage-h.json job-h.json" },
		{ "remove .stage-aside", "job.h.tgz",
		  ".stage-aside .stage-h.json h-0.tally h-1.tsv job-h.json" },
		{ "remove .stage-h.json", "job.h.tgz", ".stage-h.json" },
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		root_remove_path("job/.stage-h.json");
		root_remove_path("job/.stage-aside");
		root_remove_path("spool/job.h.tgz");
		put_files();
		fresh();
		failing = cases[i].call;
		ck_assert_msg(pm_stage_files(&s, &e) < 0, "%s", failing);
		ck_assert_ptr_nonnull(strstr(e.text, "Input/output error"));
		failing = "";
		ck_assert_str_eq(ls(spool), cases[i].spool);
		ck_assert_str_eq(ls(d.fd), cases[i].job);
		/* The next call completes it, or begins anew. */
		fresh();
		if (strstr(cases[i].job, ".stage-h")) {
			pm_pack_free(&s.pack);
			ck_assert_int_eq(pm_stage_resume(&s, &e), 1);
		} else {
			ck_assert_int_eq(pm_stage_files(&s, &e), 0);
		}
		ck_assert_str_eq(ls(spool), "job.h.tgz");
		ck_assert_str_eq(ls(d.fd), "");
	}
}
END_TEST

static Suite *suite(void)
{
	Suite *suite = suite_create("staging");
	TCase *c = tcase_create("staging");

	tcase_add_checked_fixture(c, begin, end);
	tcase_add_test(c, order);
	tcase_add_test(c, what_stays);
	tcase_add_test(c, names);
	tcase_add_test(c, command);
	tcase_add_test(c, grown);
	tcase_add_test(c, resumed);
	tcase_add_test(c, changed_since);
	tcase_add_test(c, set_aside);
	tcase_add_test(c, failures);
	suite_add_tcase(suite, c);
	return suite;
}

#ifndef HAVE_ZLIB
/* Archives need zlib. */
int main(void)
{
	puts("1..0 # SKIP built without zlib");
	(void)suite;
	return 0;
}
#else
PM_UNIT_MAIN(suite)
#endif
