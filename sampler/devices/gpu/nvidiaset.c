/* The GPUs of NVIDIA's in this machine. */
#include "config.h"

#include "sampler/devices/gpu/nvidiaset.h"

#include "sampler/devices/gpu/suspended.h"

#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

/* Time between two looks. */
#define LOOK_US 60000000

/* Where the kernel lists the PCI devices of the driver, by address. */
#define DRIVER "sys/bus/pci/drivers/nvidia"

/* And all of them. */
#define DEVICES "sys/bus/pci/devices/"

/* --- suspended GPUs --------------------------------------------------------------------------- */

static bool is_address(const char *name)
{
	return strchr(name, ':') && name[strspn(name, "0123456789abcdef:.")] == '\0';
}

/* The addresses of the driver's devices; the caller frees them. */
struct addresses {
	char (*text)[32];
	size_t count, asleep;
};

static void list_addresses(const char *root, struct addresses *a)
{
	struct dirent *entry;
	char path[512], device[300];
	DIR *dir;

	memset(a, 0, sizeof *a);
	snprintf(path, sizeof path, "%s/" DRIVER, root);
	dir = opendir(path);
	while (dir && (entry = readdir(dir)) != NULL) {
		void *more;

		if (!is_address(entry->d_name) || strlen(entry->d_name) >= sizeof *a->text)
			continue;
		snprintf(device, sizeof device, DEVICES "%s", entry->d_name);
		if (pm_suspended_now(root, device)) {
			a->asleep++;
			continue;
		}
		more = realloc(a->text, (a->count + 1) * sizeof *a->text);
		if (!more)
			continue;
		a->text = more;
		snprintf(a->text[a->count++], sizeof *a->text, "%s", entry->d_name);
	}
	if (dir)
		closedir(dir);
}

/* Find out which GPUs are asleep. */
static void look_who_sleeps(struct pm_nvidiaset *s)
{
	for (size_t i = 0; i < s->count; i++)
		s->id[i].asleep = pm_suspended_read(&s->id[i].status);
}

/* --- identity --------------------------------------------------------------------------------- */

/* The address as /sys has it: the library has eight digits of the domain and capital letters. */
static void copy_address(char *to, size_t size, const char *from)
{
	while (from[0] == '0' && strcspn(from, ":") > 4)
		from++;
	snprintf(to, size, "%s", from);
	for (; *to; to++)
		*to = (char)tolower((unsigned char)*to);
}

/* Ask a handle who it is. Returns 0, or a code: without a UUID a GPU is none of ours. */
static int ask_identity(const struct pm_nvml *nvml, pm_nvml_handle handle, struct pm_nvidiaid *id)
{
	struct pm_nvml_pci pci = { .address = "" };
	int rc = PM_NVML_CALL(nvml, uuid, handle, id->uuid, sizeof id->uuid);

	id->handle = handle;
	id->uuid[sizeof id->uuid - 1] = '\0';
	if (rc != PM_NVML_SUCCESS || !id->uuid[0])
		return rc == PM_NVML_SUCCESS ? PM_NVML_NOT_FOUND : rc;
	rc = PM_NVML_CALL(nvml, name, handle, id->name, sizeof id->name);
	id->name[rc == PM_NVML_SUCCESS ? sizeof id->name - 1 : 0] = '\0';
	rc = PM_NVML_CALL(nvml, pci, handle, &pci);
	pci.address[rc == PM_NVML_SUCCESS ? sizeof pci.address - 1 : 0] = '\0';
	copy_address(id->address, sizeof id->address, pci.address);
	return PM_NVML_SUCCESS;
}

/* Note a GPU that was found, or the code with which it did not answer. */
static void note_found(struct pm_nvidiaset *s, int rc, pm_nvml_handle handle)
{
	struct pm_nvidiaid found = { .seen = true }, *id = s->id;
	char device[128];

	if (rc == PM_NVML_SUCCESS)
		rc = ask_identity(&s->nvml, handle, &found);
	if (rc != PM_NVML_SUCCESS) {
		s->nameless++;
		s->nameless_rc = rc;
		return;
	}
	while (id < s->id + s->count && strcmp(id->uuid, found.uuid) != 0)
		id++;
	if (id == s->id + PM_NVIDIASET_MAX)
		return;
	if (id == s->id + s->count) {
		snprintf(device, sizeof device, DEVICES "%s", found.address);
		if (found.address[0])
			pm_suspended_open(&found.status, s->root, device);
		s->count++;
		*id = found;
	}
	id->handle = handle;
	id->seen = true;
	id->lost = false;
}

/* --- the set ---------------------------------------------------------------------------------- */

