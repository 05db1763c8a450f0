/* Options and operands of programs: their table, and the position of a search in a command line. */
#include "config.h"

#include "common/secrets/secrets_option.h"

#include "common/secrets/secrets_text.h"

/* An array, not pointers, which the preload would have to relocate. */
static const struct option {
	char program[PM_SECRETS_PROGRAM_MAX];
	char name[PM_SECRETS_OPTION_MAX];
	unsigned char how;
} option[] = {
#define PM_SECRET_OPTION(program, name, kind) { program, name, PM_HIDE_##kind },
#include "common/secrets/secrets_option.def"
};

#define COUNT (sizeof option / sizeof *option)

_Static_assert(COUNT < 65535, "struct pm_secrets has 16 bits for a row and 1");

/* Bits of pm_secrets.state. */
enum {
	STARTED = 1, /* the first word of the command has been read */
	COMMAND = 2, /* the program is the command itself or run by a wrapper: operands count */
	WRAPPER = 4, /* the command runs another one, such as srun or sudo */
	INNER = 8,   /* the command is inside a text, such as that of sh -c */
	VALUE = 16,  /* the next word is the value of an option */
};

/* A character of a name. */
static int is_name(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
	       c == '_' || c == '-' || c == '.';
}

/* 1 when a word of n bytes is the name, or begins with a name that ends in '*'. */
static int is_program(const char *word, size_t n, const char *name)
{
	size_t i = 0;

	while (i < n && name[i] && word[i] == name[i])
		i++;
	return name[i] == '*' || (i == n && !name[i]);
}

/* The index of a program's first row plus 1; 0 where the table has none. */
static size_t find_program(const char *word, size_t n)
{
	size_t low = 0, high = COUNT;

	/* Find the first row that begins with the word's first character. */
	while (low < high) {
		size_t middle = (low + high) / 2;

		if (option[middle].program[0] < *word)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < COUNT && option[low].program[0] == *word; low++)
		if (is_program(word, n, option[low].program))
			return low + 1;
	return 0;
}

/* As find_program() for a subcommand of the current program: "vault login". */
static size_t find_subcommand(const struct pm_secrets *s, const char *word, size_t n)
{
	const char *base = option[s->program - 1].program;
	size_t len = length(base);

	for (size_t i = s->program; i < COUNT; i++) {
		const char *name = option[i].program;
		size_t same = 0;

		while (same < len && name[same] == base[same])
			same++;
		if (same < len)
			return 0;
		if (name[len] == ' ' && is_program(word, n, name + len + 1))
			return i + 1;
	}
	return 0;
}

/* The part of a word after its last slash or '=': --rsh=/usr/bin/sshpass -p. A '=' counts only if
 * another word follows. Reduces *n accordingly. */
static const char *base_name(const char *word, size_t *n)
{
	for (size_t i = *n; i > 0; i--)
		if (word[i - 1] == '/' || (word[i - 1] == '=' && word[*n] == ' ')) {
			*n -= i;
			return word + i;
		}
	return word;
}

/* 1 when the word is NAME=VALUE, which may precede a command. */
static int is_variable(const char *word, size_t n)
{
	size_t i = 0;

	while (i < n && is_name(word[i]))
		i++;
	return i < n && word[i] == '=';
}

/* 1 when no other program can follow the current one: its operands may look like names of programs.
 */
static int excludes_programs(const struct pm_secrets *s, int inner)
{
	unsigned char how;

	if (!s->program || !(s->state & INNER) != !inner)
		return 0;
	how = option[s->program - 1].how;
	if (how == PM_HIDE_PHRASE)
		return 1;
	return (s->state & COMMAND) && how != PM_HIDE_WRAP && how != PM_HIDE_NONE;
}

/* Set the current program by its row number; 0 for a command that is not in the table. */
static void enter_program(struct pm_secrets *s, size_t row, unsigned char state, int inner)
{
	if (inner && !(s->state & INNER)) {
		s->outer_program = s->program;
		s->outer_state = s->state;
		s->outer_operands = s->operands;
	}
	s->program = (unsigned short)row;
	s->operands = 0;
	s->state = (unsigned char)((state & ~INNER) | STARTED | (inner ? INNER : 0));
}

/* If the word is a program of the table, make it the current program. Returns 1 if so. */
static int note_program(struct pm_secrets *s, const char *word, size_t n, int inner)
{
	unsigned char state, how;
	size_t row, len = n;
	const char *name;

	/* sh -c "command" */
	if (inner && *word != '-' && (s->state & (WRAPPER | INNER)) == WRAPPER) {
		enter_program(s, 0, 0, inner);
		s->state = INNER;
	}
	state = s->state;
	row = state & COMMAND ? find_subcommand(s, word, n) : 0;
	if (row) {
		enter_program(s, row, state, state & INNER);
		return 1;
	}
	if (*word == '-' && word[n] != ' ')
		return 0;
	name = base_name(word, &len);
	row = len > 0 && *name != '-' ? find_program(name, len) : 0;
	how = row ? option[row - 1].how : PM_HIDE_NONE;
	if (row && (how == PM_HIDE_PHRASE ? !inner : excludes_programs(s, inner)))
		row = 0;
	if (row) {
		if (!(state & STARTED) || (state & WRAPPER))
			state |= how == PM_HIDE_WRAP ? COMMAND | WRAPPER : COMMAND;
		else
			state &= (unsigned char)~COMMAND;
		enter_program(s, row, state, inner);
		return 1;
	}
	if (!(state & STARTED) && *word != '-' && !is_variable(word, n))
		enter_program(s, 0, 0, inner);
	return 0;
}

