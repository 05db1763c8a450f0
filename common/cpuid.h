/* Processor identity, as perf(1) spells it. Parses text and does no I/O. Programs only. */
#ifndef PM_COMMON_CPUID_H
#define PM_COMMON_CPUID_H

/* Room for an identity. */
#define PM_CPUID_MAX 128

/*
 * Write the identity of the first processor in the text of a /proc/cpuinfo: vendor, family in
 * decimal, model and stepping in hexadecimal ("GenuineIntel-6-55-4"), for pm_formula_march().
 * Returns 0, or -1 where the text lacks these fields, as on architectures other than x86.
 */
int pm_cpuid(const char *cpuinfo, char id[PM_CPUID_MAX]);

#endif
