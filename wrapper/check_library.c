/* Whether ld.so will take the collector into the programs of a job. */
#include "config.h"

#include "common/check.h"
#include "wrapper/check_trial.h"
#include "wrapper/launch.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

static const char *find(struct pm_check *c, char path[PATH_MAX])
{
	return pm_launch_library(pm_check_cli(c)->self, path, PATH_MAX);
}

/* The head of an ELF file, alike in both classes as far as it is looked at. Returns 0 or -1. */
static int read_head(const char *path, Elf64_Ehdr *head)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	ssize_t n;

	if (fd < 0)
		return -1;
	n = read(fd, head, sizeof *head);
	close(fd);
	/* The shorter head, of 32 bits, has 52 bytes. */
	return n >= (ssize_t)sizeof(Elf32_Ehdr) && memcmp(head->e_ident, ELFMAG, SELFMAG) == 0 ? 0
											       : -1;
}

/* What processors are called, for people. */
static const char *machine_name(const Elf64_Ehdr *head, char number[32])
{
	static const struct {
		int machine;
		const char *name;
	} known[] = {
		{ EM_X86_64, "x86-64" }, { EM_386, "i386" },      { EM_AARCH64, "arm64" },
		{ EM_ARM, "arm" },       { EM_PPC64, "ppc64" },   { EM_S390, "s390" },
		{ EM_RISCV, "riscv" },   { EM_SPARCV9, "sparc" }, { EM_MIPS, "mips" },
	};

	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
		if (known[i].machine == head->e_machine)
			return known[i].name;
	snprintf(number, 32, "machine %d", head->e_machine);
	return number;
}

static bool is_foreign(const Elf64_Ehdr *head, const Elf64_Ehdr *own)
{
	return head->e_ident[EI_CLASS] != own->e_ident[EI_CLASS] ||
	       head->e_ident[EI_DATA] != own->e_ident[EI_DATA] || head->e_machine != own->e_machine;
}

void pm_check_library_file(struct pm_check *c)
{
	static const char install[] = "install perfmon, or set PERFMON_LIBRARY to libperfmon.so";
	char beside[PATH_MAX], number[2][32], remedy[128];
	const char *path = find(c, beside);
	Elf64_Ehdr head, own;
	struct stat st;

	if (path[0] != '/' || strpbrk(path, ": \t\n")) {
		pm_check_report(c, PM_CHECK_FAIL,
				"set PERFMON_LIBRARY to an absolute path without colons and blanks",
				"'%s' cannot be preloaded", path);
	} else if (stat(path, &st) < 0 || access(path, R_OK) < 0) {
		pm_check_report(c, PM_CHECK_FAIL, install, "%s: %s", path, strerror(errno));
	} else if (!S_ISREG(st.st_mode) || read_head(path, &head) < 0 || head.e_type != ET_DYN) {
		pm_check_report(c, PM_CHECK_FAIL, install, "%s is no shared library", path);
	} else if (read_head("/proc/self/exe", &own) == 0 && is_foreign(&head, &own)) {
		snprintf(remedy, sizeof remedy,
			 "set PERFMON_LIBRARY to the libperfmon.so that was built for %s",
			 machine_name(&own, number[0]));
		pm_check_report(
			c, PM_CHECK_FAIL, remedy,
			"%s is for another architecture: %s, %d bits, where perfmon is %s, %d "
			"bits",
			path, machine_name(&head, number[0]),
			head.e_ident[EI_CLASS] == ELFCLASS32 ? 32 : 64,
			machine_name(&own, number[1]),
			own.e_ident[EI_CLASS] == ELFCLASS32 ? 32 : 64);
	} else {
		pm_check_report(c, PM_CHECK_PASS, "", "%s", path);
	}
}

void pm_check_library_mount(struct pm_check *c)
{
	char beside[PATH_MAX];
	const char *path = find(c, beside);
	struct statvfs fs;

	if (statvfs(path, &fs) < 0)
		pm_check_report(c, PM_CHECK_WARN, "", "%s: %s", path, strerror(errno));
	else if (fs.f_flag & ST_NOEXEC)
		pm_check_report(
			c, PM_CHECK_FAIL,
			"put libperfmon.so on a file system that is mounted without noexec, and "
			"set PERFMON_LIBRARY",
			"%s is on a file system mounted noexec: ld.so cannot load it", path);
	else
		pm_check_report(c, PM_CHECK_PASS, "", "programs may be executed from there");
}

void pm_check_library_privilege(struct pm_check *c)
{
	if (getauxval(AT_SECURE))
		pm_check_report(
			c, PM_CHECK_FAIL,
			"start programs from a shell without the set-user-ID bit and file "
			"capabilities",
			"this process is set-user-ID or has file capabilities: ld.so ignores "
			"LD_PRELOAD for it");
	else
		pm_check_report(c, PM_CHECK_PASS, "", "no privilege that makes ld.so ignore it");
}

void pm_check_library_version(struct pm_check *c)
{
	const struct pm_check_trial *t = pm_check_trial(c);

	if (!t->version[0])
		pm_check_report(c, PM_CHECK_WARN, "see job.record",
				"not known: nothing was recorded");
	else if (strcmp(t->version, PACKAGE_VERSION) != 0)
		pm_check_report(c, PM_CHECK_WARN,
				"install both from one release, or set PERFMON_LIBRARY",
				"the collector is %s, perfmon is %s", t->version, PACKAGE_VERSION);
	else
		pm_check_report(c, PM_CHECK_PASS, "", "collector and perfmon are %s",
				PACKAGE_VERSION);
}
