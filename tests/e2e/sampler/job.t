#!/bin/sh
# The sampler of a batch job: found by itself in a job script, left behind by start and source.
# shellcheck source=tests/e2e/lib.sh
. "${abs_top_srcdir:?}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/series.sh
. "$abs_top_srcdir/tests/e2e/series.sh"
# shellcheck source=tests/e2e/database.sh
. "$abs_top_srcdir/tests/e2e/database.sh"

host=$(uname -n)
series=$host.series
# Ids that no other run of this test on the host has: the sampler would take its processes.
job=$$
mkdir bin
ln -s "$PERFMON" bin/perfmon
PATH=$work/bin:$PATH
PERFMON_DB=$work/db
export PATH PERFMON_DB

has_ticks()
{
	[ "$(series_ticks "$1")" -ge "$2" ]
}

# --- by itself, as in scripts of another sampler ------------------------------------------------

# Four job scripts at the same time. The first: two programs with a pause between them, then a wait for
# the sampler, which waits for the script.
cat >matmul <<'END'
echo "job $LSB_JOBID"
perfmon --sampling_freq 100ms -v --gen_report -e csv hdf5 orc --save_dir "$PWD" --prefix metrics \
	--launcher mpirun --system tiny --partition short --env spack --name weekly --check_point 30 2>err &
until grep -q '^tick' metrics/*.series 2>/dev/null; do sleep 0.1; done
sleep 1
sleep 0.5
wait
echo over
END
LSB_JOBID=${job}77 sh matmul >matmul.out &
matmul=$!
# Others' processes and those of another job are not sampled, and keep no sampler.
LSB_JOBID=${job}78 sleep 300 &
other=$!
cat >plain <<'END'
perfmon &
until grep -q '^tick' perfmon-"$LSB_JOBID"/*.series 2>/dev/null; do sleep 0.1; done
sleep 0.7
wait
END
LSB_JOBID=${job}79 PERFMON_SAMPLE=100ms sh plain &
plain=$!
# A process that stays is left when the script says that it is finished; so it is when nobody can
# write into the file.
cat >stays <<'END'
sleep 300 &
stays=$!
perfmon sample -i 100ms -d "$1" &
sampler=$!
until grep -q '^tick' "$1"/*.series 2>/dev/null; do sleep 0.1; done
rm -f ".ipc-$LSB_JOBID"
sleep 0.5
echo FINISHED >".ipc-$LSB_JOBID"
wait $sampler
kill $stays
END
LSB_JOBID=${job}80 sh stays stays-80 &
stays=$!
cat >until <<'END'
sleep 300 &
stays=$!
perfmon sample -i 100ms -d "$1" --until end --on-exit 'echo "$PERFMON_OUTPUT"' >until.out 2>&1 &
sampler=$!
until grep -q '^tick' "$1"/*.series 2>/dev/null; do sleep 0.1; done
echo FINISHED >end
wait $sampler
kill $stays
END
LSB_JOBID=${job}81 sh until until-81
is "$(cat until.out)" "$work/until-81" "--until names another file, --on-exit runs a command"
wait $stays
is "$(series_check "stays-80/$series")" "" "FINISHED ends it while processes stay"
wait $plain
is "$(ls -d perfmon-*)|$(series_values "perfmon-${job}79/$series" process processes | sort -n |
	tail -n 1)" "perfmon-${job}79|2" "perfmon alone, in a batch job, samples the job into perfmon-JOB"
kill $other

wait $matmul
is "$(cat matmul.out)" "job ${job}77
over" "a script that waits for its sampler ends"
is "$(cat ".ipc-${job}77")" INPROGRESS "the sampler announced itself"
is "$(series_check "metrics/$series")" "" "its series are as documented, below --save_dir and --prefix"
is "$(head -n 1 "metrics/$series" | cut -f 4)" 100000 "at the period of --sampling_freq"
most=$(series_values "metrics/$series" process processes | sort -n | tail -n 1)
test "$most" -ge 2
ok $? "it sampled the job's processes: $most"
is "$(sed -n '1s/,.*//p' "metrics/report-${job}77.txt")" "Job ${job}77" "and wrote the report"
if grep -q 'define HAVE_CAIRO 1' "$abs_top_builddir/config.h"; then
	is "$(head -c 5 "metrics/job-report-${job}77.pdf")|$(find metrics/plots -name Average_CPU_Load_all_nodes.png -o -name Memory_per_node.png | wc -l)" "%PDF-|2" \
		"and a PDF and pictures, as the other sampler calls them"
	grep -q 'report --pdf failed\|perfmon plot failed' err
	is $? 1 "without a database"
