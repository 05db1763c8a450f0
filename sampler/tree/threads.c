/* List /proc/PID/task. */
#include "config.h"

#include "sampler/tree/threads.h"

#include "sampler/kernel/procfile.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

size_t pm_threads_each(pid_t pid, void (*each)(void *context, pid_t tid), void *context)
{
	char path[32];
	struct dirent *entry;
	size_t count = 0;
	DIR *dir;

	snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
	dir = opendir(path);
	while (dir && (entry = readdir(dir)) != NULL) {
		const char *at = entry->d_name;
		int64_t tid;

		/* The name must be the number and nothing else. */
		if (pm_procfile_number(&at, at + strlen(at) + 1, &tid) < 0 || *at ||
		    tid > INT32_MAX)
			continue;
		each(context, (pid_t)tid);
		count++;
	}
	if (dir)
		closedir(dir);
	return count;
}
