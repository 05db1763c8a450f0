#!/bin/sh
# perfmon migrate: a database of every earlier schema version becomes what its jobs load to.
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?}/tests/e2e/lib.sh"

if ! need python3 sqlite3; then
	skip "migrate" "no $missing"
	done_testing
fi
version=$(sqlite3 :memory: 'SELECT sqlite_version()')
case $version in
3.[0-9].* | 3.[12][0-9].* | 3.3[0-6].*)
	skip "migrate" "SQLite $version cannot read the STRICT tables of version 1"
	done_testing
	;;
esac
golden=$abs_top_srcdir/tests/golden/schema
# All but the versions that a database went through, and the content of series files: before version 4, whose samples lack
# monotonic times, it was stored of all.
rows()
{
	rm -f rows.db
	sqlite3 "$1" "VACUUM INTO 'rows.db'"
	sqlite3 rows.db "DELETE FROM content WHERE (job_id, load_id) IN (SELECT job_id, id FROM load WHERE file LIKE '%.series')"
	python3 "$abs_top_srcdir/tests/e2e/db-rows.py" rows.db | grep -v '^schema_version '
}
migrate()
{
	PERFMON_DB=$work/$1 "$PERFMON" migrate "${2:--v}" >out 2>err
	echo "$?|$(cat err)"
}
present=$(sed -n 's/^#define PM_SCHEMA_VERSION //p' "$abs_top_srcdir/sql/schema.h")

