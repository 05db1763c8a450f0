/* Draw by cairo and pango. */
#include "config.h"

#include "report/draw/canvas.h"

#include "common/library.h"
#include "common/terminal.h"
#include "common/version.h"

#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <errno.h>
#include <math.h>
#include <pango/pangocairo.h>
#include <stdlib.h>
#include <string.h>

#define MM_PER_POINT (25.4 / 72)

/* Texts are laid out in these parts of a point, to which pango rounds. */
#define TEXT_UNITS 16

static struct {
#define PM_CAIRO(name) __typeof__(name) *name;
#include "report/draw/cairo.def"
#undef PM_CAIRO
} lib;

struct pm_canvas {
	FILE *f;
	enum pm_canvas_format format;
	double width, height, points; /* points, or dots of a PNG, per mm */
	cairo_surface_t *surface;
	cairo_t *cairo;
	int pages;
	int error; /* errno of a write that failed */
};

/* Load the libraries once, for good. Returns 0 or -1 with e filled. */
static int load(struct pm_err *e)
{
	static const char *const names[] = { "libpangocairo-1.0.so.0", NULL };
	static const struct pm_library_function function[] = {
#define PM_CAIRO(name) { #name, &lib.name },
#include "report/draw/cairo.def"
#undef PM_CAIRO
	};
	char why[256];

	if (!lib.pango_layout_set_width &&
	    pm_library_open(names, function, sizeof function / sizeof function[0], why,
			    sizeof why) < 0)
		return pm_err(e,
			      "plots need cairo and pango (Debian: libpangocairo-1.0-0, Fedora: "
			      "pango): %s",
			      why);
	return 0;
}

int pm_canvas_check(struct pm_err *e)
{
	cairo_surface_t *surface;
	PangoLayout *layout;
	cairo_t *cairo;
	int unknown;

	if (load(e) < 0)
		return -1;
	/* Without any font pango draws boxes at most. */
	surface = lib.cairo_image_surface_create(CAIRO_FORMAT_RGB24, 1, 1);
	cairo = lib.cairo_create(surface);
	layout = lib.pango_cairo_create_layout(cairo);
	lib.pango_layout_set_text(layout, "0", -1);
	unknown = lib.pango_layout_get_unknown_glyphs_count(layout);
	lib.g_object_unref(layout);
	lib.cairo_destroy(cairo);
	lib.cairo_surface_destroy(surface);
	return unknown == 0 ? 0
			    : pm_err(e, "plots need fonts, and fontconfig finds none (Debian: "
					"fonts-dejavu-core, Fedora: dejavu-sans-fonts)");
}

static cairo_status_t write_file(void *closure, const unsigned char *data, unsigned n)
{
	struct pm_canvas *c = closure;

	if (fwrite(data, 1, n, c->f) == n)
		return CAIRO_STATUS_SUCCESS;
	c->error = errno ? errno : EIO;
	return CAIRO_STATUS_WRITE_ERROR;
}

/* Give the page the name that links lead to. */
static void name_page(struct pm_canvas *c)
{
	char name[64];

	snprintf(name, sizeof name, "name='page%d' x=0 y=0", c->pages);
	if (c->format != PM_CANVAS_PDF)
		return;
	lib.cairo_tag_begin(c->cairo, CAIRO_TAG_DEST, name);
	lib.cairo_tag_end(c->cairo, CAIRO_TAG_DEST);
}

/* Begin to draw on a new surface or page. */
static void begin(struct pm_canvas *c)
{
	lib.cairo_scale(c->cairo, c->points, c->points);
	lib.cairo_set_line_join(c->cairo, CAIRO_LINE_JOIN_ROUND);
	c->pages = 1;
	/* Without a structure of the document cairo 1.16 leaves objects out that links refer to. */
	if (c->format == PM_CANVAS_PDF)
		lib.cairo_tag_begin(c->cairo, "Document", NULL);
	name_page(c);
	if (c->format == PM_CANVAS_PDF)
		return;
	lib.cairo_set_source_rgba(c->cairo, 1, 1, 1, 1);
	lib.cairo_paint(c->cairo);
}

struct pm_canvas *pm_canvas_new(FILE *f, enum pm_canvas_format format, double width, double height,
				struct pm_err *e)
{
	struct pm_canvas *c;

	if (pm_canvas_check(e) < 0)
		return NULL;
	c = calloc(1, sizeof *c);
	if (!c) {
		pm_err(e, "out of memory");
		return NULL;
	}
	*c = (struct pm_canvas){ .f = f, .format = format, .width = width, .height = height };
	c->points = format == PM_CANVAS_PNG ? PM_CANVAS_DPI / 25.4 : 1 / MM_PER_POINT;
	if (format == PM_CANVAS_PDF)
		c->surface = lib.cairo_pdf_surface_create_for_stream(
			write_file, c, width * c->points, height * c->points);
	else if (format == PM_CANVAS_SVG)
		c->surface = lib.cairo_svg_surface_create_for_stream(
			write_file, c, width * c->points, height * c->points);
	else
		c->surface = lib.cairo_image_surface_create(CAIRO_FORMAT_RGB24,
							    (int)lround(width * c->points),
							    (int)lround(height * c->points));
	c->cairo = lib.cairo_create(c->surface);
	begin(c);
	return c;
}

