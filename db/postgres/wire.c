/* A connection to a PostgreSQL server, by libpq: no other file calls the library. */
#include "config.h"

#include "db/postgres/wire.h"

#include "db/postgres/sqlstate.h"

#include "common/log.h"
#include "common/version.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef HAVE_PQ

#include <dlfcn.h>
#include <libpq-fe.h>

/*
 * libpq brings two dozen libraries along, which would make every start of perfmon take four times
 * as long: load it only when a PostgreSQL database is opened.
 */
#define LIBRARY "libpq.so.5"

static struct {
#define PM_PQ(name) __typeof__(name) *name;
#include "db/postgres/libpq.def"
#undef PM_PQ
} pq;

/* Load the library once, for good. Returns 0 or -1 with e filled. */
static int load_libpq(struct pm_err *e)
{
	static const struct {
		const char *name;
		void *slot;
	} function[] = {
#define PM_PQ(name) { #name, &pq.name },
#include "db/postgres/libpq.def"
#undef PM_PQ
	};
	void *library;

	if (pq.PQunescapeBytea)
		return 0;
	library = dlopen(LIBRARY, RTLD_NOW);
	for (size_t i = 0; i < sizeof function / sizeof function[0]; i++) {
		void *symbol = library ? dlsym(library, function[i].name) : NULL;

		if (!symbol) {
			errno = ENOTSUP;
			return pm_err(e, "PostgreSQL's client library cannot be used: %s",
				      dlerror());
		}
		memcpy(function[i].slot, &symbol, sizeof symbol);
	}
	return 0;
}

/* How long a connection may take, s, where neither the URL nor the environment says. */
#define CONNECT_S "20"

/* The oldest server that partitions tables as the schema has it. */
#define SERVER_MIN 120000

/* Types of columns, by the numbers they have in every server (pg_type.dat). */
enum {
	TYPE_BOOL = 16,
	TYPE_BYTEA = 17,
	TYPE_INT8 = 20,
	TYPE_INT2 = 21,
	TYPE_INT4 = 23,
	TYPE_OID = 26,
	TYPE_FLOAT4 = 700,
	TYPE_FLOAT8 = 701,
	TYPE_NUMERIC = 1700,
};

struct pm_pgwire {
	PGconn *conn;
	bool stuck; /* in a COPY that could not be ended, so no other command is possible */
};

static PGresult *result_of(struct pm_pgwire_row *row)
{
	return (PGresult *)row;
}

static const PGresult *columns_of(const struct pm_pgwire_shape *s)
{
	return (const PGresult *)s;
}

/* Fill e with the server's message about a result, or libpq's about the connection, as one line.
 * Returns -1 with errno set: see db.h, pm_db_failure. */
static int fail_result(struct pm_pgwire *w, const PGresult *r, struct pm_err *e)
{
	const char *text = r ? pq.PQresultErrorField(r, PG_DIAG_MESSAGE_PRIMARY) : NULL;
	const char *detail = r ? pq.PQresultErrorField(r, PG_DIAG_MESSAGE_DETAIL) : NULL;
	const char *state = r ? pq.PQresultErrorField(r, PG_DIAG_SQLSTATE) : NULL;

	if (!text)
		text = pq.PQerrorMessage(w->conn);
	pm_err(e, "%.*s%s%s%s%s", (int)strcspn(text, "\n"), text, detail ? " (" : "",
	       detail ? detail : "", detail ? ")" : "",
	       state && strcmp(state, "42501") == 0
		       ? "; perfmon-schema(5) lists the roles and their rights"
		       : "");
	errno = state ? pm_sqlstate_errno(state) : ECONNRESET;
	return -1;
}

static void log_notice(void *arg, const char *text)
{
	(void)arg;
	pm_debug("PostgreSQL: %.*s", (int)strcspn(text, "\n"), text);
}

/* Remove quoted text from libpq's message about a URL: it may be part of a password. */
static void remove_quoted(char *text)
{
	char *to = text;
	bool inside = false;

	for (const char *p = text; *p && *p != '\n'; p++) {
		if (*p == '"')
			inside = !inside;
		if (!inside || *p == '"')
			*to++ = *p;
	}
	*to = '\0';
}