mkdir real v1 && cp "$golden"/job/* real && cp "$abs_top_srcdir"/tests/golden/v1/job/* v1 || exit 99
PERFMON_DB=$work/fresh.db "$PERFMON" submit real v1 >out 2>err
is $? 1 "the jobs load; a line of one is cut"
# Before version 4 the monotonic times of samples were not stored.
cp fresh.db plain.db
sqlite3 plain.db 'UPDATE tick_block SET monotonic_us = NULL, monotonic_digits = NULL, monotonics = NULL'
rows plain.db >plain.rows
rows fresh.db >fresh.rows
# Names, types and order of columns; order may differ for those that came later.
columns()
{
	sqlite3 "$1" "SELECT m.name, c.name, c.type, c.\"notnull\", c.pk FROM sqlite_master m,
		pragma_table_info(m.name) c WHERE m.type IN ('table', 'view') ORDER BY 1, 2"
}
views()
{
	sqlite3 "$1" "SELECT sql FROM sqlite_master WHERE type IN ('view', 'index') ORDER BY name"
}

found=0
for sql in "$golden"/*.sql; do
	from=$(basename "$sql" .sql)
	found=$((found + 1))
	sqlite3 "$from.db" <"$sql" || exit 99
	is "$(sqlite3 "$from.db" 'SELECT max(version) FROM schema_version')" "$from" "a database of version $from"
	sqlite3 "$from.db" .dump >before

	# What cannot be used as it is says so, and what can be read is.
	PERFMON_DB=$work/$from.db "$PERFMON" list jobs >out 2>err
	case $? in
	0) grep -q 11174-1 out ;;
	*) grep -q 'run `perfmon migrate`' err ;;
	esac
	ok $? "version $from: reads, or says what to do"
	if [ "$from" -lt "$present" ]; then
		PERFMON_DB=$work/$from.db "$PERFMON" submit real >out 2>err
		is "$?|$(grep -c 'run `perfmon migrate`' err)" "1|1" "version $from: a load says what to do"
		want="would be upgraded to $present"
	else
		want="nothing to do"
	fi
	is "$(migrate "$from.db" -n)|$(grep -c "$want" out)" "0||1" "version $from: --dry-run says what would be done"
	is "$(migrate "$from.db" --check)|$(sed -n 's/^database .*: schema version //p' out)|$(grep -c '^version ' out)" \
		"0||$from $([ "$from" -lt "$present" ] && echo "can be upgraded to $present" || echo 'is current: nothing to do')|$((present - from))" \
		"version $from: --check says that it can be"
	sqlite3 "$from.db" .dump | cmp -s - before
	ok $? "version $from: and does nothing"

	is "$(migrate "$from.db")" "0|" "version $from: migrate"
	is "$(sqlite3 "$from.db" 'SELECT max(version) FROM schema_version; PRAGMA integrity_check; PRAGMA foreign_key_check')" \
		"$present
ok" "version $from: is the present one, and sound"
	is "$(sqlite3 "$from.db" 'SELECT count(*) FROM schema_version')" "$((present - from + 1))" \
		"version $from: every version it went through is noted"
	like=fresh
	[ "$from" -ge 4 ] || like=plain
	rows "$from.db" >got && cmp -s got $like.rows
	ok $? "version $from: every row of every table and view is that of a fresh load"
	diag "$(diff got $like.rows | cut -c1-300 | head -6)"
	columns "$from.db" >got && columns fresh.db | cmp -s got -
	ok $? "version $from: so are its columns"
	views "$from.db" >got && views fresh.db | cmp -s got -
	ok $? "version $from: and its views"
	PERFMON_DB=$work/$from.db "$PERFMON" submit real v1 >out 2>err
	is "$?|$(grep -c 'already loaded, nothing new' out)" "0|2" "version $from: its files are known to be loaded"
	is "$(migrate "$from.db" -v)|$(grep -c 'nothing to do' out)" "0||1" "version $from: again: nothing to do"
done
[ "$found" -eq "$present" ] || [ "$found" -eq $((present - 1)) ]
ok $? "there is one of every earlier version"

# Killed at any instant it is of one version or of the other; several at once do it once.
if [ "$present" -gt 1 ]; then
	old=$((present - 1))
	bad=0 killed=0
	for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
		rm -f k.db*
		sqlite3 k.db <"$golden/$old.sql"
		PERFMON_DB=$work/k.db "$PERFMON" migrate >out 2>&1 &
		sleep "0.00$i"
		kill -9 $! 2>/dev/null
		wait $! || killed=$((killed + 1))
		case $(sqlite3 k.db 'SELECT max(version) FROM schema_version; PRAGMA integrity_check' | tr '\n' ' ') in
		"$old ok ") [ "$(migrate k.db)" = "0|" ] || bad=$((bad + 1)) ;;
		"$present ok ") ;;
		*) bad=$((bad + 1)) ;;
		esac
		rows k.db | cmp -s - fresh.rows || bad=$((bad + 1))
	done
	is $bad 0 "killed at any instant: wholly done or not at all, and done by the next ($killed killed)"
	rm -f k.db*
	sqlite3 k.db <"$golden/$old.sql"
	pids=
	for i in 1 2 3 4; do
		PERFMON_DB=$work/k.db "$PERFMON" migrate >"out$i" 2>"err$i" &
		pids="$pids $!"
	done
	status=
	for pid in $pids; do
		wait "$pid"
		status=$status$?
	done
	rows k.db >got && cmp -s got fresh.rows
	is "$?$status|$(cat err?)" "00000|" "four at once: all succeed, it is done once"
else
	skip "killed at any instant" "there is no earlier version"
fi

# --check: the room that an upgrade takes, by a file that keeps what was written to the log until the last one closes it.
size() { stat -c %s "$@" 2>/dev/null | awk '{ s += $1 } END { print s + 0 }'; }
number() { sed -n "s/^  \"$1\": \([0-9.]*\),*$/\1/p" out; }
for old in 1 $((present - 1)); do
	rm -f k.db*
	sqlite3 k.db <"$golden/$old.sql"
	python3 "$abs_top_srcdir/tests/prove/multiply.py" k.db 3000 || exit 99
	PERFMON_DB=$work/k.db "$PERFMON" migrate --check --json >out 2>err
	is "$?|$(cat err)|$(grep -c '"possible": true' out)|$(number from)|$(number to)|$(number dangling_rows)" "0||1|$old|$present|0" \
		"version $old: --check --json"
	needed=$(number needed_bytes) before=$(size k.db)
	is "$(number bytes)" "$before" "version $old: the size of the database"
	sqlite3 -cmd 'PRAGMA journal_mode = WAL' -cmd 'SELECT count(*) FROM job' k.db '.shell touch open; while [ ! -e closed ]; do sleep 0.05; done' >/dev/null & reader=$!
	while [ ! -e open ]; do sleep 0.05; done
	is "$(migrate k.db)" "0|" "version $old: 6 000 jobs"
	took=$(($(size k.db k.db-wal) - before))
	touch closed
	wait $reader
	rm -f open closed
	is "$((took <= needed)):$((needed <= 4 * took + 2000000))" "1:1" "version $old: takes no more room than it said, nor much less"
	diag "needed $needed, taken $took"
done
# What would make it fail, at its end.
rm -f k.db*
sqlite3 k.db <"$golden/1.sql"
sqlite3 k.db "PRAGMA foreign_keys = OFF; DELETE FROM process WHERE job_id = 1 AND id = (SELECT process_id FROM thread_row WHERE job_id = 1 LIMIT 1)"
is "$(migrate k.db --check)|$(grep -c 'cannot be upgraded' out)" \
	"1|perfmon: job #1: 3 rows of table thread_row refer to missing rows of table process|1" "rows that refer to missing ones"
is "$(migrate k.db)|$(sqlite3 k.db 'SELECT max(version) FROM schema_version')" \
	"1|perfmon: database $work/k.db: job #1: 3 rows of table thread_row refer to missing rows of table process|1" "with which it fails, and changes nothing"
if need unshare && unshare -m true 2>/dev/null; then
	rm -f k.db* && sqlite3 k.db <"$golden/1.sql" && mkdir small || exit 99
	unshare -m sh -c 'mount -t tmpfs -o size=600k none small && cp k.db small && PERFMON_DB=small/k.db "$0" migrate --check' "$PERFMON" >out 2>err
	is "$?|$(grep -c "small: room for .* is needed, .* are free" err)|$(grep -c 'cannot be upgraded' out)" "1|1|1" "a file system without room"
else
	skip "a file system without room" "no mounts of one's own here"
fi
PERFMON_DB=$work/fresh.db "$PERFMON" migrate --json >out 2>err
is "$?|$(cat out)" "2|" "--json goes with --check"

# A reason that version 3 cut within a character.
rm -f k.db*
sqlite3 k.db <"$golden/3.sql"
sqlite3 k.db "UPDATE sample SET value = NULL, reason = CAST(x'6162c3' AS TEXT) WHERE job_id = 1 AND series_id = 1"
is "$(migrate k.db)|$(sqlite3 k.db 'SELECT DISTINCT reason FROM sample WHERE job_id = 1 AND series_id = 1')" "0||ab" \
	"a reason that was cut within a character"
PERFMON_DB=$work/k.db "$PERFMON" verify '#1' >out 2>err
is "$?|$(cat err)" "0|" "and can be read"

# Series that begin and end at different ticks, miss some, or have ticks of their own.
rm -f k.db*
sqlite3 k.db <"$golden/3.sql"
sqlite3 k.db "DELETE FROM sample; DELETE FROM series WHERE job_id <> 1 OR id > 12;
	INSERT INTO sample WITH RECURSIVE t(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM t WHERE n < 3999)
	SELECT 1, s.id, 1700000000000000 + t.n * 1000000 + t.n % 7 * 100, CASE WHEN (t.n + s.id) % 50 THEN t.n * s.id END,
	CASE WHEN (t.n + s.id) % 50 = 0 THEN 'late' END FROM series s, t WHERE CASE WHEN s.id = 12 THEN t.n % 60 = 7
	WHEN s.id = 11 THEN t.n <> 2000 WHEN s.id = 1 THEN 1 ELSE t.n BETWEEN s.id * 37 AND 4000 - s.id * 90 END;
	INSERT INTO sample SELECT 1, 12, time_us + 3, value, reason FROM sample WHERE series_id = 12 AND time_us % 5 = 0"
query="SELECT job_id, series_id, time_us, CAST(value AS INTEGER), reason FROM sample ORDER BY 1, 2, 3"
sqlite3 k.db "$query" >want
is "$(migrate k.db)" "0|" "series that differ in their ticks"
sqlite3 k.db "$query" >got
cmp -s want got
ok $? "and have every sample, of $(wc -l <want)"
# Four blocks, the second half of one for the series that misses a tick, those of series 12.
is "$(sqlite3 k.db 'SELECT count(*) FROM tick_block WHERE id IN (SELECT tick_block_id FROM sample_block WHERE series_id < 11)')" \
	4 "and share their ticks"
PERFMON_DB=$work/k.db "$PERFMON" verify '#1' >out 2>err
is "$?|$(cat err)" "0|" "and are right"
diag "$(head -n 5 out)"

# Two jobs, one of them on two hosts, were read at the same times, and each host has ticks of its own. The offsets of
# series 4 and 5 are 000110, as three of two digits and as two of three; series 6 has those of series 5.
rm -f k.db*
sqlite3 k.db <"$golden/3.sql"
sqlite3 k.db "INSERT INTO host (job_id, id, hostname, boot_id) VALUES (2, 2, 'other', 'b2');
	UPDATE job SET hosts = 2, end_us = 1700000000030000, duration_us = 40000, cpus = NULL, charged_cpu_us = NULL, efficiency = NULL, lost = NULL WHERE id = 2;
	CREATE TEMP TABLE h AS SELECT 1 AS job, 1 AS host UNION ALL SELECT 2, 1 UNION ALL SELECT 2, 2;
	CREATE TEMP TABLE x AS WITH RECURSIVE t(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM t WHERE n < 2999),
	s(i) AS (VALUES (1), (2), (3)) SELECT i, 1700000000000000 + n * 1000000 AS time_us FROM s, t WHERE n >= 10 * i
	UNION ALL VALUES (4, 1800000000000000), (4, 1800000000000001), (4, 1800000000000010),
	(5, 1800000000000000), (5, 1800000000000110), (6, 1800000000000000), (6, 1800000000000110);
	INSERT INTO series SELECT DISTINCT job, 100 * host + i, host, 'test', 'm' || i, '', 'x', 'gauge' FROM h, x;
	INSERT INTO sample SELECT job, 100 * host + i, time_us, i, NULL FROM h, x"
sqlite3 k.db "$query" >want
is "$(migrate k.db)" "0|" "hosts that were read at the same times"
sqlite3 k.db "$query" >got
cmp -s want got
ok $? "and have every sample, of $(wc -l <want)"
diag "$(diff want got | head -n 5)"
is "$(sqlite3 k.db "SELECT t.job_id, t.host_id, s.host_id, s.id % 100 > 3, count(DISTINCT t.id) FROM tick_block t
	JOIN sample_block b ON b.job_id = t.job_id AND b.tick_block_id = t.id JOIN series s ON s.job_id = b.job_id AND s.id = b.series_id
	WHERE s.source = 'test' GROUP BY 1, 2, 3, 4" | tr '\n' ' ')" \
	"1|1|1|0|3 1|1|1|1|2 2|1|1|0|3 2|1|1|1|2 2|2|2|0|3 2|2|2|1|2 " "and each has ticks of its own"
PERFMON_DB=$work/k.db "$PERFMON" verify >out 2>err
is "$?|$(cat err)" "0|" "and are right"
diag "$(head -n 5 out)"

# What is no database of ours stays as it is, byte for byte.
sqlite3 other.db 'CREATE TABLE t (a)' && cp other.db other.before
PERFMON_DB=$work/other.db "$PERFMON" migrate >out 2>err
is "$?|$(cat out)|$(grep -c 'not a perfmon database' err)" "1||1" "a database of something else is refused"
cmp -s other.db other.before && [ ! -e other.db-wal ]
ok $? "and untouched"
sqlite3 fresh.db "INSERT INTO schema_version VALUES (99, 0)"
is "$(migrate fresh.db | sed 's/ 99 .*//; s/.*its/its/')" "its schema version" "a newer one is refused"
: >empty.db
is "$(migrate empty.db | sed 's/.*: //')" "nothing was ever loaded into it" "an empty file"
is "$(migrate none.db | sed 's/.*: //')|$(echo none.db*)" "No such file or directory|none.db*" \
	"one that is not there is not made"
PERFMON_DB=$work/fresh.db "$PERFMON" migrate now >out 2>err
is $? 2 "operands"
done_testing
