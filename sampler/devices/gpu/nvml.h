/*
 * NVIDIA's management library, opened at run time: the functions that the sampler calls, and what
 * their return codes mean. Prototypes and structures are our own, from the library's documented
 * interface; names that begin with pm_nvml are not the library's.
 */
#ifndef PM_SAMPLER_DEVICES_GPU_NVML_H
#define PM_SAMPLER_DEVICES_GPU_NVML_H

#include "common/err.h"
#include "sampler/kernel/reason.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Return codes that are treated apart. */
enum {
	PM_NVML_SUCCESS = 0,
	PM_NVML_UNINITIALIZED = 1,
	PM_NVML_NOT_SUPPORTED = 3,
	PM_NVML_NO_PERMISSION = 4,
	PM_NVML_NOT_FOUND = 6,
	PM_NVML_INSUFFICIENT_SIZE = 7,
	PM_NVML_DRIVER_NOT_LOADED = 9,
	PM_NVML_TIMEOUT = 10,
	PM_NVML_FUNCTION_NOT_FOUND = 13,
	PM_NVML_GPU_IS_LOST = 15,
	PM_NVML_RESET_REQUIRED = 16,
	PM_NVML_VERSION_MISMATCH = 18,
	PM_NVML_ARGUMENT_VERSION = 25,
	PM_NVML_NOT_READY = 27,
};

/* A GPU or a part of it, as the library names it until it is shut down. */
typedef struct pm_nvml_device *pm_nvml_handle;

/* Shares of time in per cent. */
struct pm_nvml_utilization {
	unsigned gpu, memory;
};

struct pm_nvml_memory {
	unsigned long long total, free, used; /* B */
};

/* Version 2: `used` without what the driver reserves. */
struct pm_nvml_memory2 {
	unsigned version;
	unsigned long long total, reserved, free, used; /* B */
};
#define PM_NVML_MEMORY2 (sizeof(struct pm_nvml_memory2) | 2u << 24)

struct pm_nvml_pci {
	char legacy[16];
	unsigned domain, bus, device, device_id, subsystem_id;
	char address[32]; /* "00000000:65:00.0" */
};

struct pm_nvml_temperature {
	unsigned version;
	unsigned sensor; /* 0: the GPU */
	int degrees;     /* degrees Celsius */
};
#define PM_NVML_TEMPERATURE (sizeof(struct pm_nvml_temperature) | 1u << 24)

struct pm_nvml_violation {
	unsigned long long reference_us, violation_ns;
};

/* Numbers of fields. */
enum {
	PM_NVML_FIELD_THROTTLE = 74, /* ns; of the policy 0, 1 and so on */
	PM_NVML_FIELD_PCIE_TX = 197, /* bytes sent through PCIe; 32 bits */
	PM_NVML_FIELD_PCIE_RX = 198, /* bytes received */
};

/* A value that is asked for by its number. */
struct pm_nvml_field {
	unsigned id, scope;
	long long time_us, latency_us;
	int type; /* of value */
	int rc;
	union {
		double d;
		unsigned ui;
		unsigned long ul;
		unsigned long long ull;
		long long sll;
		int si;
		unsigned short us;
	} value;
};

/* Shares of a process in per cent, over about the last sixth of a second before its time. */
struct pm_nvml_sample {
	unsigned pid;
	unsigned long long time_us; /* CLOCK_REALTIME */
	unsigned sm, memory, encoder, decoder;
};

/*
 * The functions: PM_NVML(member, symbol, parameters). All return a code above. A function that the
 * library lacks is NULL.
 */
