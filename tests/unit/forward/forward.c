/* Pauses and offsets of senders, the order of archives, what is dropped, names at the target,
 * values of forward_to. */
#include "config.h"

#include "tests/unit/main.h"

#include "common/filecopy.h"
#include "common/settings/readconfig.h"
#include "forward/account.h"
#include "forward/backlog.h"
#include "forward/backoff.h"
#include "forward/bound.h"
#include "forward/deliver.h"
#include "forward/destination.h"
#include "forward/failures.h"
#include "forward/pass.h"
#include "submit/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static struct pm_err e;

/* --- times ------------------------------------------------------------------------------------ */

START_TEST(pause_grows_and_is_bounded)
{
	const int64_t longest = 300000000;

	for (int h = 0; h < 500; h++) {
		char name[32];
		uint64_t host;

		snprintf(name, sizeof name, "node%04d", h);
		host = pm_backoff_host(name);
		for (unsigned n = 1; n < 100; n++) {
			int64_t whole = n < 10 ? (int64_t)1000000 << (n - 1) : longest;
			int64_t pause = pm_backoff_pause(host, n, longest);

			if (whole > longest)
				whole = longest;
			PM_SURE(pause > whole / 2 - 2 && pause <= whole);
		}
		PM_SURE(pm_backoff_pause(host, 0, longest) > 0);
		PM_SURE(pm_backoff_pause(host, ~0U, longest) <= longest);
		PM_SURE(pm_backoff_pause(host, 5, 0) == 0);
	}
}
END_TEST

/* 5000 hosts whose server comes back, and to which a job's archives come at once: in no second more
 * than three times as many begin as there would be if they were spread evenly. */
START_TEST(hosts_do_not_begin_together)
{
	int paused[300] = { 0 }, offset[30] = { 0 };

	for (int h = 0; h < 5000; h++) {
		char name[32];
		uint64_t host;

		snprintf(name, sizeof name, "nid%06d", h);
		host = pm_backoff_host(name);
		paused[(pm_backoff_pause(host, 20, 300000000) - 1) / 1000000]++;
		offset[pm_backoff_offset(host, 30000000) / 1000000]++;
	}
	for (int s = 0; s < 300; s++)
		ck_assert_int_le(paused[s], s < 149 ? 0 : 3 * 5000 / 150);
	for (int s = 0; s < 30; s++)
		ck_assert_int_le(offset[s], 3 * 5000 / 30);
	ck_assert_int_eq(pm_backoff_offset(pm_backoff_host("a"), 0), 0);
}
END_TEST

/* --- archives --------------------------------------------------------------------------------- */

static struct pm_backlog backlog;

static void add(const char *name, uid_t owner, int64_t bytes, int64_t since_us,
		enum pm_backlog_place place)
{
	backlog.archive = realloc(backlog.archive, (backlog.n + 1) * sizeof *backlog.archive);
	backlog.archive[backlog.n++] = (struct pm_backlog_archive){ .name = strdup(name),
								    .owner = owner,
								    .bytes = bytes,
								    .since_us = since_us,
								    .place = place };
}

/* Names in order, those to drop with a minus. */
static const char *names(bool dropped_alone)
{
	static char text[256];

	text[0] = '\0';
	for (size_t i = 0; i < backlog.n; i++)
		if (!dropped_alone || backlog.archive[i].drop)
			strcat(strcat(text, backlog.archive[i].name), " ");
	pm_backlog_free(&backlog);
	return text;
}

START_TEST(users_take_turns)
{
	add("a3", 1, 1, 3, PM_BACKLOG_WAITING);
	add("a1", 1, 1, 1, PM_BACKLOG_WAITING);
	add("b9", 2, 1, 9, PM_BACKLOG_WAITING);
	add("a2", 1, 1, 2, PM_BACKLOG_WAITING);
	add("c5", 3, 1, 5, PM_BACKLOG_WAITING);
	pm_backlog_order(&backlog);
	ck_assert_str_eq(names(false), "a1 c5 b9 a2 a3 ");
	/* An archive that failed comes behind its owner's others, its owner behind other owners. */
	add("a1", 1, 1, 1, PM_BACKLOG_WAITING);
	add("a2", 1, 1, 2, PM_BACKLOG_WAITING);
	add("b9", 2, 1, 9, PM_BACKLOG_WAITING);
	backlog.archive[0].tries = 1;
	backlog.archive[0].failures = backlog.archive[1].failures = 1;
	pm_backlog_order(&backlog);
	ck_assert_str_eq(names(false), "b9 a2 a1 ");
	pm_backlog_order(&backlog);
	ck_assert_str_eq(names(false), "");
}
END_TEST

