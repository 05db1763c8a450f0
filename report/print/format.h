/* Format numbers for people: durations, sizes, shares, counts, times, with their units. */
#ifndef PM_REPORT_PRINT_FORMAT_H
#define PM_REPORT_PRINT_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An unknown value. Quantities are never negative, so it cannot be mistaken for one. */
#define PM_UNKNOWN INT64_MIN

/* Room that suffices for every function below. */
#define PM_FORMAT_MAX 72

/* Bytes of one kB as the kernel counts memory (VmHWM, MemTotal). */
#define PM_KERNEL_KB 1024

/* Bytes of one block as getrusage(2) counts input and output. */
#define PM_BLOCK 512

/*
 * Each pm_format function that takes `text` writes NUL-terminated ASCII text into it, needs room
 * for PM_FORMAT_MAX bytes and returns it. PM_UNKNOWN, or a share of NaN, gives "unknown".
 */

/* A duration in microseconds with three significant digits: 850 us, 12.3 ms, 4.56 s,
 * 2 min 05 s, 3 h 07 min, 5 d 02 h. */
const char *pm_format_duration(char *text, int64_t us);

/* Bytes in decimal units, 1 MB = 1 000 000 bytes: 999 B, 1.23 kB, 45.6 MB, 789 GB. */
const char *pm_format_bytes(char *text, int64_t bytes);

/* Energy in microjoules with three significant digits: 12.3 mJ, 456 J, 7.89 kJ, 1.23 MJ. */
const char *pm_format_energy(char *text, int64_t uj);

/* Energy in microjoules, exactly: 1234567.890123 J. */
const char *pm_format_joules(char *text, int64_t uj);

/* Power in microwatts with three significant digits: 850 mW, 12.3 W, 4.56 kW. */
const char *pm_format_power(char *text, int64_t uw);

/* A count in groups of three: 12 345 678. */
const char *pm_format_count(char *text, int64_t n);

/* A count with the word for what is counted: "1 thread", "12 threads"; an "s" makes the plural. */
const char *pm_format_things(char *text, int64_t n, const char *thing);

/* A share (1 is all) as a percentage: 0 %, <0.1 %, 4.5 %, 91 %, 120 %. From 0.995 to below 1 the
 * text is ">99 %", because 100 % means all. */
const char *pm_format_share(char *text, double share);

/* A number, with about two significant digits if it is small: 0.25, 1.7, 12. */
const char *pm_format_number(char *text, double v);

/* A point in time (us since 1970) in local time with its zone: 2026-11-21 02:13:04 UTC. */
const char *pm_format_time(char *text, int64_t us);

/* Two points in time: 2026-11-21 02:13:04 to 02:14:37 UTC. */
const char *pm_format_span(char *text, int64_t from_us, int64_t to_us);

/* A point in time in short, without seconds and zone, for tables: 2026-11-21 02:13. */
const char *pm_format_minute(char *text, int64_t us);

/* Name of a signal ("SIGKILL"), or "signal 99" for one without a name. */
const char *pm_format_signal(char *text, int64_t number);

/* part/whole, or NaN where either is unknown or whole is 0. */
double pm_format_ratio(int64_t part, int64_t whole);

/* a + b where both are known, the known one where only one is, else PM_UNKNOWN. */
int64_t pm_format_add(int64_t a, int64_t b);

/* time - start in microseconds, clamped to the range of the type: times in a damaged database may
 * have any value. */
int64_t pm_format_since(int64_t time_us, int64_t start_us);

/* v * factor, or PM_UNKNOWN where v is unknown or the product does not fit. */
int64_t pm_format_scale(int64_t v, int64_t factor);

#endif