int pm_canvas_finish(struct pm_canvas *c, struct pm_err *e)
{
	cairo_status_t status;
	int rc = 0;

	if (!c)
		return 0;
	if (c->format == PM_CANVAS_PDF)
		lib.cairo_tag_end(c->cairo, "Document");
	if (c->format != PM_CANVAS_PNG)
		lib.cairo_show_page(c->cairo);
	status = lib.cairo_status(c->cairo);
	if (status == CAIRO_STATUS_SUCCESS && c->format == PM_CANVAS_PNG)
		status = lib.cairo_surface_write_to_png_stream(c->surface, write_file, c);
	lib.cairo_destroy(c->cairo);
	lib.cairo_surface_finish(c->surface);
	if (status == CAIRO_STATUS_SUCCESS)
		status = lib.cairo_surface_status(c->surface);
	if (c->error)
		rc = pm_err(e, "%s", strerror(c->error));
	else if (status != CAIRO_STATUS_SUCCESS)
		rc = pm_err(e, "cairo: %s", lib.cairo_status_to_string(status));
	lib.cairo_surface_destroy(c->surface);
	free(c);
	return rc;
}

/* The safe form of a text, to be freed; NULL if out of memory. */
static char *safe_text(const char *text)
{
	const size_t size = 4 * strlen(text) + PM_TERMINAL_PIECE + 1;
	char *safe = malloc(size);

	if (safe)
		pm_terminal_text(safe, size, text, true);
	return safe;
}

void pm_canvas_describe(struct pm_canvas *c, const char *title, const char *author)
{
	char *t = safe_text(title), *a = safe_text(author);

	if (c->format == PM_CANVAS_PDF && t && a) {
		lib.cairo_pdf_surface_set_metadata(c->surface, CAIRO_PDF_METADATA_TITLE, t);
		lib.cairo_pdf_surface_set_metadata(c->surface, CAIRO_PDF_METADATA_AUTHOR, a);
		lib.cairo_pdf_surface_set_metadata(c->surface, CAIRO_PDF_METADATA_CREATOR,
						   "perfmon " PACKAGE_VERSION);
	}
	free(t);
	free(a);
}

void pm_canvas_page(struct pm_canvas *c)
{
	lib.cairo_show_page(c->cairo);
	c->pages++;
	name_page(c);
}

static void set_pen(struct pm_canvas *c, const struct pm_canvas_pen *pen)
{
	int dashes = 0;

	lib.cairo_set_source_rgba(c->cairo, (pen->colour >> 16 & 255) / 255.,
				  (pen->colour >> 8 & 255) / 255., (pen->colour & 255) / 255.,
				  pen->opacity);
	while (dashes < 4 && pen->dash[dashes] > 0)
		dashes++;
	lib.cairo_set_line_width(c->cairo, pen->width);
	lib.cairo_set_line_cap(c->cairo, dashes ? CAIRO_LINE_CAP_BUTT : CAIRO_LINE_CAP_ROUND);
	lib.cairo_set_dash(c->cairo, pen->dash, dashes, 0);
}

/* Lay a text out; the caller unreferences it. The drawing is in the units of texts then. */
static PangoLayout *lay_out(struct pm_canvas *c, const struct pm_canvas_font *font,
			    const char *text)
{
	PangoFontDescription *d = lib.pango_font_description_new();
	cairo_font_options_t *options = lib.cairo_font_options_create();
	char *safe = safe_text(text);
	PangoLayout *layout;

	lib.cairo_scale(c->cairo, MM_PER_POINT / TEXT_UNITS, MM_PER_POINT / TEXT_UNITS);
	layout = lib.pango_cairo_create_layout(c->cairo);
	lib.cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
	lib.cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
	lib.pango_cairo_context_set_font_options(lib.pango_layout_get_context(layout), options);
	lib.pango_layout_context_changed(layout);
	lib.pango_font_description_set_family(d, font->mono ? "DejaVu Sans Mono, monospace"
							    : "DejaVu Sans, sans-serif");
	lib.pango_font_description_set_weight(d,
					      font->bold ? PANGO_WEIGHT_BOLD : PANGO_WEIGHT_NORMAL);
	lib.pango_font_description_set_absolute_size(d, font->size * TEXT_UNITS * PANGO_SCALE);
	lib.pango_layout_set_font_description(layout, d);
	lib.pango_layout_set_single_paragraph_mode(layout, TRUE);
	if (font->width > 0) {
		lib.pango_layout_set_width(
			layout, (int)(font->width / MM_PER_POINT * TEXT_UNITS * PANGO_SCALE));
		lib.pango_layout_set_ellipsize(layout, PANGO_ELLIPSIZE_MIDDLE);
	}
	lib.pango_layout_set_text(layout, safe ? safe : "", -1);
	free(safe);
	lib.cairo_font_options_destroy(options);
	lib.pango_font_description_free(d);
	return layout;
}