#define PM_NVML_FUNCTIONS(PM_NVML)                                                                 \
	PM_NVML(init, nvmlInit_v2, (void))                                                         \
	PM_NVML(shutdown, nvmlShutdown, (void))                                                    \
	PM_NVML(driver, nvmlSystemGetDriverVersion, (char *text, unsigned size))                   \
	PM_NVML(count, nvmlDeviceGetCount_v2, (unsigned *count))                                   \
	PM_NVML(by_index, nvmlDeviceGetHandleByIndex_v2, (unsigned i, pm_nvml_handle *gpu))        \
	PM_NVML(by_address, nvmlDeviceGetHandleByPciBusId_v2,                                      \
		(const char *address, pm_nvml_handle *gpu))                                        \
	PM_NVML(uuid, nvmlDeviceGetUUID, (pm_nvml_handle gpu, char *text, unsigned size))          \
	PM_NVML(name, nvmlDeviceGetName, (pm_nvml_handle gpu, char *text, unsigned size))          \
	PM_NVML(pci, nvmlDeviceGetPciInfo_v3, (pm_nvml_handle gpu, struct pm_nvml_pci * pci))      \
	PM_NVML(utilization, nvmlDeviceGetUtilizationRates,                                        \
		(pm_nvml_handle gpu, struct pm_nvml_utilization * percent))                        \
	PM_NVML(encoder, nvmlDeviceGetEncoderUtilization,                                          \
		(pm_nvml_handle gpu, unsigned *percent, unsigned *period_us))                      \
	PM_NVML(decoder, nvmlDeviceGetDecoderUtilization,                                          \
		(pm_nvml_handle gpu, unsigned *percent, unsigned *period_us))                      \
	PM_NVML(memory, nvmlDeviceGetMemoryInfo,                                                   \
		(pm_nvml_handle gpu, struct pm_nvml_memory * memory))                              \
	PM_NVML(memory2, nvmlDeviceGetMemoryInfo_v2,                                               \
		(pm_nvml_handle gpu, struct pm_nvml_memory2 * memory))                             \
	PM_NVML(bar1, nvmlDeviceGetBAR1MemoryInfo,                                                 \
		(pm_nvml_handle gpu, struct pm_nvml_memory * memory))                              \
	PM_NVML(power, nvmlDeviceGetPowerUsage, (pm_nvml_handle gpu, unsigned *mw))                \
	PM_NVML(energy, nvmlDeviceGetTotalEnergyConsumption,                                       \
		(pm_nvml_handle gpu, unsigned long long *mj))                                      \
	PM_NVML(limit, nvmlDeviceGetEnforcedPowerLimit, (pm_nvml_handle gpu, unsigned *mw))        \
	PM_NVML(temperature, nvmlDeviceGetTemperature,                                             \
		(pm_nvml_handle gpu, int sensor, unsigned *degrees))                               \
	PM_NVML(temperature2, nvmlDeviceGetTemperatureV,                                           \
		(pm_nvml_handle gpu, struct pm_nvml_temperature * temperature))                    \
	PM_NVML(fan, nvmlDeviceGetFanSpeed, (pm_nvml_handle gpu, unsigned *percent))               \
	PM_NVML(clock, nvmlDeviceGetClockInfo, (pm_nvml_handle gpu, int which, unsigned *mhz))     \
	PM_NVML(ecc, nvmlDeviceGetTotalEccErrors,                                                  \
		(pm_nvml_handle gpu, int uncorrected, int aggregate, unsigned long long *count))   \
	PM_NVML(pcie, nvmlDeviceGetPcieThroughput,                                                 \
		(pm_nvml_handle gpu, int receive, unsigned *kb_per_s))                             \
	PM_NVML(violation, nvmlDeviceGetViolationStatus,                                           \
		(pm_nvml_handle gpu, int policy, struct pm_nvml_violation *time))                  \
	PM_NVML(reasons, nvmlDeviceGetCurrentClocksEventReasons,                                   \
		(pm_nvml_handle gpu, unsigned long long *mask))                                    \
	PM_NVML(reasons1, nvmlDeviceGetCurrentClocksThrottleReasons,                               \
		(pm_nvml_handle gpu, unsigned long long *mask))                                    \
	PM_NVML(fields, nvmlDeviceGetFieldValues,                                                  \
		(pm_nvml_handle gpu, int count, struct pm_nvml_field *field))                      \
	PM_NVML(compute3, nvmlDeviceGetComputeRunningProcesses_v3,                                 \
		(pm_nvml_handle gpu, unsigned *count, void *entries))                              \
	PM_NVML(compute2, nvmlDeviceGetComputeRunningProcesses_v2,                                 \
		(pm_nvml_handle gpu, unsigned *count, void *entries))                              \
	PM_NVML(compute1, nvmlDeviceGetComputeRunningProcesses,                                    \
		(pm_nvml_handle gpu, unsigned *count, void *entries))                              \
	PM_NVML(graphics3, nvmlDeviceGetGraphicsRunningProcesses_v3,                               \
		(pm_nvml_handle gpu, unsigned *count, void *entries))                              \
	PM_NVML(graphics2, nvmlDeviceGetGraphicsRunningProcesses_v2,                               \
		(pm_nvml_handle gpu, unsigned *count, void *entries))                              \
	PM_NVML(graphics1, nvmlDeviceGetGraphicsRunningProcesses,                                  \
		(pm_nvml_handle gpu, unsigned *count, void *entries))                              \
	PM_NVML(mps3, nvmlDeviceGetMPSComputeRunningProcesses_v3,                                  \
		(pm_nvml_handle gpu, unsigned *count, void *entries))                              \
	PM_NVML(mps2, nvmlDeviceGetMPSComputeRunningProcesses_v2,                                  \
		(pm_nvml_handle gpu, unsigned *count, void *entries))                              \
	PM_NVML(mps1, nvmlDeviceGetMPSComputeRunningProcesses,                                     \
		(pm_nvml_handle gpu, unsigned *count, void *entries))                              \
	PM_NVML(samples, nvmlDeviceGetProcessUtilization,                                          \
		(pm_nvml_handle gpu, struct pm_nvml_sample * sample, unsigned *count,              \
		 unsigned long long since_us))                                                     \
	PM_NVML(mig_mode, nvmlDeviceGetMigMode,                                                    \
		(pm_nvml_handle gpu, unsigned *current, unsigned *pending))                        \
	PM_NVML(mig_max, nvmlDeviceGetMaxMigDeviceCount, (pm_nvml_handle gpu, unsigned *count))    \
	PM_NVML(mig_slice, nvmlDeviceGetMigDeviceHandleByIndex,                                    \
		(pm_nvml_handle gpu, unsigned i, pm_nvml_handle *slice))

