#!/bin/sh
# export to HDF5: rows and whole jobs, read by h5py and pandas, have what the database has.
# shellcheck source=tests/e2e/lib.sh
. "$abs_top_srcdir/tests/e2e/lib.sh"

busy=$abs_top_srcdir/tests/golden/report/busy
"$PERFMON" export processes "$busy" --format hdf5 2>err >out
if grep -q 'HDF5 files need libhdf5, without which this perfmon was built' err; then
	"$PERFMON" export all "$busy" -o none.h5 2>err
	is "$?|$(ls none.h5* 2>/dev/null)|$(grep -c 'Debian: libhdf5-dev' err)" "1||1" "without libhdf5 there is no file, and a reason"
	skip "HDF5 files" "built without libhdf5"
	done_testing
fi
# Python keeps what it compiles out of the sources.
export PYTHONDONTWRITEBYTECODE=1
if ! need python3 sqlite3 || ! python3 -c 'import h5py' 2>/dev/null; then
	skip "HDF5 files are read back" "no ${missing:-h5py of Python}"
	done_testing
fi
db=$XDG_DATA_HOME/perfmon/perfmon.db
here=$abs_top_srcdir/tests/e2e/export

# shellcheck source=tests/e2e/export/oddjobs.sh
. "$abs_top_srcdir/tests/e2e/export/oddjobs.sh"
# What no recorder writes, but a database may have: hostile names, the least integer, equal names.
sqlite3 "$db" "UPDATE job SET account = '', queue = 'a' || char(9) || 'b', efficiency = 1e-300, coverage = 1 WHERE jobid = '4711';
	INSERT INTO energy VALUES (1, 1, 1, 'node', 'made', 'up, \"one\"', 'counter', -9223372036854775808, NULL, 0, 1, 0, 1, 1, NULL);
	INSERT INTO analysis VALUES (1, 'outliers', '', 7, NULL, '{\"a\": [1, 2.5]}', NULL);
	INSERT INTO reject SELECT 1, (SELECT 1 + count(*) FROM reject WHERE job_id = 1), min(id), 'f.tsv', 3, 'made up', x'61ff0062' FROM load WHERE job_id = 1;
	INSERT INTO annotation SELECT id, 'long', replace(hex(zeroblob(32768)), '0', 'é') FROM job WHERE jobid = '77'" || exit 99
odd=$(sqlite3 "$db" "SELECT id FROM job WHERE jobid = '77'")
others=$(sqlite3 "$db" "SELECT id FROM job WHERE jobid <> '77' ORDER BY id" | tr '\n' ' ')
# shellcheck disable=SC2086 # words
set -- $others
sqlite3 "$db" "UPDATE job SET jobid = '../etc/' || char(1) || 'a\\x2f.' WHERE id = $1;
	UPDATE job SET jobid = '.', restart_count = 8 WHERE id = $2; UPDATE job SET jobid = '.', restart_count = 9 WHERE id = $3;
	UPDATE series SET source = 'process', metric = '../' || char(27) || '[31m/', object = CAST(x'61ff2f' AS TEXT) WHERE job_id = $odd AND id = 2;
	UPDATE series SET metric = 'same', source = 'x', object = '' WHERE job_id = $odd AND id IN (3, 4);
	UPDATE series SET metric = '', source = '', object = '' WHERE job_id = $odd AND id = 5;
	UPDATE series SET metric = replace(hex(zeroblob(40000)), '0', '/') WHERE job_id = $odd AND id = 6;
	UPDATE series SET unit = 'a' || char(0) || 'b', object = 'c' || char(0) || 'd' WHERE job_id = $odd AND id = 7;
	UPDATE series SET unit = CAST(x'61ff' AS TEXT) WHERE job_id = $odd AND id = 8;
	UPDATE host SET hostname = '.' WHERE job_id = $odd" || exit 99
test "$(sqlite3 "$db" "SELECT count(*) > 0 FROM sample WHERE job_id = $odd AND value IS NULL")" = 1 ||
	sqlite3 "$db" "UPDATE sample_block SET unknown = '[[0, 1, \"late\"]]', known = samples - 1 WHERE job_id = $odd AND series_id = 1 AND id = 1"
numbers="$others$odd"
names=$(echo "$numbers" | sed 's/[0-9][0-9]*/#&/g')

# Rows
for kind in processes threads counters hosts summaries energy tags phases annotations analyses series samples rejects metrics jobs; do
	# shellcheck disable=SC2086 # words
	case $kind in
	jobs) set -- --order id:asc ;;
	metrics) set -- ;;
	*) set -- $names ;;
	esac
	"$PERFMON" export "$kind" "$@" -o "$kind.h5" 2>err
	status=$?
	# shellcheck disable=SC2046 # words
	python3 "$here/read.py" "$db" "$kind" hdf5 "$kind.h5" $(echo "$numbers" | tr ' ' '\n' | sort -n) >out 2>&1
	[ "$kind" = jobs ] || python3 "$here/read.py" "$db" "$kind" hdf5 "$kind.h5" $numbers >out 2>&1
	is "$status:$(tail -n 1 out | sed 's/^[1-9][0-9]* [1-9][0-9]* /all /')" "0:all 0" \
		"$kind equal the database: $(tail -n 1 out | cut -d ' ' -f 1,2)"
	[ "$(tail -n 1 out | cut -d ' ' -f 3)" = 0 ] || head -n 5 out >&2
