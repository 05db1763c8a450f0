/* Open PAPI's library. */
#include "config.h"

#include "libperfmon/count/papi_library.h"

#include "common/safe/buf.h"
#include "common/safe/papi.h"
#include "common/safe/uncounted.h"
#include "libperfmon/base/nextsymbol.h"
#include "libperfmon/base/sys.h"
#include "libperfmon/count/papi_copy.h"

#include <dlfcn.h>
#include <string.h>

/* The names of the library's functions, in the order of struct pm_papi_library. */
static const char names[] = "PAPI_num_components\0"
			    "PAPI_get_component_info\0"
			    "PAPI_disable_component\0"
			    "PAPI_library_init\0"
			    "PAPI_thread_init\0"
			    "PAPI_event_name_to_code\0"
			    "PAPI_create_eventset\0"
			    "PAPI_add_event\0"
			    "PAPI_start\0"
			    "PAPI_read\0"
			    "PAPI_stop\0"
			    "PAPI_cleanup_eventset\0"
			    "PAPI_destroy_eventset\0"
			    "PAPI_unregister_thread\0";

static unsigned long own_id(void)
{
	return (unsigned long)pm_sys0(SYS_gettid);
}

/*
 * Open a copy of the library: the program may open the library itself, later on, and must not find
 * it initialised. Libraries that it needs and looks for in its own directory are found while the
 * original is open.
 */
static void *open_copy(__typeof__(dlopen) *open, const char *path)
{
	__typeof__(dlclose) *close = (__typeof__(dlclose) *)pm_nextsymbol_find("dlclose");
	char text[sizeof "/proc//self/fd/" + PM_BUF_NUMBER_MAX];
	void *library, *original;
	int fd = pm_papi_copy(path);
	struct pm_buf b;

	if (fd < 0)
		return NULL;
	pm_buf_init(&b, text, sizeof text - 1);
	/* A spelling that nothing else uses, since ld.so also compares the names of libraries. */
	pm_buf_str(&b, "/proc//self/fd/");
	pm_buf_u64(&b, (uint64_t)fd);
	text[b.len] = '\0';
	library = open(text, RTLD_NOW | RTLD_LOCAL);
	if (!library && close && (original = open(path, RTLD_NOW | RTLD_LOCAL))) {
		library = open(text, RTLD_NOW | RTLD_LOCAL);
		close(original);
	}
	pm_sys1(SYS_close, fd);
	return library;
}

/*
 * Find dlopen. Before glibc 2.34 it is in libdl, which few programs load: libc's internal loader
 * function brings it in.
 */
static __typeof__(dlopen) *find_open(void)
{
	const int by_libc = (int)0x80000000; /* __RTLD_DLOPEN */
	__typeof__(dlopen) *load, *open = (__typeof__(dlopen) *)pm_nextsymbol_find("dlopen");

	if (open)
		return open;
	load = (__typeof__(dlopen) *)pm_nextsymbol_find("__libc_dlopen_mode");
	if (!load || !load("libdl.so.2", RTLD_NOW | by_libc))
		return NULL;
	return (__typeof__(dlopen) *)pm_nextsymbol_find("dlopen");
}

/* Find PAPI's functions. Returns a reason or NULL. */
static const char *load_functions(struct pm_papi_library *l, const char *path)
{
	__typeof__(dlopen) *open = find_open();
	__typeof__(dlsym) *find = (__typeof__(dlsym) *)pm_nextsymbol_find("dlsym");
	__typeof__(dlerror) *forget = (__typeof__(dlerror) *)pm_nextsymbol_find("dlerror");
	void **slot = (void **)(void *)l, *library;

	if (!open || !find || !forget)
		return PM_UNCOUNTED_TEXT(dlopen);
	library = open_copy(open, path);
	for (const char *p = names; library && *p; p += strlen(p) + 1) {
		*slot = find(library, p);
		if (!*slot++)
			library = NULL;
	}
	if (library)
		return NULL;
	/* Clear our error, which the program must not read: no call of the program has failed. */
	forget();
	return PM_UNCOUNTED_TEXT(dlopen);
}

const char *pm_papi_library_open(struct pm_papi_library *l, const char *path, int version,
				 bool (*needed)(const char *component))
{
	const char *reason = load_functions(l, path);
	int rc;

	if (reason)
		return reason;
	for (int i = 0; i < l->num_components(); i++) {
		const char *component = l->component(i);

		if (component && !needed(component))
			l->disable(i);
	}
	rc = l->init(version);
	if (rc != version)
		return rc < 0 ? pm_papi_error(rc) : PM_UNCOUNTED_TEXT(version);
	rc = l->thread_init(own_id);
	return rc == PM_PAPI_OK ? NULL : pm_papi_error(rc);
}
