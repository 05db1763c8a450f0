/* wrapper/process/ownmount.c: where a path leads here and for the system's first process, by their lists of
 * mounts, which are files here. */
#include "config.h"

#include "tests/unit/main.h"
#include "wrapper/process/ownmount.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

/* Files in place of the lists: those of the working directory. */
FILE *fopen(const char *path, const char *mode)
{
	int fd;

	if (strcmp(path, "/proc/self/mountinfo") == 0)
		path = "own";
	else if (strcmp(path, "/proc/1/mountinfo") == 0)
		path = "first";
	fd = open(path, (*mode == 'r' ? O_RDONLY : O_WRONLY | O_CREAT | O_TRUNC) | O_CLOEXEC, 0600);
	return fd < 0 ? NULL : fdopen(fd, mode);
}

static const char rest[] = "rw - ext4 /dev/x rw\n";

/* Write a list of mounts: "DEVICE ROOT POINT;...", %s the test's directory. */
static void put_list(const char *name, const char *mounts)
{
	FILE *f = fopen(name, "w");
	char device[64], root[256], point[256];
	int n, id = 20;

	ck_assert_ptr_nonnull(f);
	for (const char *p = mounts; *p; p += n + (p[n] == ';')) {
		n = (int)strcspn(p, ";");
		ck_assert_int_eq(sscanf(p, "%63s %255s %255[^;]", device, root, point), 3);
		fprintf(f, "%d 1 %s %s %s%s %s", id++, device, root,
			*point == '+' ? pm_unit_dir : "", point + (*point == '+'), rest);
	}
	ck_assert_int_eq(fclose(f), 0);
}

/* The mount point that it tells for a path below the test's directory, "none" for false. */
static const char *own(const char *name)
{
	static char point[PATH_MAX], path[PATH_MAX];
	size_t n = strlen(pm_unit_dir);

	snprintf(path, sizeof path, "%s%s", pm_unit_dir, name);
	if (!pm_ownmount_has(path, point))
		return "none";
	return strncmp(point, pm_unit_dir, n) == 0 ? point + n : point;
}

START_TEST(mounts)
{
	static const struct {
		const char *own, *first, *path, *want;
	} cases[] = {
		/* The same everywhere. */
		{ "8:1 / /", "8:1 / /", "/a", "none" },
		/* A file system of its own. */
		{ "8:1 / /;0:9 / +/a", "8:1 / /", "/a", "/a" },
		{ "8:1 / /;0:9 / +/a", "8:1 / /", "/a/b", "/a" },
		{ "8:1 / /;0:9 / +/a", "8:1 / /", "/ab", "none" },
		{ "8:1 / /;0:9 / +/a", "8:1 / /", "", "none" },
		{ "8:1 / /;0:9 / +/a", "8:1 / /;0:9 / +/a", "/a/b", "none" },
		{ "8:1 / /;0:9 / +/a", "8:1 / /;0:8 / +/a", "/a/b", "/a" },
		/* Another device alone, or for the first process alone. */
		{ "8:2 / /", "8:1 / /", "/a", "/" },
		{ "8:1 / /", "8:1 / /;0:9 / +/a", "/a/b", "/" },
		/* Another directory of the same file system, and the very one. */
		{ "8:1 / /;8:1 /else +/a", "8:1 / /", "/a", "/a" },
		{ "8:1 / /;8:1 + +/a", "8:1 / /", "/a", "/a" },
		{ "8:1 /x /", "8:1 /y /", "/a", "/" },
		/* What is mounted last hides the others. */
		{ "8:1 / /;0:9 / +/a;8:3 / +/a", "8:1 / /;8:3 / +/a", "/a", "none" },
		{ "8:1 / /;8:3 / +/a;0:9 / +/a", "8:1 / /;8:3 / +/a", "/a", "/a" },
		{ "8:1 / /;0:9 / +/a;0:7 / +/a/b", "8:1 / /;0:7 / +/a/b", "/a/b", "none" },
		/* Blanks and the like are escaped, and a backslash alone is none. */
		{ "8:1 / /;0:9 / +/c\\040d\\011\\134", "8:1 / /", "/c d\t\\", "/c d\t\\" },
		{ "8:1 / /;0:9 / +/x\\08", "8:1 / /", "/x\\08", "/x\\08" },
		/* What is not there, and what is not known. */
		{ "8:1 / /;0:9 / +/a", "8:1 / /", "/none", "none" },
		{ "8:1 / /", "", "/a", "none" },
		{ "", "8:1 / /", "/a", "none" },
		/* A link is followed here. */
		{ "8:1 / /;0:9 / +/a", "8:1 / /", "/link", "/a" },
	};

	ck_assert(mkdir("a", 0700) == 0 && mkdir("a/b", 0700) == 0 && mkdir("ab", 0700) == 0);
	ck_assert(mkdir("c d\t\\", 0700) == 0 && mkdir("x\\08", 0700) == 0);
	ck_assert_int_eq(symlink("a/b", "link"), 0);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const char *got;

		put_list("own", cases[i].own);
		put_list("first", cases[i].first);
		got = own(cases[i].path);
		ck_assert_msg(strcmp(got, cases[i].want) == 0, "case %zu: %s, not %s", i, got,
			      cases[i].want);
	}
	/* A directory bound to itself leads where it led. */
	put_list("first", "8:1 / /");
	{
		char list[256];

		snprintf(list, sizeof list, "8:1 / /;8:1 %s/a +/a", pm_unit_dir);
		put_list("own", list);
		ck_assert_str_eq(own("/a/b"), "none");
		snprintf(list, sizeof list, "8:1 / /;8:1 %s/ab +/a", pm_unit_dir);
		put_list("own", list);
		ck_assert_str_eq(own("/a/b"), "/a");
	}
	/* No list: unknown. */
	ck_assert_int_eq(unlink("first"), 0);
	ck_assert_str_eq(own("/a/b"), "none");
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("ownmount");
	TCase *c = tcase_create("ownmount");

	tcase_add_checked_fixture(c, pm_unit_set_up, pm_unit_tear_down);
	tcase_add_test(c, mounts);
	suite_add_tcase(s, c);
	return s;
}

PM_UNIT_MAIN(suite)
