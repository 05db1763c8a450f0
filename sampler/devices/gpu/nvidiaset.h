/*
 * The GPUs of NVIDIA's in this machine: found at first and looked for again each minute, each known
 * by its UUID. One that is lost stays in the set, and is found again after a reset.
 */
#ifndef PM_SAMPLER_DEVICES_GPU_NVIDIASET_H
#define PM_SAMPLER_DEVICES_GPU_NVIDIASET_H

#include "sampler/devices/gpu/nvml.h"
#include "sampler/kernel/procfile.h"
#include "sampler/source.h"

#include <stdio.h>

/* GPUs that are known, at most. */
#define PM_NVIDIASET_MAX 64

/* Length of the library's texts, with the NUL. */
#define PM_NVIDIASET_TEXT 96

/* Who a GPU is, and whether it may be asked. */
struct pm_nvidiaid {
	pm_nvml_handle handle;
	char uuid[PM_NVIDIASET_TEXT];
	char name[PM_NVIDIASET_TEXT];
	char address[32];          /* on the PCI bus, as /sys names it: "0000:65:00.0" */
	bool seen;                 /* by the latest look */
	bool lost;                 /* does not answer: not asked before the next look */
	bool asleep;               /* suspended by the kernel, and not to be woken */
	int rc;                    /* while lost: the code that says so */
	struct pm_procfile status; /* runtime_status; path NULL: it is never suspended */
};

struct pm_nvidiaset {
	struct pm_nvml nvml;
	const char *root; /* prefix of /sys */
	struct pm_nvidiaid id[PM_NVIDIASET_MAX];
	size_t count;    /* never falls: the place of a GPU stays the same */
	size_t nameless; /* GPUs that were lost before they told who they are */
	int nameless_rc; /* code of the latest of these */
	size_t asleep;   /* GPUs that were asleep before they told */
	int64_t look_us; /* when to look again, on the monotonic clock; 0: at the first sample */
	uint64_t generation; /* of the library (nvml.h), when we looked last */
};

/*
 * Open the driver's library at path (nvml.h) and find all GPUs that are not suspended: those that
 * are would wake. Returns 0, or -1 with *why filled and nothing held.
 */
int pm_nvidiaset_open(struct pm_nvidiaset *s, const char *root, const char *path,
		      struct pm_unavailable *why);

/*
 * Each minute look for all GPUs again; where one is lost, the library is restarted, without which
 * it would not see the GPU after a reset. And at every call find out which GPUs are asleep: one
 * read of a file of /sys for each GPU that can be. now_us: monotonic clock. Returns whether it
 * looked: handles are others then, and there may be more GPUs.
 */
bool pm_nvidiaset_look(struct pm_nvidiaset *s, int64_t now_us);

/* Whether a GPU may be asked. */
bool pm_nvidiaset_answers(const struct pm_nvidiaid *id);

/* Note the code of an answer: a GPU that is lost is not asked again before it is found again. */
void pm_nvidiaset_note(struct pm_nvidiaid *id, int rc);

/* Number of GPUs that are lost. */
size_t pm_nvidiaset_lost(const struct pm_nvidiaset *s);

/* Close the library and release what is held. */
void pm_nvidiaset_close(struct pm_nvidiaset *s);

/*
 * Write to out, for a source with this sink: a line for each GPU with UUID, name, address, memory,
 * power limit and driver, and its metrics without a value; or why it does not answer and what to
 * do; and a line about those that did not tell who they are.
 */
void pm_nvidiaset_describe(const struct pm_nvidiaset *s, const struct pm_sink *sink, FILE *out);

#endif
