/*
 * System calls without libc: they never touch errno, are no cancellation points, and cannot be
 * interposed. Each returns the kernel's answer: a value, or a negative error number.
 */
#ifndef PM_LIBPERFMON_BASE_SYS_H
#define PM_LIBPERFMON_BASE_SYS_H

#include <sys/syscall.h>

#if defined __x86_64__ && !defined __ILP32__

static inline long pm_syscall6(long nr, long a, long b, long c, long d, long e, long f)
{
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	long ret;

	__asm__ volatile("syscall"
			 : "=a"(ret)
			 : "a"(nr), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return ret;
}

#elif defined __aarch64__

static inline long pm_syscall6(long nr, long a, long b, long c, long d, long e, long f)
{
	register long x8 __asm__("x8") = nr;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;
	register long x4 __asm__("x4") = e;
	register long x5 __asm__("x5") = f;

	__asm__ volatile("svc 0"
			 : "+r"(x0)
			 : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
			 : "memory");
	return x0;
}

#else
#error "libperfmon: add the system call sequence of this architecture to sys.h"
#endif

#define pm_syscall(nr, a, b, c, d, e) pm_syscall6(nr, a, b, c, d, e, 0)
#define pm_sys0(nr)             pm_syscall(nr, 0, 0, 0, 0, 0)
#define pm_sys1(nr, a)          pm_syscall(nr, (long)(a), 0, 0, 0, 0)
#define pm_sys2(nr, a, b)       pm_syscall(nr, (long)(a), (long)(b), 0, 0, 0)
#define pm_sys3(nr, a, b, c)    pm_syscall(nr, (long)(a), (long)(b), (long)(c), 0, 0)
#define pm_sys4(nr, a, b, c, d) pm_syscall(nr, (long)(a), (long)(b), (long)(c), (long)(d), 0)
#define pm_sys5(nr, a, b, c, d, e)                                                                 \
	pm_syscall(nr, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e))

#endif
