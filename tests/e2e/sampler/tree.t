#!/bin/sh
# The sampler on real process trees: who is counted, and for how much.
# shellcheck source=tests/e2e/lib.sh
. "${abs_top_srcdir:?}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/series.sh
. "$abs_top_srcdir/tests/e2e/series.sh"

host=$(uname -n)
progs=$abs_top_builddir/tests/progs
page=$(getconf PAGESIZE)

# start_chain DIR LENGTH SHORT: run it, wait until it is complete; $root is its first pid.
start_chain()
{
	mkdir "$1" && mkfifo "$1/go"
	"$progs/sampler_chain" "$2" "$3" <"$1/go" >"$1/pids" &
	root=$!
	exec 9>"$1/go"
	wait_for chain_complete "$1" "$2"
}

chain_complete()
{
	[ "$(wc -l <"$1/pids")" -eq "$2" ]
}

# start_sampler DIR [OPTION...]: sample $root in the background; $sampler is its pid.
start_sampler()
{
	directory=$1
	shift
	"$PERFMON" sample --pid "$root" -d "$directory" -i 20ms "$@" 9>&- \
		>"$directory/out" 2>"$directory/err" &
	sampler=$!
	wait_for has_ticks "$directory" 1
}

has_ticks()
{
	[ "$(series_ticks "$1/$host.series")" -ge "$2" ]
}

# more_ticks DIR: wait for three more ticks than there are, so that one began after this call.
more_ticks()
{
	wait_for has_ticks "$1" $(($(series_ticks "$1/$host.series") + 3))
}

last()
{
	series_last "$1/$host.series" process "$2"
}

# A chain of four processes, over 100 short-lived children.
start_chain chain 4 100
start_sampler chain
more_ticks chain
rss=0
while read -r pid; do
	read -r _ resident _ <"/proc/$pid/statm"
	rss=$((rss + resident * page))
done <chain/pids
is "$(last chain processes)" 4 "a chain of four processes counts four"
is "$(last chain threads)" 4 "with a thread each"
is "$(last chain rss)" "$rss" "resident memory is the sum of statm"
ok $((rss < 4 * 1048576)) "and that is no less than the memory they touched"

# What else there is to know of them, by what the kernel says of each.
is "$(last chain shared)" "$(while read -r pid; do
	awk -v page="$page" '{ print $3 * page }' "/proc/$pid/statm"
done <chain/pids | awk '{ n += $1 } END { printf "%d", n }')" "shared memory is the sum of statm"
# Not at every tick, and not at all where the budget is spent.
value()
{
	series_last "chain/$host.series" "$@"
}
is "$(value programs processes sampler_chain) $(value programs rss sampler_chain)" "4 $rss" \
	"all are one program"
start=$(awk '{ sub(/.*\) /, ""); print $20 }' "/proc/$root/stat")
namespace=$(readlink "/proc/$root/ns/pid" | tr -dc 0-9)
ok $(($(value members rss "$namespace:$root:$start") < 1048576)) "the root has its series under its key"
is "$(value footprint descriptors)" "$(while read -r pid; do
	ls "/proc/$pid/fd"
done <chain/pids | wc -l)" "descriptors are those in their fd directories"
uss=$(value footprint uss) pss=$(value footprint pss)
diag "uss $uss, pss $pss, rss $rss"
ok $((uss < 1048576 || pss < uss || rss < pss)) "the last one's megabyte < their own memory < their share < rss"
is "$(value footprint swap) $(value footprint swap_pss)" "$(while read -r pid; do
	cat "/proc/$pid/smaps_rollup" 2>/dev/null || cat "/proc/$pid/smaps"
done <chain/pids | awk '$1 == "Swap:" { a += $2 } $1 == "SwapPss:" { b += $2 }
	END { printf "%d %d", a * 1024, b * 1024 }')" "swapped-out memory is the sum of smaps"

# Another user's processes: what anyone may know is known, the rest says why not.
if [ "$(id -u)" -eq 0 ] && need setpriv; then
	chmod 755 "$work" "$work/home"
	setpriv --reuid=65534 --regid=65534 --clear-groups \
		"$PERFMON" sample --pid "$root" -i 20ms 9>&- >other.series &
	other=$!
	other_ticks()
	{
		[ "$(series_ticks other.series)" -ge 3 ]
	}
	wait_for other_ticks
	kill $other
	wait $other
	got=$(for what in "process processes" "process rss" "process rchar" "footprint uss"; do
		# shellcheck disable=SC2086 # two words
		series_values other.series $what | grep -v :late | sed -n 1p
	done | paste -s -d ' ' -)
	is "$got" "4 $rss \N:permission \N:permission" "another user's processes"
