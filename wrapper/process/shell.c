/* Find the calling shell by its executable. */
#include "config.h"

#include "wrapper/process/shell.h"

#include "wrapper/node/host.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Most ancestors that are searched for the shell. */
#define LEVELS 16

static const struct {
	const char *name;
	enum pm_shell family;
} shells[] = {
	{ "sh", PM_SHELL_SH },          { "bash", PM_SHELL_SH },       { "dash", PM_SHELL_SH },
	{ "zsh", PM_SHELL_SH },         { "ksh", PM_SHELL_SH },        { "mksh", PM_SHELL_SH },
	{ "mksh-static", PM_SHELL_SH }, { "lksh", PM_SHELL_SH },       { "oksh", PM_SHELL_SH },
	{ "pdksh", PM_SHELL_SH },       { "busybox", PM_SHELL_SH },    { "ash", PM_SHELL_SH },
	{ "yash", PM_SHELL_SH },        { "rbash", PM_SHELL_SH },      { "posh", PM_SHELL_SH },
	{ "bash-static", PM_SHELL_SH }, { "zsh-static", PM_SHELL_SH }, { "csh", PM_SHELL_CSH },
	{ "tcsh", PM_SHELL_CSH },       { "bsd-csh", PM_SHELL_CSH },   { "fish", PM_SHELL_FISH },
};

/* Get the base name of a process's executable, even if the file was replaced meanwhile; comm if the
 * link may not be read. Returns 0 or -1. */
static int program_name(int64_t pid, char *name, size_t size)
{
	static const char deleted[] = " (deleted)";
	char path[PATH_MAX], link[64], *slash;
	ssize_t n;
	FILE *f;

	snprintf(link, sizeof link, "/proc/%ld/exe", (long)pid);
	n = readlink(link, path, sizeof path - 1);
	if (n <= 0) {
		snprintf(link, sizeof link, "/proc/%ld/comm", (long)pid);
		f = fopen(link, "re");
		if (!f)
			return -1;
		n = (ssize_t)fread(path, 1, 64, f);
		fclose(f);
		while (n > 0 && path[n - 1] == '\n')
			n--;
	}
	path[n] = '\0';
	if ((size_t)n > sizeof deleted &&
	    strcmp(path + (size_t)n - sizeof deleted + 1, deleted) == 0)
		path[(size_t)n - sizeof deleted + 1] = '\0';
	slash = strrchr(path, '/');
	snprintf(name, size, "%.*s", (int)size - 1, slash ? slash + 1 : path);
	return 0;
}

/* Whether a name is that of a shell; fills *found. A version may follow the name: zsh-5.9, bash4.
 */
static int identify_shell(const char *name, struct pm_shell_found *found)
{
	for (size_t i = 0; i < sizeof shells / sizeof shells[0]; i++) {
		size_t n = strlen(shells[i].name);

		if (strncmp(name, shells[i].name, n) != 0 ||
		    strspn(name + n, "-.0123456789") != strlen(name + n))
			continue;
		found->family = shells[i].family;
		found->is_bash = strncmp(name, "bash", 4) == 0 || strcmp(name, "rbash") == 0;
		return 1;
	}
	return 0;
}

void pm_shell_detect(struct pm_shell_found *found)
{
	int64_t pid = getppid();
	char name[256];

	found->family = PM_SHELL_SH;
	found->is_bash = false;
	for (int i = 0; i < LEVELS && pid > 0; i++) {
		if (program_name(pid, name, sizeof name) == 0 && identify_shell(name, found))
			return;
		pid = pm_host_parent(pid);
	}
}

int pm_shell_named(const char *name, struct pm_shell_found *found, struct pm_err *e)
{
	const char *slash = strrchr(name, '/');

	if (identify_shell(slash ? slash + 1 : name, found))
		return 0;
	return pm_err(e, "--shell: '%s' is not a supported shell; use sh, csh or fish", name);
}
