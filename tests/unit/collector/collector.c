/*
 * Parts of the collector by themselves: what it says of programs before an exec, where its files
 * are, how it spells a count, what it knows of PAPI's events.
 */
#include "config.h"

#include "common/safe/papi.h"
#include "libperfmon/base/state.h"
#include "libperfmon/count/counteritem.h"
#include "libperfmon/count/papi_events.h"
#include "libperfmon/count/papi_guard.h"
#include "libperfmon/record/recordfile.h"
#include "libperfmon/record/target.h"
#include "tests/unit/main.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>

/* The text of a column, "-" where it is unknown. */
static const char *text_of(const struct pm_record *r, enum pm_column c)
{
	static char text[2][PM_TARGET_PATH + 16];
	static int turn;

	if (!pm_record_has(r, c))
		return "-";
	turn = !turn;
	snprintf(text[turn], sizeof text[turn], "%.*s", (int)r->v[c].s.n, r->v[c].s.p);
	return text[turn];
}

/* --- programs that are about to be executed ------------------ */

static void write_file(const char *name, const void *data, size_t n)
{
	FILE *f = fopen(name, "w");

	ck_assert_ptr_nonnull(f);
	ck_assert_uint_eq(fwrite(data, 1, n, f), n);
	ck_assert_int_eq(fclose(f), 0);
}

/* A program of so many segments behind `gap` bytes, of which one names its interpreter (-1: none).
 */
static void write_program(const char *name, int class, size_t size, int segments, int interpreter,
			  size_t gap)
{
	static struct {
		Elf64_Ehdr e;
		char rest[2000];
	} file;
	Elf64_Phdr p = { .p_type = PT_LOAD };

	memset(&file, 0, sizeof file);
	memcpy(file.e.e_ident, ELFMAG, SELFMAG);
	file.e.e_ident[EI_CLASS] = (unsigned char)class;
	file.e.e_phentsize = (Elf64_Half)size;
	file.e.e_phnum = (Elf64_Half)segments;
	file.e.e_phoff = sizeof file.e + gap;
	/* What lies behind the last one is none. */
	for (int i = 0; i <= segments; i++) {
		p.p_type = i == interpreter ? PT_INTERP : PT_LOAD;
		memcpy(file.rest + gap + (size_t)i * sizeof p, &p, sizeof p);
	}
	write_file(name, &file, sizeof file);
}

/* What an exec of that path, relative to a directory, announces: "path call". */
static const char *announced(int dir, const char *path)
{
	const struct pm_target t = { dir, path };
	static char said[2 * PM_TARGET_PATH + 32];
	char room[PM_TARGET_PATH];
	struct pm_record r;
	struct pm_buf b;

	pm_record_clear(&r);
	pm_buf_init(&b, room, sizeof room);
	pm_buf_mem(&b, "before", 6);
	pm_target_set(&r, &t, &b);
	snprintf(said, sizeof said, "%s %s", text_of(&r, PM_COL_path),
		 text_of(&r, PM_COL_last_call));
	return said;
}

