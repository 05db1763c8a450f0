/*
 * A library that stands for NVIDIA's libnvidia-ml.so.1. What it answers is in the text file that
 * NVML_FAKE names, read anew whenever its inode, size or time changes:
 *
 * - gpus N: how many there are; 1 by default.
 * - GPU NAME VALUE...: what a function answers: "error CODE", "slow MS VALUE...", "hang", or
 *   numbers, in the library's units. GPU is an index, or * for all. The last line of a NAME counts.
 * - GPU process PID BYTES: one more entry of the list of processes that compute; graphics, mps: of
 *   the others. BYTES -1: not told.
 * - GPU sample PID SM: one more sample of a process' shares, of the time of the call.
 * - GPU entry SIZE: of the third version's entries: 24 by default, 32, or 16.
 * - GPU slice UUID T F U: one more MIG slice, whose memory is total T, free F, used U.
 *
 * Where NVML_FAKE_CALLS names a file, each call adds a line with its name and GPU to it.
 */
#include "config.h"

#include "sampler/devices/gpu/nvml.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

#define PM_NVML(member, symbol, parameters) int symbol parameters;
PM_NVML_FUNCTIONS(PM_NVML)
#undef PM_NVML

static struct {
	char text[65536];
	ino_t inode;
	off_t size;
	struct timespec time;
} script;

/* How often it was initialised and not shut down; how often it was shut down altogether. */
static int initialised, generation;

/* A handle is the number of a GPU + 1; of a slice, 1000 more for each; 1000000 more for each time
 * that the library was shut down, which makes those from before void. */
static pm_nvml_handle make_handle(int gpu)
{
	return (pm_nvml_handle)(intptr_t)(1000000 * generation + gpu + 1);
}

static int gpu_of(pm_nvml_handle handle)
{
	return (int)((intptr_t)handle - 1) % 1000;
}

static int slice_of(pm_nvml_handle handle)
{
	return (int)((intptr_t)handle - 1) % 1000000 / 1000 - 1;
}

static void read_script(void)
{
	const char *path = getenv("NVML_FAKE");
	struct stat st;
	ssize_t n;
	int fd;

	if (!path || stat(path, &st) < 0 ||
	    (st.st_ino == script.inode && st.st_size == script.size &&
	     st.st_mtim.tv_sec == script.time.tv_sec && st.st_mtim.tv_nsec == script.time.tv_nsec))
		return;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = read(fd, script.text, sizeof script.text - 1);
	close(fd);
	script.text[n > 0 ? n : 0] = '\0';
	script.inode = st.st_ino;
	script.size = st.st_size;
	script.time = st.st_mtim;
}

/* The rest of the next line about NAME of a GPU behind *at, or NULL. *at: NULL at first. */
static const char *next_line(int gpu, const char *name, const char **at)
{
	const size_t n = strlen(name);

	for (const char *p = *at ? *at : script.text; *p; p = *at) {
		char *rest;
		long number = strtol(p, &rest, 10);

		*at = strchrnul(p, '\n');
		*at += **at == '\n';
		if (*p == '*')
			rest = (char *)p + 1;
		if ((*p == '*' || (rest > p && number == gpu)) && *rest == ' ' &&
		    strncmp(rest + 1, name, n) == 0 && rest[1 + n] == ' ')
			return rest + 1 + n + 1;
	}
	return NULL;
}

/* The rest of the last line about NAME of a GPU, or NULL. */
static const char *last_line(int gpu, const char *name)
{
	const char *line = NULL, *at = NULL, *more;

	while ((more = next_line(gpu, name, &at)) != NULL)
		line = more;
	return line;
}

/* The rest of the line of a slice; "" where it is gone. */
static const char *slice_line(pm_nvml_handle handle)
{
	const char *at = NULL, *line = "";

	for (int i = 0; line && i <= slice_of(handle); i++)
		line = next_line(gpu_of(handle), "slice", &at);
	return line ? line : "";
}

