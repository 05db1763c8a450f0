#!/bin/sh
# Against an account of the kernel's own: every process of a large, mean job is recorded, none is
# invented, their ends and CPU times are right, and what is missing is said.
#
# PM_ORACLE_ROUNDS sets the size, at about 200 processes a round; `make check-oracle` does 105.
# shellcheck source=tests/e2e/lib.sh
. "${abs_top_srcdir:?}/tests/e2e/lib.sh"
# The search for leaks is a process of its own.
[ "${PM_SANITIZED:-no}" = no ] || ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0
# shellcheck source=tests/e2e/cgroup.sh
. "$abs_top_srcdir/tests/e2e/cgroup.sh"
# shellcheck source=tests/e2e/database.sh
. "$abs_top_srcdir/tests/e2e/database.sh"

rounds=${PM_ORACLE_ROUNDS:-3}
crowd=$abs_top_builddir/tests/progs/crowd
taskstats=$abs_top_builddir/tests/progs/taskstats
job=$abs_top_srcdir/tests/e2e/crowd.sh
blind=$work/blind

if ! need sqlite3; then
	skip "the kernel's account" "no $missing"
	done_testing
fi
if ! why=$("$taskstats" "$work/kernel" true 2>&1); then
	skip "the kernel's account" "$why"
	done_testing
fi
make_group
if [ -z "$group" ]; then
	skip "the kernel's account" "no control group can be made here"
	done_testing
fi
drop_group

mkdir "$blind"
cp -L "$(command -v dash || command -v sh)" "$blind/blind-sh"
cp -L /bin/true "$blind/blind-true"
${CC:-cc} -static -O1 -o "$blind/blind-static" "$abs_top_srcdir/tests/progs/crowd.c" -lpthread \
	2>"$work/static.log" || diag "no static programs here: $(tail -n 1 "$work/static.log")"

loaded=$XDG_DATA_HOME/perfmon/perfmon.db
query_default "$work/compare.db" ' '
# Everything about the newest job beside the kernel's account of it, in one database.
#
#   image      the rows of processes
#   recorded   one row per process: the end of its last image
#   real       the processes as the kernel saw them, but perfmon itself
#   count      per pid, which may have come back: how often it was there, how often recorded, and
#              how often at least it could be
compare()
{
	rm -f "$work/compare.db"
	sqlite3 "$work/compare.db" "ATTACH '$loaded' AS db" '.mode tabs' \
		'CREATE TABLE kernel (number INT, parent INT, pid INT, status INT, tasks INT, name TEXT)' \
		".import $work/kernel kernel" "
		CREATE TABLE job AS SELECT * FROM db.job ORDER BY id DESC LIMIT 1;
		CREATE TABLE reject AS SELECT * FROM db.reject WHERE job_id = (SELECT id FROM job);
		CREATE TABLE image AS SELECT * FROM db.process WHERE job_id = (SELECT id FROM job);
		-- A process that is known by its wait alone has no start.
		CREATE TABLE recorded AS SELECT pid, max(end_us) AS end_us, exitcode, exitsignal,
			row_number() OVER (PARTITION BY pid ORDER BY max(end_us)) AS nth
			FROM image GROUP BY pid, coalesce(starttime, -id);
		CREATE INDEX recorded_pid ON recorded (pid, nth);
		CREATE TABLE real AS SELECT *, row_number() OVER (PARTITION BY pid ORDER BY number) AS nth,
			0 AS unseen FROM kernel WHERE NOT (parent = 0 AND name = 'perfmon');
		CREATE INDEX real_pid ON real (pid, nth);
		CREATE INDEX real_number ON real (number);
		CREATE INDEX real_parent ON real (parent);
		-- What a program made that cannot be instrumented, and such a program itself where nobody
		-- waited for it.
		WITH RECURSIVE below (number) AS (
			SELECT k.number FROM real k JOIN real p ON p.number = k.parent
				WHERE p.name LIKE 'blind-%'
			UNION SELECT number FROM real WHERE name LIKE 'blind-%' AND parent = 0
			UNION SELECT k.number FROM below b JOIN real k ON k.parent = b.number)
		UPDATE real SET unseen = 1 WHERE number IN (SELECT number FROM below);
		CREATE TABLE count (pid INTEGER PRIMARY KEY, there INT, least INT, seen INT DEFAULT 0);
		INSERT INTO count (pid, there, least)
			SELECT pid, count(*), sum(1 - unseen) FROM real GROUP BY pid;
		INSERT INTO count SELECT pid, 0, 0, count(*) AS n FROM recorded GROUP BY pid
			ON CONFLICT DO UPDATE SET seen = excluded.seen;"
}

