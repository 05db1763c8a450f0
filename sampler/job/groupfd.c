/* Open control groups. */
#include "config.h"

#include "sampler/job/groupfd.h"

#include "sampler/job/cgroupdir.h"
#include "sampler/kernel/procfile.h"

#include <fcntl.h>

int pm_groupfd_open(const char *directory)
{
	struct pm_procfile mounts;
	struct pm_cgroupdir d;
	const char *mountinfo, *path;
	int fd = -1;

	if (pm_procfile_open(&mounts, "", "proc/self/mountinfo") < 0)
		return -1;
	if (pm_procfile_read(&mounts, &mountinfo) >= 0 &&
	    pm_cgroupdir_at(&d, "", directory, mountinfo) > 0) {
		path = d.path[PM_CGROUPDIR_PERF] ? d.path[PM_CGROUPDIR_PERF]
						 : d.path[PM_CGROUPDIR_UNIFIED];
		if (path)
			fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		pm_cgroupdir_free(&d);
	}
	pm_procfile_close(&mounts);
	return fd;
}
