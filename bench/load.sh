# shellcheck shell=sh
# For the benchmarks of loading: a folder of their own, made-up jobs, what commands take. Sourced with
# $build, the build directory, set. Sets $work, which goes with the script.
#   a_job NAME PROCESSES      makes a job up in $work/job, in place of the one before; $made has its
#                             processes
#   timed NAME COMMAND...     adds a line `wall user system peak`, in seconds and kB, to $work/NAME.all and
#                             keeps the fastest wall time in $work/NAME
#   server                    starts a PostgreSQL server of the benchmark's own with the settings it comes
#                             with, on a socket: postgres_sql, postgres_url; 1 with $postgres_missing where
#                             there is none
work=$(mktemp -d "${TMPDIR:-/var/tmp}/perfmon-bench.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
PERFMON_OUTPUT_PREFIX=$work/prefix XDG_CONFIG_HOME=$work XDG_DATA_HOME=$work TMPDIR=$work
export PERFMON_OUTPUT_PREFIX XDG_CONFIG_HOME XDG_DATA_HOME TMPDIR
here=$(cd "$(dirname "$0")" && pwd)

timed()
{
	name=$1
	shift
	sync
	"$build/bench/cost" "$work/cost" "$@" >/dev/null || exit 1
	cat "$work/cost" >>"$work/$name.all"
	awk '{ print $1 }' "$work/$name.all" | sort -n | head -n 1 >"$work/$name"
}

a_job()
{
	rm -rf "$work/job"
	made=$("$build/tests/progs/generate" --jobid "$1" "$work/job" "$2") || exit 1
	made=${made%% *}
}

server()
{
	# What tests/e2e/postgres.sh expects of its surroundings.
	abs_top_builddir=$(cd "$build" && pwd) && export abs_top_builddir
	need() { for missing in "$@"; do command -v "$missing" >/dev/null 2>&1 || return 1; done; }
	diag() { printf '%s\n' "$1" >&2; }
	# shellcheck source=tests/e2e/postgres.sh
	. "$here/../tests/e2e/postgres.sh"
	postgres_start '-c fsync=on'
}