else
	is "$(find metrics -name '*.pdf' | wc -l) $(grep -c 'plots need cairo' err)" "0 1" "and said why there is no PDF"
fi
is "$(cd metrics && ls -d cpu_metrics.* metrics/* configs/* | tr '\n' ' ')" \
	"configs/${host}_run_config.yml cpu_metrics.csv metrics/cpu_metrics.json metrics/meta_data.json metrics/nv_gpu_metrics.json metrics/perf_metrics.json " \
	"-e writes the files of the other sampler, -v its configuration"
if grep -q 'define PM_HDF5_LIBRARY' "$abs_top_builddir/config.h"; then
	is "$(head -c 4 metrics/metrics.h5 | tail -c 3)" HDF "with tables in HDF5"
else
	is "$(ls metrics/metrics.h5 2>/dev/null)|$(grep -c 'HDF5 files need libhdf5' err)" "|1" "without libhdf5 there is a reason"
fi
is "$(head -c 15 metrics/cpu_metrics.csv)|$(cut -d , -f 1 metrics/cpu_metrics.csv | sort -u | grep -c "^$host\$")" "Host,Timestamps|1" "with its headers"
is "$(grep -c 'warning: -e orc: .*pandas.read_csv("cpu_metrics.csv").to_orc("cpu_metrics.orc")' err)" 1 \
	"what is not written is answered with the line that makes it"
is "$(grep -c "^2[0-9-]* [0-9:]* | INFO | $host | .*/report-${job}77.txt is written$" "ska_sdp_monitoring_metrics_$host.log")" 1 \
	"messages are in its log, too"
is "$(ls "perfmon-${job}79/metrics" | wc -l)|$(ls -d "perfmon-${job}79/configs" "perfmon-${job}79"/*.csv 2>/dev/null)|$(ls "perfmon-${job}79"/*.log)" \
	"4||perfmon-${job}79/ska_sdp_monitoring_metrics.log" "without options there are lists alone"
is "$(ls -d stays-80/metrics stays-80/*.log 2>/dev/null)" "" "and nothing of it where the verb is named"
"$PERFMON" submit metrics >out 2>err
is "$? $(query "SELECT jobid, scheduler, end_us IS NOT NULL, (SELECT count(*) > 0 FROM sample),
	(SELECT group_concat(name || '=' || value, ' ') FROM (SELECT name, value FROM tag WHERE process_id = 0
	AND name IN ('env', 'name', 'partition', 'system') ORDER BY name)) FROM job")" \
	"0 ${job}77|lsf|1|1|env=spack name=weekly partition=short system=tiny" \
	"its directory loads as the job, opened and closed, with its four labels"

# --job from outside of the job, by its id.
env "LSB_JOBID=${job}82" sleep 300 &
inside=$!
"$PERFMON" sample -i 100ms -j "${job}82" -d outside &
sampler=$!
wait_for has_ticks "outside/$series" 3
kill $inside
wait $sampler
is "$? $(series_values "outside/$series" process processes | sort -n | tail -n 1)" "0 1" \
	"-j finds the processes of a job by its id"
is "$("$PERFMON" 2>&1; echo $?)" "perfmon: a verb is missing; see perfmon help
2" "outside of a batch job perfmon alone is an error"

# Formats after the verb, and a file of messages.
env "LSB_JOBID=${job}83" sleep 300 &
inside=$!
"$PERFMON" sample -i 100ms -j "${job}83" -d exported -e csv,parquet -e parquet --log sampler.log 2>err &
sampler=$!
wait_for has_ticks "exported/$series" 3
kill $inside
wait $sampler
is "$?|$(cd exported && ls ./*.csv ./*.parquet | tr '\n' ' ')|$(ls exported/metrics | wc -l)" \
	"0|./cpu_metrics.csv ./cpu_metrics.parquet ./nv_gpu_metrics.csv ./nv_gpu_metrics.parquet ./perf_metrics.csv ./perf_metrics.parquet |4" \
	"-e csv,parquet with the verb, and without a database: $(cat err sampler.log)"
