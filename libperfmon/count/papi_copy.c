/* Copy a library byte by byte, and change the first byte of its soname. */
#include "config.h"

#include "libperfmon/count/papi_copy.h"

#include "libperfmon/base/descriptors.h"
#include "libperfmon/base/sys.h"

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

/* A larger library is not copied into every process, bytes. */
#define SIZE_MAX_COPIED (64 << 20)

struct image {
	char *p;
	size_t size;
};

/* Address of the `size` bytes at offset `at` of the image; NULL if they are not all in it. */
static void *bytes_at(const struct image *m, uint64_t at, uint64_t size)
{
	return at <= m->size && size <= m->size - at ? m->p + at : NULL;
}

static const ElfW(Phdr) * header_at(const struct image *m, const ElfW(Ehdr) * elf, unsigned i)
{
	return bytes_at(m, elf->e_phoff + (uint64_t)i * sizeof(ElfW(Phdr)), sizeof(ElfW(Phdr)));
}

/* The offset in the file of an address that its segments load; 0 for none. */
static uint64_t offset_of(const struct image *m, const ElfW(Ehdr) * elf, uint64_t address)
{
	for (unsigned i = 0; i < elf->e_phnum; i++) {
		const ElfW(Phdr) *h = header_at(m, elf, i);

		if (h && h->p_type == PT_LOAD && address >= h->p_vaddr &&
		    address - h->p_vaddr < h->p_filesz)
			return address - h->p_vaddr + h->p_offset;
	}
	return 0;
}

/* The soname of the image, or NULL. */
static char *soname_of(const struct image *m, const ElfW(Ehdr) * elf, const ElfW(Phdr) * dynamic)
{
	uint64_t strings = 0, name = 0;

	for (uint64_t at = 0; at + sizeof(ElfW(Dyn)) <= dynamic->p_filesz;
	     at += sizeof(ElfW(Dyn))) {
		const ElfW(Dyn) *d = bytes_at(m, dynamic->p_offset + at, sizeof *d);

		if (!d || d->d_tag == DT_NULL)
			break;
		if (d->d_tag == DT_STRTAB)
			strings = offset_of(m, elf, d->d_un.d_ptr);
		else if (d->d_tag == DT_SONAME)
			name = d->d_un.d_val;
	}
	return strings && name ? bytes_at(m, strings + name, 1) : NULL;
}

/* Change the soname. Returns 0, or -1 if the image is no library, or has no soname. */
static int rename_image(const struct image *m)
{
	const ElfW(Ehdr) *elf = bytes_at(m, 0, sizeof *elf);
	char *soname = NULL;

	if (!elf || memcmp(elf->e_ident, ELFMAG, SELFMAG) != 0 ||
	    elf->e_phentsize != sizeof(ElfW(Phdr)))
		return -1;
	for (unsigned i = 0; i < elf->e_phnum && !soname; i++) {
		const ElfW(Phdr) *h = header_at(m, elf, i);

		if (h && h->p_type == PT_DYNAMIC)
			soname = soname_of(m, elf, h);
	}
	if (!soname || *soname == '\0')
		return -1;
	*soname = *soname == '_' ? '-' : '_';
	return 0;
}

/* Fill the image from a file. Returns 0 or a negative error number. */
static int fill_image(const struct image *m, int from)
{
	for (size_t n = 0; n < m->size;) {
		long got = pm_sys3(SYS_read, from, m->p + n, m->size - n);

		if (got <= 0)
			return got < 0 ? (int)got : -EIO;
		n += (size_t)got;
	}
	return rename_image(m) < 0 ? -ENOEXEC : 0;
}

/* Make room for a file of this size, without a SIGXFSZ if it is too large. */
static int resize_file(int fd, size_t size)
{
	struct rlimit limit;

	if (pm_sys4(SYS_prlimit64, 0, RLIMIT_FSIZE, NULL, &limit) < 0 || limit.rlim_cur < size)
		return -EFBIG;
	return (int)pm_sys2(SYS_ftruncate, fd, size);
}

static int copy_file(int to, int from, size_t size)
{
	struct image m = { NULL, size };
	int rc = resize_file(to, size);
	long p;

	if (rc < 0)
		return rc;
	p = pm_syscall6(SYS_mmap, 0, (long)size, PROT_READ | PROT_WRITE, MAP_SHARED, to, 0);
	if (p < 0 && p > -4096)
		return (int)p;
	m.p = (char *)p;
	rc = fill_image(&m, from);
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
	/* Linux before 6.3 has no MFD_EXEC. */
	if (to == -EINVAL)
		to = pm_sys2(SYS_memfd_create, "libpapi", MFD_CLOEXEC);
	if (to < 0)
		rc = (int)to;
	else if (pm_sys2(SYS_fstat, from, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0 &&
		 st.st_size <= SIZE_MAX_COPIED)
		rc = copy_file((int)to, (int)from, (size_t)st.st_size);
	pm_sys1(SYS_close, from);
	if (rc < 0 && to >= 0)
		pm_sys1(SYS_close, to);
	return rc < 0 ? rc : (int)to;
}
