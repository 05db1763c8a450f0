/* Why a sampled value is unknown. */
#ifndef PM_SAMPLER_KERNEL_REASON_H
#define PM_SAMPLER_KERNEL_REASON_H

/* Why a value is unknown. X(name, what it means) */
#define PM_REASONS(X)                                                                              \
	X(absent, "not present on this host, or removed")                                          \
	X(permission, "this user may not read it")                                                 \
	X(unsupported, "present, but not readable on this host")                                   \
	X(wrapped, "the counter wrapped around by an unknown amount")                              \
	X(multiplexed, "the counter did not run long enough to be scaled")                         \
	X(parse, "the content does not match the kernel's documented format")                      \
	X(late, "the source did not answer in time")                                               \
	X(budget, "skipped, because reading would have exceeded the CPU limit")                    \
	X(failed, "the source failed and will be restarted later")

enum pm_reason {
#define PM_REASON(name, text) PM_REASON_##name,
	PM_REASONS(PM_REASON)
#undef PM_REASON
		PM_REASON_COUNT
};

/* A reason's name as it stands in the series file. */
const char *pm_reason_name(enum pm_reason reason);

/* The reason that an errno of open(2) or read(2) amounts to. */
enum pm_reason pm_reason_errno(int error);

#endif
