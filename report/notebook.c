/* The verb notebook: Jupyter on a notebook that shows what is in the database. */
#include "config.h"

#include "common/cli/verb.h"
#include "common/filecopy.h"
#include "common/path.h"
#include "common/settings/readconfig.h"
#include "db/db.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NOTEBOOK "perfmon.ipynb"

/* Jupyter's servers, the first of which is the classic one. */
static const char *const servers[] = { "jupyter-notebook", "jupyter-lab" };

/* Whether a directory is one of perfmon's data, with the notebook. Its path without links goes into
 * `dir`, of PATH_MAX bytes; else errno says why. */
static bool is_data(const char *path, char *dir)
{
	char notebook[PATH_MAX];

	if (!realpath(path, dir))
		return false;
	if (snprintf(notebook, sizeof notebook, "%s/notebook/" NOTEBOOK, dir) >=
	    (int)sizeof notebook) {
		errno = ENAMETOOLONG;
		return false;
	}
	return access(notebook, R_OK) == 0;
}

/*
 * Find the directory of perfmon's data: beside the program, as in a tree that was unpacked
 * elsewhere, else where it was configured to be. Returns 0 with its path in `dir`, of PATH_MAX
 * bytes, or -1 with e filled.
 */
static int find_data(const char *self, char *dir, struct pm_err *e)
{
	const char *slash = strrchr(self, '/');
	char beside[PATH_MAX];

	if (slash &&
	    snprintf(beside, sizeof beside, "%.*s/../share/perfmon", (int)(slash - self), self) <
		    (int)sizeof beside &&
	    is_data(beside, dir))
		return 0;
	if (is_data(PM_DATADIR, dir))
		return 0;
	return pm_err(e, "notebook: " PM_DATADIR "/notebook/" NOTEBOOK
			 ": %m: is perfmon installed as a whole?");
}

/* The name of the database for programs that are elsewhere: a URL, or an absolute path. To be
 * freed; NULL with e filled. */
static char *database_name(const char *setting, struct pm_err *e)
{
	char *path, *absolute;

	if (pm_db_is_served(setting))
		return pm_db_plain(setting, e);
	path = pm_db_path(setting, e);
	if (!path)
		return NULL;
	absolute = realpath(path, NULL);
	if (!absolute)
		pm_err(e, "database %s: %m", path);
	free(path);
	return absolute;
}

/* Check that the database can be read. Returns 0 or -1 with e filled. */
static int check_database(const char *setting, struct pm_err *e)
{
	struct pm_db *db;

	if (pm_db_open(&db, setting, PM_DB_READ, e) < 0)
		return -1;
	pm_db_close(db);
	return 0;
}

/* Go to the user's private directory for notebooks, made where it is missing. Returns 0 or -1 with
 * e filled. */
static int enter_directory(struct pm_err *e)
{
	char *path = pm_db_path("", e), *slash;
	struct stat st;
	int rc = -1;

	if (!path)
		return -1;
	/* perfmon/perfmon.db below the user's data: perfmon/notebook is beside it. */
	slash = strrchr(path, '/');
	memcpy(slash + 1, "notebook", sizeof "notebook");
	if (pm_path_make(path, e) == 0) {
		if (chdir(path) < 0 || stat(".", &st) < 0)
			pm_err(e, "directory %s: %m", path);
		else if (st.st_uid != geteuid() || (st.st_mode & 077) != 0)
			pm_err(e,
			       "directory %s: it is not yours, or others may enter it: chmod 700",
			       path);
		else
			rc = 0;
	}
	free(path);
	return rc;
}

/* Put the notebook into the current directory unless there is one of that name, which the user may
 * have changed. Returns 0 or -1 with e filled. */
static int put_notebook(const char *data, struct pm_err *e)
{
	char path[PATH_MAX];
	int from, to, rc = -1;

	if (access(NOTEBOOK, F_OK) == 0)
		return 0;
	if (snprintf(path, sizeof path, "%s/notebook/" NOTEBOOK, data) >= (int)sizeof path)
		return pm_err(e, "notebook: the path of perfmon's data is too long");
	from = open(path, O_RDONLY | O_CLOEXEC);
	if (from < 0)
		return pm_err(e, "open %s: %m", path);
	to = open(NOTEBOOK ".new", O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (to < 0)
		pm_err(e, "create notebook/" NOTEBOOK ".new: %m");
	else if (pm_filecopy(from, to) < 0 || close(to) < 0 ||
		 rename(NOTEBOOK ".new", NOTEBOOK) < 0)
		pm_err(e, "write notebook/" NOTEBOOK ": %m");
	else
		rc = 0;
	close(from);
	return rc;
}

/* Hand on to the notebook where the database is, and where Python finds perfmon's module. Returns 0
 * or -1 with e filled. */
static int set_environment(const char *database, const char *data, struct pm_err *e)
{
	const char *before = getenv("PYTHONPATH");
	char *path;
	int rc;

	if (asprintf(&path, "%s/examples%s%s", data, before && *before ? ":" : "",
		     before ? before : "") < 0)
		return pm_err(e, "out of memory");
	rc = setenv(pm_setting_info[PM_SET_db].env, database, 1) < 0 ||
	     setenv("PYTHONPATH", path, 1) < 0;
	free(path);
	return rc ? pm_err(e, "out of memory") : 0;
}

/* Become Jupyter: returns only with e filled. */
static void run_server(const struct pm_cli *cli, struct pm_err *e)
{
	char **argv = calloc((size_t)cli->argc + 4, sizeof *argv);

	if (!argv) {
		pm_err(e, "out of memory");
		return;
	}
	argv[1] = (char *)NOTEBOOK;
	argv[2] = (char *)"--ip=127.0.0.1";
	for (int i = 0; i < cli->argc; i++)
		argv[3 + i] = cli->argv[i];
	for (size_t i = 0; i < sizeof servers / sizeof servers[0]; i++) {
		argv[0] = (char *)servers[i];
		execvp(argv[0], argv);
		if (errno != ENOENT) {
			pm_err(e, "%s: %m", argv[0]);
			free(argv);
			return;
		}
	}
	pm_err(e, "notebook: Jupyter is not installed: Debian has it in the packages "
		  "jupyter-notebook, python3-pandas, python3-matplotlib, and for PostgreSQL "
		  "python3-psycopg2");
	free(argv);
}

int pm_verb_notebook(const struct pm_cli *cli, struct pm_err *e)
{
	const char *setting = pm_config_get(PM_SET_db);
	char data[PATH_MAX], *database = NULL;

	if (find_data(cli->self, data, e) == 0 && check_database(setting, e) == 0 &&
	    (database = database_name(setting, e)) != NULL && enter_directory(e) == 0 &&
	    put_notebook(data, e) == 0 && set_environment(database, data, e) == 0) {
		fflush(stdout);
		/* What the server writes is the user's alone. */
		umask(077);
		run_server(cli, e);
	}
	free(database);
	return PM_EXIT_FAILED;
}
