/* The processes that use a GPU. */
#include "config.h"

#include "sampler/devices/gpu/nvmlprocesses.h"

#include "common/grow.h"

#include <stdlib.h>
#include <string.h>

/* Entries of a list at first, and at most: a GPU has no more processes. */
#define ROOM_FIRST 32
#define ROOM_MAX   65536

/* Samples of shares that there is room for at first, and at most: driver 580 has room for 72. */
#define SAMPLES_FIRST 256
#define SAMPLES_MAX   4096

/* The driver does not tell a process' memory. */
#define NOT_AVAILABLE UINT64_MAX

typedef int list_function(pm_nvml_handle gpu, unsigned *count, void *entries);

size_t pm_nvmlprocesses_stride(const unsigned char *entries, size_t size, unsigned n)
{
	static const size_t strides[] = { 16, 24, 32 };
	size_t written = size;

	/* The last bytes of an entry are those of a number, or of an instance's, none of which is
	 * as large as the filling. */
	while (written && entries[written - 1] == PM_NVMLPROCESSES_FILL)
		written--;
	for (size_t i = 0; n && i < sizeof strides / sizeof strides[0]; i++)
		if (written <= n * strides[i])
			return strides[i];
	return 0;
}

static int compare_pid(const void *a, const void *b)
{
	const struct pm_nvmlprocess *x = a, *y = b;

	return (x->pid > y->pid) - (x->pid < y->pid);
}

/* Add a process, once: one may compute and draw. Returns false when memory is short. */
static bool add_process(struct pm_nvmlprocesses *p, unsigned pid, uint64_t memory)
{
	size_t i = 0;

	while (i < p->count && p->process[i].pid != pid)
		i++;
	if (i == p->count) {
		if (!PM_GROW(p->process, p->count, p->capacity, 8))
			return false;
		p->process[p->count++] = (struct pm_nvmlprocess){ .pid = pid };
	}
	/* Its memory is the same in all lists, and not told in some. */
	if (memory != NOT_AVAILABLE && (!p->process[i].known || memory > p->process[i].memory)) {
		p->process[i].known = true;
		p->process[i].memory = memory;
	}
	return true;
}

static int make_room(struct pm_nvmlprocesses *p, unsigned room)
{
	unsigned char *more;

	if (room <= p->room)
		return 0;
	more = room <= ROOM_MAX ? realloc(p->entries, (size_t)room * PM_NVMLPROCESSES_ENTRY) : NULL;
	if (!more)
		return -1;
	p->entries = more;
	p->room = room;
	return 0;
}

/* Get a list's entries. Returns 0 with *n set, or a code. */
static int get_list(struct pm_nvmlprocesses *p, list_function *list, pm_nvml_handle gpu,
		    unsigned *n)
{
	int rc = PM_NVML_INSUFFICIENT_SIZE;

	for (unsigned room = p->room ? p->room : ROOM_FIRST; rc == PM_NVML_INSUFFICIENT_SIZE;
	     room *= 2) {
		if (make_room(p, room) < 0)
			break;
		memset(p->entries, PM_NVMLPROCESSES_FILL, (size_t)p->room * PM_NVMLPROCESSES_ENTRY);
		*n = p->room;
		rc = list(gpu, n, p->entries);
	}
	return rc == PM_NVML_SUCCESS && *n > p->room ? PM_NVML_INSUFFICIENT_SIZE : rc;
}