# differ NAME SQL: passed when the query has no rows.
differ()
{
	query "$2" >"$work/rows"
	test ! -s "$work/rows"
	ok $? "$1"
	sed 's/^/# /; 10q' "$work/rows"
}

# near GOT WANT TOLERANCE NAME: passed when they differ by at most so many thousandths.
near()
{
	test $((($1 - $2) * 1000)) -le $(($2 * $3)) && test $((($2 - $1) * 1000)) -le $(($2 * $3))
	ok $? "$4"
	diag "$1, $2"
}

for layout in COLLATED_TSV PER_PROCESS; do
	make_group
	: >"$work/burnt"
	# shellcheck disable=SC2016
	PERFMON_OPTIONS=$layout "$taskstats" "$work/kernel" "$PERFMON" -a run sh -c '
		echo $$ >"$1/cgroup.procs" && sh "$2" "$3" "$4" "$5" &&
			"$3" 1 burn 36 10 "$1" "$6"' x \
		"$group" "$job" "$crowd" "$blind" "$rounds" "$work/burnt"
	is $? 0 "$layout: the job, and no record of the kernel lost"
	kernel_us=$(charged "$group")
	"$PERFMON" -q submit 2>"$work/said"
	is "$? $(cat "$work/said")" "0 " "$layout: submit"
	compare
	# A signal that kills cuts a write(2) where it crosses a page: the crowd kills some as they start.
	cut="substr(bytes, -2) <> x'092e' AND EXISTS (SELECT 1 FROM real WHERE (status & 127) = 9
		AND instr(bytes, CAST(char(9) || pid || char(9) AS BLOB)))"
	differ "$layout: no line was rejected but what a kill cut" "SELECT * FROM reject WHERE NOT ($cut)"
	diag "$layout: $(query 'SELECT (SELECT count(*) FROM real), "processes, recorded",
		(SELECT count(*) FROM recorded), "in", processes, "rows; out of sight",
		(SELECT sum(unseen) FROM real) FROM job')"
	test "$(query 'SELECT count(*) FROM real')" -gt $((rounds * 150))
	ok $? "$layout: that many processes"
	differ "$layout: every process is recorded but what nobody can see" "
		SELECT 'missing', pid, number, parent, status, name FROM real JOIN count USING (pid)
		WHERE seen < least AND NOT unseen"
	differ "$layout: none is invented, none there twice" "
		SELECT 'too many', pid, ppid, starttime, image_us, end_us, exename, args, end_reason,
			exitcode, exitsignal FROM image JOIN count USING (pid) WHERE seen > there"
	# Where as many are recorded as there were, who is who is plain.
	differ "$layout: every end is what the kernel says" "
		SELECT 'end', pid, name, status, exitcode, exitsignal FROM recorded
		JOIN real USING (pid, nth) JOIN count USING (pid)
		WHERE seen = there AND (exitcode IS NOT NULL OR exitsignal IS NOT NULL) AND (
			coalesce(exitsignal, 0) <> (status & 127)
			OR coalesce(exitcode, 0) <> CASE WHEN status & 127 THEN 0 ELSE status >> 8 END)"

	# What the job says of its own data, against what crowd.sh does in each round.
	is "$(query "SELECT count(*) FROM image WHERE end_reason = 'unknown'")" $((3 * rounds)) \
		"$layout: the end is unknown of those that were killed and never waited for"
	is "$(query 'SELECT killed FROM job')" \
		"$(query "SELECT count(*) - 3 * $rounds FROM real WHERE status & 127 AND NOT unseen")" \
		"$layout: killed are all others that the kernel saw die of a signal"
	if [ -x "$blind/blind-static" ]; then
		is "$(query "SELECT count(*) FROM image WHERE coalesce(exitsignal, 0) NOT IN (9, 15)
			AND (image_us IS NULL OR path IS NULL AND numtids IS NULL OR last_call LIKE 'execve%')")" $((7 * rounds)) \
			"$layout: known by a wait alone are static programs and what has no environment"
	fi
	is "$(query 'SELECT rejected - (SELECT count(*) FROM reject), late, running FROM job')" "0 0 0" \
		"$layout: nothing else is odd"

	recorded_us=$(query 'SELECT cpu_time + own_cpu_us FROM job')
	diag "$layout: CPU time: kernel $kernel_us us, recorded $recorded_us us"
	near "$recorded_us" "$kernel_us" 50 "$layout: CPU time within 5 % of the kernel's exact total"
	while read -r pid before_ns; do
		echo "$pid $(query "SELECT sum(cpu_time + coalesce(own_cpu_us, 0)) FROM image
			WHERE pid = $pid AND starttime IN (SELECT starttime FROM image
			WHERE pid = $pid AND args LIKE '1 spin %')") $(($(charged "$group/burn-$pid") +
			before_ns / 1000))"
	done <"$work/burnt" >"$work/burns"
	# Of each of the twelve kinds there are three: a machine that is a guest can be held up while
	# the kernel ends a process, which is charged behind the last look at it. The way into the group is
	# neither the one nor the other.
	is "$(awk '{ least = 0.01 * $3 < 300 ? 300 : 0.01 * $3 } $2 < $3 - least || $2 > $3 + least || $3 < 10000 { if (++off[NR % 12] == 2) print }' \
		"$work/burns")" "" \
		"$layout: CPU time of processes of 10 ms and more within 1 % or 0.3 ms of their own control groups'"
	test "$(wc -l <"$work/burns")" -eq 36
	ok $? "$layout: that many such processes"
	diag "$(awk '{ printf "%s%.2f", (NR > 1 ? ", " : "off by %: "), 100 * ($2 - $3) / $3 }' "$work/burns")"
	drop_group
