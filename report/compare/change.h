/* Changes of figures, for people. */
#ifndef PM_REPORT_COMPARE_CHANGE_H
#define PM_REPORT_COMPARE_CHANGE_H

/* Write a change as a part of what was before, 0.1 for a tenth more, as "+10 %", "-0.4 %", "x 3.2";
 * infinite: "new"; NaN: "". text has PM_FORMAT_MAX bytes. Returns text. */
const char *pm_change_format(char *text, double change);

#endif
