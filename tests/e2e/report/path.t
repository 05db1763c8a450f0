#!/bin/sh
# The critical path of real jobs, whose waits are known; ranks, hosts and steps; on both engines.
# shellcheck source=tests/e2e/lib.sh
# shellcheck disable=SC2154 # set by lib.sh and postgres.sh
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/database.sh
. "$abs_top_srcdir/tests/e2e/database.sh"
# shellcheck source=tests/e2e/postgres.sh
. "$abs_top_srcdir/tests/e2e/postgres.sh"

PERFMON_DB=$work/jobs.db
export PERFMON_DB

# chain JOB: arguments of the sleeps on its path, in order of time.
chain()
{
	"$PERFMON" show --critical --json --limit 0 "$1" | python3 -c '
import json, sys
for step in json.load(sys.stdin)["longest_steps"]:
	if step["program"] == "sleep":
		print(step["process"])' | while read -r id; do
		query "SELECT args FROM process JOIN job ON job.id = job_id WHERE job.jobid = '$1' AND process.id = $id"
	done | uniq | tr '\n' ' '
}

# --- waits that are known -------------------------------------------------------------------------
cat >mk <<-'END'
	all: last
	last: short long ; sleep 0.21
	short: ; sleep 0.12
	long: ; sleep 0.53; sleep 0.11
END
cat >job.sh <<-'END'
	sleep 5 &
	sleep 0.14 | sleep 0.33
	make -s -j2 -f mk
	(sleep 0.22; sleep 0.13) & sleep 0.15
	wait %2
END
if need make python3 bash; then
	"$PERFMON" -q -a -j 1 run bash job.sh
	"$PERFMON" -q submit 1
	is "$(chain 1)" "0.33 0.53 0.11 0.21 0.22 0.13 " \
		"pipeline, make -j, a child in the background that is waited for, one that is not"
	"$PERFMON" show --critical --json --limit 0 1 >whole.json
	query "SELECT end_us - start_us FROM job WHERE jobid = '1'" >want
	python3 -c '
import json, sys
x = json.load(open("whole.json"))
print(sum(p["wall_us"] for p in x["programs"]), sum(s["to_us"] - s["from_us"] for s in x["longest_steps"]))
bad = [s for a, s in zip(x["longest_steps"], x["longest_steps"][1:]) if a["to_us"] != s["from_us"]]
# The rest of a short process may not be known.
unknown = sum(s["to_us"] - s["from_us"] for s in x["longest_steps"] if s["program"] and s["other_us"] is None)
figures = [p for p in x["programs"] if p["program"] and not -unknown <= p["cpu_us"] + p["ready_us"] + p["other_us"] - p["wall_us"] + (p["block_io_us"] or 0) + 4 <= 8]
print(len(bad), len(figures))' >got
	is "$(cat got)" "$(cat want) $(cat want)
0 0" "the steps cover the job exactly, and what is done in them its time"
	# Half a second of sleep is waiting.
	python3 -c '
import json
x = json.load(open("whole.json"))
longest = max(x["longest_steps"], key=lambda s: s["to_us"] - s["from_us"])
print(longest["program"], longest["other_us"] > longest["cpu_us"])' >got
	is "$(cat got)" "sleep True" "a sleep waits"
	"$PERFMON" show --critical --limit 3 --width 100 1 >out
	is "$? $(grep -c '^Critical path: ' out) $(grep -c 'shorter steps, .* together, are not shown' out)" "0 1 1" "as text"
	is "$(awk 'length > 100' out)" "" "no line is wider than the page"
	"$PERFMON" report 1 >out
	grep -q '^Critical path: what decided the wall time' out && grep -q 'All steps: perfmon show --critical' out
	ok $? "the report has it"
	"$PERFMON" report --json --limit 1000 1 | python3 -c '
import json, sys
print(json.load(sys.stdin)["critical_path"] == json.load(open("whole.json")))' >got
	is "$(cat got)" "True" "as JSON it is the same"
else
	skip "real jobs" "no $missing"
fi

# --- jobs with little to say ----------------------------------------------------------------------
golden=$abs_top_srcdir/tests/golden/report
cp -R "$golden/empty" "$golden/killed" . && chmod -R u+w empty killed
"$PERFMON" show --critical empty >out
is "$? $(head -n 1 out | cut -c1-14)" "0 Critical path:" "a job without processes is of none" ||
	diag "$(cat out)"
"$PERFMON" report empty | grep -q '^Critical path'
is $? 1 "and its report says nothing of it"
"$PERFMON" show --critical killed | grep -q 'The end of 1 process on it is not recorded'
ok $? "a process without an end is told"
"$PERFMON" -q -a -j 2 run /bin/true
"$PERFMON" -q submit 2
"$PERFMON" report 2 | grep -q '^Critical path'
is $? 1 "a single process is its own path"
for words in --timeline --counters "--tag a" "--alive +1s" "--subtree 1"; do
	# shellcheck disable=SC2086 # words
	"$PERFMON" show --critical $words 2 >out 2>err
	is "$? $(wc -c <out)" "2 0" "--critical $words is a usage error"
