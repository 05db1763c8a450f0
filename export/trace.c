/* A trace of Perfetto: who ran when, and what was sampled meanwhile. */
#include "config.h"

#include "export/jobfile.h"
#include "export/protobuf.h"

#include "common/record/processname.h"
#include "common/text.h"
#include "db/samples.h"

#include <stdlib.h>
#include <string.h>

/* Fields by their numbers: protos/perfetto/trace/{trace,trace_packet,clock_snapshot}.proto and
 * track_event/{track_event,track_descriptor,counter_descriptor,debug_annotation}.proto. */
enum {
	TRACE_PACKET = 1,
	PACKET_CLOCKS = 6,
	PACKET_TIMESTAMP = 8,
	PACKET_SEQUENCE = 10,
	PACKET_EVENT = 11,
	PACKET_DESCRIPTOR = 60,
	CLOCKS_CLOCK = 1,
	CLOCK_ID = 1,
	CLOCK_TIMESTAMP = 2,
	EVENT_NOTE = 4,
	EVENT_TYPE = 9,
	EVENT_TRACK = 11,
	EVENT_CATEGORY = 22,
	EVENT_NAME = 23,
	EVENT_COUNTER = 30,
	TRACK_ID = 1,
	TRACK_NAME = 2,
	TRACK_PARENT = 5,
	TRACK_COUNTER = 8,
	COUNTER_UNIT = 6,
	NOTE_INTEGER = 4,
	NOTE_TEXT = 6,
	NOTE_NAME = 10,
};

enum { BEGIN = 1, END = 2, INSTANT = 3, COUNTER = 4 };

/* Clocks: without one of its own a packet's time is that since boot; both are the time of day. */
enum { CLOCK_OF_DAY = 1, CLOCK_OF_BOOT = 6 };

/* Who writes packets: one for all. */
#define SEQUENCE 1

struct trace {
	FILE *f;
	struct pm_db *db;
	int64_t job;
	struct pm_bytes b; /* the packet */
	struct pm_trace_gaps *gaps;
	struct pm_err *e;
};

/* The number of a track: by its kind and what it is of. */
static uint64_t track_of(const char *kind, int64_t a, int64_t b, int64_t c)
{
	const int64_t of[] = { a, b, c };
	uint64_t h = 14695981039346656037u;

	for (; *kind; kind++)
		h = (h ^ (unsigned char)*kind) * 1099511628211u;
	for (size_t i = 0; i < sizeof of; i++)
		h = (h ^ (uint64_t)(of[i / 8] >> 8 * (i % 8) & 0xff)) * 1099511628211u;
	/* 0 is the track of the trace itself. */
	return h ? h : 1;
}

static size_t begin_packet(struct trace *t)
{
	t->b.n = 0;
	return pm_protobuf_begin(&t->b, TRACE_PACKET);
}

/* Write the packet. Returns 0, or -1 with e filled. */
static int end_packet(struct trace *t, size_t begun)
{
	pm_protobuf_integer(&t->b, PACKET_SEQUENCE, SEQUENCE);
	pm_protobuf_end(&t->b, begun);
	if (t->b.failed)
		return pm_err(t->e, "out of memory");
	/* Faults of the stream are found when it is closed. */
	fwrite(t->b.p, 1, t->b.n, t->f);
	return 0;
}

/* Append a safe text. */
static void put_name(struct pm_bytes *b, unsigned field, const char *name)
{
	pm_protobuf_text(b, field, name, strlen(name));
}

/* Make a column that holds a text as it is safe. */
static const char *plain_of(char to[PM_PROCESSNAME_MAX], struct pm_stmt *q, int i,
			    const char *unknown)
{
	size_t n = 0;
	const char *text = pm_db_text(q, i, &n);

	if (!text)
		return unknown;
	pm_text_safe(to, PM_PROCESSNAME_MAX, text, n, true);
	return to;
}

/* Decode a field as the database has it; `unknown` in place of NULL. */
static const char *field_of(char to[PM_PROCESSNAME_MAX], struct pm_stmt *q, int i,
			    const char *unknown)
{
	const char *field = pm_db_text(q, i, NULL);

	if (!field)
		return unknown;
	pm_text_field(to, PM_PROCESSNAME_MAX, field, true);
	return to;
}