START_TEST(programs)
{
	static const struct {
		int class, size, segments, interpreter;
		size_t gap;
		const char *want;
	} row[] = {
		{ ELFCLASS64, 56, 3, 0, 0, "./p -" },
		{ ELFCLASS64, 56, 9, 3, 0, "./p -" },
		{ ELFCLASS64, 56, 9, 4, 0, "./p -" },
		{ ELFCLASS64, 56, 9, 8, 24, "./p -" },
		{ ELFCLASS64, 56, 3, -1, 0, "./p execve static" },
		{ ELFCLASS64, 56, 3, 3, 0, "./p execve static" },
		{ ELFCLASS64, 56, 9, -1, 24, "./p execve static" },
		{ ELFCLASS64, 56, 0, -1, 0, "./p execve static" },
		{ ELFCLASS64, 32, 3, 0, 0, "./p execve foreign" },
		{ ELFCLASS32, 56, 3, 0, 0, "./p execve foreign" },
	};
	int dir;

	for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
		write_program("p", row[i].class, (size_t)row[i].size, row[i].segments,
			      row[i].interpreter, row[i].gap);
		ck_assert_msg(strcmp(announced(AT_FDCWD, "./p"), row[i].want) == 0, "row %zu: %s",
			      i, announced(AT_FDCWD, "./p"));
	}
	/* Of a name that is searched for along PATH nothing else is known. */
	ck_assert_str_eq(announced(AT_FDCWD, "p"), "p -");
	ck_assert_str_eq(announced(AT_FDCWD, NULL), "- -");
	ck_assert_str_eq(announced(AT_FDCWD, ""), "- -");
	ck_assert_str_eq(announced(AT_FDCWD, "./none\t"), "./none\\t -");
	ck_assert_str_eq(announced(AT_FDCWD, "./."), "./. -");
	write_file("script", "#!/bin/sh\n", 10);
	ck_assert_str_eq(announced(AT_FDCWD, "./script"), "./script -");
	ck_assert_int_eq(mkdir("sub", 0755), 0);
	ck_assert_int_eq(rename("p", "sub/p"), 0);
	dir = open("sub", O_RDONLY);
	ck_assert_str_eq(announced(dir, "./p"), "./p execve foreign");
	ck_assert_str_eq(announced(AT_FDCWD, "./p"), "./p -");
	ck_assert_int_eq(dup(dir), dir + 1);
}
END_TEST

/* The loader leaves the collector out where effective and real ids differ: by the program's file or
 * from before. */
START_TEST(programs_of_others)
{
	static const struct {
		uid_t uid;
		gid_t gid;
		mode_t mode;
		const char *want;
	} row[] = {
		{ 5, 0, 04755, "execve set-uid" }, { 5, 0, 00755, "execve static" },
		{ 0, 0, 04755, "execve static" },  { 0, 5, 02755, "execve set-uid" },
		{ 0, 5, 02745, "execve static" },  { 0, 5, 00755, "execve static" },
		{ 0, 0, 02755, "execve static" },
	};
	char want[64];

	if (geteuid() != 0 || getegid() != 0)
		return;
	ck_assert_int_eq(chmod(pm_unit_dir, 0755), 0);
	write_program("p", ELFCLASS64, 56, 1, -1, 0);
	for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
		ck_assert_int_eq(chown("p", row[i].uid, row[i].gid), 0);
		ck_assert_int_eq(chmod("p", row[i].mode), 0);
		snprintf(want, sizeof want, "./p %s", row[i].want);
		ck_assert_str_eq(announced(AT_FDCWD, "./p"), want);
	}
	ck_assert_int_eq(chmod("p", 0755), 0);
	ck_assert_int_eq(setegid(5), 0);
	ck_assert_str_eq(announced(AT_FDCWD, "./p"), "./p execve seteuid");
	ck_assert_int_eq(setegid(0), 0);
	ck_assert_int_eq(seteuid(5), 0);
	ck_assert_str_eq(announced(AT_FDCWD, "./p"), "./p execve seteuid");
	ck_assert_int_eq(seteuid(0), 0);
	/* A set-user-ID file takes back what came before. */
	ck_assert_int_eq(chown("p", 0, 0), 0);
	ck_assert_int_eq(chmod("p", 04755), 0);
	ck_assert_int_eq(seteuid(5), 0);
	ck_assert_str_eq(announced(AT_FDCWD, "./p"), "./p execve static");
	ck_assert_int_eq(seteuid(0), 0);
}
END_TEST

/* What the wait for a child learns of it. */
static const char *reaped(int pid)
{
	static char said[2 * PM_TARGET_PATH + 32];
	char room[PM_TARGET_PATH];
	struct pm_record r;
	struct pm_buf b;

	pm_record_clear(&r);
	pm_buf_init(&b, room, sizeof room);
	pm_target_reaped(&r, pid, &b);
	snprintf(said, sizeof said, "%s %s", text_of(&r, PM_COL_path),
		 text_of(&r, PM_COL_last_call));
	return said;
}