/* 1 when the words belong to a command, not to a text passed to a program. */
static int is_code(const struct pm_secrets *s)
{
	return !(s->state & INNER) || !s->outer_state || (s->outer_state & WRAPPER);
}

/* The rule for a word that is any name of a secret: //registry.example.org/:_authToken. */
static enum pm_hide any_name(const char *word, size_t n)
{
	size_t at = n;

	while (at > 0 && is_name(word[at - 1]))
		at--;
	if (*word == '-' || (at > 0 && word[at - 1] != ':'))
		return PM_HIDE_NONE;
	return pm_secrets_name(word + at, n - at);
}

/* 1 when the option's value may follow in the same word, after `len` bytes. */
static int may_attach(const struct option *o, const char *word, size_t len)
{
	if (o->how == PM_HIDE_NEXT || o->how == PM_HIDE_QUOTED)
		return 0;
	return len <= 2 || o->how == PM_HIDE_ATTACHED || word[len] == '=';
}

/* Match a word of n bytes against an option, which may follow some of the bundled letters. */
static int is_option(const struct option *o, const char *letters, const char *word, size_t n,
		     size_t *from)
{
	size_t same = 0, len;

	while (same < n && o->name[same] && word[same] == o->name[same])
		same++;
	if (same > 0 && !o->name[same] && (same == n || may_attach(o, word, same))) {
		len = same;
	} else {
		/* -Lsuuser:password */
		if (*letters == '\0' || word[0] != '-' || o->name[0] != '-' || o->name[2])
			return 0;
		for (len = 1; len < n && among(word[len], letters);)
			len++;
		if (len == 1 || len == n || word[len++] != o->name[1])
			return 0;
		if (len < n && !may_attach(o, word, 2))
			return 0;
		*from = len;
		return len < n || o->how != PM_HIDE_ATTACHED;
	}
	*from = len + (len > 2 && len < n && word[len] == '=');
	return len < n || o->how != PM_HIDE_ATTACHED;
}

enum pm_hide pm_secrets_option(struct pm_secrets *s, const char *text, const char *p, size_t n,
			       size_t *from)
{
	const struct option *o;
	const char *letters = "";
	char number = 0;

	/* A quotation mark, or another character that begins no word. */
	if (n == 0 && p > text)
		return PM_HIDE_NONE;
	if (n == 0 || (s->state & VALUE)) {
		s->state &= (unsigned char)~VALUE;
		return PM_HIDE_NONE;
	}
	if ((*p != '-' || s->program || p[n] == ' ') && note_program(s, p, n, p > text || p[n])) {
		o = &option[s->program - 1];
		*from = n;
		return o->how == PM_HIDE_PIPED ? PM_HIDE_PIPED : PM_HIDE_NONE;
	}
	if (!s->program)
		return PM_HIDE_NONE;
	o = &option[s->program - 1];
	if (*p != '-' && (s->state & COMMAND) && ((s->state & INNER) || p == text)) {
		s->operands += s->operands < 9;
		number = (char)('0' + s->operands);
	}
	for (const char *program = o->program;
	     o < option + COUNT && is_program(o->program, length(o->program), program); o++) {
		if (o->how == PM_HIDE_LETTERS) {
			letters = o->name;
		} else if (o->name[0] == '*') {
			enum pm_hide how = is_code(s) ? any_name(p, n) : PM_HIDE_NONE;

			*from = n;
			if (how)
				return how;
		} else if (o->name[0] == '#') {
			*from = 0;
			if (number && (o->name[1] == '*' || o->name[1] == number))
				return (enum pm_hide)o->how;
		} else if (is_option(o, letters, p, n, from)) {
			return (enum pm_hide)o->how;
		}
	}
	return PM_HIDE_NONE;
}

int pm_secrets_inner(const struct pm_secrets *s)
{
	return s->state & INNER;
}

void pm_secrets_skip(struct pm_secrets *s)
{
	s->state |= VALUE;
}

void pm_secrets_command(struct pm_secrets *s)
{
	if (s->state & INNER) {
		s->program = 0;
		s->state = INNER;
	}
}

void pm_secrets_outer(struct pm_secrets *s)
{
	if (s->state & INNER) {
		s->program = s->outer_program;
		s->state = s->outer_state;
		s->operands = s->outer_operands;
	}
}

void pm_secrets_program(struct pm_secrets *s, const char *path)
{
	s->state = 0;
	note_program(s, path, length(path), 0);
}
