/* Format and parse the lines of phase marks. */
#include "config.h"

#include "common/record/phase.h"

#include <string.h>

enum { AT_MAGIC, AT_HOST, AT_BOOT, AT_WHAT, AT_NAME, AT_REAL, AT_MONO, AT_PID, AT_END, FIELDS };

static void put_field(struct pm_buf *b, struct pm_str s)
{
	pm_buf_ch(b, '\t');
	if (s.n)
		pm_tsv_escape(b, s.p, s.n);
	else
		pm_buf_str(b, PM_TSV_NULL);
}

static void put_number(struct pm_buf *b, int64_t v)
{
	pm_buf_ch(b, '\t');
	pm_buf_i64(b, v);
}

void pm_phase_format(struct pm_buf *b, const struct pm_phase_mark *m)
{
	pm_buf_str(b, PM_PHASE_FORMAT);
	put_field(b, m->hostname);
	put_field(b, m->boot_id);
	pm_buf_str(b, m->begin ? "\tbegin" : "\tend");
	put_field(b, m->name);
	put_number(b, m->realtime_us);
	put_number(b, m->monotonic_us);
	put_number(b, m->pid);
	pm_buf_ch(b, '\t');
	pm_buf_ch(b, PM_TSV_END);
	pm_buf_ch(b, '\n');
}

static bool is_text(struct pm_str s, const char *text)
{
	return s.n == strlen(text) && memcmp(s.p, text, s.n) == 0;
}

/* Convert the unknown value \N to an empty text. */
static struct pm_str null_to_empty(struct pm_str s)
{
	return pm_tsv_is_null(s.p, s.n) ? (struct pm_str){ s.p, 0 } : s;
}

int pm_phase_parse(const char *line, size_t n, struct pm_phase_mark *m, const char **why)
{
	struct pm_str f[FIELDS];
	size_t count = pm_tsv_split(line, n, f, FIELDS);

	*why = "not a phase mark";
	if (memchr(line, '\0', n) || !is_text(f[AT_MAGIC], PM_PHASE_FORMAT))
		return -1;
	*why = "cut or too long: its terminator is missing";
	if (count != FIELDS || f[AT_END].n != 1 || f[AT_END].p[0] != PM_TSV_END)
		return -1;
	*why = "kind is neither begin nor end";
	m->begin = is_text(f[AT_WHAT], "begin");
	if (!m->begin && !is_text(f[AT_WHAT], "end"))
		return -1;
	*why = "bad escape or byte";
	m->hostname = null_to_empty(f[AT_HOST]);
	m->boot_id = null_to_empty(f[AT_BOOT]);
	m->name = f[AT_NAME];
	if (!pm_tsv_valid(m->hostname.p, m->hostname.n) ||
	    !pm_tsv_valid(m->boot_id.p, m->boot_id.n) || !pm_tsv_valid(m->name.p, m->name.n))
		return -1;
	*why = "phase name is missing or too long";
	if (m->name.n == 0 || m->name.n > 4 * PM_PHASE_NAME_MAX ||
	    pm_tsv_is_null(m->name.p, m->name.n))
		return -1;
	*why = "not a time or process id";
	if (pm_tsv_number(f[AT_REAL].p, f[AT_REAL].n, &m->realtime_us) < 0 ||
	    pm_tsv_number(f[AT_MONO].p, f[AT_MONO].n, &m->monotonic_us) < 0 ||
	    pm_tsv_number(f[AT_PID].p, f[AT_PID].n, &m->pid) < 0 || m->realtime_us <= 0 ||
	    m->monotonic_us < 0 || m->pid < 0)
		return -1;
	*why = NULL;
	return 0;
}
