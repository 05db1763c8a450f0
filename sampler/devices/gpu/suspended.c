/* Devices that the kernel has suspended (Documentation/ABI/testing/sysfs-devices-power). */
#include "config.h"

#include "sampler/devices/gpu/suspended.h"

#include <stdio.h>
#include <string.h>

/* Open a file of the power management of a device. */
static int open_power(struct pm_procfile *f, const char *root, const char *device, const char *name)
{
	char path[512];

	snprintf(path, sizeof path, "%s/power/%s", device, name);
	return pm_procfile_open(f, root, path);
}

/* Whether a file begins with a word. */
static bool begins_with(struct pm_procfile *f, const char *word)
{
	const char *text;

	return f->path && pm_procfile_read(f, &text) >= 0 && strncmp(text, word, strlen(word)) == 0;
}

bool pm_suspended_now(const char *root, const char *device)
{
	struct pm_procfile status;
	bool suspended;

	if (open_power(&status, root, device, "runtime_status") < 0)
		return false;
	suspended = pm_suspended_read(&status);
	pm_procfile_close(&status);
	return suspended;
}

void pm_suspended_open(struct pm_procfile *status, const char *root, const char *device)
{
	struct pm_procfile control;
	bool may;

	memset(status, 0, sizeof *status);
	if (open_power(&control, root, device, "control") < 0)
		return;
	may = begins_with(&control, "auto");
	pm_procfile_close(&control);
	if (!may || open_power(status, root, device, "runtime_status") < 0)
		memset(status, 0, sizeof *status);
}

bool pm_suspended_read(struct pm_procfile *status)
{
	return begins_with(status, "suspended");
}
