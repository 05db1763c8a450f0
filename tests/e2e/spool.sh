# shellcheck shell=sh
# Sourced by the spool's tests, behind lib.sh: archives of made-up jobs, and what a database has.
#
#   archive FILE JOB [SED]   an archive of a job of 40 processes with that id; SED is applied to its
#                            metadata
#   names FOLDER [PATTERN]   what lies in it, hidden files, too; that matches a pattern of find
#   query SQL [DB]           of database.sh
#   jobs DB                  the ids of its jobs, each with its processes, those of the table counted
#   skip_without_archives    leaves the test where this build cannot read archives

# shellcheck source=tests/e2e/database.sh
. "$abs_top_srcdir/tests/e2e/database.sh"

skip_without_archives()
{
	if ! need sqlite3 tar gzip; then
		skip "spool" "no $missing"
		done_testing
	fi
	if ! grep -q '^#define HAVE_ZLIB' "$abs_top_builddir/config.h"; then
		skip "spool" "built without zlib"
		done_testing
	fi
	# Said to be 40 processes: those of the metadata's own are none.
	"$abs_top_builddir/tests/progs/generate" made 40 >made.counts || exit 99
	made=$(cut -d' ' -f1 made.counts)
}

archive()
{
	rm -rf unpacked && mkdir unpacked && cp made/*.tsv unpacked &&
		sed "s/\"4711\"/\"$2\"/; ${3:-}" made/job-n0.json >unpacked/job-n0.json &&
		tar -czf "$1" -C unpacked .
}

jobs()
{
	query 'SELECT jobid, (SELECT count(*) FROM process p WHERE p.job_id = job.id) FROM job ORDER BY jobid, id' "$1" |
		tr '\n' ' ' | sed 's/ $//'
}

names()
{
	find "$1" -mindepth 1 -maxdepth 1 -name "${2:-*}" -printf '%f\n' | sort
}
