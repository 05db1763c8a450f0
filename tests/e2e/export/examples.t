#!/bin/sh
# The examples for pandas and R: both say of a site what is true, on both engines, and read what export writes.
# shellcheck source=tests/e2e/lib.sh
# shellcheck disable=SC2154 # set by lib.sh and postgres.sh
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/postgres.sh
. "$abs_top_srcdir/tests/e2e/postgres.sh"
# shellcheck source=tests/e2e/site.sh
. "$abs_top_srcdir/tests/e2e/site.sh"

if ! need python3 sqlite3; then
	skip "the examples" "no $missing"
	done_testing
fi
export PYTHONDONTWRITEBYTECODE=1
# As they are installed: with the cookbook beside them.
mkdir examples && cp "$abs_top_srcdir"/share/examples/* "$abs_top_srcdir/sql/cookbook.sql" examples || exit 99
site_load "$work/site.db"
is $? 0 "a site of nine jobs"

# users and hosts as both print them, with the digits that they have in common
hosts()
{
	awk '$1 ~ /^n[0-9]$/ { printf "%s %.2f %.2f %.1f %d\n", $1, $2, $3, $4, $5 }'
}
users()
{
	sed '1,/^CPU hours/d' | awk 'NF >= 4 && $2 ~ /^[0-9.]*$/ { printf "%s %.2f %.2f\n", $1, $2, $4 }'
}
known_users="bert 8.03 7.91
anna 5.56 4.39
cara 0.03 0.02
dora 0.17 0.02"
known_hosts="n1 1.70 2.00 6.0 0
n2 1.05 1.50 1.0 2"
known_programs="model 4 2000 95.6
python3 prep.py 1 90 4.3
bash run.sh 1 2 0.1
rm 1 0 0"

# example WHAT COMMAND...: the example of a language, on a database that is the last argument.
example()
{
	what=$1
	shift
	"$@" site.db >site 2>err && "$@" site.db 1 >job 2>>err
	is "$? $(cat err)" "0 " "$what runs without a warning"
	is "$(users <site)" "$known_users" "$what: CPU hours of users; a job of which they are unknown is left out"
	is "$(grep -c '2025-11-2[78]' site)" 9 "$what: nine jobs with their times"
	is "$(hosts <job)" "$known_hosts" "$what: rates of CPUs, memory, and how much of it is unknown"
	is "$(sed -n '2,5s/  */ /g; 2,5s/^ //; 2,5s/\.0$//; 2,5p' job)" "$known_programs" "$what: programs, by the cookbook"
	cp site.db other.db && sqlite3 other.db "UPDATE job SET cpu_time = 0 WHERE id = 3;
		UPDATE sample_block SET first = first + 1000000000 WHERE job_id = 1"
	is "$("$@" other.db | users | head -n 1) $("$@" other.db 1 | hosts | cut -d ' ' -f 4 | head -n 1)" "bert 8.03 8.01 7.0" \
		"$what: noticed: other values"
	"$@" none.db >out 2>err
	is "$? $(test -s err && echo said) $(ls none.db 2>/dev/null)" "1 said " "$what: a database that is not there is not made"
}

# engines WHAT COMMAND...: the same on PostgreSQL.
engines()
{
	what=$1
	shift
	"$@" site.db >site && "$@" site.db 1 >job
	{ "$@" "$(postgres_url site)" >pg.site && "$@" "$(postgres_url site)" 1 >pg.job; } 2>err
	is "$? $(cat err) $(diff site pg.site) $(diff job pg.job)" "0   " "$what: the same of PostgreSQL"
}

if python_with pandas; then
	pandas=$python
	example pandas "$pandas" examples/perfmon_pandas.py
	PERFMON_DB=site.db "$PERFMON" export processes --user anna -o processes.csv &&
		"$pandas" - >out 2>&1 <<-'END'
		import sys
		sys.path.insert(0, "examples")
		import perfmon_pandas as p
		t = p.export("processes.csv")
		print(len(t), t["rssmax"].dtype, t["rssmax"].sum(), t["mpirank"].isna().sum())
		print(len(p.ask(p.connect("site.db"), "user-jobs", user="o'neil' OR 1=1")))
		try:
		    p.ask(p.connect("site.db"), "no-such")
		except KeyError:
		    print("no such question")
		END
	is "$(cat out)" "$(sqlite3 -separator ' ' site.db "SELECT count(*), 'Int64', sum(p.rssmax), count(*) - count(mpirank) FROM process p
		JOIN job j ON j.id = p.job_id WHERE \"user\" = 'anna'")
0
no such question" "pandas: a table that export wrote; quotes in parameters; a question that is not there"
else
	skip "the example for pandas" "no $missing"
fi

if need Rscript && Rscript -e 'library(DBI); library(RSQLite)' >/dev/null 2>&1; then
	R=yes
	example R Rscript examples/perfmon.R
	PERFMON_DB=site.db "$PERFMON" export processes --user anna -o processes.csv && cat >read.R <<-'END'
	source("examples/perfmon.R")
	t <- perfmon_export("processes.csv")
	cat(nrow(t), sum(t$rssmax, na.rm = TRUE), sum(is.na(t$mpirank)), "\n")
	cat(nrow(perfmon_ask(perfmon_connect("site.db"), "user-jobs", user = "o'neil' OR 1=1")), "\n")
	tryCatch(perfmon_ask(perfmon_connect("site.db"), "no-such"), error = function(e) cat("no such question\n"))
	END
	Rscript read.R >out 2>err
	is "$(sed 's/ $//' out)" "$(sqlite3 -separator ' ' site.db "SELECT count(*), sum(p.rssmax), count(*) - count(mpirank) FROM process p
		JOIN job j ON j.id = p.job_id WHERE \"user\" = 'anna'")
0
no such question" "R: a table that export wrote; quotes in parameters; a question that is not there"
else
	R=
	skip "the example for R" "no R with DBI and RSQLite"
fi

postgres_needed "the examples on PostgreSQL"
postgres_sql postgres -c 'CREATE DATABASE site' || exit 99
site_load "$(postgres_url site)"
if python_with pandas psycopg2; then
	engines pandas "$python" examples/perfmon_pandas.py
else
	skip "pandas: the same of PostgreSQL" "no $missing"
fi
if [ "$R" ] && Rscript -e 'library(RPostgreSQL)' >/dev/null 2>&1; then
	engines R Rscript examples/perfmon.R
else
	skip "R: the same of PostgreSQL" "no R with RPostgreSQL"
fi
done_testing
