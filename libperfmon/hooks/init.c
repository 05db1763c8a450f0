/* The constructor: decide whether this image is recorded, and write its start record. */
#include "config.h"

#include "libperfmon/hooks/init.h"

#include "common/safe/rusage.h"
#include "libperfmon/base/nextsymbol.h"
#include "libperfmon/base/settings.h"
#include "libperfmon/base/state.h"
#include "libperfmon/base/valgrind.h"
#include "libperfmon/count/counters.h"
#include "libperfmon/hooks/exit.h"
#include "libperfmon/record/clients.h"
#include "libperfmon/record/identity.h"
#include "libperfmon/record/threadbuffer.h"

#include <sys/resource.h>
#include <time.h>

/* The stack as the kernel laid it out: the number of arguments, the arguments, the environment. */
extern void *__libc_stack_end __attribute__((weak));

static bool begun;

/* Begin and end of this library's variables, defined by the linker. */
extern char _DYNAMIC[] __attribute__((visibility("hidden")));
extern char _end[] __attribute__((visibility("hidden")));

static void begin_recording(int argc, char **argv, char **envp)
{
	struct pm_settings settings;
	struct rusage before, after;

	begun = true;
	pm_valgrind_ignore(_DYNAMIC, (size_t)(_end - _DYNAMIC));
	pm_moment_now(&pm.image);
	pm_sys2(SYS_getrusage, RUSAGE_SELF, &before);
	pm_settings_read(&settings, envp);
	if (settings.auxv_secure || pm_identity_gather(&settings, argc, argv) < 0 ||
	    pm_identity_read() < 0 || (!pm.excluded && pm_exit_register() < 0))
		return;
	pm.threads_seen = 1;
	if (pm.gpus)
		pm_clients_begin();
	pm_threadbuffer_write_start(&before);
	pm_sys2(SYS_getrusage, RUSAGE_SELF, &after);
	pm.own_ns = (uint64_t)(pm_clock_ns(CLOCK_MONOTONIC) - pm.image.mono_ns);
	pm.own_cpu_ns = (uint64_t)(pm_rusage_cpu_ns(&after) - pm_rusage_cpu_ns(&before));
	pm_own_outblock(after.ru_oublock - before.ru_oublock);
	pm.own_minflt = (uint64_t)(after.ru_minflt - before.ru_minflt);
	pm.on = true;
	if (!pm.excluded)
		pm_counters_begin(&settings);
}

/*
 * glibc passes the arguments of main to constructors; other libcs do not, and there the collector
 * stays off without a look at them.
 */
__attribute__((constructor)) static void init(int argc, char **argv, char **envp)
{
	if (!begun && pm_nextsymbol_glibc())
		begin_recording(argc, argv, envp);
}

void pm_init_early(void)
{
	long *stack = &__libc_stack_end ? __libc_stack_end : NULL;

	if (!begun && stack && pm_nextsymbol_glibc())
		begin_recording((int)stack[0], (char **)(stack + 1),
				(char **)(stack + 2) + stack[0]);
}
