/* wrapper/job/sampler.c: how the sampler is started, what it finds, and how it ends. In its place is this test, which
 * writes down what it was given. */
#include "config.h"

#include "common/job/jobdir.h"
#include "common/settings/readconfig.h"
#include "tests/unit/main.h"
#include "wrapper/job/sampler.h"
#include "wrapper/node/host.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* --- the sampler -------------------------------------------------------------------------------- */

static void print_descriptors(FILE *f)
{
	DIR *d = opendir("/proc/self/fd");
	struct dirent *entry;

	while ((entry = readdir(d)) != NULL) {
		int fd = atoi(entry->d_name);
		char name[64], to[PATH_MAX] = "";

		if (entry->d_name[0] == '.' || fd == dirfd(d) || fd == fileno(f))
			continue;
		snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
		if (readlink(name, to, sizeof to - 1) > 0)
			fprintf(f, "fd %d %s\n", fd, strrchr(to, '/') ? strrchr(to, '/') + 1 : to);
	}
	closedir(d);
}

/* Called before main: as `perfmon sample` write what there is to `given`, wait for SIGTERM, note it in `ended`. */
__attribute__((constructor)) static void be_sampler(int argc, char **argv)
{
	sigset_t term, blocked;
	struct timespec used;
	int death = 0, sig;
	FILE *f;

	if (argc < 3 || strcmp(argv[0], "perfmon") != 0)
		return;
	/* Whatever becomes of the test. */
	alarm(60);
	/* What pm_sampler_end is to count. */
	do
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
	while (used.tv_nsec < 60000000);
	f = fopen("given.new", "w");
	for (int i = 1; i < argc; i++)
		fprintf(f, "%s\n", argv[i]);
	sigprocmask(SIG_SETMASK, NULL, &blocked);
	prctl(PR_GET_PDEATHSIG, &death);
	fprintf(f, "TERM %s, death %d, leader %d, session %d, preload %s, kept %s\n",
		sigismember(&blocked, SIGTERM) ? "held" : "free", death, getpgrp() == getpid(),
		getsid(0) == getpid(), getenv("LD_PRELOAD") ? "set" : "unset",
		getenv("PM_KEPT") ? getenv("PM_KEPT") : "unset");
	print_descriptors(f);
	fclose(f);
	rename("given.new", "given");
	sigemptyset(&term);
	sigaddset(&term, SIGTERM);
	sigwait(&term, &sig);
	close(creat("ended", 0600));
	_exit(0);
}

/* --- the test ----------------------------------------------------------------------------------- */

static struct pm_cli cli;
static struct pm_jobdir job;
static char self[PATH_MAX], lock[NAME_MAX + 16];

static void set_up(void)
{
	ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
	struct pm_err e;

	ck_assert(n > 0);
	self[n] = '\0';
	pm_unit_set_up();
	clearenv();
	cli.self = self;
	ck_assert_int_eq(mkdir("job", 0700), 0);
	ck_assert_msg(pm_jobdir_open("job", &job, &e) == 0, "%s", e.text);
	ck_assert_int_eq(pm_config_set(PM_SET_sample, "1500ms", &e), 0);
	pm_jobdir_host(lock, sizeof lock - 16);
	memmove(lock + strlen("job/.sampler-"), lock, strlen(lock) + 1);
	memcpy(lock, "job/.sampler-", strlen("job/.sampler-"));
	setenv("PM_KEPT", "yes", 1);
	setenv("LD_PRELOAD", "", 1);
}

/* What the sampler was given, once it is there. */
static const char *given(void)
{
	static char text[4096];
	FILE *f;

	while ((f = fopen("given", "r")) == NULL)
		usleep(1000);
	text[fread(text, 1, sizeof text - 1, f)] = '\0';
	fclose(f);
	unlink("given");
	return text;
}

START_TEST(beside_a_command)
{
	struct pm_err e = { "" };
	char want[2 * PATH_MAX];
	pid_t pid;
	int status;

	/* Of the settings of our command line those that sample uses. */
	ck_assert_int_eq(pm_config_set(PM_SET_sources, "node", &e), 0);
	ck_assert_int_eq(pm_config_set(PM_SET_tags, "a:b", &e), 0);
	ck_assert_int_eq(pm_config_set(PM_SET_output_prefix, "/p", &e), 0);
	/* It gets none of our files. */
	ck_assert_int_ge(open(".", O_RDONLY), 0);
	pid = pm_sampler_start(&cli, &job, 4711, &e);
	ck_assert_msg(pid > 0, "%s", e.text);
	snprintf(want, sizeof want,
		 "-q\nsample\n--pid\n4711\n--directory\n%s\n--interval\n1500000us\n--sources=node\n"
		 "TERM held, death %d, leader 1, session 0, preload unset, kept yes\n"
		 "fd 0 null\nfd 1 null\nfd 2 null\n",
		 job.path, SIGTERM);
	ck_assert_str_eq(given(), want);
	pm_sampler_stop(pid);
	ck_assert_int_eq(access("ended", F_OK), 0);
	/* Waited for. */
	ck_assert(waitpid(pid, &status, 0) < 0 && errno == ECHILD);
	pm_sampler_stop(0);
	pm_sampler_stop(-1);
}
END_TEST

