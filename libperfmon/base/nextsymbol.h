/* The next definition of an interposed function, found without dlsym. */
#ifndef PM_LIBPERFMON_BASE_NEXTSYMBOL_H
#define PM_LIBPERFMON_BASE_NEXTSYMBOL_H

#include <stdbool.h>
#include <stddef.h>

/*
 * 1 inside glibc, 0 elsewhere (musl): there the collector stays off and only forwards.
 */
bool pm_nextsymbol_glibc(void);

/*
 * Find `name` in the objects loaded after this library, in the order in which RTLD_NEXT looks.
 * Takes no lock and allocates nothing: safe in signal handlers, after fork and in vfork children.
 * Returns its address, or NULL.
 */
void *pm_nextsymbol_find(const char *name);

/* Like pm_nextsymbol_find, but libc's own definition, even if other libraries interpose the
 * function. */
void *pm_nextsymbol_libc(const char *name);

/*
 * Like pm_nextsymbol_find, but only a definition in another library that interposes the function,
 * which must be called as it would be without the collector; NULL if the next definition is libc's.
 * Outside of glibc, any next definition.
 */
void *pm_nextsymbol_other(const char *name);

/*
 * Find a function of the kernel's vDSO, which no library can interpose. Returns its address, or
 * NULL if there is no vDSO, as under valgrind. As safe as pm_nextsymbol_find.
 */
void *pm_nextsymbol_vdso(const char *name);

/* Whether any object in the process defines a function: the program, its libraries, and objects
 * that it opened by dlopen. As safe as pm_nextsymbol_find. */
bool pm_nextsymbol_defined(const char *name);

/* Begin of a library's name, behind "lib". */
typedef char pm_nextsymbol_word[20];

/* Whether any object in the process has one of these names. As safe as pm_nextsymbol_find. */
bool pm_nextsymbol_loaded(const pm_nextsymbol_word *words, size_t count);

/* The path that ld.so found this library at, or NULL. As safe as pm_nextsymbol_find. */
const char *pm_nextsymbol_self(void);

/* For a function that libc does not have: sets errno to ENOSYS, returns -1. */
int pm_nextsymbol_missing(void);

/* A pointer variable that holds a real function once it was looked up. If two threads look it up at
 * once, both store one and the same value. */
#define PM_REAL(name)      PM_REAL_BY(pm_nextsymbol_find, name)
#define PM_REAL_LIBC(name) PM_REAL_BY(pm_nextsymbol_libc, name)

#define PM_REAL_BY(how, name)                                                                      \
	({                                                                                         \
		static __typeof__(name) *real_##name;                                              \
		__typeof__(name) *f_ = __atomic_load_n(&real_##name, __ATOMIC_RELAXED);            \
		if (!f_) {                                                                         \
			f_ = (__typeof__(name) *)how(#name);                                       \
			__atomic_store_n(&real_##name, f_, __ATOMIC_RELAXED);                      \
		}                                                                                  \
		f_;                                                                                \
	})

/* Like PM_REAL, but by pm_nextsymbol_other, and remembers a NULL result as well. */
#define PM_REAL_OTHER(name)                                                                        \
	({                                                                                         \
		static void *other_##name;                                                         \
		void *o_ = __atomic_load_n(&other_##name, __ATOMIC_RELAXED);                       \
		if (!o_) {                                                                         \
			o_ = pm_nextsymbol_other(#name);                                           \
			if (!o_)                                                                   \
				o_ = &other_##name;                                                \
			__atomic_store_n(&other_##name, o_, __ATOMIC_RELAXED);                     \
		}                                                                                  \
		o_ == &other_##name ? NULL : (__typeof__(name) *)o_;                               \
	})

#endif
