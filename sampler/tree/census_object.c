/* Load census.bpf.c by libbpf, which adapts the programs to this kernel's struct layouts. */
#include "config.h"

#include "sampler/tree/census_loader.h"

#include "common/version.h"

#ifdef HAVE_BPF

#include "common/library.h"
#include "sampler/tree/census_program.h"

#include <bpf/libbpf.h>
#include <string.h>
#include <unistd.h>

#define TYPES "/sys/kernel/btf/vmlinux"

static struct {
	__typeof__(bpf_object__open_mem) *open;
	__typeof__(bpf_object__load) *load;
	__typeof__(bpf_object__find_program_by_name) *find_program;
	__typeof__(bpf_program__fd) *program_fd;
	__typeof__(bpf_object__find_map_fd_by_name) *map_fd;
	__typeof__(libbpf_set_print) *set_print;
	__typeof__(libbpf_version_string) *version;
} bpf;

static int open_library(struct pm_err *e)
{
	static const struct pm_library_function function[] = {
		{ "bpf_object__open_mem", &bpf.open },
		{ "bpf_object__load", &bpf.load },
		{ "bpf_object__find_program_by_name", &bpf.find_program },
		{ "bpf_program__fd", &bpf.program_fd },
		{ "bpf_object__find_map_fd_by_name", &bpf.map_fd },
		{ "libbpf_set_print", &bpf.set_print },
		{ "libbpf_version_string", &bpf.version },
	};
	static const char *const names[] = { "libbpf.so.1", NULL };
	char why[200];

	if (pm_library_open(names, function, sizeof function / sizeof function[0], why,
			    sizeof why) < 0)
		return pm_err(e, "%s", why);
	/* Silence libbpf: its functions' return values carry the errors. */
	bpf.set_print(NULL);
	return 0;
}

static int find_program(const struct bpf_object *object, const char *name)
{
	const struct bpf_program *program = bpf.find_program(object, name);

	return program ? bpf.program_fd(program) : -1;
}

int pm_census_load(int fd[PM_CENSUS_FDS], struct pm_err *e)
{
	struct bpf_object *object;
	int rc;

	if (access(TYPES, R_OK) < 0)
		return pm_err(e, "kernel type information (BTF), %s: %m", TYPES);
	if (open_library(e) < 0)
		return -1;
	object = bpf.open(census_program, sizeof census_program, NULL);
	if (!object)
		return pm_err(e, "libbpf cannot read the BPF program: %m");
	rc = bpf.load(object);
	if (rc < 0)
		return pm_err(e, "load the BPF program: %s", strerror(-rc));
	fd[PM_CENSUS_SURVEY] = find_program(object, "survey");
	fd[PM_CENSUS_PROGRAM] = find_program(object, "census");
	fd[PM_CENSUS_TASKS] = bpf.map_fd(object, "tasks");
	for (int i = 0; i < PM_CENSUS_FDS; i++)
		if (fd[i] < 0)
			return pm_err(e, "the BPF program is incomplete");
	return 0;
}

void pm_version_bpf(struct pm_version *v)
{
	struct pm_err e;

	if (open_library(&e) < 0)
		pm_version_fail(v, e.text);
	else
		/* Without the v before it. */
		pm_version_set(v, "%s", bpf.version() + (*bpf.version() == 'v'));
}

#else

int pm_census_load(int fd[PM_CENSUS_FDS], struct pm_err *e)
{
	(void)fd;
	return pm_err(e, "perfmon was built without BPF");
}

void pm_version_bpf(struct pm_version *v)
{
	(void)v;
}

#endif
