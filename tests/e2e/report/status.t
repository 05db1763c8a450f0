#!/bin/sh
# perfmon status: where each of the user's jobs is.
# shellcheck disable=SC2154,SC2016 # set by lib.sh; the commands' own shells expand
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"

user=$PERFMON_OUTPUT_PREFIX/$(id -un)
host=$(uname -n)
# states: "JOB STATE;" of each, by name.
states() { "$PERFMON" status | awk 'NR > 1 { print $1, $2 }' | sort | tr '\n' ';'; }
remark() { "$PERFMON" status --width 200 | awk -v job="$1" '$1 == job' | grep -c "$2"; }
export PERFMON_STAGE_TO="$work/spool"

"$PERFMON" status >out 2>err
is "$?:$(wc -l <out):$(cat err)" "0:1:" "without jobs there is nothing but the title"
"$PERFMON" status --json >out
is "$?:$(tr -d ' \n' <out)" "0:[]" "in JSON, too"
[ ! -e "$XDG_DATA_HOME" ]
ok $? "no database is made"

for job in recorded staged loaded both rejected; do
	"$PERFMON" -a -j $job run true
done
"$PERFMON" start -j open
"$PERFMON" start -j rebooted
"$PERFMON" start -j elsewhere
setsid -w "$PERFMON" start -j left
sed -i 's/"boot_id": "[^"]*"/"boot_id": "00000000-0000-0000-0000-000000000000"/' "$user/rebooted/job-$host.json"
sed -i 's/"boot_id": "[^"]*"/"boot_id": "00000000-0000-0000-0000-000000000000"/
	s/"hostname": "[^"]*"/"hostname": "elsewhere"/' "$user/elsewhere/job-$host.json"
mv "$user/elsewhere/job-$host.json" "$user/elsewhere/job-elsewhere.json"
printf 'end\tgarbage\t.\n' >>"$user/rejected/$host-$(id -u).tsv"
zipped=yes
if ! "$PERFMON" stage -j staged >out 2>err; then
	zipped=no
	skip "archives" "$(cat err)"
fi
"$PERFMON" -q submit "$user/loaded" "$user/both"
"$PERFMON" -q submit "$user/rejected" 2>err
rm -r "$user/loaded" "$user/rejected"
want='both loaded;elsewhere open;left stale;loaded loaded;open open;rebooted stale;recorded recorded;rejected rejected;staged staged;'
[ $zipped = yes ] || want=$(echo "$want" | sed 's/staged staged/staged recorded/')
is "$(states)" "$want" "each job is in its state"
is "$(remark rebooted 'its host was rebooted: perfmon stop -j rebooted') $(
	remark left 'its session has ended: perfmon stop -j left') $(
	remark rejected 'loaded, 1 line rejected') $(remark both 'still there')" "1 1 1 1" "and what there is to say"
if need python3; then
	"$PERFMON" status --json >out
	python3 - "$host" $zipped <<'PYTHON'
import json, sys
host, zipped = sys.argv[1:]
jobs = {j["jobid"]: j for j in json.load(open("out"))}
assert len(jobs) == 9, len(jobs)
assert jobs["open"]["open"] and jobs["open"]["directory"].endswith("/open")
assert jobs["left"]["stale"] == "its session has ended"
assert jobs["both"]["loaded"] and jobs["both"]["directory"]
assert "directory" not in jobs["loaded"] and jobs["loaded"]["number"] >= 1
assert jobs["rejected"]["rejected"] == 1
assert jobs["recorded"]["hosts"] == [host] and jobs["recorded"]["name"] == "true"
assert jobs["elsewhere"]["hosts"] == ["elsewhere"]
if zipped == "yes":
    assert jobs["staged"]["archives"][0].endswith(f"/spool/staged.{host}.tgz")
PYTHON
	ok $? "JSON has the facts behind it"
else
	skip "JSON has the facts behind it" "no $missing"
fi
is "$("$PERFMON" status --limit 3 | sed 1d | awk '{ print $1, $2 }')" "$("$PERFMON" status | tail -n 3 | awk '{ print $1, $2 }')" \
	"--limit leaves the newest jobs"
is "$("$PERFMON" status --limit 3 --json | grep -c '"jobid"')" 3 "in JSON, too"
# However many newer ones are loaded, a job that is found elsewhere is known to be.
if need sqlite3; then
	cp "$XDG_DATA_HOME/perfmon/perfmon.db" many.db
	sqlite3 many.db "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30) INSERT INTO job
		(cluster, \"user\", jobid, array_task, restart_count, epoch_us, uid, start_us)
		SELECT '', CASE i % 3 WHEN 0 THEN '' ELSE '$(id -un)' END, 'new' || i, '', 0, i, $(id -u), 4000000000000000 + i FROM n"
	is "$("$PERFMON" --db "$work/many.db" status | awk '$1 == "both" { print $2 }')" loaded "an old one is loaded"
	is "$("$PERFMON" --db "$work/many.db" status | grep -c '^ *new')" 20 "of the others the newest 20 are shown"
	is "$("$PERFMON" --db "$work/many.db" status --limit 25 | grep -c '^ *new')" 25 "or as many as --limit says"
else
	skip "an old job is loaded" "no $missing"
fi
for job in rebooted left; do
	"$PERFMON" stop -j $job || diag "stop $job fails"
done
is "$(states | tr ';' '\n' | grep -c stale)" 0 "stop does what the remark says"

# Another user sees none of it; a broken archive costs no other.
if [ $zipped = yes ]; then
	head -c 100 "spool/staged.$host.tgz" >spool/broken.tgz
	mkfifo spool/fifo.tgz
	is "$(states | tr ';' '\n' | grep staged)" "staged staged" "a broken archive and a FIFO are passed over"
else
	skip "a broken archive and a FIFO are passed over" "no archives"
fi
if [ "$(id -u)" -eq 0 ] && need setpriv; then
	chmod 755 "$work" "$work/spool"
	is "$(HOME=/nonexistent XDG_DATA_HOME=/nonexistent setpriv --reuid 65534 --regid 65534 --clear-groups \
		"$PERFMON" status 2>&1 | wc -l)" 1 "another user has none"
else
	skip "another user has none" "not root"
fi
"$PERFMON" status open >out 2>err
is $? 2 "an operand is a usage error"
echo 'not a database' >bad.db
PERFMON_DB=$work/bad.db "$PERFMON" status >out 2>err
is "$?:$(wc -l <err)" "1:1" "a broken database is an error"

# What was loaded while the job was open is not all there is of it.
export PERFMON_DB="$work/early.db" PERFMON_OUTPUT_PREFIX="$work/early"
early() { "$PERFMON" status | sed -n 's/^early  *\([a-z]*\) .*/\1/p'; }
"$PERFMON" -j early start && "$PERFMON" -j early run true && "$PERFMON" -q -j early submit && "$PERFMON" -j early stop
is "$?:$(early):$("$PERFMON" status | grep -c 'loaded while still open$')" "0:recorded:1" "a job that was closed after it was loaded is not loaded"
"$PERFMON" -q submit 2>err
is "$?:$(cat err):$(early)" "0::loaded" "submit without an operand loads it again"
"$PERFMON" submit >out 2>err
is "$?:$(cat out):$(cat err)" "1::perfmon: no closed job to submit: the database has them all" "and then has nothing to do"

done_testing
