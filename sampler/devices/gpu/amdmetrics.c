/* The driver amdgpu's gpu_metrics (drivers/gpu/drm/amd/include/kgd_pp_interface.h). */
#include "config.h"

#include "sampler/devices/gpu/amdmetrics.h"

#include <errno.h>
#include <string.h>

/* The beginning of every format. */
struct header {
	uint16_t size; /* of all, B */
	uint8_t format, content;
};

/* Where format 1.x has the energy: at this byte, in so many. */
static const struct {
	uint8_t at, size;
} energies[] = { { 36, 4 }, { 24, 8 }, { 24, 8 }, { 24, 8 }, { 24, 8 },
		 { 88, 8 }, { 16, 8 }, { 24, 8 }, { 24, 8 } };

int pm_amdmetrics_energy(const char *text, size_t n, int64_t *uj)
{
	struct header h;
	uint64_t energy = 0;
	uint32_t half;

	errno = EBADMSG;
	if (n < sizeof h)
		return -1;
	memcpy(&h, text, sizeof h);
	if (h.size > n)
		return -1;
	if (h.format != 1 || h.content >= sizeof energies / sizeof energies[0]) {
		errno = ENODATA;
		return -1;
	}
	if ((size_t)energies[h.content].at + energies[h.content].size > h.size)
		return -1;
	text += energies[h.content].at;
	if (energies[h.content].size == sizeof half) {
		memcpy(&half, text, sizeof half);
		energy = half;
	} else {
		memcpy(&energy, text, sizeof energy);
	}
	/* Firmware that counts in 32 bits has its "unknown" there. */
	if (energy == 0 || energy == UINT32_MAX || energy == UINT64_MAX) {
		errno = ENODATA;
		return -1;
	}
	/* 10^6 / 2^16 is 15625 / 2^10. */
	if (energy >> 10 > INT64_MAX / 15625 - 1)
		return -1;
	*uj = (int64_t)((energy >> 10) * 15625 + (energy & 1023) * 15625 / 1024);
	return 0;
}
