/*
 * A Slurm of one task for the SPANK plugin: loads it and calls it as slurmstepd does.
 *
 *   spank_host PLUGIN init|task_init|task_exit [ARGUMENT...]
 *
 * The arguments are those of plugstack.conf. Prints "WHAT: RESULT" for slurm_spank_init and, unless
 * WHAT is init, for the function named, then the variables that were set or taken away.
 * The step, its user and option come from the environment: HOST_STEP, HOST_UID, HOST_GID,
 * HOST_GROUP (one) and HOST_OPTION.
 */
#include <slurm/spank.h>

#include <dlfcn.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

extern char **environ;

static struct spank_option *known;

static unsigned long number(const char *name)
{
	const char *text = getenv(name);

	return text ? strtoul(text, NULL, 0) : 0;
}

spank_err_t spank_get_item(spank_t sp, spank_item_t item, ...)
{
	static gid_t group[2];
	va_list ap;

	(void)sp;
	va_start(ap, item);
	switch (item) {
	case S_JOB_STEPID:
		*va_arg(ap, uint32_t *) = (uint32_t)number("HOST_STEP");
		break;
	case S_JOB_UID:
		*va_arg(ap, uid_t *) = (uid_t)number("HOST_UID");
		break;
	case S_JOB_GID:
		*va_arg(ap, gid_t *) = (gid_t)number("HOST_GID");
		break;
	case S_JOB_SUPPLEMENTARY_GIDS:
		group[0] = (gid_t)number("HOST_GID");
		group[1] = (gid_t)number("HOST_GROUP");
		*va_arg(ap, gid_t **) = group;
		*va_arg(ap, int *) = 2;
		break;
	case S_JOB_ENV:
		*va_arg(ap, char ***) = environ;
		break;
	default:
		va_end(ap);
		return ESPANK_BAD_ARG;
	}
	va_end(ap);
	return ESPANK_SUCCESS;
}

spank_err_t spank_getenv(spank_t sp, const char *name, char *text, int size)
{
	const char *value = getenv(name);

	(void)sp;
	if (!value)
		return ESPANK_ENV_NOEXIST;
	if (snprintf(text, (size_t)size, "%s", value) >= size)
		return ESPANK_NOSPACE;
	return ESPANK_SUCCESS;
}

spank_err_t spank_setenv(spank_t sp, const char *name, const char *value, int overwrite)
{
	(void)sp;
	printf("%s=%s\n", name, value);
	setenv(name, value, overwrite);
	return ESPANK_SUCCESS;
}

spank_err_t spank_unsetenv(spank_t sp, const char *name)
{
	(void)sp;
	printf("no %s\n", name);
	unsetenv(name);
	return ESPANK_SUCCESS;
}

spank_err_t spank_option_register(spank_t sp, struct spank_option *option)
{
	(void)sp;
	known = option;
	return ESPANK_SUCCESS;
}

void slurm_info(const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vfprintf(stderr, format, ap);
	va_end(ap);
	fputc('\n', stderr);
}

static int call(void *plugin, const char *what, int argc, char **argv)
{
	char name[64];
	spank_f *function;

	snprintf(name, sizeof name, "slurm_spank_%s", what);
	*(void **)&function = dlsym(plugin, name);
	if (!function) {
		fprintf(stderr, "no %s\n", name);
		return 1;
	}
	printf("%s: %d\n", what, function(NULL, argc, argv));
	return 0;
}

int main(int argc, char **argv)
{
	void *plugin = argc > 2 ? dlopen(argv[1], RTLD_NOW) : NULL;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (!plugin) {
		fprintf(stderr, "spank_host: %s\n", argc > 2 ? dlerror() : "usage");
		return 2;
	}
	if (call(plugin, "init", argc - 3, argv + 3) != 0)
		return 2;
	if (getenv("HOST_OPTION") && known)
		known->cb(known->val, getenv("HOST_OPTION"), 1);
	return strcmp(argv[2], "init") == 0 ? 0 : call(plugin, argv[2], argc - 3, argv + 3);
}