START_TEST(notes_on_children)
{
	static const struct {
		int error;
		const char *want;
	} row[] = {
		{ ENOENT, "x execve ENOENT" },
		{ EACCES, "x execve EACCES" },
		{ ENOEXEC, "x execve ENOEXEC" },
		{ E2BIG, "x execve E2BIG" },
		{ ENOTDIR, "x execve ENOTDIR" },
		{ ELOOP, "x execve ELOOP" },
		{ ETXTBSY, "x execve ETXTBSY" },
		{ ENOMEM, "x execve ENOMEM" },
		{ EPERM, "x execve EPERM" },
		{ EINVAL, "x execve failed" },
		{ EFAULT, "- -" },
	};
	char path[PM_TARGET_PATH + 1];
	int known = 0;

	ck_assert_str_eq(reaped(7), "- -");
	for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
		pm_target_failed(7, "x", row[i].error);
		ck_assert_str_eq(reaped(7), row[i].want);
		ck_assert_str_eq(reaped(7), "- -");
	}
	pm_target_failed(7, "", ENOENT);
	pm_target_failed(7, NULL, ENOENT);
	ck_assert_str_eq(reaped(7), "- -");
	write_program("p", ELFCLASS64, 56, 1, -1, 0);
	pm_target_note(7, AT_FDCWD, "./p");
	pm_target_note(8, AT_FDCWD, "./none");
	pm_target_note(7 + 32, AT_FDCWD, "/");
	pm_target_note(9, AT_FDCWD, "");
	pm_target_note(9, AT_FDCWD, NULL);
	pm_target_note(9, AT_FDCWD, (const char *)8);
	ck_assert_str_eq(reaped(7 + 32), "/ -");
	ck_assert_str_eq(reaped(8), "./none -");
	ck_assert_str_eq(reaped(7), "./p execve static");
	ck_assert_str_eq(reaped(9), "- -");
	/* Of one child the last counts. */
	pm_target_note(7, AT_FDCWD, "./p");
	pm_target_failed(7, "y", ENOENT);
	ck_assert_str_eq(reaped(7), "y execve ENOENT");
	ck_assert_str_eq(reaped(7), "- -");
	/* A path that is cut would be another one. */
	memset(path, 'x', sizeof path);
	path[PM_TARGET_PATH] = '\0';
	pm_target_failed(7, path, ENOENT);
	ck_assert_str_eq(reaped(7), "- execve ENOENT");
	path[PM_TARGET_PATH - 1] = '\0';
	pm_target_failed(7, path, ENOENT);
	ck_assert_int_eq((int)strspn(reaped(7), "x"), PM_TARGET_PATH - 1);
	/* Children that nobody waits for do not keep out later ones. */
	for (int pid = 1000; pid < 1033; pid++)
		pm_target_failed(pid, "x", ENOENT);
	ck_assert_str_eq(reaped(1032), "x execve ENOENT");
	for (int pid = 1000; pid < 1032; pid++)
		known += strcmp(reaped(pid), "x execve ENOENT") == 0;
	ck_assert_int_eq(known, 31);
}
END_TEST

/* --- where records go ---------------------------------------- */

static int place(size_t length)
{
	static char output[2048];

	memset(output, 'd', length);
	output[0] = '/';
	output[length] = '\0';
	return pm_recordfile_place(output);
}

