/* NVIDIA's management library, opened at run time. */
#include "config.h"

#include "sampler/devices/gpu/nvml.h"

#include <dlfcn.h>
#include <string.h>

/* The layouts are the library's on all 64-bit systems. */
_Static_assert(sizeof(void *) != 8 || sizeof(struct pm_nvml_memory2) == 40, "memory, version 2");
_Static_assert(sizeof(void *) != 8 || sizeof(struct pm_nvml_field) == 40, "field");
_Static_assert(sizeof(void *) != 8 || sizeof(struct pm_nvml_sample) == 32, "process sample");
_Static_assert(sizeof(struct pm_nvml_pci) == 68, "PCI information");
_Static_assert(sizeof(struct pm_nvml_temperature) == 12, "temperature");

/* Where the driver's library is: the search path of ld.so, Windows' subsystem for Linux, and where
 * containers of some systems get it. */
static const char *const places[] = { "libnvidia-ml.so.1", "/usr/lib/wsl/lib/libnvidia-ml.so.1",
				      "/usr/local/nvidia/lib64/libnvidia-ml.so.1" };

/*
 * The library counts how often it was initialised in this process, and is shut down when each was
 * undone: to restart it, we have to know. Changes with each open, restart and close.
 */
static struct {
	unsigned users;       /* that have opened it and not closed it */
	unsigned initialised; /* how often it is, at present */
	uint64_t generation;
} shared;

static const struct {
	int rc;
	enum pm_reason reason;
	const char *text;
} codes[] = {
	{ PM_NVML_UNINITIALIZED, PM_REASON_absent, "the driver's library was shut down" },
	{ PM_NVML_NOT_SUPPORTED, PM_REASON_unsupported, "not supported by this GPU" },
	{ PM_NVML_NO_PERMISSION, PM_REASON_permission,
	  "no permission; run the sampler as root, or have /dev/nvidia* readable and writable" },
	{ PM_NVML_NOT_FOUND, PM_REASON_absent, "no such GPU" },
	{ PM_NVML_DRIVER_NOT_LOADED, PM_REASON_absent,
	  "the driver is not loaded; modprobe nvidia" },
	{ PM_NVML_TIMEOUT, PM_REASON_late, "the driver did not answer in time" },
	{ PM_NVML_FUNCTION_NOT_FOUND, PM_REASON_unsupported, "not provided by this driver" },
	{ PM_NVML_GPU_IS_LOST, PM_REASON_absent,
	  "the GPU is lost: it has fallen off the bus; look into the kernel's log for Xid, and "
	  "restart the node" },
	{ PM_NVML_RESET_REQUIRED, PM_REASON_absent,
	  "the GPU needs a reset; nvidia-smi --gpu-reset, or restart the node" },
	{ PM_NVML_VERSION_MISMATCH, PM_REASON_unsupported,
	  "driver and library are of different versions; after an update of the driver, restart "
	  "the node" },
	{ PM_NVML_NOT_READY, PM_REASON_late, "the driver is not ready yet" },
};

enum pm_reason pm_nvml_reason(int rc)
{
	for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++)
		if (codes[i].rc == rc)
			return codes[i].reason;
	return PM_REASON_unsupported;
}

const char *pm_nvml_text(int rc)
{
	for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++)
		if (codes[i].rc == rc)
			return codes[i].text;
	return "the driver reports an error";
}

static void find_functions(struct pm_nvml *nvml)
{
	const struct {
		const char *symbol;
		void *slot;
	} function[] = {
#define PM_NVML(member, symbol, parameters) { #symbol, &nvml->member },
		PM_NVML_FUNCTIONS(PM_NVML)
#undef PM_NVML
	};

	for (size_t i = 0; i < sizeof function / sizeof function[0]; i++) {
		void *symbol = dlsym(nvml->library, function[i].symbol);

		/* ISO C does not convert data pointers to function pointers. */
		memcpy(function[i].slot, &symbol, sizeof symbol);
	}
}

int pm_nvml_open(struct pm_nvml *nvml, const char *path, enum pm_reason *reason, struct pm_err *e)
{
	int rc;

	memset(nvml, 0, sizeof *nvml);
	*reason = PM_REASON_absent;
	if (*path)
		nvml->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	for (size_t i = 0; !*path && !nvml->library && i < sizeof places / sizeof places[0]; i++)
		nvml->library = dlopen(places[i], RTLD_NOW | RTLD_LOCAL);
	if (!nvml->library && *path)
		return pm_err(e, "nvml_library: %s", dlerror());
	if (!nvml->library)
		return pm_err(e,
			      "no %s: no NVIDIA driver is installed; where its library lies "
			      "elsewhere, set nvml_library",
			      places[0]);
	find_functions(nvml);
	rc = PM_NVML_CALL(nvml, init);
	if (rc == PM_NVML_SUCCESS) {
		shared.users++;
		shared.initialised++;
		return 0;
	}
	*reason = pm_nvml_reason(rc);
	dlclose(nvml->library);
	memset(nvml, 0, sizeof *nvml);
	return pm_err(e, "nvmlInit: %s (%d)", pm_nvml_text(rc), rc);
}

void pm_nvml_restart(struct pm_nvml *nvml)
{
	for (; shared.initialised; shared.initialised--)
		PM_NVML_CALL(nvml, shutdown);
	while (shared.initialised < shared.users && PM_NVML_CALL(nvml, init) == PM_NVML_SUCCESS)
		shared.initialised++;
	shared.generation++;
}

uint64_t pm_nvml_generation(void)
{
	return shared.generation;
}

void pm_nvml_close(struct pm_nvml *nvml)
{
	if (!nvml->library)
		return;
	if (shared.initialised) {
		PM_NVML_CALL(nvml, shutdown);
		shared.initialised--;
	}
	shared.users--;
	dlclose(nvml->library);
	memset(nvml, 0, sizeof *nvml);
}

int pm_nvml_memory(const struct pm_nvml *nvml, pm_nvml_handle gpu, struct pm_nvml_memory2 *memory,
		   bool *reserved_known)
{
	struct pm_nvml_memory first = { 0 };
	int rc;

	*memory = (struct pm_nvml_memory2){ .version = PM_NVML_MEMORY2 };
	rc = PM_NVML_CALL(nvml, memory2, gpu, memory);
	*reserved_known = rc == PM_NVML_SUCCESS;
	if (rc != PM_NVML_FUNCTION_NOT_FOUND && rc != PM_NVML_NOT_SUPPORTED &&
	    rc != PM_NVML_ARGUMENT_VERSION)
		return rc;
	rc = PM_NVML_CALL(nvml, memory, gpu, &first);
	memory->total = first.total;
	memory->free = first.free;
	memory->used = first.used;
	return rc;
}

int pm_nvml_field_value(const struct pm_nvml_field *field, unsigned long long *value)
{
	/* The library's numbers of types. */
	enum { UNSIGNED = 1, UNSIGNED_LONG, UNSIGNED_LONG_LONG, LONG_LONG };

	if (field->rc != PM_NVML_SUCCESS)
		return field->rc;
	/* The other bytes of a short value are what was there before. */
	if (field->type == UNSIGNED)
		*value = field->value.ui;
	else if (field->type == UNSIGNED_LONG)
		*value = field->value.ul;
	else if (field->type == UNSIGNED_LONG_LONG)
		*value = field->value.ull;
	else if (field->type == LONG_LONG && field->value.sll >= 0)
		*value = (unsigned long long)field->value.sll;
	else
		return PM_NVML_NOT_SUPPORTED;
	return PM_NVML_SUCCESS;
}
