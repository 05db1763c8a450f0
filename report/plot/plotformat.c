/* Names of formats. */
#include "config.h"

#include "report/plot/plotformat.h"

#include <string.h>

static const char *const suffix[PM_CANVAS_FORMATS] = {
	[PM_CANVAS_SVG] = "svg",
	[PM_CANVAS_PDF] = "pdf",
	[PM_CANVAS_PNG] = "png",
};

int pm_plotformat_named(const char *name)
{
	for (int i = 0; i < PM_CANVAS_FORMATS; i++)
		if (strcasecmp(name, suffix[i]) == 0)
			return i;
	return -1;
}

int pm_plotformat_path(const char *path)
{
	const char *dot = strrchr(path, '.');

	return dot ? pm_plotformat_named(dot + 1) : -1;
}

const char *pm_plotformat_suffix(enum pm_canvas_format format)
{
	return suffix[format];
}
