/* The reason why a job ended, as one word. */
#include "config.h"

#include "wrapper/job/outcome.h"

#include <signal.h>
#include <stddef.h>
#include <sys/wait.h>

static const struct {
	int signal;
	const char *reason;
} reasons[] = {
	{ SIGKILL, "killed" }, { SIGXCPU, "cpu-limit" }, { SIGXFSZ, "file-limit" },
	{ SIGSEGV, "crash" },  { SIGBUS, "crash" },      { SIGILL, "crash" },
	{ SIGFPE, "crash" },   { SIGABRT, "crash" },     { SIGSYS, "crash" },
	{ SIGTRAP, "crash" },  { SIGTERM, "asked" },     { SIGINT, "asked" },
	{ SIGHUP, "asked" },   { SIGQUIT, "asked" },     { SIGUSR1, "asked" },
	{ SIGUSR2, "asked" },  { SIGALRM, "asked" },
};

const char *pm_outcome_reason(int status, int64_t oom_kills)
{
	int number = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status) - 128;

	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return "success";
	if (oom_kills > 0)
		return "memory";
	for (size_t i = 0; i < sizeof reasons / sizeof reasons[0]; i++)
		if (reasons[i].signal == number)
			return reasons[i].reason;
	return WIFSIGNALED(status) ? "signal" : "failure";
}

int64_t pm_outcome_oom_kills(int64_t before, int64_t after)
{
	return before >= 0 && after >= before ? after - before : -1;
}
