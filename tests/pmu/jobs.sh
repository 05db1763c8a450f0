# shellcheck shell=sh
# Run by the first process of the emulated machine, which has busybox' shell: records the jobs that
# pmu.t looks at. Leaves db and plain.db, what the programs said (truth.JOB) and what perfmon did.

paranoid() { echo "$1" >/proc/sys/kernel/perf_event_paranoid; }

# record JOB OPTIONS COMMAND...: a job that is tagged with its name, loaded.
record()
{
	job=$1 PERFMON_OPTIONS=$2
	shift 2
	export PERFMON_OPTIONS
	perfmon -a --job-tags "case:$job" run "$@" >"$PLACE/truth.$job" &&
		perfmon submit || echo "$job: status $?"
}

# everything JOB...: as the user who calls.
everything()
{
	PERFMON_OUTPUT_PREFIX=$PLACE/prefix PERFMON_DB=$PLACE/db
	export PERFMON_OUTPUT_PREFIX PERFMON_DB
	"$@"
	perfmon report >"$PLACE/report" || echo "report: status $?"
}

# same OPTIONS PROGRAM [WORD]: what it sees, bare and recorded with these options.
same()
{
	options=$1
	shift
	"$@" >"bare.$1${2-}" 2>pids
	mkdir "$1${2-}"
	PERFMON_OUTPUT=/results/$1${2-} PERFMON_OPTIONS=$options \
		LD_PRELOAD=/usr/lib/perfmon/libperfmon.so "$@" >"recorded.$1${2-}" 2>pids
}

pair=PAPI_TOT_INS,PAPI_TOT_CYC

root_jobs()
{
	# Long: what glibc 2.31 executes for four threads shall not show.
	record threads $pair exact threads 4 60000000
	record files $pair,PER_PROCESS exact threads 4 60000000
	record family $pair exact family 20000000
	record exec $pair exact exec 20000000
	# Before version 6 of the emulator there are four counters, and cycles.
	record names instructions,PERF_COUNT_HW_INSTRUCTIONS,arm_ac57::INST_RETIRED,cycles exact loop 20000000
	record others r8,armv8_pmuv3/inst_retired/ exact loop 20000000
	# More than there are counters.
	record many "$pair,$many" exact loop 300000000
	record bogus PAPI_TOT_INS,PAPI_NO_SUCH,PAPI_TOT_CYC exact loop 20000000
	record domain instructions:u,instructions:k,arm_ac57::INST_RETIRED:u,arm_ac57::INST_RETIRED:k \
		exact loop 20000000
}

# sampled NAME EVENTS ROUNDS: the sampler counts for a shell that becomes a program of so many rounds.
sampled()
{
	mkfifo "$1.go"
	sh -c 'read -r _ <"$0.go"; exec exact loop "$1"' "$1" "$3" >"truth.$1" &
	mkdir "$1"
	perfmon sample --pid $! -i 50ms -d "$1" --sources perf --perf "$2" &
	until grep -q '^tick' "$1"/*.series 2>/dev/null; do sleep 1; done
	echo >"$1.go"
	wait || echo "$1: status $?"
	rm "$1.go"
}

sampled_jobs()
{
	# So many that those of the shell and of starting the program do not show.
	sampled series ipc,page-faults 200000000
	sampled turns "{instructions,cycles},${many#*,*,}" 300000000
}

plain_jobs()
{
	record plain $pair exact loop 20000000
	PERFMON_COUNTER_DOMAIN=all
	export PERFMON_COUNTER_DOMAIN
	record limited $pair exact loop 20000000
}

denied_jobs()
{
	record denied $pair exact loop 20000000
}

many=instructions,cycles,r8,r08,r008,r0008,r00008,r000008,r0000008,r00000008,r000000008,r0000000008

case ${1-} in
'')
	export PLACE=/results
	paranoid -1
	dmesg | grep 'PMU driver'
	perfmon check >checked
	perfmon events PAPI_TOT_ >listed
	everything root_jobs
	sampled_jobs
	mkdir alone
	PERFMON_OUTPUT=/results/alone PERFMON_OPTIONS=instructions,cycles \
		LD_PRELOAD=/usr/lib/perfmon/libperfmon.so exact loop 20000000 >truth.alone
	# This one counts its descriptors, which those of counters belong to.
	same COLLATED_TSV semantics
	for word in children refused threads; do
		same instructions,cycles clones $word
	done
	mkdir -m 777 plain
	chmod 755 /script
	paranoid 2
	su plain -c 'sh /script plain'
	paranoid 4
	su plain -c 'sh /script denied'
	;;
*)
	PLACE=/results/plain
	everything "$1_jobs"
	;;
esac
