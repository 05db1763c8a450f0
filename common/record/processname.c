/* Labels and command lines of processes. */
#include "config.h"

#include "common/record/processname.h"

#include "common/path.h"
#include "common/safe/buf.h"
#include "common/safe/tsv.h"
#include "common/terminal.h"
#include "common/text.h"

#include <stdio.h>
#include <string.h>

/* Maximum number of arguments examined for a label, and of bytes of each. */
#define ITEMS    16
#define ITEM_MAX 200

/* Maximum number of columns of the first word of inline program text (-c, -e); a label shows only
 * this word. */
#define INLINE_COLUMNS 20

#define ELLIPSIS "\xe2\x80\xa6"

/*
 * The interpreters. `name` is the full name of the executable or, with a final '*', a prefix that
 * only digits, dots, '-', 'm', 'd' and 'u' may follow (python3.11). `with_value`: options,
 * blank-separated and exact, whose next argument is their value. `inline_code`: options whose next
 * argument is program text. `named`: options shown together with their next argument.
 * operand_is_code: the first operand is program text, not the name of a script.
 */
static const struct interpreter {
	const char *name;
	const char *with_value;
	const char *inline_code;
	const char *named;
	bool operand_is_code;
} interpreters[] = {
	{ "python*", "-W -X -Q --check-hash-based-pycs", "-c", "-m", false },
	{ "pypy*", "-W -X", "-c", "-m", false },
	{ "sh", "-o +o", "-c", "", false },
	{ "dash", "-o +o", "-c", "", false },
	{ "bash", "-o +o -O +O --rcfile --init-file", "-c", "", false },
	{ "ksh*", "-o +o", "-c", "", false },
	{ "mksh", "-o +o", "-c", "", false },
	{ "zsh", "-o +o", "-c", "", false },
	{ "csh", "", "-c", "", false },
	{ "tcsh", "", "-c", "", false },
	{ "fish", "-d -o", "-c", "", false },
	{ "perl*", "-I", "-e -E", "", false },
	{ "ruby*", "-I -r -C", "-e", "", false },
	{ "lua*", "-l", "-e", "", false },
	{ "node", "-r --require", "-e -p --eval --print", "", false },
	{ "php*", "-d -c", "-r", "-f", false },
	{ "java", "-cp -classpath --class-path -p --module-path --add-modules", "",
	  "-jar -m --module", false },
	{ "Rscript", "", "-e", "", false },
	{ "R", "", "-e", "-f", false },
	{ "julia", "-C -J -L -p -t --project", "-e -E", "", false },
	{ "octave*", "--path -p", "--eval", "", false },
	{ "octave-cli", "--path -p", "--eval", "", false },
	{ "MATLAB", "", "-r -batch", "", false },
	{ "tclsh*", "-encoding", "", "", false },
	{ "wish*", "", "", "", false },
	{ "expect", "", "-c", "-f", false },
	{ "gnuplot", "", "-e", "", false },
	{ "awk", "-F -v", "", "-f", true },
	{ "gawk", "-F -v", "-e", "-f", true },
	{ "mawk", "-F -v", "", "-f", true },
	{ "idl", "", "-e", "", false },
	{ "ncl", "", "", "", false },
};

/* Multi-call programs: many programs in one executable; comm is the name of the one that runs. */
static const char *const multi_call[] = { "busybox", "toybox", "coreutils" };

static bool name_matches(const char *pattern, const char *name)
{
	size_t len = strlen(pattern);

	if (len == 0 || pattern[len - 1] != '*')
		return strcmp(pattern, name) == 0;
	return strncmp(name, pattern, len - 1) == 0 &&
	       name[len - 1 + strspn(name + len - 1, "0123456789.-mdu")] == '\0';
}

static const struct interpreter *find_interpreter(const char *exename)
{
	for (size_t i = 0; i < sizeof interpreters / sizeof interpreters[0]; i++)
		if (name_matches(interpreters[i].name, exename))
			return &interpreters[i];
	return NULL;
}

/* Whether the blank-separated list contains exactly this word. */
static bool in_list(const char *list, const char *word)
{
	size_t len = strlen(word);

	for (const char *p = list; len && (p = strstr(p, word)) != NULL; p += len)
		if ((p == list || p[-1] == ' ') && (p[len] == ' ' || p[len] == '\0'))
			return true;
	return false;
}