static void note_call(const char *name, int gpu)
{
	const char *path = getenv("NVML_FAKE_CALLS");
	int fd = path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666) : -1;

	if (fd < 0)
		return;
	dprintf(fd, "%s %d\n", name, gpu);
	close(fd);
}

/* What a function answers: its code, and up to three numbers. fallback: where the script has none.
 */
static int answer(pm_nvml_handle handle, const char *name, unsigned long long number[3],
		  unsigned long long fallback)
{
	const int gpu = gpu_of(handle);
	const char *line;
	long milliseconds;
	char *end;

	read_script();
	note_call(name, gpu);
	/* But for the function that initialises it. */
	if (initialised == 0 && strcmp(name, "init") != 0)
		return PM_NVML_UNINITIALIZED;
	if ((intptr_t)handle / 1000000 != generation)
		return 2;
	line = last_line(gpu, name);
	number[0] = number[1] = number[2] = fallback;
	if (!line)
		return 0;
	if (strncmp(line, "hang", 4) == 0)
		for (;;)
			pause();
	if (strncmp(line, "slow ", 5) == 0) {
		milliseconds = strtol(line + 5, &end, 10);
		nanosleep(&(struct timespec){ milliseconds / 1000, milliseconds % 1000 * 1000000 },
			  NULL);
		line = end + (*end == ' ');
	}
	if (strncmp(line, "error ", 6) == 0)
		return atoi(line + 6);
	for (int i = 0; i < 3 && *line && *line != '\n'; i++, line = end + (*end == ' ')) {
		number[i] = strtoull(line, &end, 0);
		if (end == line)
			break;
	}
	return 0;
}

static int text_answer(pm_nvml_handle handle, const char *name, const char *fallback, char *text,
		       unsigned size)
{
	unsigned long long number[3];
	const int rc = answer(handle, name, number, 0);
	const char *line = last_line(gpu_of(handle), name);

	if (line)
		snprintf(text, size, "%.*s", (int)strcspn(line, "\n"), line);
	else
		snprintf(text, size, fallback, gpu_of(handle));
	return rc;
}

/* --- the library ------------------------------------------------------------------------------ */

static int gpus(void)
{
	for (const char *p = script.text; p && *p; p = strchr(p, '\n') ? strchr(p, '\n') + 1 : "")
		if (strncmp(p, "gpus ", 5) == 0)
			return atoi(p + 5);
	return 1;
}

#define FIRST make_handle(0)

EXPORT int nvmlInit_v2(void)
{
	unsigned long long number[3];
	const int rc = answer(FIRST, "init", number, 0);

	initialised += rc == 0;
	return rc;
}

EXPORT int nvmlShutdown(void)
{
	note_call("shutdown", 0);
	if (initialised == 0)
		return PM_NVML_UNINITIALIZED;
	generation += --initialised == 0;
	return 0;
}

EXPORT int nvmlSystemGetDriverVersion(char *text, unsigned size)
{
	return text_answer(FIRST, "driver", "999.10", text, size);
}

EXPORT int nvmlDeviceGetCount_v2(unsigned *count)
{
	unsigned long long number[3];
	const int rc = answer(FIRST, "count", number, 0);

	*count = (unsigned)gpus();
	return rc;
}

EXPORT int nvmlDeviceGetHandleByIndex_v2(unsigned i, pm_nvml_handle *gpu)
{
	unsigned long long number[3];
	const pm_nvml_handle handle = make_handle((int)i);
	const int rc = answer(handle, "handle", number, 0);

	*gpu = handle;
	return rc;
}

EXPORT int nvmlDeviceGetPciInfo_v3(pm_nvml_handle gpu, struct pm_nvml_pci *pci)
{
	/* Bus 0xA0 and on; the library writes capital letters. */
	return text_answer(gpu, "pci", "00000000:A%d:00.0", pci->address, sizeof pci->address);
}

EXPORT int nvmlDeviceGetHandleByPciBusId_v2(const char *address, pm_nvml_handle *gpu)
{
	unsigned domain, bus;

	read_script();
	if (sscanf(address, "%x:%x", &domain, &bus) != 2 || bus < 0xa0)
		return PM_NVML_NOT_FOUND;
	return nvmlDeviceGetHandleByIndex_v2(bus - 0xa0, gpu);
}

