/* The next definition of an interposed function, found without dlsym. */
#ifndef PM_REAL_H
#define PM_REAL_H

#include <stdbool.h>

/*
 * 1 inside glibc, 0 elsewhere (musl): there the collector stays off and only forwards.
 */
bool pm_real_glibc(void);

/*
 * Find `name` in the objects loaded after this library, in the order in which RTLD_NEXT looks.
 * Takes no lock and allocates nothing: safe in signal handlers, after fork and in vfork children.
 * Returns its address, or NULL.
 */
void *pm_real_find(const char *name);

/* libc's own definition, whoever else interposes it. As pm_real_find. */
void *pm_real_libc(const char *name);

/*
 * The next definition, where it is not libc's: that of another library that interposes the
 * function, and is to be called as it would be without this one. Else NULL; outside of glibc, what
 * there is. As pm_real_find.
 */
void *pm_real_other(const char *name);

/*
 * Find a function of the kernel's vDSO, which nobody can interpose. Returns its address, or NULL
 * where there is no vDSO, as under valgrind. As pm_real_find.
 */
void *pm_real_vdso(const char *name);

/* Whether any object of the program defines a function, itself and those that it opened by dlopen
 * included. As pm_real_find. */
bool pm_real_defined(const char *name);

/* The path that ld.so found this library at, or NULL. As pm_real_find. */
const char *pm_real_self(void);

/* For a function that the libc does not have: sets errno to ENOSYS, returns -1. */
int pm_real_missing(void);

/* A pointer variable that holds a real function once it was looked up. Two threads may both look
 * it up: they store the same value. */
#define PM_REAL(name)      PM_REAL_BY(pm_real_find, name)
#define PM_REAL_LIBC(name) PM_REAL_BY(pm_real_libc, name)

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

/* As PM_REAL, of pm_real_other: the answer "nobody" is kept, too. */
#define PM_REAL_OTHER(name)                                                                        \
	({                                                                                         \
		static void *other_##name;                                                         \
		void *o_ = __atomic_load_n(&other_##name, __ATOMIC_RELAXED);                       \
		if (!o_) {                                                                         \
			o_ = pm_real_other(#name);                                                 \
			if (!o_)                                                                   \
				o_ = &other_##name;                                                \
			__atomic_store_n(&other_##name, o_, __ATOMIC_RELAXED);                     \
		}                                                                                  \
		o_ == &other_##name ? NULL : (__typeof__(name) *)o_;                               \
	})

#endif