START_TEST(newest_of_the_largest_user_is_dropped)
{
	add("a1", 1, 10, 1, PM_BACKLOG_WAITING);
	add("a2", 1, 10, 2, PM_BACKLOG_WAITING);
	add("a3", 1, 10, 3, PM_BACKLOG_WAITING);
	ck_assert_int_eq(pm_backlog_excess(&backlog, 30, &e), 0);
	ck_assert_int_eq(pm_backlog_excess(&backlog, 29, &e), 1);
	ck_assert_str_eq(names(true), "a3 ");
	/* One who has little loses nothing, however new it is. */
	add("a1", 1, 10, 1, PM_BACKLOG_WAITING);
	add("a2", 1, 10, 2, PM_BACKLOG_WAITING);
	add("a3", 1, 10, 3, PM_BACKLOG_WAITING);
	add("b9", 2, 5, 9, PM_BACKLOG_WAITING);
	ck_assert_int_eq(pm_backlog_excess(&backlog, 16, &e), 2);
	ck_assert_str_eq(names(true), "a2 a3 ");
	/* What was set aside goes first. */
	add("a1", 1, 10, 1, PM_BACKLOG_FAILED);
	add("a2", 1, 10, 2, PM_BACKLOG_WAITING);
	add("a0", 1, 10, 0, PM_BACKLOG_LOADED);
	ck_assert_int_eq(pm_backlog_excess(&backlog, 20, &e), 1);
	ck_assert_str_eq(names(true), "a1 ");
	/* Nothing fits. */
	add("a1", 1, 10, 1, PM_BACKLOG_WAITING);
	add("b1", 2, 10, 1, PM_BACKLOG_WAITING);
	ck_assert_int_eq(pm_backlog_excess(&backlog, 1, &e), 2);
	pm_backlog_free(&backlog);
	ck_assert_int_eq(pm_backlog_excess(&backlog, 0, &e), 0);
}
END_TEST

/* Sums of files as long as a number can say are numbers still, and others are bounded as ever. */
START_TEST(lengths_that_users_make_up)
{
	size_t n;
	int64_t oldest_us;

	for (int i = 0; i < 3; i++)
		add("huge", 1, INT64_MAX, i, PM_BACKLOG_WAITING);
	add("b1", 2, 10, 1, PM_BACKLOG_WAITING);
	add("b2", 2, 10, 2, PM_BACKLOG_WAITING);
	ck_assert_int_gt(pm_backlog_bytes(&backlog, PM_BACKLOG_WAITING, &n, &oldest_us),
			 INT64_MAX / 2);
	ck_assert_int_eq(pm_backlog_excess(&backlog, 19, &e), 4);
	ck_assert_str_eq(names(true), "huge huge huge b2 ");
}
END_TEST

/* --- a spool ---------------------------------------------------------------------------------- */

static struct pm_spool spool;

static void begin(void)
{
	pm_unit_set_up();
	ck_assert_msg(pm_spool_open(&spool, pm_unit_dir, &e) == 0, "%s", e.text);
}

static void end(void)
{
	pm_spool_close(&spool);
	pm_unit_tear_down();
}

static void put(const char *name, size_t bytes)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(ftruncate(fd, (off_t)bytes), 0);
	close(fd);
}

static ino_t inode(const char *name)
{
	struct stat st;

	ck_assert_int_eq(stat(name, &st), 0);
	return st.st_ino;
}

