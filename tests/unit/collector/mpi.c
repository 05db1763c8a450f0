/* MPI ranks from environments as launchers leave them. Those of Open MPI 4.1, MPICH 4.0 (Hydra) and
 * Slurm 22.05 were recorded, the others are those of the manuals. */
#include "config.h"

#include "libperfmon/record/mpi.h"

#include "tests/unit/main.h"

#include <string.h>

/* What srun and sbatch set, as far as it could mislead. */
#define BATCH                                                                                      \
	"SLURM_JOB_ID=1", "SLURM_LOCALID=0", "SLURM_NPROCS=8", "SLURM_NTASKS=8", "SLURM_PROCID=0", \
		"SLURM_TASK_PID=5707"
#define STEP(id, procid, tasks)                                                                    \
	"SLURM_JOB_ID=1", "SLURM_LOCALID=0", "SLURM_NTASKS=8", "SLURM_PROCID=" procid,             \
		"SLURM_STEPID=" id, "SLURM_STEP_ID=" id, "SLURM_STEP_NODELIST=n1",                 \
		"SLURM_STEP_NUM_NODES=1", "SLURM_STEP_NUM_TASKS=" tasks,                           \
		"SLURM_STEP_TASKS_PER_NODE=" tasks
#define OMPI(rank, size)                                                                           \
	"OMPI_COMM_WORLD_LOCAL_RANK=0", "OMPI_COMM_WORLD_LOCAL_SIZE=9",                            \
		"OMPI_COMM_WORLD_NODE_RANK=0", "OMPI_COMM_WORLD_RANK=" rank,                       \
		"OMPI_COMM_WORLD_SIZE=" size, "PMIX_ID=2073296897." rank,                          \
		"PMIX_NAMESPACE=2073296897", "PMIX_RANK=" rank
#define HYDRA(rank, size)                                                                          \
	"MPI_LOCALNRANKS=2", "MPI_LOCALRANKID=0", "PMI_FD=6", "PMI_RANK=" rank, "PMI_SIZE=" size