/* Whether a short shell option bundles c, such as -ec or -lc. */
static bool bundles_c(const char *option, const struct interpreter *in)
{
	size_t len = strlen(option);

	return strcmp(in->inline_code, "-c") == 0 && strncmp(in->name, "py", 2) != 0 && len > 2 &&
	       option[1] != '-' && option[len - 1] == 'c' &&
	       strspn(option + 1, "abcefhilmnrstuvxBCEHPT") == len - 1;
}

/* Convert one item to safe text of at most ITEM_MAX bytes. */
static void item_text(char *text, struct pm_str item, bool utf8)
{
	char field[ITEM_MAX * 4 + 1];
	size_t n = item.n < sizeof field - 1 ? item.n : sizeof field - 1, plain = 0;

	/* Most items are safe as they are. */
	while (plain < n && item.p[plain] > ' ' && item.p[plain] < 0x7f && item.p[plain] != '\\')
		plain++;
	if (plain == item.n && n < ITEM_MAX) {
		memcpy(text, item.p, n);
		text[n] = '\0';
		return;
	}
	memcpy(field, item.p, n);
	field[n] = '\0';
	pm_text_field(text, ITEM_MAX, field, utf8);
}

static int split_arguments(struct pm_str item[ITEMS], const char *args)
{
	struct pm_str list = { args, strlen(args) };
	int n = 0;

	while (n < ITEMS && pm_tsv_next_item(&list, &item[n]) &&
	       /* the marker of a cut list */
	       !(item[n].n >= 2 && item[n].p[0] == '\\' && item[n].p[1] == '+'))
		n++;
	return n;
}

/* Shorten program text to its first word, which groups similar commands: 'gcc ...'. */
static void inline_text(char *dst, size_t cap, const char *code)
{
	const char *word = code + strspn(code, " ");
	char first[ITEM_MAX], cut[INLINE_COLUMNS * 4 + 8];
	size_t len = strcspn(word, " ");

	snprintf(first, sizeof first, "%.*s", (int)len, word);
	pm_text_fit(cut, sizeof cut, first, INLINE_COLUMNS, true);
	snprintf(dst, cap, "'%s%s'", cut, word[len] ? " " ELLIPSIS : "");
}

static void name_script(char *dst, size_t cap, const struct interpreter *in, const char *args)
{
	struct pm_str item[ITEMS];
	int n = split_arguments(item, args);

	for (int i = 0; i < n; i++) {
		char arg[ITEM_MAX], next[ITEM_MAX], code[INLINE_COLUMNS * 4 + 16];
		bool more = i + 1 < n;

		item_text(arg, item[i], true);
		if (arg[0] != '-' && arg[0] != '+') {
			if (in->operand_is_code)
				inline_text(code, sizeof code, arg);
			snprintf(dst, cap, " %s", in->operand_is_code ? code : pm_path_base(arg));
			return;
		}
		if (strcmp(arg, "-") == 0 || strcmp(arg, "--") == 0)
			continue;
		if (strncmp(arg, "--file=", 7) == 0) { /* option that Rscript passes to R */
			snprintf(dst, cap, " %s", pm_path_base(arg + 7));
			return;
		}
		if (more && (in_list(in->inline_code, arg) || bundles_c(arg, in))) {
			item_text(next, item[i + 1], true);
			inline_text(code, sizeof code, next);
			snprintf(dst, cap, " %s %s", arg, code);
			return;
		}
		if (more && in_list(in->named, arg)) {
			item_text(next, item[i + 1], true);
			/* Both texts fit in ITEM_MAX: the precisions only silence a compiler
			 * warning. */
			snprintf(dst, cap, " %.*s %.*s", ITEM_MAX, arg, ITEM_MAX,
				 pm_path_base(next));
			return;
		}
		if (in_list(in->with_value, arg))
			i++;
	}
}

enum pm_processname_use pm_processname_uses(const char *exename)
{
	if (find_interpreter(exename))
		return PM_PROCESSNAME_ARGS;
	for (size_t i = 0; i < sizeof multi_call / sizeof multi_call[0]; i++)
		if (strcmp(exename, multi_call[i]) == 0)
			return PM_PROCESSNAME_COMM;
	return PM_PROCESSNAME_EXENAME;
}

