/* The frame of every page for a browser: head, policy, style, and script where there is one. */
#ifndef PM_REPORT_WEB_WEBDOCUMENT_H
#define PM_REPORT_WEB_WEBDOCUMENT_H

#include <stdbool.h>
#include <stdio.h>

/*
 * Write a document up to <body>. The title is safe text in UTF-8. Nothing but the page's own style
 * and, if `scripted`, the script of report/web/page may run or load: names in it come from users.
 * Failures of writing are left to the caller, who finds them by ferror(3).
 */
void pm_webdocument_begin(FILE *out, const char *title, bool scripted);

/* Write the end of the document, after the script if `scripted`. */
void pm_webdocument_end(FILE *out, bool scripted);

#endif
