/* The environment in job metadata: stored variables, and changes between start and stop. */
#include "config.h"

#include "wrapper/metadata/environment.h"

#include "common/safe/variables.h"
#include "common/secrets/redact.h"
#include "common/settings/readconfig.h"
#include "common/trusted.h"
#include "wrapper/metadata/jsonfile.h"
#include "wrapper/metadata/metadata.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Variables that explain a job's performance and are not private. A trailing '*' matches any rest.
 */
static const char *const allowed[] = {
	/* batch systems */
	"SLURM_*",
	"SLURMD_*",
	"PBS_*",
	"PBSCOREDIR",
	"NCPUS",
	"LSB_*",
	"LSF_*",
	"OAR_*",
	"COBALT_*",
	"FLUX_*",
	"LS_SUBCWD",
	"SGE_*",
	"JOB_ID",
	"JOB_NAME",
	"NSLOTS",
	"NHOSTS",
	"PE",
	"PE_HOSTFILE",
	"QUEUE",
	"RESTARTED",
	"MOAB_*",
	/* MPI and launchers */
	"OMPI_*",
	"PMI_*",
	"PMIX_*",
	"PMI2_*",
	"MPICH_*",
	"I_MPI_*",
	"HYDRA_*",
	"HYDI_*",
	"MV2_*",
	"MPI_*",
	"UCX_*",
	"FI_*",
	"PALS_*",
	"ALPS_*",
	"PRTE_*",
	"PRRTE_*",
	/* threads and numerical libraries */
	"OMP_*",
	"GOMP_*",
	"KMP_*",
	"MKL_*",
	"OPENBLAS_*",
	"GOTO_*",
	"BLIS_*",
	"NUMEXPR_*",
	"VECLIB_*",
	"TBB_*",
	"ACC_*",
	"MALLOC_*",
	"CUDA_VISIBLE_DEVICES",
	"ROCR_VISIBLE_DEVICES",
	"HIP_VISIBLE_DEVICES",
	"NVIDIA_VISIBLE_DEVICES",
	"GPU_DEVICE_ORDINAL",
	"NCCL_*",
	/* modules and software stacks */
	"LOADEDMODULES",
	"_LMFILES_",
	"MODULEPATH",
	"MODULESHOME",
	"LMOD_*",
	"SPACK_ENV",
	"CONDA_DEFAULT_ENV",
	"CONDA_PREFIX",
	"VIRTUAL_ENV",
	"EBROOT*",
	"EBVERSION*",
	/* where programs and libraries come from */
	"PATH",
	"LD_LIBRARY_PATH",
	PM_VARIABLE_PRELOAD,
	"LIBRARY_PATH",
	"PYTHONPATH",
	"R_LIBS*",
	"JULIA_*",
	/* locale, shell and place */
	"LANG",
	"LANGUAGE",
	"LC_*",
	"TZ",
	"SHELL",
	"HOSTNAME",
	"TMPDIR",
	"CONTAINER",
	"container",
	"APPTAINER_NAME",
	"SINGULARITY_NAME",
	/* perfmon and its aliases */
	PM_VARIABLE_PREFIX "*",
	"EPMT_*",
	"PAPIEX_*",
	NULL,
};

/* Variables whose changes say nothing: they differ between any two shells. */
static const char *const volatile_name[] = {
	"_", "SHLVL", PM_VARIABLE_PREFIX "*", PM_VARIABLE_PRELOAD, PM_VARIABLE_ASAN, NULL
};

static int is_listed(const char *const *list, const char *name)
{
	for (; *list; list++) {
		size_t n = strlen(*list);

		if ((*list)[n - 1] == '*' ? strncmp(name, *list, n - 1) == 0
					  : strcmp(name, *list) == 0)
			return 1;
	}
	return 0;
}

static int setting_is(const char *value)
{
	return strcmp(pm_config_get(PM_SET_environment), value) == 0;
}

/* Split an entry of environ. Returns its name, which the caller frees, or NULL for a malformed
 * entry. */
static char *split_entry(const char *entry, const char **value)
{
	const char *equals = strchr(entry, '=');

	if (!equals || equals == entry)
		return NULL;
	*value = equals + 1;
	return strndup(entry, (size_t)(equals - entry));
}

/* Set object[name] to the redacted value. Both may hold any bytes. */
static void add_variable(json_t *object, const char *name, const char *value)
{
	char *clean = pm_redact_variable(name, value);
	json_t *key = pm_metadata_string(name);

	if (clean && key)
		json_object_set_new(object, json_string_value(key), pm_metadata_string(clean));
	json_decref(key);
	free(clean);
}

json_t *pm_environment_collect(void)
{
	json_t *object;

	if (setting_is("none"))
		return NULL;
	object = json_object();
	for (char **p = environ; object && *p; p++) {
		const char *value;
		char *name = split_entry(*p, &value);

		if (name && (setting_is("all") || is_listed(allowed, name)))
			add_variable(object, name, value);
		free(name);
	}
	return object;
}

