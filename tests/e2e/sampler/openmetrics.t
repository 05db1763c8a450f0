#!/bin/sh
# perfmon sample --openmetrics: the file as promtool, two parsers of Python, node_exporter and Prometheus read it; of a
# job, of the node and of the service of all jobs; hostile names, and hostile files in its place.
# shellcheck source=tests/e2e/lib.sh
. "${abs_top_srcdir:?}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/series.sh
. "$abs_top_srcdir/tests/e2e/series.sh"
# shellcheck source=tests/e2e/cgroup.sh
. "$abs_top_srcdir/tests/e2e/cgroup.sh"

export PYTHONDONTWRITEBYTECODE=1
host=$(uname -n)
every="$abs_top_builddir/tests/progs/openmetrics"

# parse FORM FILE: the families and series that prometheus_client reads, and the labels jobid that it finds.
parse()
{
	python3 - "$@" <<'END'
import sys
form, name = sys.argv[1:]
if form == "strict":
    from prometheus_client.openmetrics.parser import text_string_to_metric_families
else:
    from prometheus_client.parser import text_string_to_metric_families
families = list(text_string_to_metric_families(open(name, encoding="utf-8", newline="").read()))
seen = set()
for family in families:
    for s in family.samples:
        key = (s.name, tuple(sorted(s.labels.items())))
        assert key not in seen, key
        assert s.timestamp is None and s.value == s.value, s
        seen.add(key)
print(len(seen), *sorted({s.labels["jobid"] for f in families for s in f.samples if "jobid" in s.labels}))
END
}

lines_of()
{
	grep -c '^perfmon' "$1"
}

# --- every metric of every source -------------------------------------------------------------

for what in job node; do
	"$every" $what textfile >$what.prom && "$every" $what strict >$what.txt
	is "$? $(tail -n 1 $what.txt)" "0 # EOF" "every metric of a $what: $(lines_of $what.prom) series"
	is "$(grep '^#' $what.prom | sed -n 's/# TYPE \([^ ]*\) .*/\1/p' | sort | uniq -d)" "" "each family once"
done
if need promtool; then
	for what in job node; do
		is "$(promtool check metrics <$what.prom 2>&1; echo $?)" 0 "promtool finds nothing in that of a $what"
	done
	grep -v '^# HELP perfmon_process_rss' job.prom | promtool check metrics >out 2>&1
	is "$? $(cat out)" "3 perfmon_process_rss_bytes no help text" "noticed: a family without help"
else
	skip "promtool" "no $missing"
fi
if need python3 && python3 -c 'import prometheus_client' 2>/dev/null; then
	# shellcheck disable=SC2016 # a label of these bytes
	odd='a "quoted" {name}\\, with=\xff\n'
	is "$(parse textfile job.prom)" "$(lines_of job.prom) $odd" "a parser reads every series and the odd name"
	is "$(parse strict job.txt)" "$(lines_of job.txt) $odd" "so does one of OpenMetrics"
	is "$(parse strict node.txt)" "$(lines_of node.txt) $odd ünï" "and for the node"
	sed '$d' node.txt >cut.txt
	parse strict cut.txt >/dev/null 2>&1
	is $? 1 "noticed: a text without its end"
	{ sed '$d' node.txt; grep '^perfmon_memory_total' node.txt; echo '# EOF'; } >twice.txt
	parse strict twice.txt >/dev/null 2>&1
	is $? 1 "noticed: a series twice"
else
	skip "parsers of Python" "no python3 with prometheus_client"
fi

# --- the node -----------------------------------------------------------------------------------

# has FILE PATTERN
has()
{
	grep -q "$2" "$1" 2>/dev/null
}

# value FILE SERIES
value()
{
	awk -v name="$2" 'index($0, name "{") == 1 || index($0, name " ") == 1 { print $NF }' "$1"
}

mkdir dir
"$PERFMON" sample --openmetrics dir/node.prom -i 100ms >out 2>err &
sampler=$!
wait_for has dir/node.prom '^perfmon_memory_total_bytes{host="'"$host"'"} [1-9]'
ok $? "the node is shown"
is "$(stat -c '%a %F' dir/node.prom)" "644 regular file" "in a file that everybody may read"
is "$(value dir/node.prom perfmon_memory_total_bytes)" "$(awk '/^MemTotal/ { printf "%.0f\n", $2 * 1024 }' /proc/meminfo)" \
	"its memory is that of the kernel, in bytes"
