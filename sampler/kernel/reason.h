/* Why a sampled value is unknown. */
#ifndef PM_SAMPLER_KERNEL_REASON_H
#define PM_SAMPLER_KERNEL_REASON_H

/* Why a value is unknown. X(name, what it means) */
#define PM_REASONS(X)                                                                              \
	X(absent, "there is no such thing on this host, or it is gone")                            \
	X(permission, "the kernel does not let this user read it")                                 \
	X(unsupported, "it is there but cannot be read here")                                      \
	X(wrapped, "the counter wrapped and by how much cannot be told")                           \
	X(multiplexed, "the counter did not run long enough to be scaled")                         \
	X(parse, "what was read is not what the kernel documents")                                 \
	X(late, "the source did not answer in time")                                               \
	X(budget, "reading it now would have cost more than is allowed")                           \
	X(failed, "the source failed, and is started again later")

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