/* Whether a text is ports, with commas between: libpq says so only when it connects. */
static bool are_ports(const char *text)
{
	for (;; text++) {
		unsigned port = 0;
		size_t n = strspn(text, "0123456789");

		for (size_t i = 0; i < n && port <= UINT16_MAX; i++)
			port = 10 * port + (unsigned)(text[i] - '0');
		/* One that is empty is the usual one. */
		if ((n > 0 && (port == 0 || port > UINT16_MAX)) || (text[n] && text[n] != ','))
			return false;
		text += n;
		if (!*text)
			return true;
	}
}

char *pm_pgwire_name(const char *url, struct pm_err *e)
{
	static const char *const part[] = {
		"user", "host", "hostaddr", "port", "dbname", "service"
	};
	const char *value[sizeof part / sizeof part[0]] = { NULL };
	char *why = NULL, *name = NULL;
	PQconninfoOption *option;

	if (load_libpq(e) < 0)
		return NULL;
	option = pq.PQconninfoParse(url, &why);
	if (!option) {
		if (why)
			remove_quoted(why);
		errno = EINVAL;
		pm_err(e, "not a database URL: %s", why ? why : "out of memory");
		pq.PQfreemem(why);
		return NULL;
	}
	for (const PQconninfoOption *o = option; o->keyword; o++)
		for (size_t i = 0; i < sizeof part / sizeof part[0]; i++)
			if (o->val && strcmp(o->keyword, part[i]) == 0)
				value[i] = o->val;
	if (value[3] && !are_ports(value[3])) {
		errno = EINVAL;
		pm_err(e, "not a database URL: a port is a number from 1 to 65535");
		pq.PQconninfoFree(option);
		return NULL;
	}
	if (asprintf(&name, "postgresql://%s%s%s%s%s/%s%s%s", value[0] ? value[0] : "",
		     value[0] ? "@" : "",
		     value[1]   ? value[1]
		     : value[2] ? value[2]
				: "",
		     value[3] ? ":" : "", value[3] ? value[3] : "", value[4] ? value[4] : "",
		     value[5] ? "?service=" : "", value[5] ? value[5] : "") < 0) {
		name = NULL;
		pm_err(e, "out of memory");
	}
	pq.PQconninfoFree(option);
	return name;
}

int pm_pgwire_open(struct pm_pgwire **out, const char *url, struct pm_err *e)
{
	const char *timeout = getenv("PGCONNECT_TIMEOUT");
	/* The last of several values of a key counts: the URL's connect_timeout over ours. */
	const char *key[] = { "connect_timeout", "fallback_application_name", "dbname",
			      "client_encoding", NULL };
	const char *value[] = { timeout ? timeout : CONNECT_S, "perfmon", url, "UTF8", NULL };
	struct pm_pgwire *w = calloc(1, sizeof *w);

	if (!w)
		return pm_err(e, "out of memory");
	if (load_libpq(e) < 0) {
		free(w);
		return -1;
	}
	w->conn = pq.PQconnectdbParams(key, value, 1);
	if (!w->conn || pq.PQstatus(w->conn) != CONNECTION_OK) {
		if (w->conn)
			fail_result(w, NULL, e);
		else
			pm_err(e, "out of memory");
		pm_pgwire_close(w);
		errno = ECONNREFUSED;
		return -1;
	}
	pq.PQsetNoticeProcessor(w->conn, log_notice, NULL);
	*out = w;
	return 0;
}

void pm_pgwire_close(struct pm_pgwire *w)
{
	pq.PQfinish(w->conn);
	free(w);
}

bool pm_pgwire_lost(const struct pm_pgwire *w)
{
	return w->stuck || pq.PQstatus(w->conn) != CONNECTION_OK;
}

int pm_pgwire_again(struct pm_pgwire *w, struct pm_err *e)
{
	pq.PQreset(w->conn);
	w->stuck = false;
	return pm_pgwire_lost(w) ? fail_result(w, NULL, e) : 0;
}

int pm_pgwire_fits(const struct pm_pgwire *w, struct pm_err *e)
{
	const char *encoding = pq.PQparameterStatus(w->conn, "server_encoding");

	errno = ENOTSUP;
	if (pq.PQserverVersion(w->conn) < SERVER_MIN)
		return pm_err(e, "PostgreSQL %s is too old: %d or newer is needed",
			      pq.PQparameterStatus(w->conn, "server_version"), SERVER_MIN / 10000);
	if (encoding && strcmp(encoding, "UTF8") != 0)
		return pm_err(e, "its encoding is %s: create it with ENCODING 'UTF8'", encoding);
	return 0;
}