is "$(grep -c 'NaN\|Inf\|jobid=\|user=\|pid' dir/node.prom)" 0 "nothing is unknown, of a job or of a process"
is "$(value dir/node.prom perfmon_series_left_out)" 0 "no series is left out"
is "$(grep -c '^perfmon_\(process\|programs\|cgroup\|members\)_' dir/node.prom)" 0 "and none is of processes"
wait_for has dir/node.prom '^perfmon_sampler_'
is "$(wc -c <out)" 0 "there are no series on standard output"
kill -TERM $sampler
wait $sampler
is "$? $(ls -A dir)" "0 " "SIGTERM: the file is gone, and nothing is left beside it"
"$PERFMON" sample --openmetrics dir/node.prom -i 100ms --sources memory -d series --stream - >out 2>err &
sampler=$!
wait_for has dir/node.prom '^perfmon_memory_total'
wait_for has "series/$host.series" '^tick' && wait_for has out '^tick'
ok $? "with a directory and a stream there are series, too"
kill -KILL $sampler
wait $sampler 2>/dev/null
gone()
{
	[ ! -e "$1" ]
}
wait_for gone dir/node.prom
is "$? $(ls -A dir)" "0 " "a sampler that is killed leaves no file"

# Values of slow sources come between ticks that are far from each other.
"$PERFMON" sample --openmetrics dir/node.prom -i 1h --sources memory,frequency,filesystem,tcp >out 2>err &
sampler=$!
wait_for has dir/node.prom '^perfmon_tcp_connections{'
ok $? "what is read more slowly is shown when it comes, with an interval of an hour"
kill $sampler
wait $sampler

# --- what is in its place -----------------------------------------------------------------------

echo precious >victim
ln -s ../victim dir/node.prom
"$PERFMON" sample --openmetrics dir/node.prom -i 100ms --sources memory 2>err &
sampler=$!
wait_for has dir/node.prom '^perfmon_memory_total'
is "$? $(cat victim)" "0 precious" "a symbolic link is replaced, not followed"
kill $sampler
wait $sampler
# What the process beside it says is in the file of messages, too.
"$PERFMON" sample --openmetrics dir/node.prom -i 100ms --sources memory --log log 2>err &
sampler=$!
wait_for has dir/node.prom '^perfmon_memory_total'
rm -f dir/node.prom
mkdir dir/node.prom
wait_for has log '| WARNING | .*dir/node.prom: there is something else of this name'
ok $? "what cannot be written is told in the file of --log"
kill $sampler
wait $sampler
rmdir dir/node.prom
mkfifo dir/pipe.prom
for name in dir/pipe.prom dir /dev/null nowhere/node.prom "" "dir/$(printf %0300d 1).prom"; do
	"$PERFMON" sample --openmetrics "$name" -i 100ms --sources memory -d series 2>err
	is "$? $(wc -l <err)" "1 1" "$(sed 's/00*/0/g' err | cut -c 1-100)"
done
rm dir/pipe.prom

# --- a job --------------------------------------------------------------------------------------

# Names that users choose: of programs, jobs and partitions. One that looks like the others' is not shown twice.
# shellcheck disable=SC2016 # bytes of a name
odd=$(printf 'x"\\n{}\377 \t')
sleepers=
for name in "$odd" '*' '# EOF' '} 1' $(seq 35); do
	cp "$(command -v sleep)" "$work/$name" || exit 99
	"$work/$name" 300 &
	sleepers="$sleepers $!"
done
env SLURM_JOB_ID=4711 SLURM_JOB_NAME='job"{name}' SLURM_JOB_ACCOUNT='ac"c\' SLURM_JOB_PARTITION='a
b' "$PERFMON" sample --pid $$ -j 4711 --openmetrics dir/job.prom -i 100ms 2>err &
sampler=$!
wait_for has dir/job.prom '^perfmon_programs_rss_bytes{.*command="x' &&
	wait_for has dir/job.prom '^perfmon_series_left_out{[^}]*} 3'
is $? 0 "a job of programs with odd names; one that is named like the rest of them is left out and counted"
user=$(id -un)
cp dir/job.prom job.prom
is "$(value job.prom perfmon_job_info) $(sed -n 's/^perfmon_job_info//p' job.prom)" "1 {host=\"$host\",jobid=\"4711\",user=\"$user\"} 1" \
	"labels are of host, job and user"
is "$(grep '^perfmon' job.prom | grep -vc "{host=\"$host\",jobid=\"4711\",user=\"$user\"")" 0 "on every series"
is "$(grep -c '^perfmon_\(memory\|disk\|cpu\|load\)_' job.prom)" 0 "and none is of the node"
if need promtool; then
	is "$(promtool check metrics <job.prom 2>&1; echo $?)" 0 "promtool finds nothing"