EXPORT int nvmlDeviceGetUUID(pm_nvml_handle gpu, char *text, unsigned size)
{
	const char *line = slice_line(gpu);

	if (slice_of(gpu) < 0)
		return text_answer(gpu, "uuid", "GPU-%d", text, size);
	snprintf(text, size, "%.*s", (int)strcspn(line, " \n"), line);
	return 0;
}

EXPORT int nvmlDeviceGetName(pm_nvml_handle gpu, char *text, unsigned size)
{
	return text_answer(gpu, "name", "Stand-in %d", text, size);
}

EXPORT int nvmlDeviceGetUtilizationRates(pm_nvml_handle gpu, struct pm_nvml_utilization *percent)
{
	unsigned long long number[3];
	const int rc = answer(gpu, "utilization", number, 10);

	percent->gpu = (unsigned)number[0];
	percent->memory = (unsigned)number[1];
	return slice_of(gpu) < 0 ? rc : PM_NVML_NOT_SUPPORTED;
}

/* Functions that answer one number. */
#define UNSIGNED(function, name, fallback)                                                         \
	EXPORT int function(pm_nvml_handle gpu, unsigned *value)                                   \
	{                                                                                          \
		unsigned long long number[3];                                                      \
		const int rc = answer(gpu, name, number, fallback);                                \
                                                                                                   \
		*value = (unsigned)number[0];                                                      \
		return rc;                                                                         \
	}
UNSIGNED(nvmlDeviceGetPowerUsage, "power", 345678)
UNSIGNED(nvmlDeviceGetEnforcedPowerLimit, "limit", 700000)
UNSIGNED(nvmlDeviceGetFanSpeed, "fan", 30)
UNSIGNED(nvmlDeviceGetMaxMigDeviceCount, "mig_max", 7)

#define LONG(function, name, fallback)                                                             \
	EXPORT int function(pm_nvml_handle gpu, unsigned long long *value)                         \
	{                                                                                          \
		unsigned long long number[3];                                                      \
		const int rc = answer(gpu, name, number, fallback);                                \
                                                                                                   \
		*value = number[0];                                                                \
		return rc;                                                                         \
	}
LONG(nvmlDeviceGetTotalEnergyConsumption, "energy", 123456789)
LONG(nvmlDeviceGetCurrentClocksEventReasons, "reasons", 1)
LONG(nvmlDeviceGetCurrentClocksThrottleReasons, "reasons1", 4)

#define CODER(function, name)                                                                      \
	EXPORT int function(pm_nvml_handle gpu, unsigned *percent, unsigned *period_us)            \
	{                                                                                          \
		unsigned long long number[3];                                                      \
		const int rc = answer(gpu, name, number, 0);                                       \
                                                                                                   \
		*percent = (unsigned)number[0];                                                    \
		*period_us = 167000;                                                               \
		return rc;                                                                         \
	}
CODER(nvmlDeviceGetEncoderUtilization, "encoder")
CODER(nvmlDeviceGetDecoderUtilization, "decoder")

EXPORT int nvmlDeviceGetMigMode(pm_nvml_handle gpu, unsigned *current, unsigned *pending)
{
	unsigned long long number[3];
	const int rc = answer(gpu, "mig", number, 0);

	*current = *pending = (unsigned)number[0];
	return rc;
}

EXPORT int nvmlDeviceGetMigDeviceHandleByIndex(pm_nvml_handle gpu, unsigned i,
					       pm_nvml_handle *slice)
{
	const char *at = NULL;

	for (unsigned n = 0; n <= i; n++)
		if (!next_line(gpu_of(gpu), "slice", &at))
			return PM_NVML_NOT_FOUND;
	*slice = (pm_nvml_handle)((intptr_t)gpu + 1000 * (intptr_t)(i + 1));
	return 0;
}

