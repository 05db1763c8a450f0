/* The copy of a library that the collector opens in its place: another soname, and else the same.
 */
#include "config.h"

#include "libperfmon/count/papi_copy.h"

#include "tests/unit/main.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

static char whole[1 << 24], copied[1 << 24];

static size_t read_all(int fd, char *text)
{
	ssize_t n = pread(fd, text, sizeof whole, 0);

	ck_assert(n > 0 && n < (ssize_t)sizeof whole);
	return (size_t)n;
}

static void write_file(const char *name, const char *text, size_t n)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	ck_assert_int_eq(write(fd, text, n), (ssize_t)n);
	close(fd);
}

START_TEST(a_library)
{
	static const char soname[] = "libperfmon.so";
	const char *build = getenv("abs_top_builddir");
	char path[4096];
	size_t size, changed = 0;
	int from, to;

	snprintf(path, sizeof path, "%s/libperfmon.so", build ? build : ".");
	from = open(path, O_RDONLY);
	ck_assert_int_ge(from, 0);
	to = pm_papi_copy(path);
	ck_assert_int_gt(to, from);
	ck_assert_int_eq(fcntl(to, F_GETFD), FD_CLOEXEC);
	size = read_all(from, whole);
	ck_assert_uint_eq(read_all(to, copied), size);
	for (size_t i = 0; i < size; i++)
		if (whole[i] != copied[i]) {
			changed++;
			ck_assert_str_eq(whole + i, soname);
			ck_assert_str_eq(copied + i + 1, soname + 1);
		}
	ck_assert_uint_eq(changed, 1);
	/* One that was renamed is renamed again. */
	write_file("again.so", copied, size);
	close(to);
	to = pm_papi_copy("again.so");
	ck_assert_uint_eq(read_all(to, whole), size);
	ck_assert_int_ne(memcmp(whole, copied, size), 0);
	close(to);
	/* Cut anywhere it is none, and nothing stays open. */
	for (size_t n = 1; n < size; n = n * 3 / 2 + 1) {
		write_file("part.so", copied, n);
		to = pm_papi_copy("part.so");
		if (to >= 0)
			close(to);
		ck_assert_msg(n > 4096 || to == -ENOEXEC, "%zu bytes: %d", n, to);
	}
	ck_assert(dup(from) == from + 1 && dup(from) == from + 2);
}
END_TEST

/* Copy under a limit on the size of files. Returns minus the error number, or 0. */
static int copy_below(const char *path, rlim_t limit)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		struct rlimit r;
		int fd;

		getrlimit(RLIMIT_FSIZE, &r);
		r.rlim_cur = limit;
		setrlimit(RLIMIT_FSIZE, &r);
		fd = pm_papi_copy(path);
		_exit(fd < 0 ? -fd : 0);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFEXITED(status));
	return -WEXITSTATUS(status);
}

START_TEST(no_library)
{
	Elf64_Ehdr e = { .e_phentsize = sizeof(Elf64_Phdr) };

	ck_assert_int_eq(pm_papi_copy("none"), -ENOENT);
	ck_assert_int_eq(pm_papi_copy("/"), -ENOEXEC);
	write_file("empty", "", 0);
	ck_assert_int_eq(pm_papi_copy("empty"), -ENOEXEC);
	memcpy(e.e_ident, ELFMAG, SELFMAG);
	write_file("bare", (char *)&e, sizeof e);
	ck_assert_int_eq(pm_papi_copy("bare"), -ENOEXEC);
	/* Headers that lie nowhere. */
	e.e_phnum = 9;
	e.e_phoff = UINT64_MAX - 8;
	write_file("wild", (char *)&e, sizeof e);
	ck_assert_int_eq(pm_papi_copy("wild"), -ENOEXEC);
	/* Too large for a copy in every process. */
	ck_assert_int_eq(truncate("wild", (64 << 20) + 1), 0);
	ck_assert_int_eq(pm_papi_copy("wild"), -ENOEXEC);
	ck_assert_int_eq(copy_below("bare", sizeof e - 1), -EFBIG);
	ck_assert_int_eq(copy_below("bare", sizeof e), -ENOEXEC);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("libperfmon/count/papi_copy.c");
	TCase *t = tcase_create("copies");

	tcase_add_checked_fixture(t, pm_unit_set_up, pm_unit_tear_down);
	tcase_add_test(t, a_library);
	tcase_add_test(t, no_library);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
