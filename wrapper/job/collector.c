/* Check that a file is the collector, by its ELF headers and DT_SONAME. */
#include "config.h"

#include "wrapper/job/collector.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* DT_SONAME of the collector; see libperfmon/Makefile.inc. */
#define NAME "libperfmon.so"

/* Most segments and dynamic entries of a library that are read: ours has a tenth of them. */
#define SEGMENTS 64
#define ENTRIES  256

/* Read the header of an ELF file; the fields that we use lie alike in 32 and 64 bits. Returns 0 or
 * -1. */
static int read_head(int fd, Elf64_Ehdr *head)
{
	ssize_t n = pread(fd, head, sizeof *head, 0);

	/* A 32-bit ELF header is shorter than the 64-bit one. */
	return n >= (ssize_t)sizeof(Elf32_Ehdr) && memcmp(head->e_ident, ELFMAG, SELFMAG) == 0 ? 0
											       : -1;
}

/* Read the ELF header of this program. Returns 0 or -1. */
static int read_own_head(Elf64_Ehdr *head)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC), rc;

	if (fd < 0)
		return -1;
	rc = read_head(fd, head);
	close(fd);
	return rc;
}

/* The name of a processor for people; `number` has room for the name of an unknown one. */
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

/* The value of the dynamic section's entry `tag`; 0, which is never valid: there is no such entry.
 */
static ElfW(Addr) dynamic_value(const ElfW(Dyn) * entry, size_t n, ElfW(Sxword) tag)
{
	for (size_t i = 0; i < n && entry[i].d_tag != DT_NULL; i++)
		if (entry[i].d_tag == tag)
			return entry[i].d_un.d_ptr;
	return 0;
}

/* Read the segments of a library for our machine. Returns their number; 0: not readable. */
static int read_segments(int fd, ElfW(Phdr) segment[SEGMENTS])
{
	ElfW(Ehdr) head;
	size_t size;

	if (pread(fd, &head, sizeof head, 0) != sizeof head || head.e_phnum > SEGMENTS ||
	    head.e_phentsize != sizeof segment[0])
		return 0;
	size = head.e_phnum * sizeof segment[0];
	return pread(fd, segment, size, (off_t)head.e_phoff) == (ssize_t)size ? head.e_phnum : 0;
}

/* Whether the file ends inside a segment: ld.so would map the library, and the program would die.
 */
static bool is_truncated(const ElfW(Phdr) * segment, int segments, off_t size)
{
	for (int i = 0; i < segments; i++)
		if (segment[i].p_type == PT_LOAD &&
		    (segment[i].p_offset > (uint64_t)size ||
		     segment[i].p_filesz > (uint64_t)size - segment[i].p_offset))
			return true;
	return false;
}

/* Whether the library's DT_SONAME is the collector's. */
static bool has_name(int fd, const ElfW(Phdr) * segment, int segments)
{
	ElfW(Dyn) entry[ENTRIES];
	ElfW(Addr) at, name;
	char text[sizeof NAME];
	size_t n = 0;

	for (int i = 0; i < segments; i++)
		if (segment[i].p_type == PT_DYNAMIC) {
			size_t size = segment[i].p_filesz < sizeof entry ? segment[i].p_filesz
									 : sizeof entry;
			ssize_t got = pread(fd, entry, size, (off_t)segment[i].p_offset);

			n = got > 0 ? (size_t)got / sizeof entry[0] : 0;
		}
	at = dynamic_value(entry, n, DT_STRTAB);
	name = dynamic_value(entry, n, DT_SONAME);
	for (int i = 0; at && name && i < segments; i++) {
		const ElfW(Phdr) *s = &segment[i];

		if (s->p_type == PT_LOAD && at >= s->p_vaddr && at - s->p_vaddr < s->p_filesz)
			return pread(fd, text, sizeof text,
				     (off_t)(at - s->p_vaddr + s->p_offset + name)) ==
				       (ssize_t)sizeof text &&
			       memcmp(text, NAME, sizeof text) == 0;
	}
	return false;
}

/* Do the work of pm_collector_look on an open file. */
static enum pm_collector check_file(const char *path, int fd, struct pm_err *e)
{
	char number[2][32];
	ElfW(Phdr) segment[SEGMENTS];
	Elf64_Ehdr head, own;
	struct stat st;
	int segments;

	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || read_head(fd, &head) < 0 ||
	    head.e_type != ET_DYN) {
		pm_err(e, "%s is not a shared library", path);
		return PM_COLLECTOR_NO_LIBRARY;
	}
	if (read_own_head(&own) == 0 && is_foreign(&head, &own)) {
		pm_err(e, "%s is for another architecture: %s, %d bits; perfmon is %s, %d bits",
		       path, machine_name(&head, number[0]),
		       head.e_ident[EI_CLASS] == ELFCLASS32 ? 32 : 64,
		       machine_name(&own, number[1]),
		       own.e_ident[EI_CLASS] == ELFCLASS32 ? 32 : 64);
		return PM_COLLECTOR_OTHER_MACHINE;
	}
	segments = read_segments(fd, segment);
	if (segments == 0 || is_truncated(segment, segments, st.st_size)) {
		pm_err(e, "%s is truncated or damaged", path);
		return PM_COLLECTOR_INCOMPLETE;
	}
	if (has_name(fd, segment, segments))
		return PM_COLLECTOR_FITS;
	pm_err(e, "%s is not perfmon's library, " NAME, path);
	return PM_COLLECTOR_OTHER_LIBRARY;
}

enum pm_collector pm_collector_look(const char *path, struct pm_err *e)
{
	enum pm_collector what;
	int fd;

	if (path[0] != '/' || strpbrk(path, ": \t\n")) {
		pm_err(e, "'%s' cannot be preloaded: not an absolute path without colons or blanks",
		       path);
		return PM_COLLECTOR_UNUSABLE_PATH;
	}
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0) {
		pm_err(e, "%s: %s", path, strerror(errno));
		return PM_COLLECTOR_UNREADABLE;
	}
	what = check_file(path, fd, e);
	close(fd);
	return what;
}

const char *pm_collector_machine(void)
{
	static char number[32];
	Elf64_Ehdr own;

	return read_own_head(&own) == 0 ? machine_name(&own, number) : "this machine";
}
