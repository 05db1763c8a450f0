/* Everything the files of one job directory say, gathered before it is written. Programs only. */
#ifndef PM_GATHER_H
#define PM_GATHER_H

#include "common/digest.h"
#include "common/redact_file.h"
#include "submit/bounds.h"
#include "submit/foreign.h"
#include "submit/images.h"
#include "submit/keep.h"
#include "submit/line.h"
#include "submit/meta.h"
#include "submit/odd.h"
#include "submit/phases.h"
#include "submit/progress.h"
#include "submit/series.h"
#include "submit/tally.h"

#include <sys/types.h>

enum pm_file_kind {
	PM_FILE_META,
	PM_FILE_RECORDS,
	PM_FILE_SERIES,
	PM_FILE_PHASES,
	PM_FILE_TALLY,
	PM_FILE_FOREIGN, /* of another tool: pm_foreign_kind */
	PM_FILE_OTHER,
};

/* Kind of a file by its base name. */
enum pm_file_kind pm_gather_kind(const char *name);

/* Whether the file consists of lines, or rows of lines, whose meaning does not depend on which of
 * the host's files holds them. */
bool pm_gather_kind_merges(enum pm_file_kind kind);

/* The user of a job that is not known. */
#define PM_UNKNOWN_USER (-1)

struct pm_gather_file {
	char *name;         /* base name, escaped as in record files: what the database has */
	const char *source; /* directory or archive it was in: one of the gatherer's */
	enum pm_file_kind kind;
	bool whole;    /* read to its end */
	uint32_t host; /* of its good lines or metadata, PM_NONE where unknown or several */
	bool hosts;    /* its lines are of several */
	int64_t owner; /* of the file in a directory, if neither the directory's owner nor root;
			* else -1 */
	int64_t first_us, first_uid; /* of its earliest start with a user, PM_NO_TIME: none */
	int64_t uid; /* its user, where that is another than the job's (gather_user.c); else -1 */
	char digest[PM_DIGEST_TEXT];
	uint64_t bytes, lines, rejected;
	uint32_t kept;   /* its number there, PM_NONE where it is not kept */
	int64_t load_id; /* its row in table load, 0 for one that has none yet */
	bool stored;     /* it comes from the database */
	/* Where files of several loads are put together: */
	uint32_t batch;  /* the load, by number */
	uint64_t known;  /* lines that a file of another load has, too */
	uint64_t cut;    /* 1 when its last line is cut and rejected */
	bool superseded; /* another version of the file has all that is in it */
	bool repeated;   /* column names that are loaded already, beside lines that are not */
};

/* Lines of several loads by their hash; the value is the load's number. */
struct pm_gather_known {
	struct pm_set lines;
	uint32_t batch; /* of the file that is read */
};

/* What decides on the users of record files (gather_user.c). */
struct pm_gather_users {
	int64_t job;         /* uid of the job's user, PM_UNKNOWN_USER until it is known */
	struct pm_set hosts; /* that the names of the job's files show (guest.h) */
	bool ordered;        /* their job is known, files come in order: metadata, the job's user's,
				others' */
	bool unsettled;      /* a file was read before it was known whose it is, or out of order */
};

/* A rejected line in the store, followed by its bytes. */
struct pm_reject {
	uint32_t file;
	uint32_t reason; /* length of the reason, which comes first */
	uint64_t line;
};

struct pm_gather {
	char *directory; /* as the source names it */
	char **source;   /* directories and archives that were read, the last one now */
	size_t sources;
	uid_t owner;
	bool nameless;                 /* there are no usable metadata */
	bool strict;                   /* a user other than the owner is an error */
	bool silent;                   /* problems are noted, not told */
	struct pm_progress *progress;  /* of the load; may be NULL */
	struct pm_keep *keep;          /* takes every file's content; the caller's, may be NULL */
	struct pm_gather_known *known; /* set where several loads are put together, else NULL */
	struct pm_images images;
	struct pm_series series;
	struct pm_phases phases;
	struct pm_gather_users users;
	struct pm_store rejects;
	uint64_t reject_count, lines;
	struct pm_gather_file *file;
	size_t files, files_cap;
	struct pm_meta *meta; /* one per metadata file that could be read */
	size_t metas, metas_cap;
	struct pm_tallies tallies;
	struct pm_bounds bounds;
	struct pm_odds odds;    /* implausible values, until pm_gather_finish */
	struct pm_err notes;    /* their description, for the job's problems */
	struct pm_err problems; /* what was wrong, "; " between, cut where there is too much */
	bool faulty;            /* something was: the exit status must say so */

	/* The file being read. */
	struct pm_lines split;
	struct pm_map map; /* of the last header */
	struct pm_map
		own; /* of the last one of this build's format version, else the built-in one */
	struct pm_series_file ticks;
	struct pm_foreign foreign;
	struct pm_redact_file *redact; /* of another tool's file, else NULL */
	char *text;                    /* of metadata or a tally */
	size_t text_len, text_cap;
	struct pm_err *err; /* where a failure of the current call goes */
};

