/* The boot id that the kernel generates at every boot. */
#include "config.h"

#include "common/bootid.h"

#include <fcntl.h>
#include <sys/types.h>
#include <unistd.h>

void pm_bootid_read(char id[64])
{
	int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd >= 0 ? read(fd, id, 63) : -1;

	if (fd >= 0)
		close(fd);
	id[n < 36 ? 0 : 36] = '\0';
}