/* Describe a track below another, 0 for none; `unit` where it is a counter, else NULL. */
static int describe(struct trace *t, uint64_t track, uint64_t parent, const char *name,
		    const char *unit)
{
	const size_t packet = begin_packet(t), d = pm_protobuf_begin(&t->b, PACKET_DESCRIPTOR);

	pm_protobuf_integer(&t->b, TRACK_ID, track);
	put_name(&t->b, TRACK_NAME, name);
	if (parent)
		pm_protobuf_integer(&t->b, TRACK_PARENT, parent);
	if (unit) {
		const size_t c = pm_protobuf_begin(&t->b, TRACK_COUNTER);

		put_name(&t->b, COUNTER_UNIT, unit);
		pm_protobuf_end(&t->b, c);
	}
	pm_protobuf_end(&t->b, d);
	return end_packet(t, packet);
}

/* Begin the packet of an event at a time in us. */
static size_t begin_event(struct trace *t, size_t *packet, int64_t us, uint64_t track, int type)
{
	size_t event;

	*packet = begin_packet(t);
	pm_protobuf_integer(&t->b, PACKET_TIMESTAMP, (uint64_t)us * 1000);
	event = pm_protobuf_begin(&t->b, PACKET_EVENT);
	pm_protobuf_integer(&t->b, EVENT_TYPE, (uint64_t)type);
	pm_protobuf_integer(&t->b, EVENT_TRACK, track);
	return event;
}

static int end_event(struct trace *t, size_t packet, size_t event)
{
	pm_protobuf_end(&t->b, event);
	return end_packet(t, packet);
}

/* Times before 1970, or beyond what ns can tell, are those of damaged records. */
static bool is_sound(int64_t us)
{
	return us >= 0 && us < INT64_MAX / 1000;
}

static bool is_time(struct pm_stmt *q, int i)
{
	return !pm_db_is_null(q, i) && is_sound(pm_db_int(q, i));
}

/* The end of what has its start and duration in two columns; -1: it has none. */
static int64_t end_of(struct pm_stmt *q, int start, int duration)
{
	const int64_t from = pm_db_int(q, start);

	return is_time(q, duration) && pm_db_int(q, duration) <= INT64_MAX / 1000 - from
		       ? from + pm_db_int(q, duration)
		       : -1;
}

static int end_slice(struct trace *t, uint64_t track, int64_t end)
{
	size_t packet, event;

	if (end < 0)
		return 0;
	event = begin_event(t, &packet, end, track, END);
	return end_event(t, packet, event);
}

static void note_text(struct trace *t, const char *name, const char *text)
{
	const size_t n = pm_protobuf_begin(&t->b, EVENT_NOTE);

	put_name(&t->b, NOTE_NAME, name);
	put_name(&t->b, NOTE_TEXT, text);
	pm_protobuf_end(&t->b, n);
}

/* Append a column as a note to an event, by its name; none where it is not known. */
static void note(struct trace *t, struct pm_stmt *q, int i)
{
	char text[PM_PROCESSNAME_MAX];
	size_t n;

	if (pm_db_type(q, i) == PM_DB_TEXT) {
		note_text(t, pm_db_column_name(q, i), field_of(text, q, i, ""));
	} else if (pm_db_type(q, i) == PM_DB_INTEGER) {
		n = pm_protobuf_begin(&t->b, EVENT_NOTE);
		put_name(&t->b, NOTE_NAME, pm_db_column_name(q, i));
		pm_protobuf_integer(&t->b, NOTE_INTEGER, (uint64_t)pm_db_int(q, i));
		pm_protobuf_end(&t->b, n);
	}
}

/* Write a slice with notes: a command line, NULL for none, and the columns from `notes` on. */
static int write_slice(struct trace *t, struct pm_stmt *q, uint64_t track, const char *name,
		       const char *category, const char *command, int start, int64_t end, int notes)
{
	size_t packet, event = begin_event(t, &packet, pm_db_int(q, start), track, BEGIN);

	put_name(&t->b, EVENT_NAME, name);
	if (command)
		note_text(t, "command", command);
	pm_protobuf_text(&t->b, EVENT_CATEGORY, category, strlen(category));
	for (int i = notes; i < pm_db_columns(q); i++)
		note(t, q, i);
	return end_event(t, packet, event) < 0 ? -1 : end_slice(t, track, end);
}

/* What is a slice on a track of its own below another. */
struct span {
	uint64_t track, parent;
	const char *title, *name, *category;
	const char *command; /* NULL: none */
	int start, duration; /* columns */
	int notes;           /* the first of those that are notes */
};

/* Write it with its track, or count it where it has no start. Returns 0, or -1 with e filled. */
static int write_span(struct trace *t, struct pm_stmt *q, const struct span *s)
{
	if (!is_time(q, s->start)) {
		t->gaps->unknown++;
		return 0;
	}
	if (describe(t, s->track, s->parent, s->title, NULL) < 0)
		return -1;
	return write_slice(t, q, s->track, s->name, s->category, s->command, s->start,
			   end_of(q, s->start, s->duration), s->notes);
}