/* Add the processes of a list, by the newest function for it. Returns 0 or a code. */
static int add_list(struct pm_nvmlprocesses *p, pm_nvml_handle gpu, list_function *const list[3])
{
	int rc = PM_NVML_FUNCTION_NOT_FOUND;
	unsigned n = 0;
	size_t stride;

	for (int i = 0; rc == PM_NVML_FUNCTION_NOT_FOUND && i < 3; i++)
		if (list[i])
			rc = get_list(p, list[i], gpu, &n);
	if (rc != PM_NVML_SUCCESS || n == 0)
		return rc;
	stride = pm_nvmlprocesses_stride(p->entries, (size_t)p->room * PM_NVMLPROCESSES_ENTRY, n);
	if (!stride)
		return PM_NVML_NOT_SUPPORTED;
	for (unsigned i = 0; i < n; i++) {
		const unsigned char *entry = p->entries + i * stride;
		unsigned pid;
		uint64_t memory;

		memcpy(&pid, entry, sizeof pid);
		memcpy(&memory, entry + 8, sizeof memory);
		if (!add_process(p, pid, memory))
			return PM_NVML_INSUFFICIENT_SIZE;
	}
	return PM_NVML_SUCCESS;
}

int pm_nvmlprocesses_read(struct pm_nvmlprocesses *p, const struct pm_nvml *nvml,
			  pm_nvml_handle gpu)
{
	list_function *const lists[][3] = {
		{ nvml->compute3, nvml->compute2, nvml->compute1 },
		{ nvml->graphics3, nvml->graphics2, nvml->graphics1 },
		{ nvml->mps3, nvml->mps2, nvml->mps1 },
	};
	int rc = PM_NVML_SUCCESS;

	p->count = 0;
	for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
		rc = add_list(p, gpu, lists[i]);
		/* GPUs without graphics, drivers without MPS. */
		if (i && (rc == PM_NVML_NOT_SUPPORTED || rc == PM_NVML_FUNCTION_NOT_FOUND))
			rc = PM_NVML_SUCCESS;
		if (rc != PM_NVML_SUCCESS) {
			p->count = 0;
			return rc;
		}
	}
	if (p->count)
		qsort(p->process, p->count, sizeof *p->process, compare_pid);
	return PM_NVML_SUCCESS;
}

/* Set the shares of processes to the mean of the samples of each. */
static void take_samples(struct pm_nvmlprocesses *p, const struct pm_nvml_sample *sample,
			 unsigned n)
{
	uint64_t newest_us = p->since_us;

	for (size_t i = 0; i < p->count; i++) {
		struct pm_nvmlprocess *one = &p->process[i];
		uint64_t sum = 0, samples = 0;

		for (unsigned s = 0; s < n; s++) {
			if (sample[s].pid != one->pid || sample[s].time_us <= p->since_us ||
			    sample[s].sm > 100)
				continue;
			sum += 100 * sample[s].sm;
			samples++;
		}
		one->shares_known = samples > 0;
		one->sm = samples ? (unsigned)(sum / samples) : 0;
	}
	for (unsigned s = 0; s < n; s++)
		if (sample[s].time_us > newest_us)
			newest_us = sample[s].time_us;
	p->since_us = newest_us;
}

int pm_nvmlprocesses_shares(struct pm_nvmlprocesses *p, const struct pm_nvml *nvml,
			    pm_nvml_handle gpu)
{
	struct pm_nvml_sample *sample = NULL, *more;
	unsigned n = 0;
	int rc = PM_NVML_INSUFFICIENT_SIZE;

	/* Asking for the number costs as much as asking for the samples: have room for most. */
	for (unsigned room = SAMPLES_FIRST; rc == PM_NVML_INSUFFICIENT_SIZE && room <= SAMPLES_MAX;
	     room *= 4) {
		more = realloc(sample, room * sizeof *sample);
		if (!more)
			break;
		sample = more;
		n = room;
		rc = PM_NVML_CALL(nvml, samples, gpu, sample, &n, p->since_us);
		if (n > room)
			n = room;
	}
	/* No process has used the GPU since. */
	if (rc == PM_NVML_NOT_FOUND) {
		rc = PM_NVML_SUCCESS;
		n = 0;
	}
	if (rc == PM_NVML_SUCCESS)
		take_samples(p, sample, n);
	free(sample);
	return rc;
}

void pm_nvmlprocesses_free(struct pm_nvmlprocesses *p)
{
	free(p->process);
	free(p->entries);
	memset(p, 0, sizeof *p);
}
