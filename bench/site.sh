#!/bin/sh
# Whether the cost of a job grows with the jobs in the database: JOBS small jobs of 20 processes, of 50 users, a minute
# apart, are loaded from a spool in batches of 300. Shown are the CPU time of batches in a new database and in this one, jobs
# a second, and what look-ups take then; for SQLite, then for PostgreSQL where a server is.
#   bench/site.sh BUILD-DIRECTORY [JOBS [POSTGRESQL-JOBS]]
# Needs python3, and room for 20 kB per job in TMPDIR.
build=${1:?usage: bench/site.sh BUILD-DIRECTORY [JOBS [POSTGRESQL-JOBS]]}
jobs=${2:-100000}
server_jobs=${3:-$jobs}
batch=300
pairs=7
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

# submit DATABASE [NAME]: what lies in the spool; timed where a name is given.
submit()
{
	if [ $# -eq 1 ]; then
		PERFMON_DB=$1 PERFMON_SPOOL_AGE=0 "$build/perfmon" -q submit --spool "$spool" --remove || exit 1
	else
		timed "$2" env PERFMON_DB="$1" PERFMON_SPOOL_AGE=0 "$build/perfmon" -q submit --spool "$spool" --remove
	fi
}

# load NAME DATABASE NEW JOBS: fill the database; then the same batches go into it and into the new one, in turns, since
# a machine may be faster at one time than at another.
load()
{
	n=0
	while [ "$n" -lt "$4" ]; do
		fill "$n" $batch || exit 1
		submit "$2"
		n=$((n + batch))
	done
	for _ in $(seq $pairs); do
		fill "$n" $batch && submit "$3" "$1.first" && fill "$n" $batch && submit "$2" "$1.last" || exit 1
		n=$((n + batch))
	done
}

# cpu FILE: least CPU time of a batch, ms a job.
cpu() { awk -v batch=$batch '{ t = ($2 + $3) * 1000 / batch; if (NR == 1 || t < least) least = t } END { printf "%.3f", least }' "$1"; }

# ratios FILE OTHER: the median of the ratios of their lines' CPU times.
ratios() { paste -d ' ' "$1" "$2" | awk '{ print ($6 + $7) / ($2 + $3) }' | sort -n | awk '{ r[NR] = $1 } END { print r[int((NR + 1) / 2)] }'; }

# told NAME DATABASE JOBS
told()
{
	echo "$1: $3 jobs of 20 processes, then $pairs batches of $batch more and into a new database in turns"
	awk -v first="$(cpu "$work/$1.first.all")" -v last="$(cpu "$work/$1.last.all")" -v wall="$(cat "$work/$1.last")" \
		-v ratio="$(ratios "$work/$1.first.all" "$work/$1.last.all")" -v batch=$batch 'BEGIN {
		printf "  %-44s %8.3f\n  %-44s %8.3f\n", "CPU of the first jobs, ms each", first, "CPU of the last jobs, ms each", last
		printf "  %-44s %8.2f  <= 1.1  %s\n", "last per first, median of the pairs", ratio, ratio <= 1.1 ? "holds" : "missed"
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

load SQLite "$work/site.db" "$work/new.db" "$jobs"
told SQLite "$work/site.db" "$jobs"
ls -l "$work/site.db" | awk -v jobs=$((jobs + pairs * batch)) '{ printf "  %-44s %8.1f\n", "kB a job", $5 / jobs / 1000 }'
rm -f "$work"/site.db* "$work"/new.db*
server || { echo "bench/site.sh: $postgres_missing" >&2; exit 0; }
postgres_sql postgres -c "CREATE DATABASE site" -c "CREATE DATABASE new" || exit 1
load PostgreSQL "$(postgres_url site)" "$(postgres_url new)" "$server_jobs"
told PostgreSQL "$(postgres_url site)" "$server_jobs"
