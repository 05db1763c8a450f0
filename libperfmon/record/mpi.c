/*
 * Ranks by environment. Launchers nest: under a batch system, mpirun starts daemons on the nodes by
 * the batch system's own launcher, and these start the ranks, which inherit the variables of both.
 * So the MPI libraries' own variables count before Slurm's, and Slurm's only in a task of srun: a
 * batch script and an interactive shell have them as well.
 */
#include "config.h"

#include "libperfmon/record/mpi.h"

#include <string.h>

/* The variables of each launcher, most specific first: a rank and a size. */
static const struct {
	unsigned char rank, size; /* enum pm_env */
	bool of_slurm;            /* the rank counts only in a task of srun */
} launcher[] = {
	{ PM_ENV_ompi_rank, PM_ENV_ompi_size, false }, /* Open MPI */
	{ PM_ENV_mv2_rank, PM_ENV_mv2_size, false },   /* MVAPICH by mpirun_rsh */
	{ PM_ENV_pmi_rank, PM_ENV_pmi_size, false },   /* MPICH, Intel MPI, srun --mpi=pmi2, Cray */
	/* PMIx has no variable for the size; where Slurm is the server, the step has one. */
	{ PM_ENV_pmix_rank, PM_ENV_slurm_tasks, false },
	{ PM_ENV_slurm_procid, PM_ENV_slurm_tasks, true },
};

/* Step ids from here on are not steps of srun: batch script, interactive shell, prolog. */
#define FIRST_SPECIAL_STEP 0xfffffff0

/* Programs that serve MPI on a node: srun starts them as its tasks, but they are no ranks. */
static const char servant[][20] = {
	"orted",
	"orterun",
	"prted",
	"prterun",
	"prte",
	"mpirun",
	"mpiexec.hydra",
	"hydra_pmi_proxy",
	"hydra_bstrap_proxy",
	"mpispawn",
};

static int64_t parse_number(const char *value)
{
	int64_t v;

	return value && pm_tsv_number(value, strlen(value), &v) == 0 && v >= 0 && v <= INT32_MAX
		       ? v
		       : -1;
}

static bool in_srun_task(const struct pm_settings *s)
{
	const char *step = s->env[PM_ENV_slurm_step];
	int64_t v;

	return step && pm_tsv_number(step, strlen(step), &v) == 0 && v >= 0 &&
	       v < FIRST_SPECIAL_STEP;
}

static bool served_by_slurm(const struct pm_settings *s)
{
	static const char slurm[] = "slurm.pmix.";
	const char *space = s->env[PM_ENV_pmix_namespace];
	size_t n = sizeof slurm - 1;

	return space && strlen(space) > n && memcmp(space, slurm, n) == 0;
}

static bool is_servant(struct pm_str exename)
{
	for (size_t i = 0; i < sizeof servant / sizeof servant[0]; i++) {
		size_t n = strlen(servant[i]);

		if (exename.n == n && memcmp(exename.p, servant[i], n) == 0)
			return true;
	}
	return false;
}

struct pm_mpi pm_mpi_find(const struct pm_settings *s, struct pm_str exename)
{
	struct pm_mpi none = { -1, -1 };

	for (size_t i = 0; i < sizeof launcher / sizeof launcher[0]; i++) {
		struct pm_mpi found = { parse_number(s->env[launcher[i].rank]),
					parse_number(s->env[launcher[i].size]) };

		if (found.rank < 0)
			continue;
		if (launcher[i].of_slurm && (!in_srun_task(s) || is_servant(exename)))
			return none;
		if (launcher[i].rank == PM_ENV_pmix_rank && !served_by_slurm(s))
			found.size = -1;
		/* A size that another launcher left behind. */
		if (found.size <= found.rank)
			found.size = -1;
		return found;
	}
	return none;
}
