#!/bin/sh
# Energy of a job of 64 nodes with meters of every kind, whose counters wrap, fall and have gaps: that of the job is the sum
# of its nodes' to the microjoule, and all answers, of either engine, give the same number.
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/manage.sh
. "$abs_top_srcdir/tests/e2e/manage.sh"
# shellcheck source=tests/e2e/postgres.sh
. "$abs_top_srcdir/tests/e2e/postgres.sh"

if ! need python3 sqlite3; then
	skip "energy" "no $missing"
	done_testing
fi
energy() { python3 "$abs_top_srcdir/tests/e2e/db/energy.py" "$@"; }
truth=$(energy make made) || exit 99
energy hosts <made/truth.json >truth.hosts
sql() { sqlite3 "$1" "$2"; }

is "$(perfmon a.db -q submit made/all)" "0|" "a job of 64 nodes"
perfmon a.db list hosts '#1' --json --limit 100 >/dev/null
energy hosts <out >got.hosts
cmp -s truth.hosts got.hosts
ok $? "each node has the energy that an account of its own finds"
diag "$(diff truth.hosts got.hosts | head -n 10)"
cp -R made/all more
energy change more n00 package_energy package-1 more || exit 99
perfmon m.db -q submit more >/dev/null
perfmon m.db list hosts '#1' --json --limit 100 >/dev/null
is "$(energy hosts <out | join truth.hosts - | awk '$2 != $3 { print $1, $3 - $2 }')" "n00 1" "noticed: a counter that ends a microjoule higher"
is "$(awk '{ s += $2 } END { printf "%.0f\n", s }' truth.hosts)|$(awk '$2 == "unknown"' truth.hosts | wc -l)" "$truth|8" "that of the job is their sum, 8 have no meter"

# answers DB: the energy of the job by each of them, a word each.
answers()
{
	perfmon "$1" list jobs --json >/dev/null
	python3 -c 'import json, sys; print(json.load(sys.stdin)[0]["energy_uj"])' <out
	perfmon "$1" show '#1' --json >/dev/null
	python3 -c 'import json, sys; d = json.load(sys.stdin); print(d["job"]["energy_uj"], sum(h["energy_uj"] or 0 for h in d["hosts"]), sum(e["energy_uj"] or 0 for e in d["energy"] if e["in_total"]))' <out
	perfmon "$1" report '#1' --json >/dev/null
	python3 -c 'import json, sys; d = json.load(sys.stdin); print(d["energy"]["energy_uj"], sum(h["energy"]["energy_uj"] or 0 for h in d["hosts"]))' <out
	perfmon "$1" report '#1' >/dev/null
	sed -n 's/^  Energy *\([0-9]*\)\.\([0-9]*\) J:.*/\1\2/p' out
	perfmon "$1" list jobs >/dev/null
	sed -n 's/.* \([0-9]*\)\.\([0-9]*\) J .*/\1\2/p' out
	perfmon "$1" list jobs --csv >/dev/null
	python3 -c 'import csv, sys; print(next(csv.DictReader(sys.stdin))["energy_uj"])' <out
}
nine="$truth $truth $truth $truth $truth $truth $truth $truth $truth "
is "$(answers a.db | tr '\n' ' ')" "$nine" "list, show, report, JSON, CSV and text say the same"
in_sql="SELECT energy_uj, (SELECT sum(energy_uj) FROM host), (SELECT sum(energy_uj) FROM energy WHERE in_total = 1),
	CAST(round(CAST(energy_j * 1000000 AS numeric)) AS bigint), energy_hosts, energy_method FROM job_summary"
is "$(sql a.db "$in_sql")" "$truth|$truth|$truth|$truth|56|counter, power" "and so does SQL"
cp a.db x.db
sql x.db "UPDATE job SET energy_uj = energy_uj + 1"
[ "$(answers x.db | tr '\n' ' ')" != "$nine" ] && [ "$(sql x.db "$in_sql")" != "$(sql a.db "$in_sql")" ]
ok $? "noticed: a job that is a microjoule off"

