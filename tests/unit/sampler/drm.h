/* Cards of the kernel's DRM drivers, below the recorded root; and time. */
#ifndef PM_TESTS_UNIT_SAMPLER_DRM_H
#define PM_TESTS_UNIT_SAMPLER_DRM_H

#include "tests/unit/sampler/later.h"
#include "tests/unit/sampler/source.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

/* Put a file of a card. */
__attribute__((format(printf, 3, 4))) static void put(int card, const char *file, const char *fmt,
						      ...)
{
	char path[256], text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	snprintf(path, sizeof path, "sys/class/drm/card%d/%s", card, file);
	root_put(path, text);
}

static void put_card(int card, const char *driver, const char *address, const char *unique)
{
	put(card, "device/uevent", "DRIVER=%s\nPCI_CLASS=30000\nPCI_SLOT_NAME=%s\nMODALIAS=x\n",
	    driver, address);
	if (unique)
		put(card, "device/unique_id", "%s\n", unique);
}

#endif
