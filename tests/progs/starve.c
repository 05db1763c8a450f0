/*
 * Preloaded into a program: one of its allocations fails, as where another program has the memory
 * for a moment. STARVE_AT counts those of at least 64 bytes from 1; the file STARVE_COUNT gets how
 * many there were. STARVE_LEAST is another size than 64, STARVE_ONLY the name of the one program that
 * it is about. Allocations of glibc's look-ups of users and groups are spared: without memory they
 * end in a null pointer or an assertion of its own (nss/nss_database.c in 2.36).
 */
#include "config.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LEAST 64

/* glibc's own, which need no looking up: that would allocate. */
void *__libc_malloc(size_t n);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *p, size_t n);

static atomic_long calls;
static __thread bool spared;

static bool fails(size_t n)
{
	static long at = -1, least = LEAST;

	if (at < 0) {
		const char *only = getenv("STARVE_ONLY"), *size = getenv("STARVE_LEAST");

		at = getenv("STARVE_AT") ? atol(getenv("STARVE_AT")) : 0;
		least = size ? atol(size) : LEAST;
		if (only && strcmp(only, program_invocation_short_name) != 0)
			at = 0;
	}
	if (spared || (long)n < least || atomic_fetch_add(&calls, 1) + 1 != at)
		return false;
	errno = ENOMEM;
	return true;
}

void *malloc(size_t n)
{
	return fails(n) ? NULL : __libc_malloc(n);
}

void *calloc(size_t count, size_t size)
{
	return fails(count * size) ? NULL : __libc_calloc(count, size);
}

void *realloc(void *p, size_t n)
{
	return fails(n) ? NULL : __libc_realloc(p, n);
}

#define LOOKUP(type, name, argument)                                                               \
	type *name(argument a)                                                                     \
	{                                                                                          \
		static type *(*real)(argument);                                                    \
		type *found;                                                                       \
                                                                                                   \
		spared = true;                                                                     \
		if (!real)                                                                         \
			*(void **)&real = dlsym(RTLD_NEXT, #name);                                 \
		found = real(a);                                                                   \
		spared = false;                                                                    \
		return found;                                                                      \
	}

LOOKUP(struct passwd, getpwuid, uid_t)
LOOKUP(struct passwd, getpwnam, const char *)
LOOKUP(struct group, getgrgid, gid_t)

__attribute__((destructor)) static void tell(void)
{
	const char *name = getenv("STARVE_COUNT");
	int fd = name ? open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600) : -1;

	if (fd < 0)
		return;
	dprintf(fd, "%ld\n", (long)calls);
	close(fd);
}