START_TEST(names_of_files)
{
	size_t longest = 0;

	pm.hostname = (struct pm_str){ "a/b", 3 };
	pm.pid = 1000;
	pm.starttime = 77;
	pm.uid = 7;
	ck_assert_int_eq(pm_recordfile_place("/out"), 0);
	pm_recordfile_name();
	ck_assert_str_eq(pm.file, "/out/a_b-7.tsv");
	ck_assert_int_eq((int)pm.file_dir, 5);
	ck_assert_str_eq(pm_recordfile_tally(), "/out/a_b-7.tally");
	pm.per_process = true;
	pm_recordfile_name();
	ck_assert_str_eq(pm.file, "/out/a_b-1000-77.tsv");
	/* One of another user by now: all its processes share one. */
	ck_assert(pm_recordfile_change_user());
	ck_assert(!pm.per_process && pm.uid == (int)geteuid());
	ck_assert(!pm_recordfile_change_user());
	pm.uid = (int)geteuid() + 1;
	ck_assert(pm_recordfile_change_user() && pm.uid == (int)geteuid());

	pm.per_process = true;
	pm.pid = INT_MAX;
	pm.starttime = INT64_MAX;
	for (size_t n = 2; n < 2000; n++)
		if (place(n) == 0) {
			longest = n;
			pm_recordfile_name();
			ck_assert_str_eq(pm.file + strlen(pm.file) - 4, ".tsv");
		}
	ck_assert(longest > 900 && longest < sizeof pm.file && place(longest + 1) < 0);
}
END_TEST

START_TEST(another_directory)
{
	char moved[sizeof pm_unit_dir + 8];

	pm.hostname = (struct pm_str){ "h", 1 };
	snprintf(moved, sizeof moved, "%s.moved", pm_unit_dir);
	ck_assert_int_eq(pm_recordfile_place("/nonexistent"), 0);
	ck_assert(!pm_recordfile_remember());
	ck_assert_int_eq(pm_recordfile_place(pm_unit_dir), 0);
	ck_assert(pm_recordfile_remember() && !pm_recordfile_is_astray());
	ck_assert_int_eq(rename(pm_unit_dir, moved), 0);
	ck_assert(pm_recordfile_is_astray());
	ck_assert_int_eq(mkdir(pm_unit_dir, 0700), 0);
	/* What was remembered first stays. */
	ck_assert(pm_recordfile_remember() && pm_recordfile_is_astray());
	ck_assert_int_eq(rmdir(pm_unit_dir), 0);
	ck_assert_int_eq(rename(moved, pm_unit_dir), 0);
	ck_assert(!pm_recordfile_is_astray());
}
END_TEST

static void is_file(const char *name, unsigned mode, uid_t uid)
{
	struct stat st;

	ck_assert_msg(stat(name, &st) == 0, "%s", name);
	ck_assert_uint_eq(st.st_mode & 07777, mode);
	ck_assert_uint_eq(st.st_uid, uid);
}

