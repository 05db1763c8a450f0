/* Parse names of events, and parse and format entries of PERFMON_EVENTS. */
#include "config.h"

#include "common/safe/events.h"

#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <string.h>

enum { WHERE_ANY, WHERE_KERNEL };

/* The names of all rows in one text, a NUL after each row: an array of pointers would cost
 * relocations in every process of the job. `rows` holds the numbers of each row. */
static const char names[] =
#define PM_EVENT(names, type, config, where, help) names "\0"
#include "common/safe/events.def"
	;

static const struct row {
	uint8_t type;
	uint8_t kernel_only;
	uint32_t config;
} rows[] = {
#define PM_EVENT(names, type, config, where, help)                                                 \
	{ PERF_TYPE_##type, WHERE_##where == WHERE_KERNEL, config },
#include "common/safe/events.def"
};
_Static_assert(sizeof rows / sizeof rows[0] == PM_EVENT_ROWS, "rows are counted twice");

static const char flags[] =
#define PM_EVENT_FLAG(name, help) #name " "
#include "common/safe/events.def"
	;

/* The unparsed rest of a text. */
struct rest {
	const char *p, *end;
};

static char to_lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool at_end(const struct rest *r)
{
	return r->p == r->end;
}

/* Consume one byte if it is c. */
static bool take_byte(struct rest *r, char c)
{
	if (at_end(r) || *r->p != c)
		return false;
	r->p++;
	return true;
}

/* Consume `text` if the rest begins with it, ignoring case; with `loose` - and _ are the same. */
static bool take_spelling(struct rest *r, const char *text, size_t n, bool loose)
{
	if ((size_t)(r->end - r->p) < n)
		return false;
	for (size_t i = 0; i < n; i++) {
		char a = to_lower(r->p[i]), b = to_lower(text[i]);

		if (a != b && !(loose && (a == '-' || a == '_') && (b == '-' || b == '_')))
			return false;
	}
	r->p += n;
	return true;
}

static bool take_text(struct rest *r, const char *text, size_t n)
{
	return take_spelling(r, text, n, false);
}

#define TAKE(r, literal) take_text(r, literal, sizeof literal - 1)

static int digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = to_lower(c);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 16;
}

/* Parse at least one digit of base 10 or 16. Returns 0, or -1 without a digit and on overflow. */
static int take_digits(struct rest *r, unsigned base, uint64_t max, uint64_t *v)
{
	const char *first = r->p;

	for (*v = 0; !at_end(r); r->p++) {
		unsigned digit = (unsigned)digit_of(*r->p);

		if (digit >= base)
			break;
		if (*v > (max - digit) / base)
			return -1;
		*v = *v * base + digit;
	}
	return r->p > first ? 0 : -1;
}

/* Parse a number, hexadecimal after 0x. */
static int take_number(struct rest *r, uint64_t *v)
{
	return take_digits(r, TAKE(r, "0x") ? 16 : 10, UINT64_MAX, v);
}

/* Apply one modifier of perf(1) or libpfm4: its letter, and whether it is on ("=0" switches it
 * off). */
static int apply_modifier(struct pm_event *e, char letter, bool on)
{
	unsigned bit;

	switch (letter) {
	case 'u':
		bit = PM_EXCLUDE_USER;
		break;
	case 'k':
		bit = PM_EXCLUDE_KERNEL;
		break;
	case 'h':
		bit = PM_EXCLUDE_HV;
		break;
	case 'I':
		e->exclude |= PM_EXCLUDE_IDLE;
		return 0;
	case 'G':
		e->exclude |= PM_EXCLUDE_HOST;
		return 0;
	case 'H':
		e->exclude |= PM_EXCLUDE_GUEST;
		return 0;
	default:
		return -1;
	}
	/* The first domain modifier excludes all domains; each one includes its own. */
	if (!e->domain_asked)
		e->exclude |= PM_EXCLUDE_USER | PM_EXCLUDE_KERNEL | PM_EXCLUDE_HV;
	e->domain_asked = true;
	if (on)
		e->exclude &= (uint8_t)~bit;
	return 0;
}