/* Memory: total, free, used; of a slice, of its line. */
static int memory_answer(pm_nvml_handle gpu, const char *name, unsigned long long number[3])
{
	const char *line = slice_line(gpu);

	if (slice_of(gpu) < 0)
		return answer(gpu, name, number, 4096);
	if (sscanf(line, "%*s %llu %llu %llu", &number[0], &number[1], &number[2]) != 3)
		return PM_NVML_NOT_FOUND;
	return 0;
}

EXPORT int nvmlDeviceGetMemoryInfo(pm_nvml_handle gpu, struct pm_nvml_memory *memory)
{
	unsigned long long number[3];
	const int rc = memory_answer(gpu, "memory", number);

	*memory = (struct pm_nvml_memory){ number[0], number[1], number[2] };
	return rc;
}

EXPORT int nvmlDeviceGetMemoryInfo_v2(pm_nvml_handle gpu, struct pm_nvml_memory2 *memory)
{
	unsigned long long number[3];
	const int rc = memory_answer(gpu, "memory2", number);

	memory->reserved = 0;
	if (memory->version != (40 | 2u << 24))
		return PM_NVML_ARGUMENT_VERSION;
	memory->total = number[0];
	memory->free = number[1];
	memory->used = number[2];
	memory->reserved =
		number[0] > number[1] + number[2] ? number[0] - number[1] - number[2] : 0;
	return rc;
}

EXPORT int nvmlDeviceGetBAR1MemoryInfo(pm_nvml_handle gpu, struct pm_nvml_memory *memory)
{
	unsigned long long number[3];
	const int rc = answer(gpu, "bar1", number, 256);

	*memory = (struct pm_nvml_memory){ number[0], number[1], number[2] };
	return rc;
}

EXPORT int nvmlDeviceGetTemperature(pm_nvml_handle gpu, int sensor, unsigned *degrees)
{
	unsigned long long number[3];
	const int rc = answer(gpu, "temperature", number, 41);

	(void)sensor;
	*degrees = (unsigned)number[0];
	return rc;
}

EXPORT int nvmlDeviceGetTemperatureV(pm_nvml_handle gpu, struct pm_nvml_temperature *temperature)
{
	unsigned long long number[3];
	const int rc = answer(gpu, "temperature2", number, 42);

	temperature->degrees = (int)number[0];
	return temperature->version == (12 | 1u << 24) ? rc : PM_NVML_ARGUMENT_VERSION;
}

/* One number for each of several: clocks 0 to 2, errors, directions. */
static int nth_answer(pm_nvml_handle gpu, const char *name, int n, unsigned long long fallback,
		      unsigned long long *value)
{
	unsigned long long number[3];
	char each[64];
	int rc;

	snprintf(each, sizeof each, "%s%d", name, n);
	rc = answer(gpu, each, number, fallback);
	*value = number[0];
	return rc;
}

EXPORT int nvmlDeviceGetClockInfo(pm_nvml_handle gpu, int which, unsigned *mhz)
{
	unsigned long long value;
	const int rc = nth_answer(gpu, "clock", which, 1000ull + (unsigned)which, &value);

	*mhz = (unsigned)value;
	return rc;
}

EXPORT int nvmlDeviceGetTotalEccErrors(pm_nvml_handle gpu, int uncorrected, int aggregate,
				       unsigned long long *count)
{
	return aggregate ? 2 : nth_answer(gpu, "ecc", uncorrected, 0, count);
}

EXPORT int nvmlDeviceGetPcieThroughput(pm_nvml_handle gpu, int receive, unsigned *kb_per_s)
{
	unsigned long long value;
	const int rc = nth_answer(gpu, "pcie", receive, 500, &value);

	*kb_per_s = (unsigned)value;
	return rc;
}

EXPORT int nvmlDeviceGetViolationStatus(pm_nvml_handle gpu, int policy,
					struct pm_nvml_violation *violation)
{
	violation->reference_us = 0;
	return nth_answer(gpu, "violation", policy, 1000ull * (unsigned)policy,
			  &violation->violation_ns);
}