START_TEST(files_of_other_users)
{
	static const struct {
		mode_t mode;
		nlink_t links;
		uid_t uid;
		bool safe;
	} row[] = {
		{ S_IFREG | 0600, 1, 0, true },
		{ S_IFREG | 0600, 2, 0, false },
		{ S_IFREG | 0600, 1, 5, false },
		{ S_IFDIR | 0700, 1, 0, false },
	};
	int lowest;

	for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
		const struct stat st = { .st_mode = row[i].mode,
					 .st_nlink = row[i].links,
					 .st_uid = row[i].uid };

		ck_assert(pm_recordfile_is_safe(&st) == (row[i].safe || geteuid() != 0));
	}
	pm.hostname = (struct pm_str){ "h", 1 };
	ck_assert_int_eq(pm_recordfile_place(pm_unit_dir), 0);
	pm_recordfile_make_for(4000);
	ck_assert_int_lt(access("h-4000.tsv", F_OK), 0);
	if (geteuid() != 0)
		return;
	/* Only in a directory that others may pass, and neither list nor change. */
	for (unsigned mode = 0; mode < 01000; mode++)
		if (mode != 0711) {
			ck_assert_int_eq(chmod(".", mode), 0);
			pm_recordfile_make_for(4000);
		}
	ck_assert_int_eq(chmod(".", 0711), 0);
	ck_assert_int_eq(chown(".", 5, 0), 0);
	pm_recordfile_make_for(4000);
	ck_assert_int_lt(access("h-4000.tsv", F_OK), 0);
	ck_assert_int_eq(chown(".", 0, 0), 0);
	lowest = dup(0);
	close(lowest);
	pm_recordfile_make_for(4000);
	is_file("h-4000.tsv", 0600, 4000);
	pm_recordfile_make_for(UINT_MAX - 1);
	is_file("h-4294967294.tsv", 0600, UINT_MAX - 1);
	/* The mask of the program has no say. */
	umask(0777);
	pm_recordfile_make_for(4001);
	umask(022);
	is_file("h-4001.tsv", 0600, 4001);
	/* What is there is left as it is: one that holds something, one of two names, somebody's.
	 */
	write_file("h-4002.tsv", "x", 1);
	pm_recordfile_make_for(4002);
	is_file("h-4002.tsv", 0644, 0);
	write_file("h-4003.tsv", "", 0);
	ck_assert_int_eq(link("h-4003.tsv", "link"), 0);
	pm_recordfile_make_for(4003);
	is_file("h-4003.tsv", 0644, 0);
	write_file("h-4004.tsv", "", 0);
	ck_assert_int_eq(chown("h-4004.tsv", 6, 6), 0);
	pm_recordfile_make_for(4004);
	is_file("h-4004.tsv", 0644, 6);
	ck_assert_int_eq(symlink("aim", "h-4005.tsv"), 0);
	pm_recordfile_make_for(4005);
	ck_assert_int_lt(access("aim", F_OK), 0);
	/* Nor is anything made in a directory that has taken the job's place. */
	ck_assert(pm_recordfile_place("/") == 0 && pm_recordfile_remember());
	ck_assert_int_eq(pm_recordfile_place(pm_unit_dir), 0);
	pm.departed = true;
	pm_recordfile_make_for(4006);
	ck_assert_int_lt(access("h-4006.tsv", F_OK), 0);
	/* Nothing stays open. */
	ck_assert(dup(0) == lowest && dup(0) == lowest + 1);
}
END_TEST

/* --- counts -------------------------------------------------- */

START_TEST(items)
{
	static const struct {
		enum pm_event_scope scope;
		const char *refused; /* by the wrapper */
		struct pm_sum sum;
		const char *want;
	} row[] = {
		{ PM_EVENT_PERF, NULL, { 7, 10, 10, NULL }, "e=7" },
		{ PM_EVENT_PERF, NULL, { UINT64_MAX, 0, 0, NULL }, "e=18446744073709551615" },
		{ PM_EVENT_PERF, NULL, { 7, 10000, 9999, NULL }, "e=7@0.9999" },
		{ PM_EVENT_PERF, NULL, { 7, 100000, 1239, NULL }, "e=7@0.0123" },
		{ PM_EVENT_PERF, NULL, { 7, 3, 1, NULL }, "e=7@0.3333" },
		{ PM_EVENT_PERF, NULL, { 7, 10, 10, "closed" }, "e=?closed" },
		{ PM_EVENT_PERF, "ENOENT", { 7, 10, 10, "closed" }, "e=?ENOENT" },
		{ PM_EVENT_THREAD, NULL, { (uint64_t)-5, 0, 0, NULL }, "e=-5" },
		{ PM_EVENT_PROCESS, NULL, { 5, 0, 0, NULL }, "e=5" },
		{ PM_EVENT_NODE, NULL, { (uint64_t)-5, 0, 0, NULL }, "e=-5@node" },
		{ PM_EVENT_NODE, NULL, { 0, 0, 0, "early" }, "e=?early" },
	};
	char text[512], want[64];
	struct pm_buf b;

	for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
		struct pm_event e = { .name = { "e", 1 }, .scope = (uint8_t)row[i].scope };

		if (row[i].refused)
			e.reason = (struct pm_str){ row[i].refused, strlen(row[i].refused) };
		pm_buf_init(&b, text, sizeof text);
		pm_counteritem_put(&b, &e, &row[i].sum);
		pm_counteritem_put(&b, &e, &row[i].sum);
		snprintf(want, sizeof want, "%s %s", row[i].want, row[i].want);
		ck_assert_int_eq((int)b.len, (int)strlen(want));
		ck_assert_msg(memcmp(text, want, b.len) == 0, "%.*s, not %s", (int)b.len, text,
			      want);
		ck_assert_uint_le(b.len, pm_counteritem_room(2, 2 + 2 * e.reason.n));
	}
}
END_TEST

