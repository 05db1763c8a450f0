/* Values as JSON; what is unknown is null. */
#ifndef PM_REPORT_PRINT_JSONVALUE_H
#define PM_REPORT_PRINT_JSONVALUE_H

#include <jansson.h>
#include <stdint.h>

/* An integer; null for PM_UNKNOWN. NULL if out of memory. */
json_t *pm_json_int(int64_t v);

/* A number; null for what is not finite. NULL if out of memory. */
json_t *pm_json_real(double v);

/* A text, made safe as by pm_values_safe(); null for "". NULL if out of memory. */
json_t *pm_json_text(const char *s);

#endif
