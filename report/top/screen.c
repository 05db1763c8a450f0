/* Take a terminal, draw on it, and give it back. */
#include "config.h"

#include "report/top/screen.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

/* ECMA-48, and xterm's private modes 25 (cursor) and 1049 (alternate screen). */
#define ENTER "\033[?1049h\033[?25l\033[H\033[2J"
#define LEAVE "\033[?25h\033[?1049l"

/* Signals that are caught; those up to HANDLED_END ask for the end. */
static const int handled[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGTSTP, SIGWINCH };
#define ENDINGS 5
#define HANDLED (sizeof handled / sizeof handled[0])

/* Set by the handler, read between waits; the actions are those before pm_top_screen_open(). */
static struct {
	volatile sig_atomic_t end, stop, resize;
	struct sigaction before[HANDLED];
} caught;

static void handle(int number)
{
	if (number == SIGTSTP)
		caught.stop = 1;
	else if (number == SIGWINCH)
		caught.resize = 1;
	else
		caught.end = number;
}

bool pm_top_screen_able(void)
{
	const char *term = getenv("TERM");

	return isatty(STDOUT_FILENO) && term && *term && strcmp(term, "dumb") != 0;
}

static void take_terminal(struct pm_top_screen *s)
{
	struct termios raw;

	s->keys = tcgetattr(STDIN_FILENO, &s->before) == 0;
	if (s->keys) {
		raw = s->before;
		raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
		raw.c_cc[VMIN] = 0;
		raw.c_cc[VTIME] = 0;
		/* A background process would be stopped by this: SIGTTOU. */
		s->keys = tcgetpgrp(STDIN_FILENO) == getpgrp() &&
			  tcsetattr(STDIN_FILENO, TCSANOW, &raw) == 0;
	}
	fputs(ENTER, stdout);
	fflush(stdout);
}

static void give_back(struct pm_top_screen *s)
{
	fputs(LEAVE, stdout);
	fflush(stdout);
	if (s->keys)
		tcsetattr(STDIN_FILENO, TCSANOW, &s->before);
}

void pm_top_screen_open(struct pm_top_screen *s, bool draw)
{
	struct sigaction action = { .sa_handler = handle };
	sigset_t block;

	memset(s, 0, sizeof *s);
	sigemptyset(&block);
	sigfillset(&action.sa_mask);
	for (size_t i = 0; i < HANDLED; i++) {
		struct sigaction *before = &caught.before[i];

		sigaction(handled[i], NULL, before);
		/* nohup(1) and shells ignore signals for a reason. */
		if (before->sa_handler == SIG_IGN)
			continue;
		sigaction(handled[i], &action, NULL);
		sigaddset(&block, handled[i]);
	}
	/* They come while it waits, and at no other time. */
	sigprocmask(SIG_BLOCK, &block, &s->mask);
	if (draw)
		take_terminal(s);
}

void pm_top_screen_close(struct pm_top_screen *s, bool draw)
{
	if (draw)
		give_back(s);
	for (size_t i = 0; i < HANDLED; i++)
		sigaction(handled[i], &caught.before[i], NULL);
	sigprocmask(SIG_SETMASK, &s->mask, NULL);
}

/* Give the terminal to the shell, stop, and take it again when continued. */
static void stop(struct pm_top_screen *s, bool draw)
{
	caught.stop = 0;
	pm_top_screen_close(s, draw);
	raise(SIGTSTP);
	pm_top_screen_open(s, draw);
}

enum pm_top_event pm_top_screen_wait(struct pm_top_screen *s, bool draw, int fd, int64_t wait_us,
				     char *key)
{
	struct pollfd watched[] = { { .fd = fd, .events = POLLIN },
				    { .fd = s->keys ? STDIN_FILENO : -1, .events = POLLIN } };
	const struct timespec time = { .tv_sec = wait_us / 1000000,
				       .tv_nsec = wait_us % 1000000 * 1000 };
	int n;

	if (wait_us < 0)
		return PM_TOP_NOTHING;
	n = ppoll(watched, 2, &time, &s->mask);
	if (caught.end)
		return PM_TOP_END;
	if (caught.stop) {
		stop(s, draw);
		return PM_TOP_RESIZED;
	}
	if (caught.resize) {
		caught.resize = 0;
		return PM_TOP_RESIZED;
	}
	if (n <= 0)
		return PM_TOP_NOTHING;
	if (watched[1].revents) {
		if (read(STDIN_FILENO, key, 1) == 1)
			return PM_TOP_KEY;
		/* The terminal is gone. */
		if (watched[1].revents & (POLLHUP | POLLERR | POLLNVAL)) {
			caught.end = SIGHUP;
			return PM_TOP_END;
		}
	}
	return watched[0].revents ? PM_TOP_PICTURE : PM_TOP_NOTHING;
}

int pm_top_screen_signal(void)
{
	return caught.end;
}

int pm_top_screen_rows(void)
{
	struct winsize size;

	return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 1 ? size.ws_row : 24;
}

void pm_top_screen_draw(const char *text, int rows)
{
	fputs("\033[H", stdout);
	for (int row = 0; row < rows && *text; row++) {
		const size_t n = strcspn(text, "\n");

		/* The last row has no newline: the screen would scroll. */
		fprintf(stdout, "%s%.*s\033[K", row ? "\r\n" : "", (int)n, text);
		text += n + (text[n] == '\n');
	}
	fputs("\033[J", stdout);
	fflush(stdout);
}