# What contains what is not added.
is "$(sql a.db "SELECT source, part, count(*), sum(in_total) FROM energy WHERE energy_uj IS NOT NULL GROUP BY 1, 2 ORDER BY 1, 2" | tr '\n' ' ')" \
	"hwmon|node|8|8 hwmon|other|8|0 nvidia|gpu|56|48 pm_counters|dram|8|0 pm_counters|gpu|16|0 pm_counters|node|8|8 pm_counters|package|8|0 rapl|dram|80|56 rapl|package|80|56 " \
	"a node's meter counts alone, a GPU once, RAPL's psys, core, uncore and mmio never"
[ "$(sql a.db "SELECT sum(energy_uj) FROM energy")" -gt "$truth" ] &&
	[ "$(sql a.db "SELECT sum(energy_uj) FROM energy WHERE in_part = 1")" -gt "$truth" ]
ok $? "noticed: everything added up is more"
is "$(sql a.db "SELECT DISTINCT energy_reason FROM host WHERE energy_uj IS NULL")" "permission" "what is unknown is NULL, with its reason"
is "$(sql a.db "SELECT sum(lost) FROM energy WHERE in_total = 1")" "$(sed 's/.*"lost": \([0-9]*\).*/\1/' made/truth.json)" "lost intervals are counted"
perfmon a.db report '#1' >/dev/null
is "$(grep -c 'of 56 of 64 hosts' out)|$(grep -c '84 % of the hosts. time' out)" "1|1" "the report says how much is missing"

# A meter that was never read is missing all the time, one that is not there is not.
cp -R made/all denied
energy change denied n00 package_energy package-1 denied || exit 99
perfmon d.db -q submit denied >/dev/null
of_host="SELECT CASE WHEN h.energy_uj IS NULL THEN 'unknown' ELSE 'known' END, h.energy_covered_us, j.energy_hosts, CAST(round(j.energy_coverage * 900) AS integer)
	FROM host h JOIN job j ON j.id = h.job_id WHERE h.hostname ="
is "$(sql a.db "$of_host 'n00'")|$(sql d.db "$of_host 'n00'")" "known|89000000|56|755|known|0|56|741" \
	"a package that was never read, and the node's share of the time"
is "$(sql a.db "$of_host 'n05'" | cut -d '|' -f 1)|$(sql a.db "SELECT min(energy_covered_us) > 0 FROM host WHERE hostname IN (SELECT h.hostname FROM host h JOIN energy e ON e.host_id = h.id WHERE e.reason = 'unsupported')")" \
	"known|1" "a device without a meter takes none of it away"
perfmon d.db report '#1' >/dev/null
is "$(grep -c 'all meters were read in 82 % of the hosts. time' out)|$(perfmon d.db verify)" "1|0|" "which the report says"

# In parts, in either order, and replaced.
meters="SELECT h.hostname, h.energy_uj, h.energy_mean_uw, h.energy_peak_uw, h.energy_method, h.energy_parts, h.energy_covered_us,
	h.energy_time_us, h.energy_reason, e.id, e.part, e.source, e.meter, e.method, e.energy_uj, e.mean_uw, e.peak_uw, e.covered_us,
	e.lost, e.in_part, e.in_total, e.reason FROM host h LEFT JOIN energy e ON e.job_id = h.job_id AND e.host_id = h.id ORDER BY 1, 10"
totals="SELECT energy_uj, energy_mean_uw, energy_peak_uw, energy_method, energy_hosts, energy_coverage FROM job"
sql a.db "$meters; $totals" >a.rows
for order in 'early late' 'late early'; do
	rm -f b.db*
	for part in $order; do
		perfmon b.db -q submit "made/$part" >/dev/null || diag "$(cat err)"
		[ "$part" = "${order% *}" ] && half=$(sql b.db "SELECT energy_uj FROM job")
	done
	sql b.db "$meters; $totals" | cmp -s - a.rows
	is "$?|$([ "$half" -lt "$truth" ] && echo less)" "0|less" "hosts and series that come late ($order)"