done

# --- pids that come back all the time -----------------------------------------------------------
# Before 6.14 there is one limit for the whole system, which is not ours to change.
inside='echo 600 >/proc/sys/kernel/pid_max && "$@"; exit $?'
if ! need unshare; then
	skip "pids that come back" "no $missing"
elif ! printf '%s\n' 6.14 "$(uname -r)" | sort -V -C; then
	skip "pids that come back" "pid namespaces of Linux $(uname -r) have no limit of their own"
elif ! unshare --pid --fork --mount-proc sh -c "$inside" x true 2>/dev/null; then
	skip "pids that come back" "no pid namespace can be made here"
else
	mkdir "$work/nothing"
	"$taskstats" "$work/kernel" unshare --pid --fork --mount-proc sh -c "$inside" x \
		"$PERFMON" -a run sh "$job" "$crowd" "$work/nothing" "$rounds"
	is $? 0 "a job with 300 pids"
	"$PERFMON" -q submit
	compare
	# Not of the job: unshare, the shell and perfmon.
	is "$(query 'SELECT count(*) FROM recorded')" "$(query 'SELECT count(*) - 3 FROM real')" \
		"as many processes are recorded as there were"
	is "$(query "SELECT count(*) FROM image WHERE end_reason = 'unknown'")" $((3 * rounds)) \
		"and each wait is about the right one"
fi

# --- killed as a group: nobody is left to wait for what had not begun to run ---------------------
"$taskstats" "$work/kernel" "$PERFMON" -a run "$crowd" 1 groups 20 \
	/bin/sh -c 'while :; do /bin/true; echo | cat >/dev/null; done'
is $? 0 "groups of processes, killed"
"$PERFMON" -q submit
compare
diag "$(query 'SELECT count(*), "processes, missing", sum(there - seen) FROM real JOIN count USING (pid)')"
differ "what is missing was killed together with its parent" "
	SELECT 'missing', r.pid, r.number, r.parent, r.status, r.name FROM real r
	JOIN count USING (pid) LEFT JOIN real p ON p.number = r.parent
	WHERE seen < there AND there = 1 AND ((r.status & 127) <> 9 OR (p.status & 127) <> 9)"
differ "and none is invented" "SELECT pid FROM count WHERE seen > there"