static int64_t bits_of(double real)
{
	int64_t bits;

	memcpy(&bits, &real, sizeof bits);
	return bits;
}

START_TEST(values_of_papi)
{
	const struct {
		enum pm_papi_type type;
		long long from;
		const char *reason;
		int64_t to;
	} row[] = {
		{ PM_PAPI_INT64, -5, NULL, -5 },
		{ PM_PAPI_INT64, INT64_MIN, NULL, INT64_MIN },
		{ PM_PAPI_UINT64, 5, NULL, 5 },
		{ PM_PAPI_UINT64, -1, "range", 0 },
		{ PM_PAPI_BIT64, INT64_MAX, NULL, INT64_MAX },
		{ PM_PAPI_BIT64, INT64_MIN, "range", 0 },
		{ PM_PAPI_FP64, bits_of(2.5), NULL, 3 },
		{ PM_PAPI_FP64, bits_of(2.4), NULL, 2 },
		{ PM_PAPI_FP64, bits_of(-2.5), NULL, -3 },
		{ PM_PAPI_FP64, bits_of(-2.4), NULL, -2 },
		{ PM_PAPI_FP64, bits_of(0x1p63), "range", 0 },
		{ PM_PAPI_FP64, bits_of(-0x1p63), "range", 0 },
		{ PM_PAPI_FP64, bits_of(0x1p62), NULL, INT64_C(1) << 62 },
		{ PM_PAPI_FP64, 0x7ff8000000000000, "range", 0 },
	};

	for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
		const struct pm_papi_event e = { .type = (uint8_t)row[i].type };
		int64_t to = 0;
		const char *reason = pm_papi_events_convert(&e, row[i].from, &to);

		ck_assert_msg((reason ? row[i].reason && strcmp(reason, row[i].reason) == 0
				      : !row[i].reason && to == row[i].to),
			      "row %zu: %s %lld", i, reason ? reason : "", (long long)to);
	}
}
END_TEST

static int code_of(const char *name, int *code)
{
	*code = name[0];
	return name[0] == 'b' ? -7 : 0;
}

