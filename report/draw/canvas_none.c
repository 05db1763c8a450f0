/* Without cairo and pango nothing is drawn: there is no canvas, and why. */
#include "config.h"

#include "report/draw/canvas.h"

#include "common/version.h"

int pm_canvas_check(struct pm_err *e)
{
	return pm_err(e,
		      "plots need cairo and pango, without which this perfmon was built (Debian: "
		      "libcairo2-dev and libpango1.0-dev, Fedora: cairo-devel and pango-devel)");
}

struct pm_canvas *pm_canvas_new(FILE *f, enum pm_canvas_format format, double width, double height,
				struct pm_err *e)
{
	(void)f, (void)format, (void)width, (void)height;
	pm_canvas_check(e);
	return NULL;
}

/* Never called, since there is no canvas. */
int pm_canvas_finish(struct pm_canvas *c, struct pm_err *e)
{
	return c ? pm_canvas_check(e) : 0;
}

void pm_canvas_describe(struct pm_canvas *c, const char *title, const char *author)
{
	(void)c, (void)title, (void)author;
}

void pm_canvas_page(struct pm_canvas *c)
{
	(void)c;
}

void pm_canvas_text(struct pm_canvas *c, const struct pm_canvas_font *font, double x, double y,
		    enum pm_canvas_align align, const char *text)
{
	(void)c, (void)font, (void)x, (void)y, (void)align, (void)text;
}

double pm_canvas_width(struct pm_canvas *c, const struct pm_canvas_font *font, const char *text)
{
	(void)c, (void)font, (void)text;
	return 0;
}

void pm_canvas_move(struct pm_canvas *c, double x, double y)
{
	(void)c, (void)x, (void)y;
}

void pm_canvas_line(struct pm_canvas *c, double x, double y)
{
	(void)c, (void)x, (void)y;
}

void pm_canvas_rectangle(struct pm_canvas *c, double x, double y, double width, double height)
{
	(void)c, (void)x, (void)y, (void)width, (void)height;
}

void pm_canvas_dot(struct pm_canvas *c, double x, double y, double radius)
{
	(void)c, (void)x, (void)y, (void)radius;
}

void pm_canvas_stroke(struct pm_canvas *c, const struct pm_canvas_pen *pen)
{
	(void)c, (void)pen;
}

void pm_canvas_fill(struct pm_canvas *c, const struct pm_canvas_pen *pen)
{
	(void)c, (void)pen;
}

void pm_canvas_clip(struct pm_canvas *c, double x, double y, double width, double height)
{
	(void)c, (void)x, (void)y, (void)width, (void)height;
}

void pm_canvas_unclip(struct pm_canvas *c)
{
	(void)c;
}

int pm_canvas_outline(struct pm_canvas *c, int parent, const char *title)
{
	(void)c, (void)title;
	return parent;
}

void pm_canvas_link(struct pm_canvas *c, int page)
{
	(void)c, (void)page;
}

void pm_canvas_unlink(struct pm_canvas *c)
{
	(void)c;
}

void pm_version_cairo(struct pm_version *v)
{
	(void)v;
}