# The first of several hosts writes of all when the others have closed the job, or says that one has not.
several()
{
	env "LSB_JOBID=${job}$1" sleep 300 &
	inside=$!
	"$PERFMON" sample -i 100ms -j "${job}$1" -d "several-$1" -e csv 2>err &
	sampler=$!
	wait_for has_ticks "several-$1/$series" 3
	sed "s/$host/other/g" "several-$1/job-$host.json" >"several-$1/job-other.json"
	kill $inside
	wait_for grep -q '"stop"' "several-$1/job-$host.json"
}
several 85
sleep 0.5
early=$(ls several-85/*.csv several-85/metrics 2>/dev/null)
sed "s/$host/other/g" "several-85/job-$host.json" >several-85/other && mv several-85/other several-85/job-other.json
: >closed
wait $sampler
is "$?|$early|$(cat err)|$(find several-85 -name cpu_metrics.csv -newer closed | wc -l)" "0|||1" \
	"the first host writes tables after the others have closed the job"
several 86
wait $sampler
is "$?|$(sed 's/.*several-86: \(.*\): what.*/\1/' err)|$(ls several-86/cpu_metrics.csv)" \
	"0|the job is still open on 1 other host, such as other|several-86/cpu_metrics.csv" "and says so where one does not"
sleep 0.3 &
"$PERFMON" sample -i 100ms -d alone -e csv --pid $! 2>err
is "$?|$(cat err)|$(ls alone)" "0|perfmon: warning: -e csv: tables are written of a batch job alone|$series" "without a batch job there is a warning"
"$PERFMON" sample -d other -e csv xml --pid $$ 2>err
is "$?|$(tail -n 1 err)" "2|perfmon: sample takes no operands: 'xml'" "what is no format is an operand"
"$PERFMON" sample -d other --pid $$ --log none/such 2>err
is "$?|$(cat err)" "1|perfmon: --log: open none/such: No such file or directory" "a file of messages that cannot be written is an error"
# It has no default where the verb is named, and one of 30 s where it is not.
"$PERFMON" sample -n -v --pid $$ 2>err
LSB_JOBID=${job}84 "$PERFMON" -n -v -d other 2>>err
PERFMON_SAMPLE=5s "$PERFMON" -n -v --checkpoint 30s 2>>err
is "$(cat err)" "perfmon: would sample every 1000000 us
perfmon: would sample every 30000000 us
perfmon: would sample every 5000000 us" "called in the way of the other sampler it samples every 30 s"

# --- left behind by start, source and TaskProlog --------------------------------------------------

cat >script <<'END'
# A sampler leads a session; what reads sources for it does not.
samplers()
{
	ps -e -o pid=,sid=,args= | awk -v dir="$PWD" '$1 == $2 && $6 == "--directory" && $7 == dir' | wc -l
}
perfmon start && eval "$(perfmon source)" && perfmon start -q
cd "$PERFMON_OUTPUT" || exit 1
until grep -q '^tick' ./*.series 2>/dev/null; do sleep 0.1; done
sleep 0.5
samplers
perfmon stop
samplers
pwd >"$1"
ls -A . | grep -c sampler
END
is "$(PERFMON_SAMPLE=50ms setsid sh script "$work/where" 2>err)" "1
0
0" "start and source leave one sampler, which stop ends"
dir=$(cat where)
is "$(series_check "$dir/$series")" "" "it wrote series as documented"
most=$(series_values "$dir/$series" process processes | sort -n | tail -n 1)
test "$most" -ge 2
ok $? "of the session's processes: $most"

# Killed, it is gone: stop says nothing and does not wait; a file of nonsense signals nobody.
cat >script <<'END'
perfmon start && cd "$(dirname "$(find "$PERFMON_OUTPUT_PREFIX" -name '.sampler-*')")" || exit 1
read -r pid rest <".sampler-$(uname -n)"
kill -KILL "$pid"
echo "$$ 1" >".sampler-$(uname -n)"
perfmon stop
END
is "$(PERFMON_SAMPLE=50ms setsid sh script 2>&1)|$?" "|0" "a sampler that was killed is no trouble"

done_testing
