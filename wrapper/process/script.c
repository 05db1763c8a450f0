/* Find the script that called perfmon, from arguments and working directory of its shell in /proc.
 */
#include "config.h"

#include "wrapper/process/script.h"

#include "common/path.h"
#include "common/safe/procfs.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Most processes between us and the shell: it may call perfmon through env, timeout and so on.
 */
#define ABOVE_MAX 4

static const char *const shells[] = { "sh",  "bash", "dash", "zsh",     "ksh", "ksh93", "mksh",
				      "csh", "tcsh", "fish", "busybox", "ash", "yash",  NULL };

static bool is_shell(const char *name)
{
	const char *slash = strrchr(name, '/');

	name = slash ? slash + 1 : name;
	/* The name of a login shell begins with a dash. */
	name += *name == '-';
	for (const char *const *s = shells; *s; s++)
		if (strcmp(*s, name) == 0)
			return true;
	return false;
}

/* Read the beginning of a file of a process, and add a NUL. Returns the length or -1. */
static long read_file(long pid, const char *name, char *text, size_t size)
{
	char path[64];

	snprintf(path, sizeof path, "/proc/%ld/%s", pid, name);
	return pm_path_read(path, text, size);
}

/* Find the operand of a shell: the first argument that is not an option. Returns NULL if there is
 * none, or if the shell has the option -c or -s. `args`: n bytes, each argument with its NUL. */
static const char *find_operand(const char *args, size_t n)
{
	const char *end = args + n, *p = args + strlen(args) + 1;

	/* Skip the applet's name in `busybox sh FILE`. */
	if (p < end && is_shell(p))
		p += strlen(p) + 1;
	while (p < end && (*p == '-' || *p == '+')) {
		bool takes_one = strcmp(p, "-o") == 0 || strcmp(p, "+o") == 0 ||
				 strcmp(p, "-O") == 0 || strcmp(p, "--rcfile") == 0 ||
				 strcmp(p, "--init-file") == 0;

		if (strcmp(p, "--") == 0)
			return p + 3 < end ? p + 3 : NULL;
		if (p[1] != '-' && strpbrk(p, "cs"))
			return NULL;
		p += strlen(p) + 1;
		if (takes_one && p < end)
			p += strlen(p) + 1;
	}
	return p < end && *p ? p : NULL;
}

int pm_script_find(char path[PATH_MAX])
{
	long pid = getppid();
	char args[8192], stat_text[1024], cwd[64];
	struct pm_procfs_stat s;
	const char *name;
	struct stat st;
	ssize_t len;
	long n;

	for (int i = 0;; i++) {
		n = read_file(pid, "cmdline", args, sizeof args);
		if (n <= 0)
			return -1;
		if (is_shell(args))
			break;
		n = read_file(pid, "stat", stat_text, sizeof stat_text);
		if (i == ABOVE_MAX || n <= 0 || pm_procfs_stat(stat_text, (size_t)n, &s) < 0)
			return -1;
		pid = (long)s.ppid;
	}
	name = find_operand(args, (size_t)n);
	if (!name)
		return -1;
	path[0] = '\0';
	if (*name != '/') {
		snprintf(cwd, sizeof cwd, "/proc/%ld/cwd", pid);
		len = readlink(cwd, path, PATH_MAX - 1);
		if (len < 0)
			return -1;
		snprintf(path + len, (size_t)(PATH_MAX - len), "/%s", name);
	} else {
		snprintf(path, PATH_MAX, "%s", name);
	}
	/* The path is wrong if the shell has changed its directory since, or found the script along
	 * PATH: return only a path that exists. */
	return stat(path, &st) == 0 && S_ISREG(st.st_mode) ? 0 : -1;
}