/* Parse the whole rest as modifiers: ":uk:H". Returns 0 or -1. */
static int take_modifiers(struct rest *r, struct pm_event *e)
{
	while (!at_end(r)) {
		if (!take_byte(r, ':') || at_end(r) || *r->p == ':')
			return -1;
		while (!at_end(r) && *r->p != ':') {
			char letter = *r->p++;
			bool on = true;

			if (take_byte(r, '=')) {
				if ((letter != 'u' && letter != 'k' && letter != 'h') ||
				    at_end(r) || (*r->p != '0' && *r->p != '1'))
					return -1;
				on = *r->p++ == '1';
			}
			if (apply_modifier(e, letter, on) < 0)
				return -1;
		}
	}
	/* With all three domains excluded nothing is counted. */
	return (e->exclude & 7) == 7 ? -1 : 0;
}

/* Parse r<HEX>. */
static int find_raw(struct rest *r, struct pm_event *e)
{
	e->type = PERF_TYPE_RAW;
	return take_byte(r, 'r') ? take_digits(r, 16, UINT64_MAX, &e->config) : -1;
}

/* Parse cpu/config=NUMBER,.../ */
static int find_cpu(struct rest *r, struct pm_event *e)
{
	e->type = PERF_TYPE_RAW;
	if (!TAKE(r, "cpu/"))
		return -1;
	do {
		uint64_t *v;

		if (TAKE(r, "config1="))
			v = &e->config1;
		else if (TAKE(r, "config2="))
			v = &e->config2;
		else if (TAKE(r, "config="))
			v = &e->config;
		else
			return -1;
		if (take_number(r, v) < 0)
			return -1;
	} while (take_byte(r, ','));
	return take_byte(r, '/') ? 0 : -1;
}

/* Parse mem:ADDRESS[/LENGTH][:ACCESS] */
static int find_breakpoint(struct rest *r, struct pm_event *e)
{
	struct rest access;

	e->type = PERF_TYPE_BREAKPOINT;
	if (!TAKE(r, "mem:") || take_number(r, &e->config1) < 0)
		return -1;
	if (take_byte(r, '/') && take_number(r, &e->config2) < 0)
		return -1;
	access = *r;
	if (take_byte(&access, ':'))
		for (; !at_end(&access) && *access.p != ':'; access.p++) {
			char c = *access.p;

			if (c != 'r' && c != 'w' && c != 'x') {
				e->bp_type = 0;
				break;
			}
			e->bp_type |= c == 'r'   ? HW_BREAKPOINT_R
				      : c == 'w' ? HW_BREAKPOINT_W
						 : HW_BREAKPOINT_X;
		}
	if (e->bp_type)
		*r = access;
	else
		e->bp_type = HW_BREAKPOINT_RW;
	/* Like perf(1), watch an instruction with the length of a word and data with that of int.
	 */
	if (e->config2 == 0)
		e->config2 = e->bp_type == HW_BREAKPOINT_X ? sizeof(long) : HW_BREAKPOINT_LEN_4;
	return 0;
}

/* Parse a name of events.def. */
static int find_row(struct rest *r, struct pm_event *e)
{
	const char *p = names;

	TAKE(r, "perf::");
	for (size_t i = 0; i < PM_EVENT_ROWS; i++, p++) {
		while (*p) {
			struct rest behind = *r;
			size_t n = 0;

			while (p[n] && p[n] != ' ')
				n++;
			if (take_spelling(&behind, p, n, true) &&
			    (at_end(&behind) || *behind.p == ':')) {
				e->type = rows[i].type;
				e->config = rows[i].config;
				e->kernel_only = rows[i].kernel_only;
				*r = behind;
				return 0;
			}
			p += n + (p[n] == ' ');
		}
	}
	return -1;
}