EXPORT int nvmlDeviceGetFieldValues(pm_nvml_handle gpu, int count, struct pm_nvml_field *field)
{
	unsigned long long number[3];
	const int rc = answer(gpu, "fields", number, 0);

	for (int i = 0; i < count; i++) {
		unsigned long long value;

		field[i].rc = nth_answer(gpu, "field", (int)field[i].id, field[i].id, &value);
		field[i].type = 3;
		field[i].value.ull = value;
	}
	return rc;
}

/* --- processes -------------------------------------------------------------------------------- */

/* Write a list's entries of this size. */
static int list(pm_nvml_handle gpu, const char *name, const char *version, const char *kind,
		size_t size, unsigned *count, void *entries)
{
	const char *at = NULL, *line;
	unsigned long long number[3];
	char function[64];
	unsigned n = 0;
	int rc;

	snprintf(function, sizeof function, "%s%s", name, version);
	rc = answer(gpu, function, number, 0);
	if (rc)
		return rc;
	while ((line = next_line(gpu_of(gpu), kind, &at)) != NULL) {
		unsigned char entry[32] = { 0 };
		const int none = -1;
		long long bytes;
		unsigned pid;

		if (sscanf(line, "%u %lld", &pid, &bytes) != 2 || n++ >= *count)
			continue;
		memcpy(entry, &pid, sizeof pid);
		memcpy(entry + 8, &bytes, sizeof bytes);
		memcpy(entry + 16, &none, sizeof none);
		memcpy(entry + 20, &none, sizeof none);
		memcpy((char *)entries + (n - 1) * size, entry, size);
	}
	rc = n > *count ? PM_NVML_INSUFFICIENT_SIZE : 0;
	*count = n;
	return rc;
}

static size_t entry_size(pm_nvml_handle gpu)
{
	const char *line = last_line(gpu_of(gpu), "entry");

	return line ? strtoul(line, NULL, 10) : 24;
}

#define LISTS(function, kind)                                                                      \
	EXPORT int function##_v3(pm_nvml_handle gpu, unsigned *count, void *entries)               \
	{                                                                                          \
		return list(gpu, #kind, "3", #kind, entry_size(gpu), count, entries);              \
	}                                                                                          \
	EXPORT int function##_v2(pm_nvml_handle gpu, unsigned *count, void *entries)               \
	{                                                                                          \
		return list(gpu, #kind, "2", #kind, 24, count, entries);                           \
	}                                                                                          \
	EXPORT int function(pm_nvml_handle gpu, unsigned *count, void *entries)                    \
	{                                                                                          \
		return list(gpu, #kind, "1", #kind, 16, count, entries);                           \
	}
LISTS(nvmlDeviceGetComputeRunningProcesses, process)
LISTS(nvmlDeviceGetGraphicsRunningProcesses, graphics)
LISTS(nvmlDeviceGetMPSComputeRunningProcesses, mps)

EXPORT int nvmlDeviceGetProcessUtilization(pm_nvml_handle gpu, struct pm_nvml_sample *sample,
					   unsigned *count, unsigned long long since_us)
{
	const char *at = NULL, *line;
	unsigned long long number[3];
	const unsigned room = sample ? *count : 0;
	const int rc = answer(gpu, "samples", number, 0);
	struct timespec now;
	unsigned n = 0;

	(void)since_us;
	clock_gettime(CLOCK_REALTIME, &now);
	while ((line = next_line(gpu_of(gpu), "sample", &at)) != NULL) {
		struct pm_nvml_sample one = { .time_us = (unsigned long long)now.tv_sec * 1000000 +
							 (unsigned long long)now.tv_nsec / 1000 };

		if (sscanf(line, "%u %u", &one.pid, &one.sm) == 2 && n++ < room)
			sample[n - 1] = one;
	}
	*count = n;
	if (rc)
		return rc;
	if (n == 0)
		return PM_NVML_NOT_FOUND;
	return n > room ? PM_NVML_INSUFFICIENT_SIZE : 0;
}