done

# --- ranks and steps ------------------------------------------------------------------------------
cat >rank.sh <<-'END'
	dd if=/dev/zero of=/dev/null bs=64k count=$((1 + OMPI_COMM_WORLD_RANK * 3000)) 2>/dev/null
END
cat >ranks.sh <<-'END'
	for step in 0 1; do
		for rank in 0 1 2 3; do
			SLURM_STEP_ID=$step OMPI_COMM_WORLD_RANK=$rank OMPI_COMM_WORLD_SIZE=4 sh rank.sh &
		done
		wait
	done
END
"$PERFMON" -q -a -j 3 run sh ranks.sh
"$PERFMON" -q submit 3
# An account by SQL: CPU time by step and rank, of which all processes are.
query "SELECT step, round(1 - avg(c) / max(c), 6), max(c), min(c) FROM (SELECT step, mpirank, sum(process.cpu_time) c
	FROM process JOIN job ON job.id = job_id WHERE job.jobid = '3' AND mpirank IS NOT NULL GROUP BY step, mpirank) x
	GROUP BY step ORDER BY step" >want
if need python3; then
	"$PERFMON" report --json 3 >ranks.json
	python3 -c '
import json
p = json.load(open("ranks.json"))["parallel"]
for r in sorted(p["runs"], key=lambda r: r["step"]):
	c = r["figures"]["cpu_us"]
	print(r["step"], round(r["cpu_imbalance"], 6), int(c["most"]), int(c["least"]), sep="|")' >got
	is "$(cat got)" "$(cat want)" "ranks of two runs: the imbalance is what SQL says"
	python3 -c '
import json
p = json.load(open("ranks.json"))["parallel"]
for r in p["runs"]:
	f = r["figures"]
	print(r["ranks"], r["size"], r["hosts"], f["moved_bytes"]["most_at"], f["moved_bytes"]["least_at"],
		abs(r["imbalance_cost_us"] - r["cpu_imbalance"] * f["wall_us"]["most"]) < 1)
print([(s["step"], s["tasks"], s["hosts"], s["failed"]) for s in p["steps"]], p["hosts"])' >got
	is "$(cat got)" "4 4 1 3 0 True
4 4 1 3 0 True
[('0', 4, 1, 0), ('1', 4, 1, 0)] None" "sizes, the ranks that moved most and least, steps"
else
	skip "ranks" "no $missing"
fi
"$PERFMON" report --width 100 3 >out
is "$(grep -c '^Ranks$' out) $(grep -c ': 4 ranks on 1 host, step [01], ' out) $(grep -c '^Steps of the batch system$' out) $(grep -c '^Hosts: ' out)" \
	"1 2 1 0" "sections of the report"
is "$("$PERFMON" show --width 120 3 | awk 'NR == 1 { at = index($0, "Rank") } / rank[.]sh$/ { print substr($0, at, 4) + 0 }' | sort -n | tr '\n' ' ')" \
	"0 0 1 1 2 2 3 3 " "the rank in show"
"$PERFMON" show 2 | head -n 1 | grep -q Rank
is $? 1 "which is not there where there is none"
is "$("$PERFMON" report 2 | grep -c '^Ranks')" 0 "nor are ranks in a report"
if need mpirun.openmpi; then
	"$PERFMON" -q -a -j 4 run mpirun.openmpi --allow-run-as-root --oversubscribe -n 3 sh -c 'sleep 0.$OMPI_COMM_WORLD_RANK' >mpi.log 2>&1
	status=$?
	"$PERFMON" -q submit 4
	"$PERFMON" report 4 >out
	is "$status $(grep -c ': 3 ranks on 1 host' out)" "0 1" "a run of Open MPI" || diag "$(cat mpi.log out)"
	is "$(chain 4 | awk '{ print $NF }')" "0.2" "whose slowest rank decided"
else
	skip "a run of Open MPI" "no $missing"
fi

# --- PostgreSQL -----------------------------------------------------------------------------------
if need python3 && postgres_start; then
	postgres_sql postgres -c 'CREATE DATABASE jobs' || exit 99
	"$PERFMON" -q copy "$PERFMON_DB" "$(postgres_url jobs)"
	for job in 1 3; do
		"$PERFMON" show --critical --json --limit 0 $job >here
		"$PERFMON" show --critical --json --limit 0 $job --db "$(postgres_url jobs)" >there
		cmp -s here there
		ok $? "job $job: the same path in PostgreSQL"
	done
	"$PERFMON" report --json 3 --db "$(postgres_url jobs)" | python3 -c '
import json, sys
print(json.load(sys.stdin)["parallel"] == json.load(open("ranks.json"))["parallel"])' >got
	is "$(cat got)" "True" "the same ranks in PostgreSQL"
else
	skip "PostgreSQL" "${postgres_missing:-no $missing}"
fi

done_testing
