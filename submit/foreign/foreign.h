/*
 * Files of other tools in a job's directory: recognition, and conversion of their lines to
 * perfmon's records. perfmon-foreign(5) describes the conversion.
 */
#ifndef PM_SUBMIT_FOREIGN_FOREIGN_H
#define PM_SUBMIT_FOREIGN_FOREIGN_H

#include "submit/foreign/papiex.h"
#include "submit/foreign/papiex_tsv.h"
#include "submit/input/lines.h"
#include "submit/memory/blobs.h"

enum pm_foreign_kind {
	PM_FOREIGN_NONE,
	PM_FOREIGN_CSV,    /* papiex: one process per file, or many */
	PM_FOREIGN_TSV,    /* papiex: collated */
	PM_FOREIGN_NAMES,  /* papiex: the columns of the collated file */
	PM_FOREIGN_PICKLE, /* EPMT: job_metadata, which has no lines */
};

/* Kind of a file by its base name. */
enum pm_foreign_kind pm_foreign_kind(const char *name);

/* Length of the host part of the name of one of papiex's files; 0 for other files. A file of column
 * names describes the collated files of its host. */
size_t pm_foreign_prefix(const char *name);

/* Functions that receive lines. They return 0 or -1 with e filled, `record` the same as
 * pm_images_add(). `file` is the number given to pm_foreign_begin. */
struct pm_foreign_sink {
	int (*record)(void *ctx, uint32_t file, const struct pm_record *r, const char **why,
		      struct pm_err *e);
	int (*reject)(void *ctx, uint32_t file, uint64_t line, const char *p, size_t n,
		      const char *column, const char *why, struct pm_err *e);
	/* As `odd` of struct pm_papiex_columns, for this line. */
	int (*odd)(void *ctx, uint32_t file, uint64_t line, const char *column,
		   enum pm_oddvalue_why why, struct pm_err *e);
	/* As `known` of struct pm_papiex, called if `merges` is set; `again` gets a line that
	 * another load has. */
	int (*known)(void *ctx, uint32_t file, uint64_t hash, struct pm_err *e);
	void (*again)(void *ctx, uint32_t file);
	void *ctx;
};

struct pm_foreign_names; /* column names of one host's collated file of one load */

/* The lines of one job. */
struct pm_foreign {
	struct pm_foreign_sink sink;
	struct pm_papiex papiex;
	struct pm_foreign_names *names;
	size_t names_count;
	struct pm_blobs held; /* collated lines whose column names have not been read yet */
	uint64_t held_count;
	bool merges; /* files of several loads are merged; set before the first */
	/* The file being read. */
	uint32_t batch; /* its load, set before it begins: column names apply first to files of the
			 * same load */
	enum pm_foreign_kind kind;
	uint32_t file;
	uint64_t line; /* number of the current line */
	char *host;    /* host part of the file's name */
	struct pm_papiex_tsv tsv;
	bool named;  /* its column names are known */
	bool counts; /* the last line was a row or was rejected, not names or a comment */
};

void pm_foreign_init(struct pm_foreign *f, const struct pm_foreign_sink *sink);
void pm_foreign_free(struct pm_foreign *f);

/* Begin a file of kind CSV, TSV or NAMES, take its lines, end it. Return 0 or -1 with e filled. */
int pm_foreign_begin(struct pm_foreign *f, const char *name, uint32_t file, struct pm_err *e);
int pm_foreign_line(struct pm_foreign *f, const char *p, size_t n, uint64_t number,
		    enum pm_lines_state state, struct pm_err *e);
int pm_foreign_end(struct pm_foreign *f, struct pm_err *e);

/* Finish after the job's last file: convert the lines that waited for column names. Returns 0 or -1
 * with e filled. */
int pm_foreign_finish(struct pm_foreign *f, struct pm_err *e);

#endif
