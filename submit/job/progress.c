/* Progress line, overwritten in place. */
#include "config.h"

#include "submit/job/progress.h"

/* Delay before the line first appears, and interval of its updates. */
#define FIRST_US 500000
#define AGAIN_US 200000

void pm_progress_begin(struct pm_progress *p, const char *what, const char *unit, uint64_t per,
		       uint64_t done, uint64_t total)
{
	if (!p)
		return;
	p->what = what;
	p->unit = unit;
	p->per = per;
	p->total = total;
	p->done = p->from = done;
	p->began_us = p->now();
	p->shown_us = p->began_us + FIRST_US - AGAIN_US;
}

static void show_line(struct pm_progress *p, int64_t now_us)
{
	double seconds = (double)(now_us - p->began_us) / 1e6;
	double rate = (double)(p->done - p->from) / seconds;

	p->shown_us = now_us;
	p->shown = true;
	fprintf(p->out, "\r%s: ", p->what);
	if (p->total && p->done <= p->total)
		fprintf(p->out, "%.0f of %.0f %s, %.0f/s, %.0f s left",
			(double)p->done / (double)p->per, (double)p->total / (double)p->per,
			p->unit, rate / (double)p->per, (double)(p->total - p->done) / rate);
	else
		fprintf(p->out, "%.0f %s, %.0f/s", (double)p->done / (double)p->per, p->unit,
			rate / (double)p->per);
	/* Clear the rest of the line and return to its start: other output overwrites it. */
	fputs("\033[K\r", p->out);
	fflush(p->out);
}

void pm_progress_at(struct pm_progress *p, uint64_t done)
{
	int64_t now_us;

	if (!p)
		return;
	p->done = done;
	now_us = p->now();
	if (done > p->from && now_us - p->shown_us >= AGAIN_US)
		show_line(p, now_us);
}

void pm_progress_add(struct pm_progress *p, uint64_t n)
{
	if (p)
		pm_progress_at(p, p->done + n);
}

void pm_progress_end(struct pm_progress *p)
{
	if (!p)
		return;
	p->what = NULL;
	if (!p->shown)
		return;
	fputs("\r\033[K", p->out);
	fflush(p->out);
	p->shown = false;
}
