/* Copying a library: its bytes as they are, but for the first one of its soname. */
#include "config.h"

#include "libperfmon/papi_copy.h"

#include "libperfmon/descriptors.h"
#include "libperfmon/sys.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/memfd.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>

#ifndef MFD_EXEC
#define MFD_EXEC 0x0010U
#endif

/* A larger file is no library that is to be copied into every process. */
#define SIZE_MAX_COPIED (64 << 20)

struct image {
	char *p;
	size_t size;
};

/* Where `size` bytes of the image begin that lie at `at`; NULL where it has not got them. */
static void *bytes(const struct image *m, uint64_t at, uint64_t size)
{
	return at <= m->size && size <= m->size - at ? m->p + at : NULL;
}

static const ElfW(Phdr) * header(const struct image *m, const ElfW(Ehdr) * elf, unsigned i)
{
	return bytes(m, elf->e_phoff + (uint64_t)i * sizeof(ElfW(Phdr)), sizeof(ElfW(Phdr)));
}

/* The offset in the file of an address that its segments load; 0 for none. */
static uint64_t offset_of(const struct image *m, const ElfW(Ehdr) * elf, uint64_t address)
{
	for (unsigned i = 0; i < elf->e_phnum; i++) {
		const ElfW(Phdr) *h = header(m, elf, i);

		if (h && h->p_type == PT_LOAD && address >= h->p_vaddr &&
		    address - h->p_vaddr < h->p_filesz)
			return address - h->p_vaddr + h->p_offset;
	}
	return 0;
}

/* Its soname, or NULL. */
static char *soname_of(const struct image *m, const ElfW(Ehdr) * elf, const ElfW(Phdr) * dynamic)
{
	uint64_t strings = 0, name = 0;

	for (uint64_t at = 0; at + sizeof(ElfW(Dyn)) <= dynamic->p_filesz;
	     at += sizeof(ElfW(Dyn))) {
		const ElfW(Dyn) *d = bytes(m, dynamic->p_offset + at, sizeof *d);

		if (!d || d->d_tag == DT_NULL)
			break;
		if (d->d_tag == DT_STRTAB)
			strings = offset_of(m, elf, d->d_un.d_ptr);
		else if (d->d_tag == DT_SONAME)
			name = d->d_un.d_val;
	}
	return strings && name ? bytes(m, strings + name, 1) : NULL;
}

/* Returns 0, or -1 where it is no library, or one without a soname. */
static int rename_image(const struct image *m)
{
	const ElfW(Ehdr) *elf = bytes(m, 0, sizeof *elf);
	char *soname = NULL;

	if (!elf || memcmp(elf->e_ident, ELFMAG, SELFMAG) != 0 ||
	    elf->e_phentsize != sizeof(ElfW(Phdr)))
		return -1;
	for (unsigned i = 0; i < elf->e_phnum && !soname; i++) {
		const ElfW(Phdr) *h = header(m, elf, i);

		if (h && h->p_type == PT_DYNAMIC)
			soname = soname_of(m, elf, h);
	}
	if (!soname || *soname == '\0')
		return -1;
	*soname = *soname == '_' ? '-' : '_';
	return 0;
}

/* Fill the image from a file. Returns 0 or a negative error number. */
static int fill(const struct image *m, int from)
{
	for (size_t n = 0; n < m->size;) {
		long got = pm_sys3(SYS_read, from, m->p + n, m->size - n);

		if (got <= 0)
			return got < 0 ? (int)got : -EIO;
		n += (size_t)got;
	}
	return rename_image(m) < 0 ? -ENOEXEC : 0;
}

/* Make room for a file of this size, without the signal of one that is too large. */
static int resize(int fd, size_t size)
{
	struct rlimit limit;

	if (pm_sys4(SYS_prlimit64, 0, RLIMIT_FSIZE, NULL, &limit) < 0 || limit.rlim_cur < size)
		return -EFBIG;
	return (int)pm_sys2(SYS_ftruncate, fd, size);
}

static int copy(int to, int from, size_t size)
{
	struct image m = { NULL, size };
	int rc = resize(to, size);
	long p;

	if (rc < 0)
		return rc;
	p = pm_syscall6(SYS_mmap, 0, (long)size, PROT_READ | PROT_WRITE, MAP_SHARED, to, 0);
	if (p < 0 && p > -4096)
		return (int)p;
	m.p = (char *)p;
	rc = fill(&m, from);
	pm_sys2(SYS_munmap, p, size);
	return rc;
}

int pm_papi_copy(const char *path)
{
	long from = pm_descriptors_open(path, O_RDONLY | O_CLOEXEC, 0), to;
	struct stat st;
	int rc = -ENOEXEC;

	if (from < 0)
		return (int)from;
	to = pm_sys2(SYS_memfd_create, "libpapi", MFD_CLOEXEC | MFD_EXEC);
	/* Older than Linux 6.3. */
	if (to == -EINVAL)
		to = pm_sys2(SYS_memfd_create, "libpapi", MFD_CLOEXEC);
	if (to < 0)
		rc = (int)to;
	else if (pm_sys2(SYS_fstat, from, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0 &&
		 st.st_size <= SIZE_MAX_COPIED)
		rc = copy((int)to, (int)from, (size_t)st.st_size);
	pm_sys1(SYS_close, from);
	if (rc < 0 && to >= 0)
		pm_sys1(SYS_close, to);
	return rc < 0 ? rc : (int)to;
}