struct pm_nvml {
	void *library; /* of dlopen(3) */
#define PM_NVML(member, symbol, parameters) int(*member) parameters;
	PM_NVML_FUNCTIONS(PM_NVML)
#undef PM_NVML
};

/* Call a function that the library may lack. */
#define PM_NVML_CALL(nvml, function, ...)                                                          \
	((nvml)->function ? (nvml)->function(__VA_ARGS__) : PM_NVML_FUNCTION_NOT_FOUND)

/*
 * Open the library at path, or where the driver installs it for path "", and initialise it, which
 * may take seconds and loads the driver where it is not. Returns 0, or -1 with *reason and e set,
 * which says what to do, and nothing held.
 */
int pm_nvml_open(struct pm_nvml *nvml, const char *path, enum pm_reason *reason, struct pm_err *e);

/*
 * Shut the library down and initialise it again, for all who have opened it in this process:
 * without that it would not see a GPU again that was lost. Handles are void afterwards, and every
 * call fails with PM_NVML_UNINITIALIZED where the driver has gone.
 */
void pm_nvml_restart(struct pm_nvml *nvml);

/* How often this process has restarted the library: handles from before are void. */
uint64_t pm_nvml_generation(void);

/* Shut the library down, if nobody else in this process uses it, and close it. */
void pm_nvml_close(struct pm_nvml *nvml);

/*
 * Read the memory of a GPU or slice by version 2 of the library's function. Where that is missing,
 * by the first one, which counts what the driver reserves as used, and *reserved_known is false.
 * Returns 0 or a code.
 */
int pm_nvml_memory(const struct pm_nvml *nvml, pm_nvml_handle gpu, struct pm_nvml_memory2 *memory,
		   bool *reserved_known);

/*
 * The value of a field, which has one of several types, as the library says. Returns 0, or the
 * field's code, PM_NVML_NOT_SUPPORTED for a value that is no whole number or below 0.
 */
int pm_nvml_field_value(const struct pm_nvml_field *field, unsigned long long *value);

/* The reason that a return code other than 0 amounts to. */
enum pm_reason pm_nvml_reason(int rc);

/* What a return code means, and what to do about it, in words. */
const char *pm_nvml_text(int rc);

#endif