static const struct {
	const char *name, *exename;
	const char *env[24];
	int rank, size;
} row[] = {
	{ "no launcher", "app", { "HOME=/root" }, -1, -1 },
	{ "Open MPI", "app", { OMPI("3", "4") }, 3, 4 },
	{ "Hydra", "app", { HYDRA("1", "2") }, 1, 2 },
	{ "mpirun_rsh of MVAPICH2",
	  "app",
	  { "MV2_COMM_WORLD_LOCAL_RANK=0", "MV2_COMM_WORLD_LOCAL_SIZE=1", "MV2_COMM_WORLD_RANK=5",
	    "MV2_COMM_WORLD_SIZE=16" },
	  5,
	  16 },
	{ "a PMIx launcher", "app", { "PMIX_NAMESPACE=prterun-n1-77@1", "PMIX_RANK=2" }, 2, -1 },
	{ "a PMIx launcher in a step of one task",
	  "app",
	  { STEP("1", "0", "1"), "PMIX_NAMESPACE=prterun-n1-77@1", "PMIX_RANK=0" },
	  0,
	  -1 },
	{ "srun", "app", { STEP("0", "1", "2") }, 1, 2 },
	{ "srun --mpi=pmi2", "app", { STEP("2", "1", "2"), HYDRA("1", "2") }, 1, 2 },
	{ "srun --mpi=pmix",
	  "app",
	  { STEP("2", "6", "7"), "PMIX_NAMESPACE=slurm.pmix.1.2", "PMIX_RANK=6" },
	  6,
	  7 },
	{ "batch script", "bash", { BATCH }, -1, -1 },
	{ "mpirun in a batch script", "orterun", { BATCH }, -1, -1 },
	{ "Open MPI in a batch script", "app", { BATCH, OMPI("1", "2") }, 1, 2 },
	{ "Open MPI in a step", "app", { STEP("1", "0", "1"), OMPI("1", "2") }, 1, 2 },
	{ "mpirun in a step", "orterun", { STEP("1", "0", "1") }, -1, -1 },
	{ "a daemon of Open MPI, started by srun", "orted", { STEP("1", "2", "3") }, -1, -1 },
	{ "its mpirun, started by srun", "mpirun", { STEP("1", "2", "3") }, -1, -1 },
	{ "a daemon of Open MPI 5", "prted", { STEP("1", "2", "3") }, -1, -1 },
	{ "its launcher", "prterun", { STEP("1", "2", "3") }, -1, -1 },
	{ "its server", "prte", { STEP("1", "2", "3") }, -1, -1 },
	{ "a launcher of Hydra", "mpiexec.hydra", { STEP("1", "2", "3") }, -1, -1 },
	{ "a daemon of MVAPICH2", "mpispawn", { STEP("1", "2", "3") }, -1, -1 },
	{ "a daemon of Hydra", "hydra_pmi_proxy", { STEP("3", "0", "1") }, -1, -1 },
	{ "a daemon of Intel MPI", "hydra_bstrap_proxy", { STEP("3", "0", "1") }, -1, -1 },
	{ "a program with nearly a daemon's name", "orted2", { STEP("1", "2", "3") }, 2, 3 },
	{ "Hydra in a batch script, its daemon by srun",
	  "app",
	  { STEP("3", "0", "1"), HYDRA("1", "2") },
	  1,
	  2 },
	{ "interactive step of salloc", "bash", { STEP("4294967290", "0", "1") }, -1, -1 },
	{ "batch step by name", "bash", { STEP("4294967291", "0", "1") }, -1, -1 },
	{ "the last step number that srun gives", "app", { STEP("4294967279", "0", "1") }, 0, 1 },
	{ "a step number that is none", "app", { STEP("batch", "0", "1") }, -1, -1 },
	{ "rank 0 of one", "app", { OMPI("0", "1") }, 0, 1 },
	{ "no size", "app", { "PMI_RANK=0" }, 0, -1 },
	{ "a size alone", "app", { "PMI_SIZE=4" }, -1, -1 },
	{ "a size that was left behind", "app", { "PMI_RANK=4", "PMI_SIZE=4" }, 4, -1 },
	{ "a rank that is no number", "app", { OMPI("x", "4"), HYDRA("1", "2") }, 1, 2 },
	{ "a negative rank", "app", { "PMI_RANK=-1", "PMI_SIZE=4" }, -1, -1 },
	{ "an empty rank", "app", { "OMPI_COMM_WORLD_RANK=", HYDRA("1", "2") }, 1, 2 },
	{ "a rank beyond all", "app", { "PMI_RANK=4294967296", "PMI_SIZE=9" }, -1, -1 },
	{ "a number and more", "app", { "PMI_RANK=1 ", "PMI_SIZE=9" }, -1, -1 },
};

START_TEST(environments)
{
	for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
		/* The auxiliary vector follows the environment. */
		struct {
			const char *env[25];
			unsigned long auxv[2];
		} initial = { .auxv = { 0, 0 } };
		struct pm_str exename = { row[i].exename, strlen(row[i].exename) };
		struct pm_settings s;
		struct pm_mpi mpi;
		size_t n = 0;

		while (row[i].env[n])
			n++;
		memcpy(initial.env + 24 - n, row[i].env, n * sizeof initial.env[0]);
		pm_settings_read(&s, (char *const *)(uintptr_t)(initial.env + 24 - n));
		mpi = pm_mpi_find(&s, exename);
		ck_assert_msg(mpi.rank == row[i].rank && mpi.size == row[i].size,
			      "%s: %d of %d, not %d of %d", row[i].name, (int)mpi.rank,
			      (int)mpi.size, row[i].rank, row[i].size);
	}
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("libperfmon/record/mpi.c");
	TCase *t = tcase_create("ranks");

	tcase_add_test(t, environments);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