START_TEST(account_is_read_as_written)
{
	struct pm_account a = { .sent = 3,
				.dropped_bytes = (int64_t)5 << 40,
				.to = "/x \xff",
				.error = "why\n\"",
				.dropping = 7 },
			  b;

	ck_assert_int_eq(pm_account_read(&spool, &b, &e), 0);
	ck_assert_int_eq(b.sent + b.dropped + b.failures, 0);
	ck_assert_msg(pm_account_write(&spool, &a, &e) == 0, "%s", e.text);
	ck_assert_msg(pm_account_read(&spool, &b, &e) == 0, "%s", e.text);
	ck_assert(b.sent == 3 && b.dropped_bytes == (int64_t)5 << 40 && b.dropping == 7 &&
		  b.written_us == a.written_us);
	ck_assert_str_eq(b.to, "/x ?");
	ck_assert_str_eq(b.error, "why\n\"");
	put("loaded/.forward.json", 100);
	ck_assert_int_eq(pm_account_read(&spool, &b, &e), -1);
	ck_assert_int_eq(b.sent, 0);
	ck_assert_int_eq(unlink("loaded/.forward.json") + symlink("x", "loaded/.forward.json"), 0);
	ck_assert_int_eq(pm_account_read(&spool, &b, &e), -1);
}
END_TEST

/* Killed at any point, each archive that went is counted once. */
START_TEST(drops_are_counted_once)
{
	struct pm_account a = { .sent = 0 };

	put("a.tgz", 5000);
	put("b.tgz", 5000);
	ck_assert_int_eq(pm_bound_keep(&a, &spool, 10000, &e), 0);
	/* Killed after it was said which one goes, and before it went. */
	a.dropping = inode("a.tgz");
	a.dropping_bytes = 5000;
	ck_assert_int_eq(pm_account_write(&spool, &a, &e), 0);
	ck_assert_int_eq(pm_bound_keep(&a, &spool, 10000, &e), 0);
	ck_assert(a.dropped == 0 && a.dropping == 0);
	/* After it was moved away. */
	a.dropping = inode("a.tgz");
	ck_assert_int_eq(pm_account_write(&spool, &a, &e), 0);
	ck_assert_int_eq(rename("a.tgz", "loaded/a.tgz"), 0);
	ck_assert_int_eq(pm_bound_keep(&a, &spool, 10000, &e), 1);
	ck_assert(a.dropped == 1 && a.dropping == 0);
	ck_assert_int_eq(access("loaded/a.tgz", F_OK), -1);
	/* After it was gone, before it was counted. */
	a.dropping = inode("b.tgz");
	a.dropping_bytes = 5000;
	ck_assert_int_eq(pm_account_write(&spool, &a, &e), 0);
	ck_assert_int_eq(unlink("b.tgz"), 0);
	/* Whatever has its number now. */
	put("c.tgz", 1);
	ck_assert_int_eq(pm_bound_keep(&a, &spool, 10000, &e), 0);
	ck_assert_int_eq(a.dropped, 2);
	ck_assert_int_eq(a.dropped_bytes, 10000);
	ck_assert_int_eq(access("c.tgz", F_OK), 0);
	ck_assert_int_eq(pm_bound_keep(&a, &spool, 4095, &e), 1);
	ck_assert_int_eq(a.dropped, 3);
	ck_assert_int_eq(access("c.tgz", F_OK), -1);
}
END_TEST

/* Also one that could not even look into the spool. */
START_TEST(failed_passes_are_counted_once)
{
	static const volatile sig_atomic_t stop;
	struct pm_forwarder f = { .spool = "nowhere", .stop = &stop, .lock = -1 };
	struct pm_pass p;

	ck_assert_int_eq(pm_pass_run(&f, 1000000, &p, &e), -1);
	ck_assert(f.account.failures == 1 && !p.again);
	f.spool = pm_unit_dir;
	ck_assert_int_eq(pm_config_set(PM_SET_spool_age, "0", &e), 0);
	f.to = (struct pm_destination){ .kind = PM_DESTINATION_COMMAND, .text = "exit 1" };
	put("a.tgz", 1);
	ck_assert_int_eq(pm_pass_run(&f, 1000000, &p, &e), -1);
	ck_assert(f.account.failures == 2 && p.again);
	pm_failures_free(&f.failures);
}
END_TEST