/* Find the GPUs by number; where one sleeps, those that do not by address. */
static void find_all(struct pm_nvidiaset *s)
{
	struct addresses a;
	unsigned n = 0;
	const int count_rc = PM_NVML_CALL(&s->nvml, count, &n);
	int rc;

	list_addresses(s->root, &a);
	s->generation = pm_nvml_generation();
	s->nameless = 0;
	s->asleep = a.asleep;
	for (size_t i = 0; i < s->count; i++)
		s->id[i].seen = false;
	if (count_rc != PM_NVML_SUCCESS)
		n = 0;
	for (unsigned i = 0; !a.asleep && i < n && i < PM_NVIDIASET_MAX; i++) {
		pm_nvml_handle handle = NULL;

		rc = PM_NVML_CALL(&s->nvml, by_index, i, &handle);
		note_found(s, rc, handle);
	}
	for (size_t i = 0; a.asleep && i < a.count; i++) {
		pm_nvml_handle handle = NULL;

		rc = PM_NVML_CALL(&s->nvml, by_address, a.text[i], &handle);
		note_found(s, rc, handle);
	}
	free(a.text);
	for (size_t i = 0; i < s->count; i++) {
		struct pm_nvidiaid *id = &s->id[i];

		if (id->seen || id->asleep)
			continue;
		if (!id->lost)
			id->rc = s->nameless ? s->nameless_rc
				 : count_rc  ? count_rc
					     : PM_NVML_NOT_FOUND;
		id->lost = true;
		s->nameless -= s->nameless > 0;
	}
	for (size_t i = 0; i < s->count; i++)
		s->asleep -= s->id[i].asleep && s->asleep > 0;
}

int pm_nvidiaset_open(struct pm_nvidiaset *s, const char *root, const char *path,
		      struct pm_unavailable *why)
{
	memset(s, 0, sizeof *s);
	s->root = root;
	if (root[0] && !path[0]) {
		why->reason = PM_REASON_absent;
		return pm_err(&why->err, "a recorded root has no driver; nvml_library names a "
					 "library that stands for it");
	}
	if (pm_nvml_open(&s->nvml, path, &why->reason, &why->err) < 0)
		return -1;
	find_all(s);
	if (s->count || s->nameless || s->asleep)
		return 0;
	pm_nvidiaset_close(s);
	why->reason = PM_REASON_absent;
	return pm_err(&why->err, "the NVIDIA driver has no GPU here; in a container, /dev/nvidia* "
				 "has to be passed on");
}

bool pm_nvidiaset_look(struct pm_nvidiaset *s, int64_t now_us)
{
	const bool first = s->look_us == 0, restarted = s->generation != pm_nvml_generation();

	look_who_sleeps(s);
	if (now_us < s->look_us && !restarted)
		return false;
	s->look_us = now_us + LOOK_US;
	/* The first look was that of the opening. */
	if (first && !restarted)
		return true;
	if (pm_nvidiaset_lost(s) && !restarted)
		pm_nvml_restart(&s->nvml);
	find_all(s);
	return true;
}

bool pm_nvidiaset_answers(const struct pm_nvidiaid *id)
{
	return !id->lost && !id->asleep;
}

void pm_nvidiaset_note(struct pm_nvidiaid *id, int rc)
{
	if (rc != PM_NVML_GPU_IS_LOST && rc != PM_NVML_RESET_REQUIRED &&
	    rc != PM_NVML_UNINITIALIZED && rc != PM_NVML_DRIVER_NOT_LOADED)
		return;
	id->lost = true;
	id->rc = rc;
}

size_t pm_nvidiaset_lost(const struct pm_nvidiaset *s)
{
	size_t n = s->nameless;

	for (size_t i = 0; i < s->count; i++)
		n += s->id[i].lost;
	return n;
}

void pm_nvidiaset_close(struct pm_nvidiaset *s)
{
	for (size_t i = 0; i < s->count; i++)
		pm_procfile_close(&s->id[i].status);
	pm_nvml_close(&s->nvml);
	s->count = 0;
}

static void describe_gpu(const struct pm_nvidiaset *s, const struct pm_nvidiaid *id, FILE *out)
{
	struct pm_nvml_memory2 memory;
	char driver[PM_NVIDIASET_TEXT] = "";
	unsigned limit_mw;
	bool reserved_known;

	fprintf(out, "%s: %s%s%s", id->uuid, id->name, id->address[0] ? ", " : "", id->address);
	if (!pm_nvidiaset_answers(id)) {
		fprintf(out, ": %s\n",
			id->lost ? pm_nvml_text(id->rc) : "suspended, and not woken to be read");
		return;
	}
	if (pm_nvml_memory(&s->nvml, id->handle, &memory, &reserved_known) == PM_NVML_SUCCESS)
		fprintf(out, ", %llu MiB", memory.total >> 20);
	if (PM_NVML_CALL(&s->nvml, limit, id->handle, &limit_mw) == PM_NVML_SUCCESS)
		fprintf(out, ", power limit %u W", limit_mw / 1000);
	if (PM_NVML_CALL(&s->nvml, driver, driver, sizeof driver) == PM_NVML_SUCCESS)
		fprintf(out, ", driver %s", driver);
	fputc('\n', out);
}

void pm_nvidiaset_describe(const struct pm_nvidiaset *s, const struct pm_sink *sink, FILE *out)
{
	for (size_t i = 0; i < s->count; i++) {
		describe_gpu(s, &s->id[i], out);
		if (pm_nvidiaset_answers(&s->id[i]))
			pm_sink_describe(sink, s->id[i].uuid, out);
	}
	if (s->nameless)
		fprintf(out, "GPUs that do not tell who they are: %zu: %s\n", s->nameless,
			pm_nvml_text(s->nameless_rc));
	if (s->asleep)
		fprintf(out, "suspended GPUs, not woken to be read: %zu\n", s->asleep);
}