/* The events of a component are in one set, named by the first; what is read of which way. */
START_TEST(events_of_papi)
{
	static const char list[] =
		"perf_event:a net:b net:c rapl:d perf_event:e coretemp:f x:g nocolon";
	static struct pm_papi_events l;
	struct pm_event event[9] = { 0 };
	struct pm_str rest = { list, sizeof list - 1 };
	char long_name[PM_EVENT_PAPI_MAX + 8] = "n:";

	for (int i = 0; i < 8; i++) {
		ck_assert(pm_tsv_next_item(&rest, &event[i].papi));
		event[i].scope = i == 2 ? PM_EVENT_PERF : i == 4 ? PM_EVENT_NODE : PM_EVENT_THREAD;
		event[i].type = (uint32_t)i % 4;
	}
	event[5].reason = (struct pm_str){ "r", 1 };
	memset(long_name + 2, 'x', PM_EVENT_PAPI_MAX + 1);
	event[8].papi = (struct pm_str){ long_name, PM_EVENT_PAPI_MAX + 3 };
	event[8].scope = PM_EVENT_PROCESS;
	pm_papi_events_take(&l, event, 9);
	ck_assert_str_eq(l.one[0].component, "perf_event");
	ck_assert_str_eq(l.one[0].name, "a");
	ck_assert(l.one[0].plain && l.one[0].kept_ms == 0 && l.one[0].set == 0);
	ck_assert(!l.one[1].plain && l.one[1].kept_ms == 1000 && l.one[1].set == 1);
	ck_assert(l.one[2].scope == PM_EVENT_PERF && *l.one[2].component == '\0');
	ck_assert(l.one[3].plain && l.one[3].type == 3);
	/* The same component for the node is another set. */
	ck_assert_uint_eq(l.one[4].set, 4);
	ck_assert(*l.one[5].component == '\0' && !l.one[6].plain && l.one[6].kept_ms == 0);
	ck_assert_str_eq(l.one[7].reason, "EINVAL");
	ck_assert_str_eq(l.one[8].reason, "EINVAL");
	ck_assert(pm_papi_events_need(&l, "net") && pm_papi_events_need(&l, "x"));
	ck_assert(!pm_papi_events_need(&l, "coretemp") && !pm_papi_events_need(&l, "perf"));
	ck_assert(!pm_papi_events_is_shared(&l.one[0]) && pm_papi_events_is_shared(&l.one[4]) &&
		  pm_papi_events_is_shared(&l.one[8]));
	pm_papi_events_find(&l, &(struct pm_papi_library){ .code_of = code_of });
	ck_assert_str_eq(l.one[1].reason, "PAPI_ENOEVNT");
	ck_assert(l.one[0].code == 'a' && l.one[2].code == 0 && l.one[4].code == 'e');
	ck_assert(l.one[6].code == 'g' && !l.one[6].reason && l.one[7].code == 0);
	event[8].papi.n--;
	event[1].papi = (struct pm_str){ "perf_event:z", 12 };
	memset(&l, 0, sizeof l);
	pm_papi_events_take(&l, event, 9);
	ck_assert(l.one[8].reason == NULL && strlen(l.one[8].name) == PM_EVENT_PAPI_MAX);
	ck_assert_uint_eq(l.one[1].set, 0);
}
END_TEST

static void handler(int number)
{
	(void)number;
}

/* A handler may have interrupted anything: one runs while its signal is blocked, or who knows. */
START_TEST(in_a_handler)
{
	struct sigaction sa = { .sa_handler = handler };

	ck_assert(!pm_papi_guard_in_handler());
	pm_self.mask = (uint64_t)1 << (SIGUSR1 - 1);
	ck_assert(!pm_papi_guard_in_handler());
	signal(SIGUSR1, SIG_IGN);
	ck_assert(!pm_papi_guard_in_handler());
	sigaction(SIGUSR2, &sa, NULL);
	ck_assert(!pm_papi_guard_in_handler());
	sigaction(SIGUSR1, &sa, NULL);
	ck_assert(pm_papi_guard_in_handler());
	pm_self.mask = 0;
	ck_assert(!pm_papi_guard_in_handler());
	sa.sa_flags = SA_NODEFER;
	sigaction(SIGRTMAX, &sa, NULL);
	ck_assert(pm_papi_guard_in_handler());
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("libperfmon");
	TCase *t = tcase_create("parts");

	tcase_add_checked_fixture(t, pm_unit_set_up, pm_unit_tear_down);
	tcase_add_test(t, programs);
	tcase_add_test(t, programs_of_others);
	tcase_add_test(t, notes_on_children);
	tcase_add_test(t, names_of_files);
	tcase_add_test(t, another_directory);
	tcase_add_test(t, files_of_other_users);
	tcase_add_test(t, items);
	tcase_add_test(t, values_of_papi);
	tcase_add_test(t, events_of_papi);
	if (!PM_UNIT_SANITIZED)
		tcase_add_test(t, in_a_handler);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
