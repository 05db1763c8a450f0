/* The parsers of files of /proc, from arbitrary bytes. */
#include "config.h"

#include "common/safe/procfs.h"
#include "sampler/kernel/procfile.h"
#include "tests/fuzz/fuzz.h"

#include <errno.h>
#include <string.h>

/* What is read of a line is the same however much follows it. */
static void check_stat(const char *s, size_t n, char *copy)
{
	struct pm_procfs_stat stat, again;

	if (pm_procfs_stat(s, n, &stat) < 0)
		return;
	FUZZ_SURE(memchr(s, ')', n) != NULL);
	FUZZ_SURE(stat.ppid >= 0 && stat.utime >= 0 && stat.stime >= 0 && stat.cutime >= 0 &&
		  stat.cstime >= 0 && stat.num_threads >= 0 && stat.starttime >= 0);
	memcpy(copy, s, n);
	memcpy(copy + n, " 1 2", 4);
	FUZZ_SURE(pm_procfs_stat(copy, n + 4, &again) == 0);
	FUZZ_SURE(again.ppid == stat.ppid && again.starttime == stat.starttime);
}

static void check_key(const char *s, size_t n, const char *key, const char *unit)
{
	int64_t value = -1;

	errno = 0;
	if (pm_procfile_key(s, n, key, unit, &value) == 0)
		FUZZ_SURE(value >= 0 && memmem(s, n, key, strlen(key)) != NULL);
	else
		FUZZ_SURE(errno == ENOENT || errno == EBADMSG);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	/* In memory of its own, so that a read beyond it is seen. */
	char *s = malloc(n ? n : 1), *copy = malloc(n + 4);
	const char *p = s;
	int64_t value;

	FUZZ_SURE(s && copy);
	if (n)
		memcpy(s, data, n);
	check_stat(s, n, copy);
	check_key(s, n, "MemTotal:", "kB");
	check_key(s, n, "rchar:", "");
	if (pm_procfile_number(&p, s + n, &value) == 0)
		FUZZ_SURE(value >= 0 && p > s && p < s + n && (*p < '0' || *p > '9'));
	else
		FUZZ_SURE(p == s);
	free(s);
	free(copy);
	return 0;
}
