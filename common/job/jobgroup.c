/* Parse the names of jobs' control groups. */
#include "config.h"

#include "common/job/jobgroup.h"

#include "common/job/slurmstep.h"

#include <string.h>

/* Where the job id stands in a name, after the prefix. */
enum tail {
	ALL,    /* up to the end: digits alone, or Slurm's non-numeric job id (SLUID) */
	TO_DOT, /* up to the first dot, or the end */
	ANY,    /* up to the end, digits first: number.server */
	BEHIND, /* after the last underscore, digits alone */
	SLICE,  /* up to ".slice", digits first */
	RANKED, /* after an optional rank number and dash, up to the first dot */
};

static const struct {
	const char *above;  /* name of the directory above; NULL: any */
	const char *prefix; /* prefix of the directory's name */
	enum tail tail;
} rule[] = {
	{ NULL, "job_", ALL },                /* Slurm: .../job_ID/step_N */
	{ "oar", "", BEHIND },                /* OAR: oar/USER_ID */
	{ "jobid", "", ANY },                 /* OpenPBS, v1: pbs_jobs.service/jobid/ID.SERVER */
	{ "jobs", "", ANY },                  /* OpenPBS, v2: pbs_jobs.service/jobs/ID.SERVER */
	{ "pbspro.slice", "pbspro-", SLICE }, /* PBS: pbspro.slice/pbspro-ID.SERVER.slice */
	{ "torque", "", ANY },                /* Torque: torque/ID.SERVER */
	{ NULL, "job.", TO_DOT },             /* LSF: lsf/CLUSTER/job.ID.PID.TIME */
	{ NULL, "shell-", RANKED },           /* Flux: user@UID.service/shell-RANK-ID.service */
	{ NULL, "imp-shell-", RANKED },       /* Flux of the system: imp-shell-RANK-ID.service */
	{ "GE", "", TO_DOT },                 /* Grid Engine: GE/ID.TASK, UGE/ID.TASK */
	{ "UGE", "", TO_DOT },
	{ "sge", "", TO_DOT },
};

static bool is_text(struct pm_str s, const char *text)
{
	return s.n == strlen(text) && memcmp(s.p, text, s.n) == 0;
}

/* The text up to the first dot, or all of it. */
static struct pm_str to_dot(struct pm_str s)
{
	const char *dot = s.n ? memchr(s.p, '.', s.n) : NULL;

	if (dot)
		s.n = (size_t)(dot - s.p);
	return s;
}

/* The text after the last underscore, or all of it. */
static struct pm_str behind_underscore(struct pm_str s)
{
	const char *at;

	while (s.n && (at = memchr(s.p, '_', s.n)) != NULL) {
		s.n -= (size_t)(at + 1 - s.p);
		s.p = at + 1;
	}
	return s;
}

static bool all_digits(struct pm_str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] < '0' || s.p[i] > '9')
			return false;
	return s.n > 0;
}

static bool begins_with_digit(struct pm_str s)
{
	return s.n > 0 && s.p[0] >= '0' && s.p[0] <= '9';
}

/* The text before this suffix; empty if the suffix is missing. */
static struct pm_str text_before(struct pm_str s, const char *ending)
{
	const size_t n = strlen(ending);

	s.n = s.n > n && memcmp(s.p + s.n - n, ending, n) == 0 ? s.n - n : 0;
	return s;
}

/* The text after digits and a dash, or all of it. */
static struct pm_str behind_rank(struct pm_str s)
{
	size_t i = 0;

	while (i < s.n && s.p[i] >= '0' && s.p[i] <= '9')
		i++;
	if (i && i < s.n && s.p[i] == '-')
		return (struct pm_str){ s.p + i + 1, s.n - i - 1 };
	return s;
}

/* Extract the job id from the text after the prefix. Returns false where the text cannot hold one.
 */
static bool take_id(enum tail tail, struct pm_str rest, struct pm_str *id)
{
	*id = rest;
	switch (tail) {
	case ALL:
		return all_digits(rest) || pm_slurmstep_is_sluid(rest);
	case TO_DOT:
		*id = to_dot(rest);
		return id->n > 0;
	case ANY:
		return begins_with_digit(rest);
	case BEHIND:
		*id = behind_underscore(rest);
		return id->n < rest.n && all_digits(*id);
	case SLICE:
		*id = text_before(rest, ".slice");
		return begins_with_digit(*id);
	case RANKED:
		*id = behind_rank(to_dot(rest));
		return id->n > 0;
	}
	return false;
}

bool pm_jobgroup_id(struct pm_str above, struct pm_str name, struct pm_str *id)
{
	for (size_t i = 0; i < sizeof rule / sizeof rule[0]; i++) {
		size_t prefix = strlen(rule[i].prefix);

		if ((rule[i].above && !is_text(above, rule[i].above)) || name.n <= prefix ||
		    memcmp(name.p, rule[i].prefix, prefix) != 0)
			continue;
		if (take_id(rule[i].tail, (struct pm_str){ name.p + prefix, name.n - prefix }, id))
			return true;
	}
	return false;
}

/* The ƒ before Flux's ids in environments; where names must be ASCII Flux writes a plain f. */
static const char flux_f[] = "\xc6\x92";

/* Whether an id from a control group is that of `job`, which may be the id's part before a '.' or
 * '['. */
static bool is_job(struct pm_str id, const char *job)
{
	size_t n = strlen(job);

	if (strncmp(job, flux_f, sizeof flux_f - 1) == 0 && id.n && *id.p == 'f') {
		job += sizeof flux_f - 1;
		n -= sizeof flux_f - 1;
		id.p++;
		id.n--;
	}
	return n > 0 && id.n >= n && memcmp(id.p, job, n) == 0 &&
	       (id.n == n || id.p[n] == '.' || id.p[n] == '[');
}

size_t pm_jobgroup_find(const char *path, size_t n, const char *job)
{
	const char *end = path + n;
	struct pm_str above = { "", 0 }, id;

	for (const char *p = path; p < end;) {
		const char *slash = memchr(p, '/', (size_t)(end - p));
		struct pm_str name = { p, slash ? (size_t)(slash - p) : (size_t)(end - p) };

		if (pm_jobgroup_id(above, name, &id) && is_job(id, job))
			return (size_t)(name.p + name.n - path);
		if (name.n)
			above = name;
		p += name.n + 1;
	}
	return 0;
}
