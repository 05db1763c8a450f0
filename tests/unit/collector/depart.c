/* Which calls lead a program out of reach of its record file: what is said and done before each. */
#include "config.h"

#include "libperfmon/hooks/chroot.h"

#include "libperfmon/base/state.h"
#include "libperfmon/hooks/exit.h"
#include "libperfmon/record/recordfile.h"
#include "tests/unit/main.h"

#include <sched.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define OTHER 4000000001
#define NOT   ((long)(uid_t)-1) /* as a caller gives it that leaves the id as it is */

/* In place of the collector's: what was done, as words. */
static char seen[128];
static bool known = true;

static void see(const char *word)
{
	strncat(seen, word, sizeof seen - strlen(seen) - 1);
}

bool pm_recordfile_remember(void)
{
	see("remember ");
	return known;
}

void pm_recordfile_make_for(uid_t uid)
{
	char word[32];

	snprintf(word, sizeof word, "file-of-%u ", (unsigned)uid);
	see(word);
}

void pm_exit_last_words(const char *call, bool changes_user)
{
	see(call);
	see(changes_user ? " user" : " place");
}

#define PLACE(name) "remember " name " place"
#define USER        "file-of-4000000001 setuid user"

static const struct {
	long nr, a, b;
	const char *want;
} row[] = {
	{ SYS_chroot, 0, 0, PLACE("chroot") },
	{ SYS_pivot_root, 0, 0, PLACE("pivot_root") },
	{ SYS_unshare, CLONE_NEWNS, 0, PLACE("unshare") },
	{ SYS_unshare, CLONE_NEWUSER | CLONE_NEWNET, 0, PLACE("unshare") },
	{ SYS_unshare, CLONE_NEWNET | CLONE_FILES, 0, "" },
	{ SYS_unshare, 0, CLONE_NEWNS, "" },
	{ SYS_setns, 3, 0, PLACE("setns") }, /* of any kind */
	{ SYS_setns, 0, CLONE_NEWNS, PLACE("setns") },
	{ SYS_setns, 0, CLONE_NEWUSER, PLACE("setns") },
	{ SYS_setns, CLONE_NEWNS, CLONE_NEWNET, "" },
	{ SYS_setuid, OTHER, 0, USER },
	{ SYS_setuid, 0, OTHER, "" },
	{ SYS_setuid, 7, 0, "" }, /* whose record file it writes */
	{ SYS_setuid, -1, 0, "" },
	{ SYS_setfsuid, OTHER, 0, "setuid user" },
	{ SYS_setfsuid, 0, OTHER, "" },
	{ SYS_setreuid, NOT, OTHER, USER },
	{ SYS_setreuid, OTHER, NOT, "" },
	{ SYS_setreuid, OTHER, OTHER, USER },
	{ SYS_setresuid, NOT, OTHER, USER },
	{ SYS_setresuid, OTHER, 0, "" },
	{ SYS_setresuid, 0, OTHER, USER },
	{ 446, 3, 0, "landlock place" }, /* landlock_restrict_self: the path leads where it did */
	{ SYS_setgid, OTHER, OTHER, "" },
	{ SYS_getpid, OTHER, OTHER, "" },
};
#define ROWS (sizeof row / sizeof row[0])

static void set_up(void)
{
	pm.on = true;
	pm.pid = getpid();
	pm.uid = 7;
}

START_TEST(calls)
{
	bool may_move = pm_chroot_before(row[_i].nr, row[_i].a, row[_i].b);

	ck_assert_str_eq(seen, row[_i].want);
	ck_assert(may_move == (strncmp(seen, "remember", 8) == 0));
	/* Those that come as raw system calls are among the ones that are looked at. */
	ck_assert(*seen == '\0' || pm_chroot_watches(row[_i].nr));
	ck_assert(!pm_chroot_watches(SYS_getpid));
	ck_assert(!pm_self.busy);
}
END_TEST

/* Daemons change the effective user and back, over and over: one file is enough. */
START_TEST(again)
{
	pm_chroot_before(SYS_setreuid, NOT, OTHER);
	pm_chroot_before(SYS_setreuid, NOT, OTHER);
	ck_assert_str_eq(seen, USER "setuid user");
	seen[0] = '\0';
	pm_chroot_before(SYS_setresuid, NOT, OTHER + 1);
	pm_chroot_before(SYS_setresuid, NOT, OTHER);
	ck_assert_str_eq(seen, "file-of-4000000002 setuid user" USER);
	/* One that stays that user is no daemon. */
	seen[0] = '\0';
	pm_chroot_before(SYS_setreuid, OTHER, OTHER);
	pm_chroot_before(SYS_setuid, OTHER, 0);
	ck_assert_str_eq(seen, USER USER);
}
END_TEST

START_TEST(behind)
{
	pm_chroot_after(true, -1);
	pm_chroot_after(false, 0);
	ck_assert(!pm.departed);
	pm_chroot_after(true, 0);
	ck_assert(pm.departed);
	/* Where the file was is not known: then nothing can be told of it later. */
	known = false;
	ck_assert(!pm_chroot_before(SYS_chroot, 0, 0));
	ck_assert_str_eq(seen, PLACE("chroot"));
	/* Off, or inside another hook, nothing is done. */
	seen[0] = '\0';
	pm_self.busy = true;
	ck_assert(!pm_chroot_before(SYS_chroot, 0, 0));
	pm_self.busy = false;
	pm.on = false;
	ck_assert(!pm_chroot_before(SYS_chroot, 0, 0));
	ck_assert_str_eq(seen, "");
	/* Excluded programs may lose their children. */
	pm.on = pm.excluded = true;
	pm_chroot_before(SYS_setuid, OTHER, 0);
	ck_assert_str_eq(seen, USER);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("libperfmon/hooks/chroot.c");
	TCase *t = tcase_create("departures");

	tcase_add_checked_fixture(t, set_up, NULL);
	tcase_add_loop_test(t, calls, 0, ROWS);
	tcase_add_test(t, again);
	tcase_add_test(t, behind);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