START_TEST(none_wanted)
{
	struct pm_err e = { "" };

	ck_assert_int_eq(pm_config_set(PM_SET_sample, "0", &e), 0);
	ck_assert_int_eq(pm_sampler_start(&cli, &job, 4711, &e), 0);
	ck_assert_int_eq(pm_sampler_detach(&cli, &job, &e), 0);
	ck_assert_int_ne(access(lock, F_OK), 0);
	ck_assert_int_eq(pm_sampler_end(&job), 0);
}
END_TEST

/* One that stays, for a session or a batch job; of two the first. */
START_TEST(left_behind)
{
	struct pm_err e = { "" };
	char want[2 * PATH_MAX], root[32] = "", text[64], note[64];
	long long pid = 0, start = 0;
	int64_t used;
	int fd;

	if (_i)
		setenv("SLURM_JOB_ID", "5", 1);
	else
		snprintf(root, sizeof root, "--pid\n%ld\n", (long)getsid(0));
	ck_assert_msg(pm_sampler_detach(&cli, &job, &e) == 0, "%s", e.text);
	snprintf(want, sizeof want,
		 "-q\nsample\n--directory\n%s\n--interval\n1500000us\n%s"
		 "TERM held, death 0, leader 1, session 1, preload unset, kept yes\n"
		 "fd 0 null\nfd 1 null\nfd 2 null\nfd 3 %s\n",
		 job.path, root, lock + 4);
	ck_assert_str_eq(given(), want);
	fd = open(lock, O_RDWR);
	ck_assert(fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK);
	text[read(fd, text, sizeof text - 1)] = '\0';
	ck_assert_int_eq(sscanf(text, "%lld %lld", &pid, &start), 2);
	ck_assert_int_eq(pm_host_starttime(pid), start);
	close(fd);
	/* Another one is not needed, nor told of. */
	ck_assert_int_eq(pm_sampler_detach(&cli, &job, &e), 0);
	ck_assert_str_eq(e.text, "");
	snprintf(note, sizeof note, "%lld %lld\n", pid, start);
	ck_assert_str_eq(text, note);
	used = pm_sampler_end(&job);
	ck_assert_int_eq(access("ended", F_OK), 0);
	ck_assert_int_ne(access(lock, F_OK), 0);
	ck_assert_int_ne(access("given", F_OK), 0);
	/* As much as it computed, by the kernel's ticks; all that a test of a loaded host knows. */
	ck_assert_int_ge(used, 30000);
	ck_assert_int_le(used, 600000000);
	ck_assert_int_eq(pm_sampler_end(&job), 0);
	waitpid((pid_t)pid, NULL, 0);
}
END_TEST

/* What a file says of a process that is not its sampler ends nobody. */
START_TEST(not_the_sampler)
{
	pid_t pid = fork();
	int fd;

	if (pid == 0) {
		pause();
		_exit(0);
	}
	for (int i = 0; i < 4; i++) {
		FILE *f = fopen(lock, "w");
		long long start = (long long)pm_host_starttime(pid);

		/* nobody holds it; held, but by another process of this number, by none, by whom? */
		ck_assert(f != NULL);
		fprintf(f, i == 3 ? "what" : "%ld %lld\n", i == 2 ? 1L : (long)pid, start + (i == 1));
		fclose(f);
		fd = open(lock, O_RDWR);
		ck_assert(fd >= 0 && (i == 0 || flock(fd, LOCK_EX) == 0));
		ck_assert_int_eq(pm_sampler_end(&job), 0);
		ck_assert_int_ne(access(lock, F_OK), 0);
		close(fd);
		ck_assert_int_eq(waitpid(pid, NULL, WNOHANG), 0);
	}
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("wrapper/job/sampler.c");
	TCase *t = tcase_create("beside");

	tcase_add_checked_fixture(t, set_up, pm_unit_tear_down);
	tcase_add_test(t, beside_a_command);
	tcase_add_test(t, none_wanted);
	tcase_add_loop_test(t, left_behind, 0, 2);
	tcase_add_test(t, not_the_sampler);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
