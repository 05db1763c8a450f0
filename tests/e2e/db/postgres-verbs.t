#!/bin/sh
# Every verb that uses a database, each with either engine: the same text or JSON, the same errors, the same status.
# shellcheck source=tests/e2e/lib.sh
# shellcheck disable=SC2154 # set by lib.sh and postgres.sh
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/postgres.sh
. "$abs_top_srcdir/tests/e2e/postgres.sh"

if ! need python3 sqlite3; then
	skip "PostgreSQL" "no $missing"
	done_testing
fi
postgres_needed "PostgreSQL"
generate=$abs_top_builddir/tests/progs/generate
postgres_sql postgres -c 'CREATE DATABASE jobs' -c 'CREATE DATABASE copies' || exit 99
server=$(postgres_url jobs)
file=$work/jobs.db

# said OF COPY LINE: what perfmon says with a database, but for rates, times and names; DATABASE and COPY in the line are
# this one and another one of the same engine.
said()
{
	words=$(echo "$3" | sed "s|DATABASE|$1|g; s|COPY|$2|g")
	# shellcheck disable=SC2086 # words
	PERFMON_DB=$1 "$PERFMON" $words >out 2>err </dev/null
	status=$?
	sed "s/[0-9]* processes\/s//; s/\"elapsed_us\": [0-9]*/elapsed/; s/\(ended before [0-9-]*\) [0-9:]*/\1/; s|$2|COPY|g; s|$1|DATABASE|g; s|postgresql://postgres@$postgres_host/jobs|DATABASE|g; s|postgresql://postgres@$postgres_host/copies|COPY|g" \
		out err
	echo "$status"
}

# every STATUS NAME LINES: each line is a command that does and says the same with both, and ends with that status.
every()
{
	echo "$3" | sed 's/^[ 	]*//; /^$/d' >lines
	while read -r line <&3; do
		said "$server" "$(postgres_url copies)" "$line" >server.said
		said "$file" "$work/copies.db" "$line" >file.said
		cmp -s server.said file.said && [ "$status" = "$1" ]
		ok $? "$2: $line"
		cmp -s server.said file.said && [ "$status" = "$1" ] ||
			diag "$status, not $1: $(diff server.said file.said | cut -c1-300 | head -n 8)"
	done 3<lines
}

# here SQL: into both databases.
here() { postgres_sql jobs -c "$1" && sqlite3 "$file" "$1" || exit 99; }

