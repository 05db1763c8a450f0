#!/bin/sh
# The dashboards for Grafana: made of one description, of the shape that Grafana has, and every query of every panel
# answers on its engine, the same on both.
# shellcheck source=tests/e2e/lib.sh
# shellcheck disable=SC2154 # set by lib.sh and postgres.sh
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/postgres.sh
. "$abs_top_srcdir/tests/e2e/postgres.sh"
# shellcheck source=tests/e2e/site.sh
. "$abs_top_srcdir/tests/e2e/site.sh"

if ! need python3 sqlite3; then
	skip "the dashboards" "no $missing"
	done_testing
fi
export PYTHONDONTWRITEBYTECODE=1
here=$abs_top_srcdir/share/grafana
look=$abs_top_srcdir/tests/e2e/export/grafana.py

# --- files ---------------------------------------------------------------------------------------
mkdir made && python3 "$here/dashboards.py" "$abs_top_srcdir/sql/cookbook.sql" made
is "$? $(diff -r made/sqlite "$here/sqlite" 2>&1) $(diff -r made/postgresql "$here/postgresql" 2>&1)" "0  " \
	"the dashboards are what the description makes"
panels=$(grep -h -c '"gridPos"' made/sqlite/*.json | awk '{ n += $1 } END { print n }')
variables=3
for engine in sqlite postgresql; do
	is "$(python3 "$look" shape "$here/$engine" "$engine")" "$panels" "$engine: $panels panels of the shape that Grafana has"
done

# planted NAME SCRIPT: what Python, with the site's dashboard as d and its panels as p, does to it is noticed.
planted()
{
	rm -rf planted && cp -R "$here/sqlite" planted && python3 - "$2" <<-'END' || exit 99
	import json, sys
	d = json.load(open("planted/site.json"))
	p = d["panels"]
	exec(sys.argv[1])
	json.dump(d, open("planted/site.json", "w"))
	END
	test "$(python3 "$look" shape planted sqlite 2>&1 | sed '$d' | grep -c '^site: ')" -gt 0
	ok $? "noticed: $1"
}
planted "two panels of an id" 'p[1]["id"] = p[0]["id"]'
planted "a panel over another" 'p[5]["gridPos"]["y"] -= 1'
planted "a panel that leaves the grid" 'p[3]["gridPos"]["w"] = 7'
planted "a unit that there is not" 'p[0]["fieldConfig"]["defaults"]["unit"] = "seconds"'
planted "a unit of a column that there is not" 'p[6]["fieldConfig"]["overrides"][0]["properties"][0]["value"] = "KB"'
planted "a field that there is not" 'p[0]["colour"] = 1'
planted "a variable that there is not" 'p[0]["targets"][0]["rawQueryText"] += " AND id = $jobs"'
planted "a parameter of the cookbook that has no variable" 'p[0]["targets"][0]["rawQueryText"] += " AND id = :job"'
planted "a fixed data source" 'p[0]["targets"][0]["datasource"]["uid"] = "mine"'
planted "the data source of the other engine" 'd["templating"]["list"][0]["query"] = "grafana-postgresql-datasource"'
planted "lines that are asked for as a table" 'p[4]["targets"][0]["queryType"] = "table"'

# --- provisioning --------------------------------------------------------------------------------
sed 's|@pkgdatadir@|/usr/share/perfmon|; s|@engine@|sqlite|' "$here/provisioning/dashboards/perfmon.yaml.in" >dashboards.yaml
if python_with yaml; then
	"$python" - "$here/provisioning/datasources" >out 2>&1 <<-'END'
	import sys, yaml
	d = yaml.safe_load(open("dashboards.yaml"))
	p = d["providers"][0]
	print(d["apiVersion"], p["type"], p["options"])
	for e, keys in (("postgresql", "database sslmode"), ("sqlite", "path pathOptions pathPrefix")):
	    d = yaml.safe_load(open("%s/perfmon-%s.yaml" % (sys.argv[1], e)))
	    s = d["datasources"][0]
	    print(d["apiVersion"], s["type"], s["access"], sorted(s["jsonData"]) == keys.split())
	END
	is "$(cat out)" "1 file {'path': '/usr/share/perfmon/grafana/sqlite'}
1 grafana-postgresql-datasource proxy True
1 frser-sqlite-datasource proxy True" "provisioning files name the dashboards and the two data sources"
else
	skip "provisioning files name the dashboards and the two data sources" "no $missing"
fi

# --- queries -------------------------------------------------------------------------------------
site_load "$work/site.db"
is $? 0 "a site of nine jobs"
is "$(python3 "$look" run "$here/sqlite" sqlite site.db sqlite.rows)" $((panels + variables)) \
	"SQLite: all queries answer, with rows, lines in the order of time"
is "$(python3 "$look" peaks sqlite.rows)" "CPUs busy on each host, n1: 2
CPUs busy on each host, n2: 1.5
CPUs used by the processes of the job, n1: 2
CPUs used by the processes of the job, n2: 1.5
Disks of the hosts, n1 read: 3e+06
Disks of the hosts, n1 written: 1e+06
Disks of the hosts, n2 read: 3e+06
Disks of the hosts, n2 written: 1e+06
GPUs in use, n1 GPU-1: 50
GPUs in use, n2 GPU-1: 37.5
Memory in use on each host, n1: 6e+09
Memory in use on each host, n2: 1e+09
Network of the hosts, n1 received: 2e+06
Network of the hosts, n1 sent: 1e+06
Network of the hosts, n2 received: 2e+06
Network of the hosts, n2 sent: 1e+06
Power of processors and memory, n1: 200
Power of processors and memory, n2: 150
Resident memory of the processes of the job, n1: 3e+09
Resident memory of the processes of the job, n2: 5e+08" "the lines of a job are what its hosts did"
is "$(awk -F '\t' '$1 == "site" && NF == 3 { print $2 ": " $3 }' sqlite.rows)" "Jobs: 9.0
Failed jobs: 2.0
CPU time: 1.4428
Energy: 0.2125" "and so are the sums of the site"
is "$(awk -F '\t' '$2 == "Samplers by host" { print $3, $5, $7 }' sqlite.rows)" "n1 2.0 0.0
n3 1.0 2.0
n2 1.0 2.0" "and what samplers missed and had late"
cp site.db other.db && sqlite3 other.db "UPDATE sample_block SET first = 0, base = 0, deviations = x'00FF07', step = 1"
test "$(python3 "$look" run "$here/sqlite" sqlite other.db other.rows | tail -n 1)" = $((panels + variables)) &&
	python3 "$look" peaks other.rows >out && ! grep -q 'n1: 2$' out
ok $? "noticed: other samples"
sqlite3 other.db "DELETE FROM phase; DELETE FROM series WHERE source = 'rapl'"
is "$(python3 "$look" run "$here/sqlite" sqlite other.db other.rows | sed '$d')" "job: Power of processors and memory: no rows
job: Phases: no rows
node: Power of processors and memory: no rows" "noticed: queries without rows"

python3 "$look" plans "$here/sqlite" >statements
python3 "$abs_top_srcdir/tests/e2e/db/scans.py" site.db statements >found
is "$(cat found)" "$(sort -u statements | wc -l)" "SQLite: none reads every job of the site"

postgres_needed "PostgreSQL: queries"
postgres_sql postgres -c 'CREATE DATABASE site' || exit 99
site_load "$(postgres_url site)"
is "$(python3 "$look" run "$here/postgresql" psql "$(postgres_url site)" postgres.rows)" $((panels + variables)) \
	"PostgreSQL: all queries answer"
is "$(diff sqlite.rows postgres.rows | head -n 5)" "" "with the same $(wc -l <sqlite.rows) rows as SQLite"
done_testing