# --- coverage: what is not recorded is charged all the same -------------------------------------
# coverage_is LOST CHARGED NAME PARTS [TAKEN]: of the newest job, as it follows from CPU times in us, within so
# many parts of a thousand; and those of CHARGED that were taken meanwhile.
coverage_is()
{
	coverage=$(sqlite3 "$loaded" 'SELECT cast(round(1000 * coverage) AS int) FROM job
		ORDER BY id DESC LIMIT 1')
	diag "coverage $coverage o/oo, lost $1 us of $2 us"
	test "$1" -ge 150000
	ok $? "$3: a good part"
	near "$coverage" $((1000 - 1000 * $1 / $2)) $(($4 + 2000 * ${5:-0} / $2)) "$3: the coverage is what was not lost"
}

# Under run the kernel charges all that the command started, the ends of processes, too, which no record has:
# they work long enough for that to be little, but where the machine is so busy that it is not; then once
# more. The clock that measures it has interrupts in it, and what a hypervisor takes from a busy guest. Lines
# are lost where a disk is full, say.
lose_records()
{
	make_group
	: >"$work/burnt"
	taken_us=$(taken)
	"$PERFMON" -a run "$crowd" 1 burn 30 60 "$group" "$work/burnt"
	taken_us=$(($(taken) - taken_us))
	directory=$(find "$PERFMON_OUTPUT_PREFIX" -name 'job-*.json' -printf '%T@ %h\n' | sort -n | tail -n 1)
	directory=${directory#* }
	for file in "$directory"/*.tsv; do
		cp "$file" "$work/whole"
		awk 'NR == FNR { if (FNR % 2) lost[$1]; next }
			/^perfmon-tsv-/ { for (i = 1; i <= NF; i++) if ($i == "pid") at = i }
			!($at in lost)' FS=' ' "$work/burnt" FS='\t' "$work/whole" >"$file"
	done
	lost_us=0 kept_us=0
	while read -r pid _ && read -r other _; do
		lost_us=$((lost_us + $(charged "$group/burn-$pid"))) kept_us=$((kept_us + $(charged "$group/burn-$other")))
	done <"$work/burnt"
	"$PERFMON" -q submit
	charged_us=$(sqlite3 "$loaded" 'SELECT charged_cpu_us FROM job ORDER BY id DESC LIMIT 1')
	drop_group
}
for turn in 1 2 3 4 5; do
	lose_records
	[ "${PM_SANITIZED:-no}" = no ] && [ $((20 * (charged_us - lost_us - kept_us))) -gt "$charged_us" ] || break
	diag "turn $turn: $charged_us us charged, $lost_us us and $kept_us us of them to what works"
done
if [ "${PM_SANITIZED:-no}" = yes ]; then
	diag "coverage of records that were lost: not of programs that look for leaks when they have ended"
else
	coverage_is "$lost_us" "$charged_us" "records that were lost" 100 "$taken_us"
fi

# Between start and stop it is what the control group used: perfmon's own commands and the shell are
# charged and not recorded, little beside the work.
# A perfmon that checks itself uses many times the CPU time, in the group.
if [ "${PM_SANITIZED:-no}" = yes ]; then
	diag "coverage by control group: not with a perfmon that checks itself"
elif [ -x "$blind/blind-static" ]; then
	make_group
	mkdir "$group/lost"
	: >"$work/burnt"
	# shellcheck disable=SC2016
	"$taskstats" "$work/kernel" sh -c '
		echo $$ >"$1/cgroup.procs"
		"$2" start && eval "$("$2" source)" || exit 1
		"$3" 1 burn 30 60 "$1" "$5"
		"$4" 1 lost 6 150 "$1/lost"
		perfmon_uninstrument
		"$2" stop' x "$group" "$PERFMON" "$crowd" "$blind/blind-static" "$work/burnt"
	is $? 0 "orphans of a static program in a control group of their own"
	all_us=$(charged "$group") lost_us=$(charged "$group/lost")
	"$PERFMON" -q submit
	coverage_is "$lost_us" "$all_us" "orphans of a static program" 30
	drop_group
else
	skip "coverage of a job with orphans of a static program" "no static programs here"
fi

# --- the cost that is claimed, against what it really is ----------------------------------------
# The same work with and without, by turns. Loading the library and writing the last record are not
# in the claim; anything between a quarter and twice the real figure is well for a busy machine.
bare_us=0 recorded_us=0 claimed_us=0
for turn in 1 2 3 4; do
	make_group
	# shellcheck disable=SC2016
	sh -c 'echo $$ >"$1/cgroup.procs" && exec "$2" 1 spawn 150 /bin/true' x "$group" "$crowd"
	bare_us=$((bare_us + $(charged "$group")))
	drop_group
	make_group
	# shellcheck disable=SC2016
	"$PERFMON" -a run sh -c 'echo $$ >"$1/cgroup.procs" && exec "$2" 1 spawn 150 /bin/true' x \
		"$group" "$crowd"
	recorded_us=$((recorded_us + $(charged "$group")))
	drop_group
	"$PERFMON" -q submit
	claimed_us=$((claimed_us + $(sqlite3 "$loaded" 'SELECT own_cpu_us FROM job
		ORDER BY id DESC LIMIT 1')))
done
diag "CPU time of 600 short programs: $bare_us us bare, $recorded_us us recorded, claimed $claimed_us us ($turn turns)"
test $((4 * claimed_us)) -ge $((recorded_us - bare_us)) &&
	test "$claimed_us" -le $((2 * (recorded_us - bare_us)))
ok $? "the CPU time that perfmon says it took is what it took"
done_testing