for n in 1 2 3 4; do
	"$generate" job$n $((40 * n)) 2 >/dev/null && sed -i "s/\"4711\"/\"400$n\"/" job$n/*.json &&
		sed -i "s/	4711	/	400$n	/" job$n/*.tsv || exit 99
done
cp -R job4 bad && sed -i 's/"4004"/"4005"/' bad/*.json && sed -i 's/	4004	/	4005	/' bad/*.tsv &&
	printf 'no record\nend\t\377\376\001 \\x\t\n' >>bad/n0-1000.tsv || exit 99
mkdir early && cp job3/*n0* early || exit 99

# --- nothing there ------------------------------------------------------------------------------
# A server's database is there once it was made, a file is not.
: >"$file"
every 1 "nothing there" "list
	list processes 4001
	show 4001
	report 4001
	verify
	dbsize
	delete -f 4001
	drop -f
	retire --older-than 1d
	copy DATABASE COPY
	submit none"
every 0 "nothing there" "submit -n job1 job2"

# --- loading ------------------------------------------------------------------------------------
every 0 "loading" "submit job1 job2 early
	submit -n job1 job2
	submit -n job3
	submit job3
	submit job3
	submit -n --replace job1
	submit --replace job1
	submit --json job1 job4
	submit -n -r job4
	status"
every 1 "loading" "submit bad
	submit --json --replace bad
	submit none job1
	submit n*ne job2"
every 2 "loading" "submit --drop job1
	submit --watch"

# --- looking ------------------------------------------------------------------------------------
every 0 "looking" "list
	list jobs --json
	list jobs --csv
	list metrics --json
	list processes 4001 --json
	list threads 4002 --csv
	list counters 4003
	list hosts 4003 --json
	list summaries 4003
	list phases 4003
	list tags 4004 --json
	show 4001
	show 4005 --json
	report 4005
	report 4003 --json
	status --json
	verify
	verify --json
	verify 4005 4001
	migrate
	migrate -n"
every 1 "looking" "list 4099
	list processes 4099
	show #99
	report 4099
	verify 4099"

# --- noting -------------------------------------------------------------------------------------
every 0 "noting" "annotate 4001 a=b c=d=e f=
	annotate 4001 --replace only=this
	list jobs --json
	show 4001 --json"
every 1 "noting" "annotate 4099 a=b"
every 2 "noting" "annotate 4001
	annotate 4001 =b"

# --- copying ------------------------------------------------------------------------------------
every 0 "copying" "copy -n DATABASE COPY
	copy DATABASE COPY 4001
	copy -n DATABASE COPY
	copy DATABASE COPY
	copy DATABASE COPY
	copy --replace DATABASE COPY 4005"
every 1 "copying" "copy DATABASE COPY 4099"

# --- taking out ---------------------------------------------------------------------------------
every 2 "taking out" "delete
	delete 4001
	drop
	drop 4001
	retire
	retire --older-than 0s
	retire --older-than soon"
every 1 "taking out" "delete -f 4001 4099"
every 0 "taking out" "delete -n 4001 #2
	delete -f 4001
	list
	retire -n --older-than 20000d
	retire --older-than 20000d
	submit job1"
here "UPDATE job SET start_us = 1000000000000000, submit_us = NULL, end_us = 1000000001000000 WHERE jobid IN ('4002', '4003');
	DELETE FROM user_day; INSERT INTO user_day SELECT cluster, \"user\", coalesce(start_us, epoch_us) / 86400000000 * 86400000000,
	count(*), sum(CASE WHEN exit_status <> 0 OR exit_signal IS NOT NULL THEN 1 ELSE 0 END), sum(processes),
	sum(cpu_time), count(cpu_time), sum(duration_us * cpus), count(duration_us * cpus), sum(rchar), count(rchar),
	sum(wchar), count(wchar), sum(read_bytes), count(read_bytes), sum(write_bytes), count(write_bytes) FROM job GROUP BY 1, 2, 3"
every 0 "retiring" "retire -n --older-than 8000d
	retire --older-than 8000d --keep-summary
	retire --older-than 8000d --keep-summary
	verify
	list
	report 4003
	show 4002 --json
	submit job3
	submit -n job3"
cp -R job3 late && sed '$d' job3/n1-1000.tsv >late/n1-2000.tsv
every 1 "late files of a retired job" "submit late
	submit -n late"
every 0 "retiring" "retire --older-than 8000d
	list jobs --json
	verify
	submit --drop -n job1
	submit --drop -f job1
	verify
	drop -n
	drop -f
	list
	verify
	submit job1 job2"

# --- sizes --------------------------------------------------------------------------------------
for which in server file; do
	case $which in server) PERFMON_DB=$server ;; *) PERFMON_DB=$file ;; esac
	PERFMON_DB=$PERFMON_DB "$PERFMON" dbsize --json >out 2>err
	echo "$?$(cat err)" >$which.sizes
	# Bytes are each engine's own.
	python3 -c 'import json
d = json.load(open("out"))
print(sorted(d))
print([(t["name"], t["rows"]) for t in d["tables"] if t["name"] != "job_range"])
print([{k: v for k, v in j.items() if k in ("job", "processes", "rows")} for j in d["jobs"]])' >>$which.sizes 2>&1
done
cmp -s server.sizes file.sizes
ok $? "sizes: dbsize --json"
cmp -s server.sizes file.sizes || diag "$(diff server.sizes file.sizes | cut -c1-600)"
done_testing
