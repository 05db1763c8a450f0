/* Close inherited descriptors: by one system call, by the list in /proc, or one number after
 * another. */
#include "config.h"

#include "common/descriptors.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Highest descriptor number tried where the open ones cannot be listed. */
#define NUMBERS_MAX 65536

/* The head of an entry that getdents64(2) returns; the name follows. */
struct entry {
	uint64_t inode;
	int64_t next;
	uint16_t length;
	uint8_t type;
	char name[];
};

/* Close the descriptors named in one buffer of entries, except the directory itself (`list`). */
static void close_entries(const char *buffer, long size, int first, int list)
{
	for (long at = 0; at < size;) {
		const struct entry *entry = (const void *)(buffer + at);
		int fd = (int)strtol(entry->name, NULL, 10);

		if (fd >= first && fd != list)
			close(fd);
		at += entry->length;
	}
}

/* Close the descriptors listed in /proc/self/fd, for kernels before 5.9. Returns 0, or -1 where
 * /proc cannot be read. */
static int close_listed(int first)
{
	_Alignas(struct entry) char buffer[1024];
	int list = open("/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	long size;

	if (list < 0)
		return -1;
	while ((size = syscall(SYS_getdents64, list, buffer, sizeof buffer)) > 0)
		close_entries(buffer, size, first, list);
	close(list);
	return size < 0 ? -1 : 0;
}

void pm_descriptors_close(int first)
{
	long most = sysconf(_SC_OPEN_MAX);

#ifdef SYS_close_range
	if (syscall(SYS_close_range, (unsigned)first, ~0u, 0u) == 0)
		return;
#endif
	if (close_listed(first) == 0)
		return;
	for (int fd = first; fd < (most > 0 && most < NUMBERS_MAX ? most : NUMBERS_MAX); fd++)
		close(fd);
}