const char *pm_processname_label(char *dst, const char *exename, const char *args, const char *comm)
{
	char name[ITEM_MAX], rest[2 * ITEM_MAX + 8] = "", whole[sizeof name + sizeof rest + 2];
	const char *quote;
	enum pm_processname_use use;

	if (!exename || !*exename) {
		if (comm && *comm)
			pm_text_field(dst, PM_PROCESSNAME_MAX, comm, true);
		else
			snprintf(dst, PM_PROCESSNAME_MAX, "(unknown program)");
		return dst;
	}
	pm_text_field(name, sizeof name, exename, true);
	use = pm_processname_uses(exename);
	if (use == PM_PROCESSNAME_ARGS && args) {
		name_script(rest, sizeof rest, find_interpreter(exename), args);
	} else if (use == PM_PROCESSNAME_COMM && comm && *comm && strcmp(comm, exename) != 0) {
		rest[0] = ' ';
		pm_text_field(rest + 1, ITEM_MAX, comm, true);
	}
	/* Nobody would see a name of blanks. */
	quote = name[strspn(name, " ")] ? "" : "'";
	snprintf(whole, sizeof whole, "%s%s%s%s", quote, name, quote, rest);
	pm_text_fit(dst, PM_PROCESSNAME_MAX, whole, (int)sizeof whole, true);
	return dst;
}

const char *pm_processname_shown(char *dst, const char *label, bool utf8)
{
	size_t room = PM_PROCESSNAME_MAX - 1, out = 0, fits = 0;

	for (const char *s = label; *s;) {
		char piece[PM_TERMINAL_PIECE];
		size_t len, taken;

		if (*s >= ' ' && *s < 0x7f) {
			piece[0] = *s;
			len = taken = 1;
		} else if (!utf8 && strncmp(s, ELLIPSIS, sizeof ELLIPSIS - 1) == 0) {
			taken = sizeof ELLIPSIS - 1;
			len = 3;
			memcpy(piece, "...", len);
		} else {
			taken = pm_terminal_piece(s, strlen(s), utf8, piece, &len);
		}
		if (out + len > room) {
			out = fits + 3;
			memcpy(dst + fits, utf8 ? ELLIPSIS : "...", 3);
			break;
		}
		memcpy(dst + out, piece, len);
		out += len;
		if (out + 3 <= room)
			fits = out;
		s += taken;
	}
	dst[out] = '\0';
	return dst;
}

const char *pm_processname(char *dst, const char *exename, const char *args, const char *comm,
			   bool utf8)
{
	char label[PM_PROCESSNAME_MAX];

	return pm_processname_shown(dst, pm_processname_label(label, exename, args, comm), utf8);
}

size_t pm_processname_quote(char *dst, size_t cap, size_t len, const char *text)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "%+,-./:=@_^";
	bool quote = *text == '\0';
	struct pm_buf b;

	for (const char *s = text + strspn(text, plain); *s && !quote;
	     s += 1 + strspn(s + 1, plain))
		quote = (unsigned char)*s < 0x80;
	pm_buf_init(&b, dst, cap - 1);
	b.len = len;
	if (len)
		pm_buf_ch(&b, ' ');
	if (quote)
		pm_buf_ch(&b, '\'');
	for (const char *s = text; *s;) {
		const size_t n = strcspn(s, "'");

		pm_buf_mem(&b, s, n);
		s += n;
		/* Close the quotes, an escaped quote, reopen them. */
		if (*s) {
			pm_buf_str(&b, "'\\''");
			s++;
		}
	}
	if (quote)
		pm_buf_ch(&b, '\'');
	dst[b.len] = '\0';
	return b.len;
}

const char *pm_processname_command(char *dst, size_t cap, const char *exename, const char *args,
				   bool utf8)
{
	struct pm_str list = { args, args ? strlen(args) : 0 }, item;
	char line[PM_COMMAND_MAX + 5 * ITEM_MAX];
	size_t len = 0;

	if (exename && *exename)
		len = pm_text_field(line, PM_COMMAND_MAX, exename, utf8);
	else
		len = (size_t)snprintf(line, sizeof line, "(unknown program)");
	/* `line` has room for one more argument, even if it consists of quotes, until
	 * PM_COMMAND_MAX is reached. */
	while (len < PM_COMMAND_MAX && pm_tsv_next_item(&list, &item)) {
		char text[ITEM_MAX];

		if (item.n >= 2 && item.p[0] == '\\' && item.p[1] == '+') {
			memcpy(line + len, " ...", 5);
			break;
		}
		item_text(text, item, utf8);
		len = pm_processname_quote(line, sizeof line, len, text);
	}
	pm_text_fit(dst, cap, line, (int)sizeof line, utf8);
	return dst;
}