static int write_instant(struct trace *t, uint64_t track, int64_t us, const char *name)
{
	size_t packet, event = begin_event(t, &packet, us, track, INSTANT);

	put_name(&t->b, EVENT_NAME, name);
	pm_protobuf_text(&t->b, EVENT_CATEGORY, "failure", strlen("failure"));
	return end_event(t, packet, event);
}

/* Run a statement about the job, and `each` for its rows. Returns 0, or -1 with e filled. */
static int each_row(struct trace *t, const char *sql, int (*each)(struct trace *, struct pm_stmt *))
{
	struct pm_stmt *q;
	int rc;

	if (pm_db_prepare(t->db, sql, &q, t->e) < 0)
		return -1;
	pm_db_bind_int(q, 1, t->job);
	while ((rc = pm_db_step(q, t->e)) > 0)
		if ((rc = each(t, q)) < 0)
			break;
	pm_db_finish(q);
	return rc;
}

static int host_row(struct trace *t, struct pm_stmt *q)
{
	char name[PM_PROCESSNAME_MAX];

	return describe(t, track_of("host", pm_db_int(q, 0), 0, 0), 0,
			plain_of(name, q, 1, "a host"), NULL);
}

/* The track of a process, whose images follow one another; of one whose pid is not known, of the
 * image alone. */
static uint64_t process_track(struct pm_stmt *q)
{
	if (pm_db_is_null(q, 3) || pm_db_is_null(q, 4))
		return track_of("image", pm_db_int(q, 0), 0, 0);
	return track_of("process", pm_db_int(q, 1) ^ pm_db_int(q, 2) << 20, pm_db_int(q, 3),
			pm_db_int(q, 4));
}

/* Say how a process failed. */
static int write_failure(struct trace *t, struct pm_stmt *q, uint64_t track)
{
	const int64_t end = is_time(q, 5) ? end_of(q, 5, 6) : -1;
	char text[64];

	if (end < 0)
		return 0;
	if (!pm_db_is_null(q, 10))
		snprintf(text, sizeof text, "killed by signal %lld", (long long)pm_db_int(q, 10));
	else if (pm_db_int(q, 9) > 0)
		snprintf(text, sizeof text, "exit status %lld", (long long)pm_db_int(q, 9));
	else
		return 0;
	return write_instant(t, track, end, text);
}

static int process_row(struct trace *t, struct pm_stmt *q)
{
	char name[PM_PROCESSNAME_MAX], title[PM_PROCESSNAME_MAX + 32], command[PM_COMMAND_MAX];
	const struct span s = { .track = process_track(q),
				.parent = track_of("host", pm_db_int(q, 1), 0, 0),
				.title = title,
				.name = name,
				.category = "process",
				.command = command,
				.start = 5,
				.duration = 6,
				.notes = 9 };

	pm_processname(name, pm_db_text(q, 7, NULL), pm_db_text(q, 8, NULL), NULL, true);
	pm_processname_command(command, sizeof command, pm_db_text(q, 7, NULL),
			       pm_db_text(q, 8, NULL), true);
	if (pm_db_is_null(q, 3))
		snprintf(title, sizeof title, "%s", name);
	else
		snprintf(title, sizeof title, "%s [%lld]", name, (long long)pm_db_int(q, 3));
	return write_span(t, q, &s) < 0 ? -1 : write_failure(t, q, s.track);
}

static int thread_row(struct trace *t, struct pm_stmt *q)
{
	char title[PM_PROCESSNAME_MAX + 32], room[PM_PROCESSNAME_MAX];
	const struct span s = { .track = track_of("thread", pm_db_int(q, 0), pm_db_int(q, 7), 0),
				.parent = process_track(q),
				.title = title,
				.name = field_of(room, q, 9, "a thread"),
				.category = "thread",
				.start = 5,
				.duration = 6,
				.notes = 8 };

	snprintf(title, sizeof title, "%s [%lld]", s.name, (long long)pm_db_int(q, 8));
	return write_span(t, q, &s);
}

static int phase_row(struct trace *t, struct pm_stmt *q)
{
	char title[PM_PROCESSNAME_MAX + 32], room[PM_PROCESSNAME_MAX];
	const struct span s = { .track = track_of("phase", pm_db_int(q, 0), pm_db_int(q, 1), 0),
				.parent = track_of("host", pm_db_int(q, 0), 0, 0),
				.title = title,
				.name = field_of(room, q, 2, "?"),
				.category = "phase",
				.start = 3,
				.duration = 4,
				.notes = 5 };

	snprintf(title, sizeof title, "phase %s", s.name);
	return write_span(t, q, &s);
}

