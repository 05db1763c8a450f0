/* Pressure stall information, of the node and of control groups. */
#ifndef PM_SAMPLER_SOURCES_PRESSURE_H
#define PM_SAMPLER_SOURCES_PRESSURE_H

#include "sampler/source.h"

/* Values of a pressure file, in the order of their series. */
enum {
	PM_PRESSURE_SOME, /* us */
	PM_PRESSURE_FULL,
	PM_PRESSURE_SOME_AVG10, /* hundredths of a percent */
	PM_PRESSURE_SOME_AVG60,
	PM_PRESSURE_SOME_AVG300,
	PM_PRESSURE_FULL_AVG10,
	PM_PRESSURE_FULL_AVG60,
	PM_PRESSURE_FULL_AVG300,
	PM_PRESSURE_VALUES
};

/*
 * Put the values of a text (Documentation/accounting/psi.rst of Linux) into the series
 * series[PM_PRESSURE_SOME] and so on. The values of a missing line are unsupported: older kernels
 * have no "full" for cpu, and irq has no "some".
 */
void pm_pressure_put(const char *text, size_t n, struct pm_sink *sink,
		     const int series[PM_PRESSURE_VALUES]);

#endif
