/* Which processor this is, as perf(1) names it. Parses text and does no I/O. Programs only. */
#ifndef PM_CPUID_H
#define PM_CPUID_H

/* Room for an identity. */
#define PM_CPUID_MAX 128

/*
 * The processor that the text of a /proc/cpuinfo describes first: vendor, family in decimal, model
 * and stepping in hexadecimal ("GenuineIntel-6-55-4"), for pm_formula_march(). Returns 0, or -1
 * where the text does not say it: another architecture's does not.
 */
int pm_cpuid(const char *cpuinfo, char id[PM_CPUID_MAX]);

#endif