fi
if need python3 && python3 -c 'import prometheus_client' 2>/dev/null; then
	is "$(parse textfile job.prom)" "$(lines_of job.prom) 4711" "a parser reads every series"
fi
is "$(grep -c 'command="x\\"\\\\\\\\n{}\\\\xff \\\\t"' job.prom)" 3 "odd bytes are as in perfmon-tsv(5)"
kill $sampler
wait $sampler
# Inside of a batch job the job is the one that Slurm's own ids name.
(
	export SLURM_JOB_ID=4712 SLURM_ARRAY_JOB_ID=4700 SLURM_ARRAY_TASK_ID=3 SLURM_JOB_ACCOUNT='ac"c\' SLURM_JOB_PARTITION='a
b'
	sleep 3 &
	exec "$PERFMON" sample -d job --openmetrics dir/job.prom -i 100ms 2>err
) &
sampler=$!
seen()
{
	cp dir/job.prom job.prom 2>/dev/null
}
rm job.prom
wait_for seen
is "$(sed -n 's/^perfmon_job_info//p' job.prom)" \
	"{host=\"$host\",jobid=\"4712\",user=\"$user\",account=\"ac\\\"c\\\\\\\\\",partition=\"a\\\\nb\"} 1" \
	"an element of an array has the id that its control group has; what Slurm says of it is in perfmon_job_info"
wait $sampler
is "$? $(ls -A dir)" "0 " "the process that writes keeps no job alive: at its end sampler and file are gone"
is "$(series_check "job/$host.series")" "" "a job has series, too"

# --- node_exporter and Prometheus ---------------------------------------------------------------