static void state_name(char *name, size_t size, const char *host)
{
	snprintf(name, size, ".environment-%s", host);
}

/* FNV-1a, 64 bits (http://www.isthe.com/chongo/tech/comp/fnv): shows a change without storing the
 * value. */
static uint64_t digest_value(const char *s)
{
	uint64_t h = 0xcbf29ce484222325u;

	for (; *s; s++)
		h = (h ^ (unsigned char)*s) * 0x100000001b3u;
	return h;
}

/* Make an object from NAME to the value's digest in hexadecimal, for all present variables. */
static json_t *digest_environment(void)
{
	json_t *object = json_object();

	for (char **p = environ; object && *p; p++) {
		char text[17];
		const char *value;
		char *name = split_entry(*p, &value);
		json_t *key = name ? pm_metadata_string(name) : NULL;

		if (key) {
			snprintf(text, sizeof text, "%016llx",
				 (unsigned long long)digest_value(value));
			json_object_set_new(object, json_string_value(key), json_string(text));
		}
		json_decref(key);
		free(name);
	}
	return object;
}

int pm_environment_remember(int dir, const char *host, struct pm_err *e)
{
	char name[NAME_MAX + 1];
	json_t *now;
	int fd, rc = 0;

	if (setting_is("none"))
		return 0;
	state_name(name, sizeof name, host);
	unlinkat(dir, name, 0);
	fd = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return pm_err(e, "create %s: %m", name);
	now = digest_environment();
	if (!now || pm_jsonfile_write(fd, now, JSON_COMPACT) < 0)
		rc = pm_err(e, "write %s: %m", name);
	json_decref(now);
	if (close(fd) < 0 && rc == 0)
		rc = pm_err(e, "write %s: %m", name);
	if (rc < 0)
		unlinkat(dir, name, 0);
	return rc;
}

static json_t *read_digests(int dir, const char *host)
{
	char name[NAME_MAX + 1];
	json_t *old;
	int fd;

	state_name(name, sizeof name, host);
	fd = pm_trusted_open(dir, name, O_RDONLY, 0, NULL);
	if (fd < 0)
		return NULL;
	old = pm_jsonfile_read(fd, NULL);
	close(fd);
	return old;
}

static int by_text(const void *a, const void *b)
{
	const json_t *const *x = a, *const *y = b;

	return strcmp(json_string_value(*x), json_string_value(*y));
}

/* Return the keys of an object as a sorted array. Steals the reference to the object. */
static json_t *sorted_keys(json_t *object)
{
	size_t n = 0, size = json_object_size(object);
	json_t **key = calloc(size ? size : 1, sizeof *key), *list = json_array(), *value;
	const char *name;

	json_object_foreach (object, name, value)
		if (key)
			key[n++] = json_string(name);
	if (n > 0)
		qsort(key, n, sizeof *key, by_text);
	for (size_t i = 0; i < n; i++)
		json_array_append_new(list, key[i]);
	free(key);
	json_decref(object);
	return list;
}

json_t *pm_environment_changes(int dir, const char *host, json_t **added, json_t **removed)
{
	json_t *old, *now, *changes, *value, *fresh, *gone;
	const char *name;

	*added = *removed = NULL;
	if (setting_is("none") || !(old = read_digests(dir, host)))
		return NULL;
	now = digest_environment();
	changes = json_object();
	fresh = json_object();
	gone = json_object();
	json_object_foreach (old, name, value)
		if (!is_listed(volatile_name, name) && !json_object_get(now, name)) {
			json_object_set_new(changes, name, json_null());
			json_object_set_new(gone, name, json_null());
		}
	for (char **p = environ; *p; p++) {
		const char *text;
		char *n = split_entry(*p, &text);
		json_t *key = n ? pm_metadata_string(n) : NULL;

		name = json_string_value(key);
		if (key && !is_listed(volatile_name, n) &&
		    !json_equal(json_object_get(old, name), json_object_get(now, name))) {
			add_variable(changes, n, text);
			if (!json_object_get(old, name))
				json_object_set_new(fresh, name, json_null());
		}
		json_decref(key);
		free(n);
	}
	json_decref(old);
	json_decref(now);
	*added = sorted_keys(fresh);
	*removed = sorted_keys(gone);
	return changes;
}

json_t *pm_environment_modules(void)
{
	const char *list = getenv("LOADEDMODULES");
	json_t *modules;

	if (!list || setting_is("none"))
		return NULL;
	modules = json_array();
	while (*list) {
		size_t n = strcspn(list, ":");
		char *name = strndup(list, n), *clean = name ? pm_redact_value(name) : NULL;

		if (clean && n > 0)
			json_array_append_new(modules, pm_metadata_string(clean));
		free(clean);
		free(name);
		list += n + (list[n] == ':');
	}
	return modules;
}

void pm_environment_forget(int dir, const char *host)
{
	char name[NAME_MAX + 1];

	state_name(name, sizeof name, host);
	unlinkat(dir, name, 0);
}
