/* Formats of drawings by their names. */
#ifndef PM_REPORT_PLOT_PLOTFORMAT_H
#define PM_REPORT_PLOT_PLOTFORMAT_H

#include "report/draw/canvas.h"

/* The format that a name ends in, such as .svg; -1 where that is none. */
int pm_plotformat_path(const char *path);

/* The format of a name such as "svg"; -1 where there is none. */
int pm_plotformat_named(const char *name);

/* The name of a format, such as "svg". */
const char *pm_plotformat_suffix(enum pm_canvas_format format);

#endif