/* Parse one kind of name; kinds are numbered in the order in which they are tried. */
static int find_kind(int kind, struct rest *r, struct pm_event *e)
{
	switch (kind) {
	case 0:
		return find_row(r, e);
	case 1:
		return find_breakpoint(r, e);
	case 2:
		return find_cpu(r, e);
	default:
		return find_raw(r, e);
	}
}

int pm_event_find(struct pm_event *e, const char *name, size_t n)
{
	for (int kind = 0; kind < 4; kind++) {
		struct rest r = { name, name + n };

		*e = (struct pm_event){ .name = { name, n } };
		if (find_kind(kind, &r, e) < 0)
			continue;
		if (!e->kernel_only)
			e->exclude = PM_EXCLUDE_KERNEL | PM_EXCLUDE_HV;
		if (take_modifiers(&r, e) == 0)
			return 0;
	}
	return -1;
}

enum pm_event_how pm_event_how(const struct pm_event *e)
{
	const uint8_t levels = PM_EXCLUDE_USER | PM_EXCLUDE_KERNEL | PM_EXCLUDE_HV;

	if (e->scope != PM_EVENT_PERF)
		return PM_HOW_PAPI;
	if (e->type != PERF_TYPE_SOFTWARE || e->exclude & (uint8_t)~levels)
		return PM_HOW_DIRECT;
	if (e->config == PERF_COUNT_SW_CPU_CLOCK || e->config == PERF_COUNT_SW_TASK_CLOCK)
		return PM_HOW_CLOCK;
	if (e->config == PERF_COUNT_SW_CONTEXT_SWITCHES && !(e->exclude & PM_EXCLUDE_KERNEL))
		return PM_HOW_RUSAGE;
	return PM_HOW_DIRECT;
}

static bool is_reason(char c)
{
	return (to_lower(c) >= 'a' && to_lower(c) <= 'z') || (c >= '0' && c <= '9') || c == '_' ||
	       c == '-' || c == '.';
}

/* Take the rest as the event's name, escaped as an item of a list. Returns 0 or -1. */
static int take_name(struct rest *r, struct pm_event *e)
{
	e->name = (struct pm_str){ r->p, (size_t)(r->end - r->p) };
	if (at_end(r) || memchr(r->p, ' ', e->name.n) || !pm_tsv_valid(r->p, e->name.n))
		return -1;
	return 0;
}

/* The scopes as entries for PAPI spell them. */
static const char scopes[PM_EVENT_SCOPES][8] = { "", "thread", "process", "node", "library" };

const char *pm_event_scope_name(enum pm_event_scope scope)
{
	return scopes[scope];
}

/* Parse an entry for PAPI after its @: SCOPE:TYPE:LENGTH:COMPONENT:EVENT:NAME or
 * library:VERSION:PATH. Returns 0 or -1. */
static int take_papi(struct rest *r, struct pm_event *e)
{
	uint64_t type, length;

	for (e->scope = PM_EVENT_THREAD; e->scope < PM_EVENT_SCOPES; e->scope++) {
		struct rest behind = *r;

		if (take_text(&behind, scopes[e->scope], strlen(scopes[e->scope])) &&
		    take_byte(&behind, ':')) {
			*r = behind;
			break;
		}
	}
	if (e->scope == PM_EVENT_SCOPES)
		return -1;
	if (e->scope == PM_EVENT_LIBRARY)
		return take_digits(r, 16, UINT32_MAX, &e->config) == 0 && take_byte(r, ':')
			       ? take_name(r, e)
			       : -1;
	if (take_digits(r, 16, UINT8_MAX, &type) < 0 || !take_byte(r, ':') ||
	    take_digits(r, 16, PM_EVENT_PAPI_MAX, &length) < 0 || !take_byte(r, ':') ||
	    (size_t)(r->end - r->p) < length)
		return -1;
	e->type = (uint32_t)type;
	e->papi = (struct pm_str){ r->p, (size_t)length };
	r->p += length;
	if (!memchr(e->papi.p, ':', e->papi.n) || memchr(e->papi.p, ' ', e->papi.n) ||
	    !take_byte(r, ':'))
		return -1;
	return take_name(r, e);
}