done
"$PERFMON" export processes '#1' --columns pid,exename --limit 0 --program nosuch -o none.h5 2>err
is "$?|$(python3 -c '
import h5py
t = h5py.File("none.h5")["processes"]
print(list(t.attrs["columns"]), t["pid"].shape, t["exename"].shape, t["_unknown"].shape)')" \
	"0|['pid', 'exename', 'exact'] (0,) (0,) (0, 3)" "no rows are a table, too"

# Whole jobs
# shellcheck disable=SC2086 # words
"$PERFMON" export all $names -o all.h5 2>err
status=$?
# shellcheck disable=SC2086 # words
python3 "$here/hdf5.py" "$db" all.h5 $numbers >out 2>&1
is "$status:$(tail -n 1 out | sed 's/^[1-9][0-9]* [1-9][0-9]* /all /')" "0:all 0" \
	"whole jobs equal the database: $(tail -n 1 out | cut -d ' ' -f 1,2)"
[ "$(tail -n 1 out | cut -d ' ' -f 3)" = 0 ] || head -n 5 out >&2
# shellcheck disable=SC2086 # words
set -- $others
is "$(python3 -c '
import h5py
f = h5py.File("all.h5")
print(sorted(f))
host, = f["77/samples"].values()
print(host.name, [n for n in sorted(host) if "\\x1b" in n or "#" in n and len(n) < 99], max(map(len, host)) < 300)
t = f["77/processes/rssmax"]
print(t.attrs["unit"], t.attrs["kind"], f["77/processes/pid"].attrs.get("unit"))')" \
	"$(printf '%s\n' "['77', '\\\\x2e', '\\\\x2e#$3', '\\\\x2e.\\\\x2fetc\\\\x2f\\\\x01a\\\\\\\\x2f.', 'metrics']" \
		"/77/samples/\\x2e ['#5', 'process ..\\\\x2f\\\\x1b[31m\\\\x2f a\\\\xff\\\\x2f', 'x same#4'] True" \
		'kB PEAK None')" \
	"names of jobs and series are groups, whatever they are"
python3 "$here/hdf5.py" --pandas "$db" all.h5 77/processes processes "$odd" >out 2>&1
if python3 -c 'import pandas' 2>/dev/null; then
	is "$(cat out)" "True True 0" "a table is a DataFrame as perfmon-export(1) has it, unknown values are NA"
else
	skip "a table is a DataFrame" "no pandas of Python"
fi

# Twins: another value and another time are found.
cp all.h5 planted.h5
python3 -c '
import h5py
f = h5py.File("planted.h5", "r+")
f["77/processes/pid"][0] += 1
host, = f["77/samples"].values()
next(iter(host.values()))["time_us"][0] += 1'
# shellcheck disable=SC2086 # words
python3 "$here/hdf5.py" "$db" planted.h5 $numbers >out 2>&1
is "$(tail -n 1 out | cut -d ' ' -f 3)" 2 "planted differences are found"

# Files
"$PERFMON" export all '#1' --format hdf5 2>err >stdout.h5
cat stdout.h5 >again.h5
"$PERFMON" export all '#1' --format hdf5 2>err | cat >pipe.h5
"$PERFMON" export all '#1' -o named.HDF5 2>err
is "$?|$(cmp -i 97 stdout.h5 pipe.h5)$(cmp -i 97 stdout.h5 named.HDF5)" "0|" \
	"by a name, to standard output and through a pipe it is the same file, but for the time of its root"
(printf before; "$PERFMON" export all '#1' --format hdf5) >behind 2>err
is "$(tail -c +7 behind | cmp -i 97 - stdout.h5)" "" "nor is what stands before it in a file lost"
echo before >kept.h5
"$PERFMON" export all '#1' nosuch -o kept.h5 2>err
is "$?|$(cat kept.h5)|$(ls kept.h5.* 2>/dev/null)" "1|before|" "an unknown job leaves the file as it was"
"$PERFMON" export all '#1' -o /dev/full --format hdf5 2>err
is "$?|$(cat err)" "1|perfmon: /dev/full: write the HDF5 file: No space left on device" "a full device is an error"
if need prlimit; then
	prlimit --fsize=200000 sh -c 'trap "" XFSZ; exec "$PERFMON" export all 77 -o kept.h5' 2>err
	is "$?|$(cat kept.h5)|$(ls kept.h5.* 2>/dev/null)" "1|before|" "a write that fails leaves the file as it was"
		is "$(grep -c 'write the HDF5 file: File too large' err)" 1 "and is told"
fi
for words in "all 77 --columns pid -o a.h5" "all 77 -o a.csv" "all 77 --format csv" "processes 77 --append -o a.h5"; do
	# shellcheck disable=SC2086 # words
	"$PERFMON" export $words >out 2>err
	is "$?|$(ls a.* 2>/dev/null)" "2|" "not: export $words"
done
"$PERFMON" export all ./busy -o busy.h5 2>err
is "$?|$(python3 -c 'import h5py; print(list(h5py.File("busy.h5")))')" "0|['4711', 'metrics']" "a job that was never loaded"

# A block of samples that is damaged takes no other along.
cp "$db" damaged.db
sqlite3 damaged.db "UPDATE sample_block SET deviations = x'ff' WHERE job_id = $odd AND series_id = 1"
PERFMON_DB=$work/damaged.db "$PERFMON" export all "#$odd" -o damaged.h5 2>err
is "$?|$(python3 -c '
import h5py
host, = h5py.File("damaged.h5")["77/samples"].values()
lengths = {g.attrs["series_id"]: len(g["value"]) for g in host.values()}
print(lengths[1], sum(lengths.values()) > 10)')" "1|0 True" "a damaged block is left out"
grep -q 'blocks of samples could not be read and are left out, such as: ' err
ok $? "and told"
done_testing