void pm_canvas_text(struct pm_canvas *c, const struct pm_canvas_font *font, double x, double y,
		    enum pm_canvas_align align, const char *text)
{
	const struct pm_canvas_pen pen = { .colour = font->colour, .opacity = 1 };
	PangoLayout *layout;
	int width, height;

	lib.cairo_save(c->cairo);
	lib.cairo_translate(c->cairo, x, y);
	layout = lay_out(c, font, text);
	lib.pango_layout_get_size(layout, &width, &height);
	lib.cairo_move_to(c->cairo,
			  align == PM_CANVAS_LEFT    ? 0
			  : align == PM_CANVAS_RIGHT ? -width / (double)PANGO_SCALE
						     : -width / (2. * PANGO_SCALE),
			  -lib.pango_layout_get_baseline(layout) / (double)PANGO_SCALE);
	set_pen(c, &pen);
	lib.pango_cairo_show_layout(c->cairo, layout);
	lib.g_object_unref(layout);
	lib.cairo_restore(c->cairo);
}

double pm_canvas_width(struct pm_canvas *c, const struct pm_canvas_font *font, const char *text)
{
	PangoLayout *layout;
	int width, height;

	lib.cairo_save(c->cairo);
	layout = lay_out(c, font, text);
	lib.pango_layout_get_size(layout, &width, &height);
	lib.g_object_unref(layout);
	lib.cairo_restore(c->cairo);
	return width * MM_PER_POINT / TEXT_UNITS / PANGO_SCALE;
}

void pm_canvas_move(struct pm_canvas *c, double x, double y)
{
	lib.cairo_move_to(c->cairo, x, y);
}

void pm_canvas_line(struct pm_canvas *c, double x, double y)
{
	lib.cairo_line_to(c->cairo, x, y);
}

void pm_canvas_rectangle(struct pm_canvas *c, double x, double y, double width, double height)
{
	lib.cairo_rectangle(c->cairo, x, y, width, height);
}

void pm_canvas_dot(struct pm_canvas *c, double x, double y, double radius)
{
	lib.cairo_new_sub_path(c->cairo);
	lib.cairo_arc(c->cairo, x, y, radius, 0, 2 * M_PI);
}

void pm_canvas_stroke(struct pm_canvas *c, const struct pm_canvas_pen *pen)
{
	set_pen(c, pen);
	lib.cairo_stroke(c->cairo);
}

void pm_canvas_fill(struct pm_canvas *c, const struct pm_canvas_pen *pen)
{
	set_pen(c, pen);
	lib.cairo_fill(c->cairo);
}

void pm_canvas_clip(struct pm_canvas *c, double x, double y, double width, double height)
{
	lib.cairo_save(c->cairo);
	lib.cairo_rectangle(c->cairo, x, y, width, height);
	lib.cairo_clip(c->cairo);
}

void pm_canvas_unclip(struct pm_canvas *c)
{
	lib.cairo_restore(c->cairo);
}

int pm_canvas_outline(struct pm_canvas *c, int parent, const char *title)
{
	char where[64], *safe = safe_text(title);
	int entry = 0;

	snprintf(where, sizeof where, "page=%d pos=[0 0]", c->pages);
	if (c->format == PM_CANVAS_PDF && safe)
		entry = lib.cairo_pdf_surface_add_outline(c->surface, parent, safe, where,
							  CAIRO_PDF_OUTLINE_FLAG_OPEN);
	free(safe);
	return entry;
}

void pm_canvas_link(struct pm_canvas *c, int page)
{
	char where[64];

	/* By a name: cairo 1.16 loses links to numbers of pages that it has not seen yet. */
	snprintf(where, sizeof where, "dest='page%d'", page);
	if (c->format == PM_CANVAS_PDF)
		lib.cairo_tag_begin(c->cairo, CAIRO_TAG_LINK, where);
}

void pm_canvas_unlink(struct pm_canvas *c)
{
	if (c->format == PM_CANVAS_PDF)
		lib.cairo_tag_end(c->cairo, CAIRO_TAG_LINK);
}

void pm_version_cairo(struct pm_version *v)
{
	struct pm_err e;

	if (load(&e) < 0)
		pm_version_fail(v, e.text);
	else
		pm_version_set(v, "%s", lib.cairo_version_string());
}