static const char *name_of(const char *file, uid_t owner)
{
	static char name[NAME_MAX + 1];
	struct stat st;
	const struct pm_delivery d = { .fd = open("x", O_RDONLY), .name = file, .st = &st };

	ck_assert_int_eq(fstat(d.fd, &st), 0);
	st.st_uid = owner;
	ck_assert_int_eq(pm_delivery_name(&d, name), 0);
	close(d.fd);
	return name;
}

START_TEST(names_tell_owner_and_content)
{
	char first[NAME_MAX + 1], longest[NAME_MAX + 1];

	put("x", 0);
	/* printf '1000\n' | sha256sum */
	ck_assert_str_eq(name_of("4711.n1.tgz", 1000),
			 "4711.n1-83c02ac2d48c863dab2ccf6870455aad.tgz");
	snprintf(first, sizeof first, "%s", name_of("4711.n1.tgz", 1000));
	ck_assert_str_ne(name_of("4711.n1.tgz", 1001), first);
	put("x", 1);
	ck_assert_str_ne(name_of("4711.n1.tgz", 1000), first);
	ck_assert_ptr_nonnull(strstr(name_of("a.tar.gz", 0), ".tar.gz"));
	ck_assert_int_eq(strlen(name_of("a.tar.gz", 0)), strlen("a-.tar.gz") + 32);
	ck_assert_int_eq(strncmp(name_of("-rf $(x);`y`'\"\n.tgz", 0), "_rf___x___y____-", 16), 0);
	memset(longest, 'a', 251);
	strcpy(longest + 251, ".tgz");
	ck_assert_int_eq(strlen(name_of(longest, 0)), NAME_MAX - 8);
	/* A suffix as long as a name. */
	strcpy(longest, "a.tar.");
	memset(longest + 6, 'b', 249);
	longest[255] = '\0';
	ck_assert_int_eq(strlen(name_of(longest, 0)), NAME_MAX - 8);
	ck_assert_int_eq(strlen(name_of("a", 0)), 34);
}
END_TEST

/* What its owner writes to an archive after the look belongs to no name and to no copy; one that is
 * cut is neither. */
START_TEST(an_archive_that_grows_and_shrinks)
{
	char name[NAME_MAX + 1], text[8] = "";
	struct stat st;
	struct pm_delivery d = { .name = "a.tgz", .st = &st };
	int to;

	put("x", 4);
	ck_assert_int_ge(d.fd = open("x", O_RDONLY), 0);
	ck_assert_int_eq(fstat(d.fd, &st), 0);
	ck_assert_int_eq(pm_delivery_name(&d, name), 0);
	put("x", 6);
	ck_assert_int_ge(to = open("y", O_RDWR | O_CREAT, 0600), 0);
	ck_assert_int_eq(pm_filecopy_part(d.fd, to, st.st_size), 0);
	ck_assert_int_eq(pread(to, text, sizeof text, 0), 4);
	ck_assert_int_eq(truncate("x", 3), 0);
	ck_assert_int_eq(pm_filecopy_part(d.fd, to, st.st_size), -1);
	ck_assert_int_eq(errno, ENODATA);
	ck_assert_int_eq(pm_delivery_name(&d, name), -1);
	ck_assert_int_eq(errno, ENODATA);
	close(d.fd);
	close(to);
}
END_TEST

/* The next archive with the inode of one that is gone has its own tries. */
START_TEST(inodes_come_again)
{
	struct pm_failures x = { .failure = NULL };
	const struct pm_account account = { .tried_n = 1, .tried[0] = { .inode = 8, .tries = 3 } };
	struct pm_backlog_archive *a;

	add("a1", 1, 1, 1, PM_BACKLOG_WAITING);
	add("b2", 2, 1, 2, PM_BACKLOG_WAITING);
	a = backlog.archive;
	a[0].inode = 7;
	a[1].inode = 8;
	pm_failures_add(&x, &a[0]);
	pm_failures_recall(&x, &account); /* whose it was is not kept */
	pm_failures_apply(&x, &backlog);
	ck_assert(a[0].tries == 1 && a[1].tries == 3);
	/* Another owner's. */
	a[0].owner = 3;
	a[0].tries = 0;
	pm_failures_apply(&x, &backlog);
	ck_assert(a[0].tries == 0 && a[1].tries == 3);
	ck_assert_int_eq(x.n, 1);
	/* Of one that was taken. */
	pm_failures_forget(&x, 9);
	ck_assert_int_eq(x.n, 1);
	pm_failures_forget(&x, 8);
	ck_assert_int_eq(x.n, 0);
	pm_failures_free(&x);
}
END_TEST

