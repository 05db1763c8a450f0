/*
 * The terminal of `perfmon top`: another screen than the shell's, keys without Enter, and
 * everything as it was at the end, by whatever signal that comes.
 */
#ifndef PM_REPORT_TOP_SCREEN_H
#define PM_REPORT_TOP_SCREEN_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <termios.h>

struct pm_top_screen {
	struct termios before; /* of the terminal */
	bool keys;             /* standard input is a terminal that gives keys */
	sigset_t mask;         /* signals as they were: to wait with */
};

/* What a wait ended with. */
enum pm_top_event {
	PM_TOP_NOTHING, /* the time is over */
	PM_TOP_PICTURE, /* the descriptor can be read */
	PM_TOP_KEY,     /* a key was pressed */
	PM_TOP_RESIZED, /* the terminal has another size, or another program was on it */
	PM_TOP_END,     /* a signal asks for the end: see pm_top_screen_signal() */
};

/* Whether standard output is a terminal on which the cursor can be moved. */
bool pm_top_screen_able(void);

/* Catch signals; with `draw` also take the screen. Once in a process; pm_top_screen_close() ends
 * it.
 */
void pm_top_screen_open(struct pm_top_screen *s, bool draw);
void pm_top_screen_close(struct pm_top_screen *s, bool draw);

/* Wait until a descriptor can be read, a key is there or `wait_us` are over. *key gets the key. */
enum pm_top_event pm_top_screen_wait(struct pm_top_screen *s, bool draw, int fd, int64_t wait_us,
				     char *key);

/* The signal that asked for the end, 0 for none. */
int pm_top_screen_signal(void);

/* Rows of the terminal. */
int pm_top_screen_rows(void);

/* Draw lines of text, as many as there are rows, in place of what was there. */
void pm_top_screen_draw(const char *text, int rows);

#endif
