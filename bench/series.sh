#!/bin/sh
# What series of many nodes cost: HOSTS nodes for HOURS, made from one that was recorded (tests/progs/replay.c), go
# into SQLite. Shown are time, memory, the disk that the load takes at most, of which its result is a part, bytes and
# microseconds a value, report, any series of any hour, and whether the values of every tenth node come back equal.
#   bench/series.sh BUILD-DIRECTORY RECORDING [HOSTS [HOURS [CPUS]]]
# RECORDING is a series file: perfmon -a run --sample 1s COMMAND, of a command that works the node. Needs sqlite3, python3 and,
# in TMPDIR, room for 16 bytes per value; nothing else may write to that file system.
build=${1:?usage: bench/series.sh BUILD-DIRECTORY RECORDING [HOSTS [HOURS [CPUS]]]}
recording=${2:?usage: bench/series.sh BUILD-DIRECTORY RECORDING [HOSTS [HOURS [CPUS]]]}
hosts=${3:-64}
hours=${4:-24}
cpus=${5:-9}
# shellcheck source=bench/load.sh
. "$(dirname "$0")/load.sh"
replay=$build/tests/progs/replay

"$build/tests/progs/generate" --jobid 77 "$work/job" $((20 * hosts)) "$hosts" >/dev/null &&
	"$replay" "$recording" "$hosts" "$hours" "$cpus" "$work/job" 2>"$work/made" || exit 1
end_us=$((1700000000000000 + hours * 3600000000))
sed -i -E "s/\"stop\":\{\"time_us\":[0-9]+,\"monotonic_us\":[0-9]+/\"stop\":{\"time_us\":$end_us,\"monotonic_us\":$((hours * 3600000000 + 5000000))/" \
	"$work"/job/*.json
read -r values series changing <"$work/made"
echo "$hosts nodes, $hours h: $values values, $series series a node, $changing of them changing, $(du -sh "$work/job" | cut -f 1) as text"

# free: bytes that the file system has.
free() { df --output=avail -B1 "$work" | tail -n 1; }

for journal in auto delete; do
	before=$(free) least=$before
	rm -f "$work/loaded"
	(timed "$journal" env PERFMON_DB="$work/$journal.db" "$build/perfmon" -q submit --journal $journal "$work/job"; : >"$work/loaded") &
	while [ ! -e "$work/loaded" ]; do
		now=$(free)
		[ "$now" -ge "$least" ] || least=$now
		sleep 0.2
	done
	wait
	awk -v journal=$journal -v values="$values" -v peak=$((before - least)) -v size="$(stat -c %s "$work/$journal.db")" '{
		printf "  --journal=%s\n", journal
		printf "    %-42s %8.1f\n", "seconds", $1
		printf "    %-42s %8.3f\n", "us of CPU per value", ($2 + $3) * 1e6 / values
		printf "    %-42s %8.1f\n", "peak of resident memory, MB", $4 / 1024
		printf "    %-42s %8.2f\n", "bytes of database per value", size / values
		printf "    %-42s %8.2f\n", "peak of disk per byte of database", peak / size }' "$work/$journal.all"
	[ $journal = auto ] || rm -f "$work/$journal.db"
done
for words in "report 77" "list hosts 77"; do
	rm -f "$work/look" "$work/look.all"
	for _ in 1 2 3; do
		# shellcheck disable=SC2086 # words
		timed look env PERFMON_DB="$work/auto.db" "$build/perfmon" $words
	done
	awk -v what="$words" '{ printf "  %-44s %8.1f\n", what ", ms", $1 * 1000 }' "$work/look"
done
python3 - "$work/auto.db" "$hours" <<-'END'
	import random, sqlite3, sys, time
	db = sqlite3.connect("file:%s?mode=ro" % sys.argv[1], uri=True)
	series = [r[0] for r in db.execute("SELECT series_id FROM series_summary WHERE samples > 1000")]
	random.seed(1)
	took = []
	for i in range(200):
	    begin = 1700000000000000 + random.randrange(int(sys.argv[2])) * 3600000000
	    end = begin + 3600000000
	    t = time.perf_counter()
	    db.execute("SELECT time_us, value, reason FROM sample WHERE series_id = ? AND job_id = 1 AND time_us >= ? AND time_us < ? "
	               "AND block_end_us >= ? AND block_begin_us < ?", (random.choice(series), begin, end, begin, end)).fetchall()
	    took.append(1000 * (time.perf_counter() - t))
	took.sort()
	print("  %-44s %8.1f, at most %.1f" % ("a series of an hour by SQL, ms", took[100], took[-1]))
	for kind, size, n, unknown in db.execute(
	        "SELECT kind, sum(length(deviations) + coalesce(length(unknown), 0)), sum(samples), sum(samples - known) FROM sample_block b "
	        "JOIN series s ON s.job_id = b.job_id AND s.id = b.series_id WHERE s.host_id <= 4 GROUP BY kind ORDER BY kind"):
	    print("  %-44s %8.2f" % ("coded bytes per value of a %s, %.1f %% unknown" % (kind, 100 * unknown / n), size / n))
END

# What SQL says of a host, in the order of replay --values.
said()
{
	sqlite3 -readonly -separator '	' "$work/auto.db" "SELECT s.source, s.metric, coalesce(s.object, ''), x.time_us,
		coalesce(x.value, '\\N'), coalesce(x.reason, '') FROM host h JOIN series s ON s.job_id = h.job_id AND s.host_id = h.id
		CROSS JOIN sample x ON x.job_id = s.job_id AND x.series_id = s.id WHERE h.hostname = 'n$1'"
}
host=$((hosts > 3 ? 3 : 0)) equal=0
while [ $host -lt "$hosts" ]; do
	"$replay" "$recording" "$hosts" "$hours" "$cpus" --values $host 2>/dev/null >"$work/put" && [ -s "$work/put" ] || exit 1
	said $host | cmp - "$work/put" || exit 1
	equal=$((equal + 1))
	host=$((host + 10))
done
echo "  every value of $equal nodes is equal to what was put in"