done
is "$(perfmon b.db verify)" "0|" "verify agrees with the loader"
is "$(perfmon b.db -q submit --replace made/early)|$(sql b.db "SELECT energy_uj FROM job")" "0||$(awk '$1 < "n40" { s += $2 } END { printf "%.0f\n", s }' truth.hosts | awk -v "late=$(sql b.db "SELECT energy_uj FROM job")" '{ print ($1 > late) ? late : "more" }')" \
	"what is replaced has less than its hosts have with the late series"
is "$(perfmon b.db -q submit --replace made/all)|$(sql b.db "$meters; $totals" | cmp - a.rows && echo same)" "0||same" "and all of it when it is replaced by all"

# found SQL TEXT NAME: verify finds what was done to the database.
found()
{
	rm -f x.db*
	cp a.db x.db
	sqlite3 x.db "PRAGMA foreign_keys = OFF; $1" || exit 99
	said=$(perfmon x.db verify)
	grep -q -F -e "$2" out
	is "$said|$?" "1||0" "noticed: $3"
	grep -q -F -e "$2" out || diag "$(head -n 4 out)"
}
of() { sql a.db "SELECT $1 FROM energy WHERE host_id = 1 AND id = 1"; }
found "UPDATE energy SET energy_uj = energy_uj + 1 WHERE host_id = 1 AND id = 1" \
	"host 1, package by rapl package-0: energy_uj $(($(of energy_uj) + 1)); expected: energy_uj $(of energy_uj)" "a meter a microjoule off"
found "UPDATE energy SET energy_uj = NULL WHERE host_id = 1 AND id = 1" "no energy_uj; expected: energy_uj $(of energy_uj)" "a meter without an energy"
found "UPDATE energy SET in_total = 1 WHERE part = 'other'" "in_total 1; expected: in_total 0" "one that is added up and should not be"
found "UPDATE energy SET method = 'power' WHERE host_id = 1 AND id = 1" "power; expected: counter" "another method"
found "UPDATE energy SET reason = 'late' WHERE reason = 'permission'" "late; expected: permission" "another reason"
found "DELETE FROM energy WHERE host_id = 2 AND id = 2" "no row; expected: a row: it has samples" "a meter that is gone"
found "INSERT INTO energy SELECT job_id, host_id, 99, part, source, 'more', method, energy_uj, mean_uw, peak_uw, covered_us, lost, in_part, 0, reason FROM energy WHERE host_id = 1 AND id = 1" \
	"a row; expected: none: it has no samples" "one too many"
found "UPDATE host SET energy_uj = energy_uj - 1 WHERE id = 4" "host 4: energy_uj " "a host a microjoule off"
rm -f x.db*
cp a.db x.db
sqlite3 x.db "DELETE FROM energy"
is "$(perfmon x.db verify --limit 0)|$(grep -c 'host 4: energy_uj [0-9]*; expected: no energy_uj' out)" "1||1" "noticed: a host without meters"
found "UPDATE host SET energy_parts = 'gpu' WHERE id = 4" "host 4: energy_parts gpu; expected: energy_parts " "parts of a host"
found "UPDATE job SET energy_uj = energy_uj - 1" "job: energy_uj $((truth - 1)); expected: energy_uj $truth" "the job a microjoule off"
found "UPDATE job SET energy_coverage = 1" "job: energy_coverage 1; expected: energy_coverage 0.8" "what it covers"

# A database of version 7 gets the energy of the jobs that it has.
energy older a.db "$abs_top_srcdir/tests/golden/schema/7.sql" old.db || exit 99
is "$(perfmon old.db migrate)|$(sql old.db "$meters; $totals" | cmp - a.rows && echo same)" "0||same" "migrate computes what a load does"
rows a.db >a.all
rows old.db | cmp -s - a.all
ok $? "and nothing else differs"
is "$(perfmon old.db verify)" "0|" "verify agrees with migrate"

is "$("$PERFMON" copy a.db c.db >out 2>err </dev/null; echo "$?|$(cat err)")|$(sql c.db "$meters; $totals" | cmp - a.rows && echo same)|$(perfmon c.db verify)" "0||same|0|" \
	"copy copies it"

