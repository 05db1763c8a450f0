/* Contents of the files of one job directory, gathered in memory before they are written to the
 * database. */
#ifndef PM_SUBMIT_JOB_GATHER_H
#define PM_SUBMIT_JOB_GATHER_H

#include "common/digest.h"
#include "common/secrets/redact_file.h"
#include "submit/foreign/foreign.h"
#include "submit/input/bounds.h"
#include "submit/input/lines.h"
#include "submit/input/oddvalue.h"
#include "submit/job/images.h"
#include "submit/job/tallies.h"
#include "submit/job/meta.h"
#include "submit/job/phases.h"
#include "submit/job/progress.h"
#include "submit/job/series.h"
#include "submit/memory/filecontent.h"

#include <sys/types.h>

enum pm_file_kind {
	PM_FILE_META,
	PM_FILE_RECORDS,
	PM_FILE_SERIES,
	PM_FILE_PHASES,
	PM_FILE_TALLY,
	PM_FILE_FOREIGN, /* written by another tool: pm_foreign_kind */
	PM_FILE_OTHER,
};

/* Kind of a file by its base name. */
enum pm_file_kind pm_gather_kind(const char *name);

/* Whether files of this kind consist of independent lines, whose meaning does not depend on which
 * of the host's files holds them. */
bool pm_gather_kind_merges(enum pm_file_kind kind);

/* The user of a job is unknown. */
#define PM_UNKNOWN_USER (-1)

struct pm_gather_file {
	char *name;         /* base name, escaped as in record files and in the database */
	const char *source; /* its directory or archive, an entry of pm_gather.source */
	enum pm_file_kind kind;
	bool whole;    /* read to its end */
	uint32_t host; /* host of its good lines or metadata, PM_NONE: unknown or several */
	bool hosts;    /* its lines are from several hosts */
	int64_t owner; /* owner of a file in a directory, -1: the directory's owner or root */
	int64_t first_us, first_uid; /* time and user of its earliest start record with a user;
				      * PM_NO_TIME: none */
	int64_t uid; /* its user if that is not the job's (gather_user.c), else -1 */
	char digest[PM_DIGEST_TEXT];
	uint64_t bytes, lines, rejected;
	uint32_t kept;   /* its number in pm_filecontent, PM_NONE: content is not stored */
	bool in_samples; /* all that it says is in its samples: its content need not be stored */
	uint32_t series; /* with in_samples: its number in pm_series, 0 if it was loaded */
	int64_t load_id; /* its row in table load, 0: none yet */
	bool stored;     /* the file was read back from the database */
	/* When several loads are merged: */
	uint32_t batch;  /* number of the load */
	uint64_t known;  /* lines that a file of another load also has */
	uint64_t cut;    /* 1 if its last line is cut and was rejected */
	bool superseded; /* another version of the file has all of its content */
	bool repeated;   /* its header of column names is loaded already, its lines are not */
};

/* Lines of several loads: line hash -> number of the load. */
struct pm_gather_known {
	struct pm_hashmap lines;
	uint32_t batch; /* load of the file being read */
};

/* State that determines the users of record files (gather_user.c). */
struct pm_gather_users {
	int64_t job;             /* uid of the job's user, or PM_UNKNOWN_USER */
	struct pm_hashmap hosts; /* hosts that the job's file names show (guest.h) */
	bool ordered;   /* the job's user is known and files come in order: metadata, files of the
			 * job's user, files of others */
	bool unsettled; /* a file was read out of order, or before its user was known */
};

/* A rejected line in the store, followed by its bytes. */
struct pm_reject {
	uint32_t file;
	uint32_t reason; /* length of the reason text, stored before the line's bytes */
	uint64_t line;
};

struct pm_gather {
	char *directory; /* name within the source */
	char **source;   /* directories and archives; the last one is being read */
	size_t sources;
	uid_t owner;
	bool nameless;                 /* the job has no usable metadata */
	bool strict;                   /* a user other than the owner is an error */
	bool spend;                    /* samples that were written are not needed again */
	bool silent;                   /* problems are noted, but not printed */
	struct pm_progress *progress;  /* progress of the load; may be NULL */
	struct pm_filecontent *keep;   /* stores file content; the caller's, may be NULL */
	struct pm_gather_known *known; /* set when several loads are merged, else NULL */
	struct pm_images images;
	struct pm_series series;
	struct pm_phases phases;
	struct pm_gather_users users;
	struct pm_blobs rejects;
	uint64_t reject_count, lines;
	struct pm_gather_file *file;
	size_t files, files_cap;
	struct pm_meta *meta; /* one per metadata file that could be read */
	size_t metas, metas_cap;
	struct pm_tallies tallies;
	struct pm_bounds bounds;
	struct pm_odds odds;    /* implausible values, until pm_gather_finish */
	struct pm_err notes;    /* description of the odds, for the job's problems */
	struct pm_err problems; /* problems found, joined by "; ", truncated if too long */
	bool faulty;            /* a problem was found: affects the exit status */

	/* The file being read. */
	struct pm_lines split;
	struct pm_map map; /* column map of the last header */
	struct pm_map own; /* map of the last header with this build's format version, else the
			    * built-in map */
	struct pm_series_file ticks;
	struct pm_foreign foreign;
	bool pickle;                   /* it is EPMT's metadata */
	struct pm_redact_file *redact; /* redaction of another tool's file, else NULL */
	char *text;                    /* text of a metadata file or a tally */
	size_t text_len, text_cap;
	struct pm_err *err; /* error of the current call */
};

/* Start gathering a directory of a source whose owner is `owner`. Returns 0 or -1 with e filled. */
int pm_gather_init(struct pm_gather *g, const char *source, const char *directory, uid_t owner,
		   struct pm_err *e);