else
	skip "another user's processes" "not root"
fi

# A stopped process does not stop the sampler.
kill -STOP "$root"
more_ticks chain
ok $? "ticks go on while the root process is stopped"
kill -CONT "$root"

# Nor do few descriptors, with which files are opened anew for each sample.
mkdir few
(ulimit -n 24 && exec "$PERFMON" sample --pid "$root" -d few -i 20ms --sources process 9>&-) &
few=$!
wait_for has_ticks few 3
kill "$few"
wait "$few"
is "$? $(last few processes) $(last few rss)" "0 4 $rss" "the same with few descriptors"

# The root ends by a signal, its descendants stay.
kill -KILL "$root"
wait "$root" 2>/dev/null
more_ticks chain
is "$(last chain processes)" 3 "descendants stay when their parent is killed"
exec 9>&-
wait "$sampler"
is $? 0 "the sampler ends by itself when all of them are gone"
is "$(last chain processes)" 0 "and its last sample has none"
is "$(cat chain/out chain/err)" "" "nothing on standard output and standard error"
is "$(series_check "chain/$host.series")" "" "every line is as documented"
values=$(series_known "chain/$host.series" process rchar)
is "$(printf '%s\n' "$values" | sort -n)" "$values" "what was read never falls"

# CPU time of children that live shorter than the interval.
mkdir burn && mkfifo burn/go
"$progs/sampler_burn" 40 12 <burn/go >burn/us &
root=$!
exec 9>burn/go
start_sampler burn
wait_for test -s burn/us
more_ticks burn
cpu=$(($(last burn usertime) + $(last burn systemtime)))
us=$(cat burn/us)
# Four counters of whole ticks (10 ms), and what the process used after it measured itself.
ok $((cpu < us - 40000 || cpu > us + 40000)) "CPU time of 40 short children is complete"
diag "tree $cpu us, rusage $us us"
exec 9>&-
wait "$sampler"
is $? 0 "the sampler ends with its process"
for metric in usertime systemtime rchar syscr; do
	values=$(series_known "burn/$host.series" process $metric)
	is "$(printf '%s\n' "$values" | sort -n)" "$values" "$metric never falls"
done

# A tree in which processes come and go all the time.
mkdir churn
sh -c 'i=0; while [ $i -lt 150 ]; do (:) & (cat /dev/null; sh -c :) ; i=$((i + 1)); done; wait' &
root=$!
start_sampler churn
wait "$root"
wait "$sampler"
is $? 0 "churn: the sampler ends by itself"
is "$(series_check "churn/$host.series")" "" "churn: every line is as documented"
for metric in usertime systemtime rchar wchar; do
	values=$(series_known "churn/$host.series" process $metric)
	is "$(printf '%s\n' "$values" | sort -n)" "$values" "churn: $metric never falls"
done

# A process that is gone already.
sh -c 'exit 0' &
root=$!
wait "$root"
mkdir gone
start_sampler gone
wait "$sampler"
is $? 0 "a process that is gone already: one sample, then the end"
is "$(series_values "gone/$host.series" process rss)" '\N:absent' "it is absent"
ok $(($(series_values "gone/$host.series" memory total) <= 0)) "the node is there all the same"

# Records and series of a job meet on the key of its processes.
if need sqlite3; then
	"$PERFMON" -a run --sample 20ms sh -c 'exec sleep 0.3'
	"$PERFMON" stage >staged && PERFMON_DB=$work/join.db "$PERFMON" submit "$(cat staged)" >/dev/null
	is "$(sqlite3 join.db "SELECT DISTINCT p.exename FROM series s JOIN process p
		ON p.job_id = s.job_id AND p.host_id = s.host_id
		AND s.object = p.pid_ns || ':' || p.pid || ':' || p.starttime
		WHERE s.source = 'members' AND p.generation = (SELECT max(generation) FROM process)")" \
		sleep "a member's series and its record have one key"
else
	skip "a member's series and its record have one key" "no sqlite3"
fi

done_testing
