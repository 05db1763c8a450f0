/*
 * Valgrind's client requests: instructions that do nothing, and that valgrind recognises. Written
 * down here, because its headers may be missing where perfmon is built; the numbers are part of its
 * interface and do not change.
 */
#ifndef PM_LIBPERFMON_BASE_VALGRIND_H
#define PM_LIBPERFMON_BASE_VALGRIND_H

#include <stddef.h>

/* VALGRIND_HG_DISABLE_CHECKING of helgrind.h and DRD_IGNORE_VAR of drd.h. */
#define PM_VALGRIND_HELGRIND_UNTRACK 0x48470127ul
#define PM_VALGRIND_DRD_SUPPRESS     0x44520002ul

/* ANNOTATE_HAPPENS_BEFORE and ANNOTATE_HAPPENS_AFTER of helgrind.h and drd.h. */
#define PM_VALGRIND_BEFORE 0x48470121ul
#define PM_VALGRIND_AFTER  0x48470122ul

/* VALGRIND_STACK_REGISTER: no warning when a thread switches to the stack. */
#define PM_VALGRIND_STACK 0x1501ul

static inline void pm_valgrind_request(unsigned long request, const void *p, size_t n)
{
	volatile unsigned long argument[6] = { request, (unsigned long)p, n, 0, 0, 0 };
#if defined __x86_64__
	unsigned long result = 0;

	__asm__ volatile("rolq $3, %%rdi\n\trolq $13, %%rdi\n\t"
			 "rolq $61, %%rdi\n\trolq $51, %%rdi\n\t"
			 "xchgq %%rbx, %%rbx"
			 : "+d"(result)
			 : "a"(argument)
			 : "cc", "memory");
#elif defined __aarch64__
	register volatile unsigned long *x4 __asm__("x4") = argument;
	register unsigned long x3 __asm__("x3") = 0;

	__asm__ volatile("ror x12, x12, #3\n\tror x12, x12, #13\n\t"
			 "ror x12, x12, #51\n\tror x12, x12, #61\n\t"
			 "orr x10, x10, x10"
			 : "+r"(x3)
			 : "r"(x4)
			 : "cc", "memory");
#else
	(void)argument;
#endif
}

/*
 * Keep helgrind and DRD from looking at n bytes of ours: they know locks, not atomic variables, and
 * would report each of them as a race of the program's.
 */
static inline void pm_valgrind_ignore(const void *p, size_t n)
{
	pm_valgrind_request(PM_VALGRIND_HELGRIND_UNTRACK, p, n);
	pm_valgrind_request(PM_VALGRIND_DRD_SUPPRESS, p, n);
}

/* Register memory as a stack. */
static inline void pm_valgrind_stack(const char *low, size_t size)
{
	pm_valgrind_request(PM_VALGRIND_STACK, low, (size_t)(low + size - 1));
}

/* Tell helgrind and DRD that the lock at p was taken; that it is about to be released. */
static inline void pm_valgrind_locked(const void *p)
{
	pm_valgrind_request(PM_VALGRIND_AFTER, p, 0);
}

static inline void pm_valgrind_unlocks(const void *p)
{
	pm_valgrind_request(PM_VALGRIND_BEFORE, p, 0);
}

#endif