/* Start gathering a directory of a source whose owner is `owner`. Returns 0 or -1 with e filled. */
int pm_gather_init(struct pm_gather *g, const char *source, const char *directory, uid_t owner,
		   struct pm_err *e);
void pm_gather_free(struct pm_gather *g); /* may be called again */

/* The files that follow are in another source. Returns 0 or -1 with e filled. */
int pm_gather_source(struct pm_gather *g, const char *source, struct pm_err *e);

/* The source that is read. */
const char *pm_gather_from(const struct pm_gather *g);

/* Digests of the files, once pm_keep_wait was called. Returns 0 or -1 with e filled. */
int pm_gather_digests(struct pm_gather *g, struct pm_err *e);

/* 1 when there is something to load: records, samples, counts, usable metadata, rejected lines. */
bool pm_gather_has_content(const struct pm_gather *g);

/* A file begins (of a kind other than PM_FILE_OTHER), has bytes, ends: `whole` when that is all
 * of it. Return 0 or -1 with e filled. In between, the owner of a file in a directory may be told,
 * where that is neither the directory's nor root; -1 for one that is. */
int pm_gather_begin(struct pm_gather *g, const char *name, struct pm_err *e);
void pm_gather_owned_by(struct pm_gather *g, int64_t uid);
int pm_gather_data(struct pm_gather *g, const char *p, size_t n, struct pm_err *e);
int pm_gather_end(struct pm_gather *g, bool whole, struct pm_err *e);

/* All files of the job were there: what waited for another one is taken now. Returns as above. */
int pm_gather_finish(struct pm_gather *g, struct pm_err *e);

/* Whether files of this owner may say whose job they are of: root's and one's own. */
bool pm_gather_is_trusted(const struct pm_gather *g);

/* Parse the text of a file of metadata, of another tool first into ours. Returns as
 * pm_meta_parse; errno is ENOMEM where that was for want of memory. */
int pm_gather_parse_meta(const char *name, struct pm_meta *m, const char *text, size_t n,
			 struct pm_err *e);

/* Metadata of EPMT in ours: a new text. Returns 0, or -1 with e filled and errno as above. */
int pm_gather_convert_meta(const char *text, size_t n, char **ours, struct pm_err *e);

/* Add the notes on odd values to the problems, once everything to be written was gathered. */
void pm_gather_add_notes(struct pm_gather *g);

/* Take over what was wrong with what another one gathered. */
void pm_gather_inherit(struct pm_gather *g, const struct pm_gather *from);

/* Note something wrong: it is stored with the job. */
void pm_gather_problem(struct pm_gather *g, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* In a job of root's: when the first process in record files of its own began. Else PM_NO_TIME. */
int64_t pm_gather_first_us(const struct pm_gather *g);

/* For the files gather*.c alone. Decide on the user of the file that begins (returns 0 or -1 with e
 * filled), of a record of it, and once all files were there of all. */
int pm_gather_begin_user(struct pm_gather *g, struct pm_err *e);
void pm_gather_user_record(struct pm_gather *g, struct pm_record *r);
void pm_gather_settle_users(struct pm_gather *g);

/* For the files gather*.c alone. Begin to redact the current file where it is one of papiex's and
 * the setting args does not say full: what is gathered and kept of it has no secrets. The bytes go
 * to `take`. Returns 0 or -1 with e filled. */
int pm_gather_begin_redacting(struct pm_gather *g, const char *name, pm_redact_take *take,
			      struct pm_err *e);

/* For the files gather*.c alone. A good line of a file is of this host. */
void pm_gather_of_host(struct pm_gather_file *f, uint32_t host);

/* For the files gather*.c alone. Keep a line that cannot be loaded, its reason as "column: why".
 * Returns 0 or -1 with g->err filled. */
int pm_gather_reject(struct pm_gather *g, uint32_t file, const char *p, size_t n, uint64_t line,
		     const char *column, const char *why);

/* Clear the implausible values of a record: `odd` gets the set of their columns. Returns whether
 * there were any; pm_gather_count_odd() counts them, and pm_gather_say_odd() reports the counts. */
bool pm_gather_drop_odd(const struct pm_gather *g, struct pm_record *r,
			uint64_t odd[PM_BOUNDS_WORDS]);
int pm_gather_count_odd(struct pm_gather *g, const uint64_t odd[PM_BOUNDS_WORDS], uint32_t file,
			uint64_t line, struct pm_err *e);
void pm_gather_say_odd(struct pm_gather *g);

/* When loads are merged: whether another load than `batch` has the line or row of this hash; if
 * not, it is noted for `batch`. Returns 1, 0, or -1 with e filled. */
int pm_gather_is_known(struct pm_gather *g, uint64_t hash, uint32_t batch, struct pm_err *e);

/* The functions that receive lines of other tools, and the function that takes such a line
 * (pm_line_fn). */
struct pm_foreign_sink pm_gather_foreign_sink(struct pm_gather *g);
int pm_gather_foreign_line(void *ctx, const char *p, size_t n, uint64_t number,
			   enum pm_line_state state);

#endif