if need prometheus prometheus-node-exporter python3; then
	chmod 755 "$work" dir
	"$PERFMON" sample --openmetrics dir/node.prom -i 1s --sources cpu,memory,load,vmstat 2>err &
	sampler=$!
	"$PERFMON" sample --openmetrics dir/job.prom -i 1s --pid $$ -j 77 --sources process 2>err &
	other=$!
	wait_for has dir/job.prom '^perfmon_process_processes'
	# What exporters of Slurm's jobs show.
	echo 'cgroup_info{jobid="77",username="ann"} 1' >dir/slurm.prom
	python3 "$abs_top_srcdir/tests/e2e/sampler/scrape.py" dir "${PM_SCRAPE_SECONDS:-3}" \
		'perfmon_process_processes * on(jobid) group_left(username) cgroup_info' \
		'perfmon_memory_total_bytes * on(host) group_left(jobid, user) perfmon_job_info' >scraped 2>&1
	is $? 0 "node_exporter and Prometheus: $(grep -v '^query' scraped | tr '\n' ';')"
	is "$(grep -c '^query.*"jobid": "77".*"username": "ann"' scraped)" 1 "a join with the jobs of Slurm's exporters"
	is "$(grep -c '^query.*"jobid": "77", "user": "'"$user"'"}' scraped)" 1 "the node's values with the job that is there"
	sed 's/^\(perfmon_memory_total_bytes{.*} \).*/\112 1795228141795/' dir/node.prom >dir/stamped.prom
	python3 "$abs_top_srcdir/tests/e2e/sampler/scrape.py" dir 0 >scraped 2>&1
	is "$? $(grep -c '^files.*WRONG' scraped)" "1 1" "noticed: a file that node_exporter refuses, with a time stamp"
	rm dir/stamped.prom dir/slurm.prom
	kill $sampler $other
	wait $sampler $other
	python3 -c 'if True:
		import os, time
		series = 0
		while os.getppid() != 1:
			series += 1
			with open("dir/new", "w") as f:
				f.write("perfmon_sample_timestamp_seconds %f\nperfmon_series_left_out 0\n" % time.time())
				f.write("perfmon_cpu_all_user_seconds_total 1\n")
				f.writelines("perfmon_more{n=\"%d\"} 1\n" % n for n in range(series))
			os.rename("dir/new", "dir/made.prom")
			time.sleep(0.5)' &
	other=$!
	python3 "$abs_top_srcdir/tests/e2e/sampler/scrape.py" dir 2 >scraped 2>&1
	is "$? $(grep -c '^\(cpu\|series\) .*WRONG' scraped)" "1 2" "noticed: wrong CPU times, and series that become more"
	kill $other
	wait $other
	rm -f dir/*
else
	skip "node_exporter and Prometheus" "no $missing"
fi
# shellcheck disable=SC2086 # a pid each
kill $sleepers

# --- the service --------------------------------------------------------------------------------

give_up()
{
	skip "the service" "$1"
	done_testing
	exit
}

[ "$(id -u)" -eq 0 ] || give_up "only root makes control groups and samples others' jobs"
need setpriv || give_up "no $missing"
make_group
[ -n "$group" ] || give_up "no control groups here"
PERFMON_OUTPUT_PREFIX=/tmp/perfmon-openmetrics-$$
mkdir -m 1777 "$PERFMON_OUTPUT_PREFIX"
export PERFMON_OUTPUT_PREFIX
trap 'rm -rf "$PERFMON_OUTPUT_PREFIX"; leave_group' EXIT
job=${$}1
chmod 755 "$work" dir
run_in_job "$job" 65534 'exec sleep 300' || give_up "no process can be put into a control group"
first=$pid
echo '# HELP perfmon_sample_timestamp_seconds time of the sample' | tee dir/perfmon.job-old.prom >dir/.perfmon.job-old.prom.1
echo kept | tee dir/perfmon.jobs.prom dir/.perfmon.job-notes >dir/perfmon.job-results.prom
# Without the power to write where root has no right to.
powers=$(sed -n 's/^CapabilityBoundingSet=CAP_//p' "$abs_top_builddir/sampler/perfmon-sample.service" |
	tr '[:upper:]' '[:lower:]' | sed 's/ cap_/,+/g; s/+perfmon/+cap_38/; s/+bpf/+cap_39/')
setpriv --no-new-privs --inh-caps=-all --bounding-set="-all,+$powers" \
	"$PERFMON" sample --all-jobs --cgroups "$group" -i 100ms --openmetrics dir/perfmon.prom \
	--on-exit "id -un >>$PERFMON_OUTPUT_PREFIX/ran" --until "$work/until" --stream - -v >streamed 2>service &
service=$!
wait_for has "dir/perfmon.job-$job.prom" '^perfmon_process_processes' && wait_for has dir/perfmon.prom '^perfmon_memory_total'
kept=".perfmon.job-notes perfmon.job-results.prom perfmon.jobs.prom "
is "$? $(ls -A dir | LC_ALL=C sort | tr '\n' ' ')" \
	"0 .perfmon.job-notes perfmon.job-$job.prom perfmon.job-results.prom perfmon.jobs.prom perfmon.prom " \
	"all jobs: a file for the node and one for each job; what was left of another job is gone"
is "$(stat -c '%U %a' "dir/perfmon.job-$job.prom" dir/perfmon.prom | sort -u)" "root 644" "they are root's"
is "$(sed -n 's/^perfmon_job_info{[^}]*\(jobid=[^}]*\)}/\1/p' "dir/perfmon.job-$job.prom")" "jobid=\"$job\",user=\"nobody\" 1" \
	"labels are of the job and its user, and not what the user's process says of account and partition"
if need promtool; then
	is "$(promtool check metrics <"dir/perfmon.job-$job.prom" 2>&1; echo $?)" 0 "promtool finds nothing"
fi
kill $first
wait $first
wait_for gone "dir/perfmon.job-$job.prom"
ok $? "the file of a job that is over is gone"
wait_for has "$PERFMON_OUTPUT_PREFIX/ran" .
# What the node's sampler would obey, too.
echo FINISHED >until
before=$(stat -c %Y "dir/perfmon.prom")
later()
{
	[ "$(stat -c %Y dir/perfmon.prom)" -gt "$((before + 2))" ]
}
wait_for later
ended=$(grep -c 'node: its sampler has ended' service)
is "$(has dir/perfmon.prom '^perfmon_memory_total'; echo $?)" 0 "that of the node is there"
kill -TERM $service
wait $service
is "$? $(ls -A dir | LC_ALL=C sort | tr '\n' ' ')" "0 $kept" "and gone with the service"
is "$(cat "$PERFMON_OUTPUT_PREFIX/ran") $ended $(grep -c '^perfmon-series' streamed)" "nobody 0 1" \
	"the node's sampler runs no command of --on-exit, and neither ends by --until nor has a stream"
"$PERFMON" sample --all-jobs --cgroups "$group" -i 100ms --openmetrics dir/.data 2>service
is "$? $(cat service) $(ls -A dir | LC_ALL=C sort | tr '\n' ' ')" \
	"1 perfmon: --openmetrics: the name needs a suffix, such as .prom, for the files of jobs to end in $kept" \
	"a name without a suffix is refused"
"$PERFMON" sample --all-jobs --cgroups "$group" -i 100ms --openmetrics nowhere/perfmon.prom 2>service
is "$? $(sed 's/.*--openmetrics/--openmetrics/' service)" "1 --openmetrics: open nowhere/: No such file or directory" \
	"a directory that is not there ends it at once"
done_testing