/* Those who look do not take each other for a forwarder. */
START_TEST(two_look_at_a_spool)
{
	struct pm_spool x;
	int one, two;

	ck_assert_int_eq(pm_spool_open(&x, pm_unit_dir, &e), 0);
	ck_assert_int_ge(one = pm_account_lock(&x, true, &e), 0);
	ck_assert_int_ge(two = pm_account_lock(&x, true, &e), 0);
	ck_assert_int_eq(pm_account_lock(&x, false, &e), -2);
	close(one);
	close(two);
	ck_assert_int_ge(one = pm_account_lock(&x, false, &e), 0);
	ck_assert_int_eq(pm_account_lock(&x, true, &e), -2);
	close(one);
	pm_spool_close(&x);
}
END_TEST

/* --- targets ---------------------------------------------------------------------------------- */

static const char *parse(const char *value)
{
	static char text[2048];
	struct pm_destination d;

	if (pm_destination_parse(value, &d, &e) < 0)
		return "none";
	snprintf(text, sizeof text, "%s %.1000s", pm_destination_word[d.kind], d.shown);
	return text;
}

START_TEST(targets)
{
	ck_assert_str_eq(parse("/shared/spool"), "directory /shared/spool");
	ck_assert_str_eq(parse("|  cat >x"), "command cat >x");
	ck_assert_str_eq(parse("sqlite:/x.db"), "database sqlite:/x.db");
	ck_assert_ptr_null(strstr(parse("postgresql://me:geheim@h/db"), "geheim"));
	ck_assert_ptr_nonnull(
		strstr(parse("postgresql://me:geheim@h/db"), "database postgresql://me:"));
	ck_assert_str_eq(parse(""), "none");
	ck_assert_str_eq(parse("|"), "none");
	ck_assert_str_eq(parse("spool"), "none");
	static const char *const no_path[] = { "sqlite:", "sqlite://", "sqlite:///",
					       "sqlite::memory:", "sqlite:///?a=b" };

	for (size_t i = 0; i < sizeof no_path / sizeof no_path[0]; i++) {
		ck_assert_str_eq(parse(no_path[i]), "none");
		ck_assert_ptr_nonnull(strstr(e.text, "forward_to: "));
	}
	ck_assert_str_eq(parse("mysql://u:geheim@h/db"), "none");
	ck_assert_ptr_null(strstr(e.text, "geheim"));
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("forward");
	TCase *t = tcase_create("times"), *a = tcase_create("archives"), *p = tcase_create("spool");

	tcase_add_test(t, pause_grows_and_is_bounded);
	tcase_add_test(t, hosts_do_not_begin_together);
	tcase_add_test(t, targets);
	suite_add_tcase(s, t);
	tcase_add_test(a, users_take_turns);
	tcase_add_test(a, newest_of_the_largest_user_is_dropped);
	tcase_add_test(a, lengths_that_users_make_up);
	suite_add_tcase(s, a);
	tcase_add_checked_fixture(p, begin, end);
	tcase_add_test(p, account_is_read_as_written);
	tcase_add_test(p, drops_are_counted_once);
	tcase_add_test(p, failed_passes_are_counted_once);
	tcase_add_test(p, names_tell_owner_and_content);
	tcase_add_test(p, an_archive_that_grows_and_shrinks);
	tcase_add_test(p, inodes_come_again);
	tcase_add_test(p, two_look_at_a_spool);
	suite_add_tcase(s, p);
	return s;
}

PM_UNIT_MAIN(suite)