/* As fail_result, and free the result. */
static int fail_with(struct pm_pgwire *w, PGresult *r, struct pm_err *e)
{
	int error;

	fail_result(w, r, e);
	error = errno;
	pq.PQclear(r);
	errno = error;
	return -1;
}

/* Receive what is left of a command's results. Returns 0, or -1 with e filled if it failed. */
static int drain_results(struct pm_pgwire *w, struct pm_err *e)
{
	int rc = 0, error = 0;
	PGresult *r;

	while (!w->stuck && (r = pq.PQgetResult(w->conn)) != NULL) {
		ExecStatusType status = pq.PQresultStatus(r);

		/* PQputCopyEnd ran out of memory, and libpq returns this result forever. */
		w->stuck = status == PGRES_COPY_IN;
		if (rc == 0 && status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK &&
		    status != PGRES_SINGLE_TUPLE) {
			rc = fail_result(w, r, e);
			error = errno;
		}
		pq.PQclear(r);
	}
	errno = error;
	return rc;
}

int pm_pgwire_command(struct pm_pgwire *w, const char *sql, char done[16], struct pm_err *e)
{
	PGresult *r = pq.PQexec(w->conn, sql);
	ExecStatusType status = pq.PQresultStatus(r);

	if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK)
		return fail_with(w, r, e);
	if (done)
		snprintf(done, 16, "%s", pq.PQcmdStatus(r));
	pq.PQclear(r);
	return 0;
}

/* Parameter types of a statement with narrower integers widened to 64 bits. Returns how many were
 * widened, or -1 if out of memory; *out is to be freed. */
static int widen_types(const PGresult *r, Oid **out)
{
	int n = pq.PQnparams(r), narrow = 0;

	*out = calloc((size_t)n + 1, sizeof **out);
	if (!*out)
		return -1;
	for (int i = 0; i < n; i++) {
		(*out)[i] = pq.PQparamtype(r, i);
		if ((*out)[i] == TYPE_INT2 || (*out)[i] == TYPE_INT4) {
			(*out)[i] = TYPE_INT8;
			narrow++;
		}
	}
	return narrow;
}

/* Prepare and describe a statement. Returns the description, or the result that holds the error. */
static PGresult *prepare_types(struct pm_pgwire *w, const char *name, const char *sql, int types,
			       const Oid *type)
{
	PGresult *r = pq.PQprepare(w->conn, name, sql, types, type);

	if (pq.PQresultStatus(r) != PGRES_COMMAND_OK)
		return r;
	pq.PQclear(r);
	return pq.PQdescribePrepared(w->conn, name);
}

/*
 * The server infers the type of a parameter from its neighbour: `? - 60000000` becomes an int4, too
 * small for a time in microseconds. perfmon binds all integers as 64 bits.
 */
int pm_pgwire_prepare(struct pm_pgwire *w, const char *name, const char *sql,
		      struct pm_pgwire_shape **out, struct pm_err *e)
{
	PGresult *r = prepare_types(w, name, sql, 0, NULL);
	char forget[64];
	int narrow = 0;
	Oid *type;

	if (pq.PQresultStatus(r) == PGRES_COMMAND_OK) {
		narrow = widen_types(r, &type);
		if (narrow > 0) {
			int types = pq.PQnparams(r);

			snprintf(forget, sizeof forget, "DEALLOCATE %s", name);
			pq.PQclear(r);
			r = pq.PQexec(w->conn, forget);
			if (pq.PQresultStatus(r) == PGRES_COMMAND_OK) {
				pq.PQclear(r);
				r = prepare_types(w, name, sql, types, type);
			}
		}
		free(type);
	}
	if (narrow < 0) {
		pq.PQclear(r);
		errno = ENOMEM;
		return pm_err(e, "out of memory");
	}
	if (pq.PQresultStatus(r) != PGRES_COMMAND_OK)
		return fail_with(w, r, e);
	*out = (struct pm_pgwire_shape *)r;
	return 0;
}

int pm_pgwire_columns(const struct pm_pgwire_shape *s)
{
	return pq.PQnfields(columns_of(s));
}

const char *pm_pgwire_column_name(const struct pm_pgwire_shape *s, int i)
{
	return pq.PQfname(columns_of(s), i);
}