static int series_row(struct trace *t, struct pm_stmt *q)
{
	char part[4][PM_PROCESSNAME_MAX], name[3 * PM_PROCESSNAME_MAX];
	const char *object = plain_of(part[2], q, 4, ""), *unit = plain_of(part[3], q, 5, "");

	snprintf(name, sizeof name, "%s %s%s%s", plain_of(part[0], q, 2, "?"),
		 plain_of(part[1], q, 3, "?"), *object ? " " : "", object);
	return describe(t, track_of("series", pm_db_int(q, 0), 0, 0),
			track_of("host", pm_db_int(q, 1), 0, 0), name, unit);
}

static int write_sample(struct trace *t, const struct pm_sample *x)
{
	size_t packet, event;

	if (!is_sound(x->time_us) || !x->known)
		return 0;
	event = begin_event(t, &packet, x->time_us, track_of("series", x->series, 0, 0), COUNTER);
	pm_protobuf_integer(&t->b, EVENT_COUNTER, (uint64_t)x->value);
	return end_event(t, packet, event);
}

/* Write the samples of all series, one series after another. Returns 0, or -1 with e filled. */
static int write_samples(struct trace *t)
{
	struct pm_samples *all = pm_samples_of_job(t->db, t->job, t->e);
	struct pm_sample x;
	int rc = all ? 1 : -1;

	while (rc > 0 && (rc = pm_samples_next(all, &x, t->e)) != 0) {
		if (rc > 0) {
			rc = write_sample(t, &x) < 0 ? -1 : 1;
		} else if (pm_samples_damage(all)) {
			t->gaps->damaged++;
			t->gaps->damage = *t->e;
			rc = 1;
		}
	}
	pm_samples_free(all);
	return rc;
}

/* Say that times since boot are times of day. */
static int write_clocks(struct trace *t)
{
	static const int clocks[] = { CLOCK_OF_DAY, CLOCK_OF_BOOT };
	const size_t packet = begin_packet(t), all = pm_protobuf_begin(&t->b, PACKET_CLOCKS);

	for (size_t i = 0; i < sizeof clocks / sizeof clocks[0]; i++) {
		const size_t clock = pm_protobuf_begin(&t->b, CLOCKS_CLOCK);

		pm_protobuf_integer(&t->b, CLOCK_ID, (uint64_t)clocks[i]);
		pm_protobuf_integer(&t->b, CLOCK_TIMESTAMP, 1);
		pm_protobuf_end(&t->b, clock);
	}
	pm_protobuf_end(&t->b, all);
	return end_packet(t, packet);
}

int pm_export_trace(FILE *f, struct pm_db *db, int64_t job, struct pm_trace_gaps *gaps,
		    struct pm_err *e)
{
	static const struct {
		const char *sql;
		int (*each)(struct trace *t, struct pm_stmt *q);
	} part[] = {
		{ "SELECT id, hostname FROM host WHERE job_id = ? ORDER BY id", host_row },
		{ "SELECT id, host_id, coalesce(pid_ns, 0), pid, starttime, start_us, duration_us, "
		  "exename, args, exitcode, exitsignal, cpu_time, rssmax, rchar, wchar, "
		  "end_reason, "
		  "id AS process_id, parent_id FROM process WHERE job_id = ? ORDER BY id",
		  process_row },
		{ "SELECT p.id, p.host_id, coalesce(p.pid_ns, 0), p.pid, p.starttime, t.start_us, "
		  "t.duration_us, t.id AS thread_id, t.tid, t.thread_name, t.usertime, "
		  "t.systemtime "
		  "FROM thread_row t JOIN process p ON p.job_id = t.job_id AND p.id = t.process_id "
		  "WHERE t.job_id = ? ORDER BY t.process_id, t.id",
		  thread_row },
		{ "SELECT host_id, id, name, begin_us, duration_us, pid, ended FROM phase "
		  "WHERE job_id = ? ORDER BY host_id, id",
		  phase_row },
		{ "SELECT id, host_id, source, metric, object, unit FROM series WHERE job_id = ? "
		  "ORDER BY id",
		  series_row },
	};
	struct trace t = { .f = f, .db = db, .job = job, .gaps = gaps, .e = e };
	int rc = write_clocks(&t);

	for (size_t i = 0; rc == 0 && i < sizeof part / sizeof part[0]; i++)
		rc = each_row(&t, part[i].sql, part[i].each);
	if (rc == 0)
		rc = write_samples(&t);
	pm_bytes_free(&t.b);
	return rc;
}