int pm_event_parse(struct pm_event *e, const char *entry, size_t n)
{
	static const uint64_t max[] = { UINT32_MAX, UINT64_MAX, UINT64_MAX,
					UINT64_MAX, UINT32_MAX, PM_EXCLUDE_ALL };
	struct rest r = { entry, entry + n };
	uint64_t v[6];

	*e = (struct pm_event){ 0 };
	if (take_byte(&r, '?')) {
		e->reason.p = r.p;
		while (!at_end(&r) && is_reason(*r.p))
			r.p++;
		e->reason.n = (size_t)(r.p - e->reason.p);
		if (e->reason.n == 0 || e->reason.n > PM_EVENT_REASON_MAX || !take_byte(&r, ':'))
			return -1;
		return take_name(&r, e);
	}
	if (take_byte(&r, '@'))
		return take_papi(&r, e);
	for (size_t i = 0; i < 6; i++)
		if (take_digits(&r, 16, max[i], &v[i]) < 0 || !take_byte(&r, ':'))
			return -1;
	e->type = (uint32_t)v[0];
	e->config = v[1];
	e->config1 = v[2];
	e->config2 = v[3];
	e->bp_type = (uint32_t)v[4];
	e->exclude = (uint8_t)v[5];
	return take_name(&r, e);
}

/* Append a hexadecimal number and a colon. */
static void put_hex(struct pm_buf *b, uint64_t v)
{
	int digits = 1;

	while (digits < 16 && v >> (4 * digits))
		digits++;
	pm_buf_hex(b, v, digits);
	pm_buf_ch(b, ':');
}

void pm_event_format(struct pm_buf *b, const struct pm_event *e)
{
	if (e->reason.n) {
		pm_buf_ch(b, '?');
		pm_buf_mem(b, e->reason.p, e->reason.n);
		pm_buf_ch(b, ':');
	} else if (e->scope != PM_EVENT_PERF) {
		pm_buf_ch(b, '@');
		pm_buf_str(b, scopes[e->scope]);
		pm_buf_ch(b, ':');
		put_hex(b, e->scope == PM_EVENT_LIBRARY ? e->config : e->type);
		if (e->scope != PM_EVENT_LIBRARY) {
			put_hex(b, e->papi.n);
			pm_buf_mem(b, e->papi.p, e->papi.n);
			pm_buf_ch(b, ':');
		}
	} else {
		put_hex(b, e->type);
		put_hex(b, e->config);
		put_hex(b, e->config1);
		put_hex(b, e->config2);
		put_hex(b, e->bp_type);
		put_hex(b, e->exclude);
	}
	pm_buf_mem(b, e->name.p, e->name.n);
}

size_t pm_event_word(const char *list)
{
	/* A breakpoint has a single slash, not a pair. */
	bool pairs = !(list[0] == 'm' && list[1] == 'e' && list[2] == 'm' && list[3] == ':');
	size_t n = 0;

	while (list[n] && list[n] != ',') {
		if (list[n++] != '/' || !pairs)
			continue;
		pairs = false;
		for (size_t i = n; list[i]; i++)
			if (list[i] == '/') {
				n = i + 1;
				break;
			}
	}
	return n;
}

bool pm_event_is_flag(const char *word, size_t n)
{
	for (const char *p = flags; *p;) {
		size_t len = 0;

		while (p[len] != ' ')
			len++;
		if (len == n && memcmp(p, word, n) == 0)
			return true;
		p += len + 1;
	}
	return false;
}