# Samples, processes and programs go; the energy stays.
cp a.db x.db
is "$(perfmon x.db -q retire --older-than 1h --keep summary)|$(sql x.db "SELECT count(*) FROM sample_block; SELECT count(*) FROM series" | tr '\n' ' ')" "0||0 0 " "a job that is retired to its summary"
sql x.db "$meters; $totals" | cmp -s - a.rows
is "$?|$(answers x.db | tr '\n' ' ')" "0|$nine" "has its energy in all answers"
is "$(perfmon x.db verify)" "0|" "which is found sound"
sql x.db "UPDATE energy SET energy_uj = energy_uj + 1 WHERE host_id = 1 AND id = 1"
is "$(perfmon x.db verify)|$(grep -c 'energy_uj' out)" "1||2" "noticed: a meter that does not add up to its host and job"
is "$(perfmon x.db -q delete -f '#1')|$(sql x.db "SELECT count(*) FROM energy")" "0||0" "and goes with the job"

if postgres_start; then
	postgres_sql postgres -c 'CREATE DATABASE new' || exit 99
	new=$(postgres_url new)
	postgres() { PERFMON_DB=$1 "$PERFMON" "$2" "$3" >out 2>err; }
	is "$(PERFMON_DB=$new "$PERFMON" -q submit made/early >out 2>err && PERFMON_DB=$new "$PERFMON" -q submit made/late >out 2>err; echo "$?|$(cat err)")" "0|" "PostgreSQL: two loads"
	is "$(postgres_sql new -c "$in_sql")" "$truth|$truth|$truth|$truth|56|counter, power" "PostgreSQL: the same energy in SQL"
	postgres_sql new -c "$meters" >pg.rows
	grep -v "^$truth|" a.rows | cmp -s - pg.rows
	ok $? "PostgreSQL: the same meters"
	diag "$(diff a.rows pg.rows | head -n 4)"
	PERFMON_DB=$new "$PERFMON" report '#1' --json >out 2>err
	is "$(python3 -c 'import json, sys; print(json.load(sys.stdin)["energy"]["energy_uj"])' <out)" "$truth" "PostgreSQL: the same in the report"
	PERFMON_DB=$new "$PERFMON" list jobs >out 2>err
	is "$(sed -n 's/.* \([0-9]*\)\.\([0-9]*\) J .*/\1\2/p' out)" "$truth" "PostgreSQL: and in the list"
	PERFMON_DB=$new "$PERFMON" verify >out 2>err
	is "$?|$(cat err)" "0|" "PostgreSQL: verify agrees"
	postgres_older new version7 7 || exit 99
	old=$(postgres_url version7)
	PERFMON_DB=$old "$PERFMON" migrate >out 2>err
	is "$?|$(cat err)" "0|" "PostgreSQL: version 7 migrates"
	for db in new version7; do
		"$abs_top_builddir/tests/progs/dumpdb" "$(postgres_url $db)" | grep -v '^schema_version' | LC_ALL=C sort >$db.dump
	done
	diag "$(diff new.dump version7.dump | cut -c1-400 | head -n 6)"
	cmp -s new.dump version7.dump && [ "$(grep -c '^energy	' new.dump)" -gt 200 ]
	ok $? "PostgreSQL: and is as loaded anew"
	rm -f c.db*
	is "$("$PERFMON" copy "$new" c.db >out 2>err </dev/null; echo "$?|$(cat err)")|$(sql c.db "$meters; $totals" | cmp - a.rows && echo same)" "0||same" "PostgreSQL: copy to SQLite"
	postgres_sql version7 -c "UPDATE energy SET peak_uw = peak_uw + 1 WHERE host_id = 3 AND id = 1"
	PERFMON_DB=$old "$PERFMON" verify >out 2>err
	is "$?|$(grep -c 'peak_uw' out)" "1|3" "PostgreSQL: noticed: a peak"
else
	skip "PostgreSQL" "$postgres_missing"
fi
done_testing
