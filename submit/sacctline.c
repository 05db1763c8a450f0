/* Lines of `sacct --parsable2`. */
#include "config.h"

#include "submit/sacctline.h"

#include "common/safe/tsv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

static const char *const names[PM_SACCT_FIELDS] = {
	[PM_SACCT_JOBID] = "JobID",         [PM_SACCT_CLUSTER] = "Cluster",
	[PM_SACCT_USER] = "User",           [PM_SACCT_STATE] = "State",
	[PM_SACCT_TIMELIMIT] = "Timelimit", [PM_SACCT_REQMEM] = "ReqMem",
	[PM_SACCT_NNODES] = "NNodes",       [PM_SACCT_SUBMIT] = "Submit",
};

int pm_sacct_header(struct pm_sacct_header *h, const char *line, struct pm_err *e)
{
	int column = 0;

	for (int k = 0; k < PM_SACCT_FIELDS; k++)
		h->column[k] = -1;
	for (const char *p = line;; p++, column++) {
		size_t len = strcspn(p, "|");

		for (int k = 0; k < PM_SACCT_FIELDS; k++)
			if (strlen(names[k]) == len && strncasecmp(p, names[k], len) == 0)
				h->column[k] = column;
		p += len;
		if (!*p)
			break;
	}
	if (h->column[PM_SACCT_JOBID] < 0)
		return pm_err(
			e, "the first line names no column JobID: sacct --parsable2 prints such");
	return 0;
}

/* Copy column number n of a line, at most cap - 1 bytes; "" where there is none. */
static void take(char *dst, size_t cap, const char *line, int n)
{
	size_t len;

	dst[0] = '\0';
	for (; n > 0; n--) {
		line = strchr(line, '|');
		if (!line)
			return;
		line++;
	}
	if (n < 0)
		return;
	len = strcspn(line, "|");
	if (len >= cap)
		len = cap - 1;
	memcpy(dst, line, len);
	dst[len] = '\0';
}

/* [D-]HH:MM:SS, MM:SS in seconds; -1 for UNLIMITED, Partition_Limit and other words. */
static int64_t read_duration(const char *text)
{
	long long days = 0, a, b, c;
	int end = 0;

	if (sscanf(text, "%5lld-%n", &days, &end) >= 1 && end > 0)
		text += end;
	else
		days = 0;
	end = 0;
	if (sscanf(text, "%5lld:%2lld:%2lld%n", &a, &b, &c, &end) != 3 || text[end]) {
		a = 0;
		end = 0;
		if (sscanf(text, "%5lld:%2lld%n", &b, &c, &end) != 2 || text[end])
			return -1;
	}
	if (days < 0 || a < 0 || b < 0 || c < 0)
		return -1;
	return ((days * 24 + a) * 60 + b) * 60 + c;
}

/* 4000M, 4G, 4Gn: of the job, of a node (n), of a CPU (c), in MB; -1: unknown. */
static int64_t read_memory(const char *text, char *of)
{
	static const char units[] = "KMGTP";
	double v, factor = 1.0 / 1024;
	const char *unit;
	char *end;

	*of = '\0';
	v = strtod(text, &end);
	if (end == text || !(v > 0 && v < 1e12))
		return -1;
	unit = *end ? strchr(units, *end) : NULL;
	for (const char *u = units; unit && u < unit; u++)
		factor *= 1024;
	if (unit)
		end++;
	else
		factor = 1; /* MB */
	if (*end == 'n' || *end == 'c')
		*of = *end++;
	return *end || v * factor > 1e12 ? -1 : (int64_t)(v * factor + 0.5);
}

/* 2026-11-20T08:00:00 in local time, or seconds since 1970; -1: unknown. */
static int64_t read_time(const char *text)
{
	struct tm tm = { .tm_isdst = -1 };
	const char *end;
	int64_t s;
	time_t t;

	if (pm_tsv_number(text, strlen(text), &s) == 0)
		return s > 0 && s < INT64_MAX / 1000000 ? s * 1000000 : -1;
	end = strptime(text, "%Y-%m-%dT%H:%M:%S", &tm);
	if (!end || *end)
		return -1;
	t = mktime(&tm);
	return t > 0 ? (int64_t)t * 1000000 : -1;
}

/* A job's id: digits, then _TASK of an array or +OFFSET of a heterogeneous job. */
static int is_jobid(const char *text)
{
	size_t n = strspn(text, "0123456789");

	return n > 0 && (!text[n] || ((text[n] == '_' || text[n] == '+') && text[n + 1] &&
				      !text[n + 1 + strspn(text + n + 1, "0123456789")]));
}

int pm_sacct_line(struct pm_sacct_job *job, const struct pm_sacct_header *h, const char *line)
{
	char text[PM_SACCT_TEXT], of;
	int64_t memory, nodes;

	*job = (struct pm_sacct_job){
		.timelimit_s = -1, .memory_node_mb = -1, .memory_cpu_mb = -1, .submit_us = -1
	};
	if (!*line)
		return 0;
	take(job->jobid, sizeof job->jobid, line, h->column[PM_SACCT_JOBID]);
	if (strchr(job->jobid, '.'))
		return 0;
	if (!is_jobid(job->jobid))
		return -1;
	take(job->cluster, sizeof job->cluster, line, h->column[PM_SACCT_CLUSTER]);
	take(job->user, sizeof job->user, line, h->column[PM_SACCT_USER]);
	take(job->state, sizeof job->state, line, h->column[PM_SACCT_STATE]);
	job->state[strcspn(job->state, " +")] = '\0'; /* CANCELLED by 1000 */
	take(text, sizeof text, line, h->column[PM_SACCT_TIMELIMIT]);
	job->timelimit_s = read_duration(text);
	take(text, sizeof text, line, h->column[PM_SACCT_SUBMIT]);
	job->submit_us = read_time(text);
	take(text, sizeof text, line, h->column[PM_SACCT_REQMEM]);
	memory = read_memory(text, &of);
	take(text, sizeof text, line, h->column[PM_SACCT_NNODES]);
	if (memory > 0 && of == 'c')
		job->memory_cpu_mb = memory;
	else if (memory > 0 && of == 'n')
		job->memory_node_mb = memory;
	/* Since Slurm 21.08 it is of the job. */
	else if (memory > 0 && pm_tsv_number(text, strlen(text), &nodes) == 0 && nodes > 0)
		job->memory_node_mb = memory / nodes;
	return 1;
}
