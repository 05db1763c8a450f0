/* The source to copy (template.c); not in the table of sources. */
#ifndef PM_SAMPLER_SOURCES_TEMPLATE_H
#define PM_SAMPLER_SOURCES_TEMPLATE_H

#include "sampler/source.h"

extern const struct pm_source pm_source_template;

#endif