enum pm_schema_type pm_pgwire_type(const struct pm_pgwire_shape *s, int i, const char *text)
{
	switch (pq.PQftype(columns_of(s), i)) {
	case TYPE_BOOL:
	case TYPE_INT8:
	case TYPE_INT2:
	case TYPE_INT4:
	case TYPE_OID:
		return PM_SCHEMA_INTEGER;
	case TYPE_FLOAT4:
	case TYPE_FLOAT8:
		return PM_SCHEMA_REAL;
	case TYPE_NUMERIC:
		/* A sum of integers is a numeric. */
		return strchr(text, '.') ? PM_SCHEMA_REAL : PM_SCHEMA_INTEGER;
	case TYPE_BYTEA:
		return PM_SCHEMA_BLOB;
	default:
		return PM_SCHEMA_TEXT;
	}
}

void pm_pgwire_shape_free(struct pm_pgwire_shape *s)
{
	pq.PQclear((PGresult *)s);
}

int pm_pgwire_send(struct pm_pgwire *w, const char *name, int n, const char *const *param,
		   struct pm_err *e)
{
	if (!pq.PQsendQueryPrepared(w->conn, name, n, param, NULL, NULL, 0))
		return fail_result(w, NULL, e);
	pq.PQsetSingleRowMode(w->conn);
	return 0;
}

int pm_pgwire_next(struct pm_pgwire *w, struct pm_pgwire_row **row, struct pm_rowspill_cell *cell,
		   struct pm_err *e)
{
	PGresult *r;
	ExecStatusType status;
	int rc, error;

	pm_pgwire_row_free(*row);
	*row = NULL;
	r = pq.PQgetResult(w->conn);
	if (!r)
		return 0;
	status = pq.PQresultStatus(r);
	if (status == PGRES_SINGLE_TUPLE) {
		*row = (struct pm_pgwire_row *)r;
		for (int i = 0; i < pq.PQnfields(r); i++) {
			bool null = pq.PQgetisnull(r, 0, i);

			cell[i].p = null ? NULL : pq.PQgetvalue(r, 0, i);
			cell[i].n = (size_t)pq.PQgetlength(r, 0, i);
		}
		return 1;
	}
	if (status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK) {
		pq.PQclear(r);
		return drain_results(w, e);
	}
	rc = fail_with(w, r, e);
	error = errno;
	drain_results(w, NULL);
	errno = error;
	return rc;
}

void pm_pgwire_row_free(struct pm_pgwire_row *row)
{
	pq.PQclear(result_of(row));
}

unsigned char *pm_pgwire_blob(const char *text, size_t *n)
{
	return pq.PQunescapeBytea((const unsigned char *)text, n);
}

void pm_pgwire_blob_free(unsigned char *p)
{
	pq.PQfreemem(p);
}

int pm_pgwire_copy(struct pm_pgwire *w, const char *sql, struct pm_err *e)
{
	PGresult *r = pq.PQexec(w->conn, sql);

	if (pq.PQresultStatus(r) != PGRES_COPY_IN)
		return fail_with(w, r, e);
	pq.PQclear(r);
	return 0;
}

int pm_pgwire_copy_data(struct pm_pgwire *w, const char *p, size_t n, struct pm_err *e)
{
	/* libpq buffers a copy of each piece. */
	const size_t most = 256 << 10;

	while (n > 0) {
		size_t piece = n < most ? n : most;

		if (pq.PQputCopyData(w->conn, p, (int)piece) < 0)
			return drain_results(w, e) < 0 ? -1 : fail_result(w, NULL, e);
		p += piece;
		n -= piece;
	}
	return 0;
}

int pm_pgwire_copy_end(struct pm_pgwire *w, struct pm_err *e)
{
	if (pq.PQputCopyEnd(w->conn, NULL) < 0)
		return drain_results(w, e) < 0 ? -1 : fail_result(w, NULL, e);
	return drain_results(w, e);
}

void pm_pgwire_copy_abort(struct pm_pgwire *w)
{
	pq.PQputCopyEnd(w->conn, "rolled back");
	drain_results(w, NULL);
}

void pm_version_libpq(struct pm_version *v)
{
	struct pm_err e;
	int version;

	if (load_libpq(&e) < 0) {
		pm_version_fail(v, e.text);
		return;
	}
	version = pq.PQlibVersion();
	pm_version_set(v, "%d.%d", version / 10000, version % 10000);
}

#else

void pm_version_libpq(struct pm_version *v)
{
	(void)v;
}

#endif
