#!/bin/sh
# Whether the cost of a job grows with the jobs in the database: JOBS small jobs of 20 processes, of 50 users, a minute
# apart, are loaded from a spool in batches of 300. Shown are the CPU time of the first and of the last batches, jobs a
# second, and what look-ups take then; for SQLite, then for PostgreSQL where a server is.
#   bench/site.sh BUILD-DIRECTORY [JOBS [POSTGRESQL-JOBS]]
# Needs python3, and room for 20 kB per job in TMPDIR.
build=${1:?usage: bench/site.sh BUILD-DIRECTORY [JOBS [POSTGRESQL-JOBS]]}
jobs=${2:-100000}
server_jobs=${3:-$jobs}
batch=300
# shellcheck source=bench/load.sh
. "$(dirname "$0")/load.sh"
spool=$work/spool
mkdir -p "$spool" && "$build/tests/progs/generate" --jobid 1000000 "$work/job" 20 >/dev/null || exit 1

# fill FIRST NUMBER: archives of so many jobs into the spool.
fill()
{
	python3 - "$work/job" "$spool" "$1" "$2" <<-'END'
	import io, os, re, sys, tarfile
	job, spool, first, number = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
	files = {n: open(os.path.join(job, n), "rb").read() for n in os.listdir(job)}
	# Times are the only numbers of 16 digits.
	for i in range(first, first + number):
	    shift = i * 60000000
	    with tarfile.open("%s/%07d.tar" % (spool, i), "w") as archive:
	        for name, data in sorted(files.items()):
	            data = re.sub(rb"\b[0-9]{16}\b", lambda m: b"%d" % (int(m.group()) + shift), data)
	            data = re.sub(rb"(?<![0-9])1000000(?![0-9])", b"%d" % (1000000 + i), data)
	            data = re.sub(rb'"user":"[^"]*"', b'"user":"user%d"' % (i % 50), data)
	            data = re.sub(rb'"uid":[0-9]*', b'"uid":%d' % (2000 + i % 50), data)
	            member = tarfile.TarInfo("%d/%s" % (1000000 + i, name))
	            member.size = len(data)
	            archive.addfile(member, io.BytesIO(data))
	END
}

# load NAME DATABASE JOBS: the first and the last three batches are timed.
load()
{
	n=0
	while [ "$n" -lt "$3" ]; do
		fill "$n" $batch || exit 1
		case $((n < 3 * batch)):$((n >= $3 - 3 * batch)) in
		1:*) timed "$1.first" env PERFMON_DB="$2" PERFMON_SPOOL_AGE=0 "$build/perfmon" -q submit --spool "$spool" --remove ;;
		*:1) timed "$1.last" env PERFMON_DB="$2" PERFMON_SPOOL_AGE=0 "$build/perfmon" -q submit --spool "$spool" --remove ;;
		*) PERFMON_DB=$2 PERFMON_SPOOL_AGE=0 "$build/perfmon" -q submit --spool "$spool" --remove || exit 1 ;;
		esac
		n=$((n + batch))
	done
}

# cpu FILE: least CPU time of a batch, ms a job.
cpu() { awk -v batch=$batch '{ t = ($2 + $3) * 1000 / batch; if (NR == 1 || t < least) least = t } END { printf "%.3f", least }' "$1"; }

# told NAME DATABASE JOBS
told()
{
	first=$(cpu "$work/$1.first.all") last=$(cpu "$work/$1.last.all")
	echo "$1: $3 jobs of 20 processes"
	awk -v first="$first" -v last="$last" -v wall="$(cat "$work/$1.last")" -v batch=$batch 'BEGIN {
		printf "  %-44s %8.3f\n  %-44s %8.3f\n", "CPU of the first jobs, ms each", first, "CPU of the last jobs, ms each", last
		printf "  %-44s %8.2f  <= 1.1  %s\n", "last per first", last / first, last <= 1.1 * first ? "holds" : "missed"
		printf "  %-44s %8.0f\n", "last jobs a second", batch / wall }'
	middle=$((1000000 + $3 / 2))
	for words in "list --limit 20" "list jobs $middle" "show $middle" "report $middle"; do
		rm -f "$work/look" "$work/look.all"
		for _ in 1 2 3; do
			# shellcheck disable=SC2086 # words
			timed look env PERFMON_DB="$2" "$build/perfmon" $words
		done
		awk -v what="$words" '{ printf "  %-44s %8.1f\n", what ", ms", $1 * 1000 }' "$work/look"
	done
}

load SQLite "$work/site.db" "$jobs"
told SQLite "$work/site.db" "$jobs"
ls -l "$work/site.db" | awk -v jobs="$jobs" '{ printf "  %-44s %8.1f\n", "kB a job", $5 / jobs / 1000 }'
rm -f "$work"/site.db*
server || { echo "bench/site.sh: $postgres_missing" >&2; exit 0; }
postgres_sql postgres -c "CREATE DATABASE site" || exit 1
load PostgreSQL "$(postgres_url site)" "$server_jobs"
told PostgreSQL "$(postgres_url site)" "$server_jobs"