/* Free it; one that is zeroed, that could not be started, or that was freed may be freed. */
void pm_gather_free(struct pm_gather *g);

/* Switch to another source for the files that follow. Returns 0 or -1 with e filled. */
int pm_gather_source(struct pm_gather *g, const char *source, struct pm_err *e);

/* The source being read. */
const char *pm_gather_from(const struct pm_gather *g);

/* Set the files' digests, after pm_filecontent_wait. Returns 0 or -1 with e filled. */
int pm_gather_digests(struct pm_gather *g, struct pm_err *e);

/* Whether there is anything to load: records, samples, counts, usable metadata, rejected lines. */
bool pm_gather_has_content(const struct pm_gather *g);

/* Begin a file (of a kind other than PM_FILE_OTHER), feed its bytes, end it; `whole` tells that it
 * was read completely. These return 0 or -1 with e filled. In between, pm_gather_owned_by may set
 * the owner of a file in a directory: -1 if that is the directory's owner or root. */
int pm_gather_begin(struct pm_gather *g, const char *name, struct pm_err *e);
void pm_gather_owned_by(struct pm_gather *g, int64_t uid);
int pm_gather_data(struct pm_gather *g, const char *p, size_t n, struct pm_err *e);
int pm_gather_end(struct pm_gather *g, bool whole, struct pm_err *e);

/* Finish after the last file of the job: process data that needed other files. Returns 0 or -1 with
 * e filled. */
int pm_gather_finish(struct pm_gather *g, struct pm_err *e);

/* Whether the owner is trusted to name the job's user: root, or the caller's own uid. */
bool pm_gather_is_trusted(const struct pm_gather *g);

/* Parse a metadata file; another tool's is converted first. Returns the same as pm_meta_parse();
 * errno is ENOMEM if memory ran out. */
int pm_gather_parse_meta(const char *name, struct pm_meta *m, const char *text, size_t n,
			 struct pm_err *e);

/* Convert EPMT's metadata to perfmon's, a new text. Returns 0, or -1 with e filled; errno is ENOMEM
 * if memory ran out. */
int pm_gather_convert_meta(const char *text, size_t n, char **ours, struct pm_err *e);

/* Add the notes on odd values to the problems. Call this once everything has been gathered. */
void pm_gather_add_notes(struct pm_gather *g);

/* Take over the problems and settings of another gatherer. */
void pm_gather_inherit(struct pm_gather *g, const struct pm_gather *from);

/* Note a problem: it is stored with the job. */
void pm_gather_problem(struct pm_gather *g, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Start of the first process in record files of root's own, in a job of root's; else PM_NO_TIME. */
int64_t pm_gather_first_us(const struct pm_gather *g);

/* Only for gather*.c. pm_gather_begin_user: determine the user of the file that begins; returns 0
 * or -1 with e filled. pm_gather_user_record: apply the user to a record. pm_gather_settle_users:
 * settle the users of all files once they have been read. */
int pm_gather_begin_user(struct pm_gather *g, struct pm_err *e);
void pm_gather_user_record(struct pm_gather *g, struct pm_record *r);
void pm_gather_settle_users(struct pm_gather *g);

/* Only for gather*.c. Begin to redact the current file if it is papiex's, unless setting args is
 * "full": neither gathered rows nor stored content may contain secrets. Redacted bytes go to
 * `take`. Returns 0 or -1 with e filled. */
int pm_gather_begin_redacting(struct pm_gather *g, const char *name, pm_redact_take *take,
			      struct pm_err *e);

/* Only for gather*.c. Note the host of a file's good line. */
void pm_gather_of_host(struct pm_gather_file *f, uint32_t host);

/* Only for gather*.c. Store a rejected line, its reason as "column: why". Returns 0 or -1 with
 * g->err filled. */
int pm_gather_reject(struct pm_gather *g, uint32_t file, const char *p, size_t n, uint64_t line,
		     const char *column, const char *why);

/* Clear the implausible values of a record: `odd` gets the set of their columns. Returns whether
 * there were any; pm_gather_count_odd() counts them, and pm_gather_say_odd() reports the counts. */
bool pm_gather_drop_odd(const struct pm_gather *g, struct pm_record *r,
			uint64_t odd[PM_BOUNDS_WORDS]);
int pm_gather_count_odd(struct pm_gather *g, const uint64_t odd[PM_BOUNDS_WORDS], uint32_t file,
			uint64_t line, struct pm_err *e);
void pm_gather_say_odd(struct pm_gather *g);

/* When loads are merged: whether a load other than `batch` has the line or row of this hash; if
 * not, the hash is recorded for `batch`. Returns 1, 0, or -1 with e filled. */
int pm_gather_is_known(struct pm_gather *g, uint64_t hash, uint32_t batch, struct pm_err *e);

/* Only for gather*.c. Take a line of a record file, of a series, of a file of marks (pm_lines_fn).
 */
int pm_gather_record_line(void *ctx, const char *p, size_t n, uint64_t number,
			  enum pm_lines_state state);
int pm_gather_series_line(void *ctx, const char *p, size_t n, uint64_t number,
			  enum pm_lines_state state);
int pm_gather_phase_line(void *ctx, const char *p, size_t n, uint64_t number,
			 enum pm_lines_state state);

/* The functions that receive lines of other tools, and the function that takes such a line
 * (pm_lines_fn). */
struct pm_foreign_sink pm_gather_foreign_sink(struct pm_gather *g);
int pm_gather_foreign_line(void *ctx, const char *p, size_t n, uint64_t number,
			   enum pm_lines_state state);

#endif
