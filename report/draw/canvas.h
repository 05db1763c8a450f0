/*
 * Pages of vectors and texts, written as PDF, SVG or PNG: the only file that calls cairo and pango.
 * Lengths are millimetres from the upper left corner, sizes of fonts points.
 */
#ifndef PM_REPORT_DRAW_CANVAS_H
#define PM_REPORT_DRAW_CANVAS_H

#include "common/err.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum pm_canvas_format { PM_CANVAS_SVG, PM_CANVAS_PDF, PM_CANVAS_PNG, PM_CANVAS_FORMATS };

/* Dots per inch of a PNG. */
#define PM_CANVAS_DPI 200

/* How lines and areas are drawn. */
struct pm_canvas_pen {
	uint32_t colour; /* 0xRRGGBB */
	double opacity;  /* 0 to 1 */
	double width;    /* of a line */
	double dash[4];  /* lengths of dashes and of what is between them; 0 at the end */
};

struct pm_canvas_font {
	double size; /* points */
	bool bold, mono;
	uint32_t colour;
	double width; /* > 0: longer text is cut in its middle */
};

/* Where a text is: its left end, its middle or its right end at x. */
enum pm_canvas_align { PM_CANVAS_LEFT, PM_CANVAS_MIDDLE, PM_CANVAS_RIGHT };

struct pm_canvas;

/* Whether plots can be drawn: 0, or -1 with e filled by what is missing. */
int pm_canvas_check(struct pm_err *e);

/* Begin a drawing of pages of this size, which is written to f. Returns it, or NULL with e filled.
 */
struct pm_canvas *pm_canvas_new(FILE *f, enum pm_canvas_format format, double width, double height,
				struct pm_err *e);

/* Write the drawing and free it; c may be NULL. Returns 0, or -1 with e filled, where something
 * failed since it began. The caller flushes the file. */
int pm_canvas_finish(struct pm_canvas *c, struct pm_err *e);

/* What readers of a PDF show of it. */
void pm_canvas_describe(struct pm_canvas *c, const char *title, const char *author);

/* End a page: the next one begins. SVG and PNG have one page. */
void pm_canvas_page(struct pm_canvas *c);

/* Write a text with its baseline at y. Whatever is no text is made some (common/terminal.h). */
void pm_canvas_text(struct pm_canvas *c, const struct pm_canvas_font *font, double x, double y,
		    enum pm_canvas_align align, const char *text);

/* The width of such a text. */
double pm_canvas_width(struct pm_canvas *c, const struct pm_canvas_font *font, const char *text);

/* Make a path of lines: where it begins, where it goes on. */
void pm_canvas_move(struct pm_canvas *c, double x, double y);
void pm_canvas_line(struct pm_canvas *c, double x, double y);
void pm_canvas_rectangle(struct pm_canvas *c, double x, double y, double width, double height);
void pm_canvas_dot(struct pm_canvas *c, double x, double y, double radius);

/* Draw the path, or the area in it, and forget it. */
void pm_canvas_stroke(struct pm_canvas *c, const struct pm_canvas_pen *pen);
void pm_canvas_fill(struct pm_canvas *c, const struct pm_canvas_pen *pen);

/* Draw nothing outside of a rectangle, until pm_canvas_unclip(). */
void pm_canvas_clip(struct pm_canvas *c, double x, double y, double width, double height);
void pm_canvas_unclip(struct pm_canvas *c);

/* PDF: an entry of the outline for this page, below entry `parent` (0: none). Returns its number.
 */
int pm_canvas_outline(struct pm_canvas *c, int parent, const char *title);

/* PDF: what is drawn until pm_canvas_unlink() leads to a page, from 1. */
void pm_canvas_link(struct pm_canvas *c, int page);
void pm_canvas_unlink(struct pm_canvas *c);

#endif
