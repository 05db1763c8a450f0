#!/bin/sh
# What a job's summary takes from its hosts: changes to each of these went unnoticed by every test.
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/database.sh
. "$abs_top_srcdir/tests/e2e/database.sh"

if ! need sqlite3; then
	skip "summary of hosts" "no $missing"
	done_testing
fi
submit()
{
	rm -rf x.db* now && cp -R job now && sed -i "$1" now/job-n0.json && sed -i "$2" now/job-n1.json &&
		PERFMON_DB=$work/x.db "$PERFMON" submit now >out 2>err
}
ask() { query "$1" x.db; }

"$abs_top_builddir/tests/progs/generate" job 60 2 >/dev/null || exit 99
submit '' ''
last=$(ask 'SELECT max(end_us) FROM process')
is "$(ask 'SELECT end_us = (SELECT max(stop_time_us) FROM host) FROM job')" 1 "a closed job ends with its last host"
# One host stopped long before the processes of the other one, which is still open.
submit 's/\("stop":{[^}]*"time_us":\)[0-9]*/\11700000000000001/' 's/,"stop":{[^}]*}//'
is "$(ask 'SELECT count(*), count(stop_time_us) FROM host')|$(ask 'SELECT end_us FROM job')" "2|1|$last" \
	"a job with an open host does not end with the other one"
allowed=$(ask 'SELECT cpus FROM job')
cpus='s/"cpus_online":[0-9]*/"cpus_online":8/; s/"cpus_allowed":[0-9]*/"cpus_allowed":2/; s/"host":{/&"cpus_allocated":'
submit "${cpus}16,/" "${cpus}4,/"
is "$allowed|$(ask 'SELECT cpus_online, cpus_allowed, cpus_allocated FROM host' | tr '\n' ' ')|$(ask 'SELECT cpus FROM job')" \
	"$allowed|8|2|16 8|2|4 |12" "of CPUs that were given, no more count than there are"
# As many ranks as there are, not as processes say so; and the same where a host is added later.
python3 - <<'END' || exit 99
for host in "n0", "n1":
    path = "job/%s-1000.tsv" % host
    lines = open(path).read().split("\n")
    c = lines[0].split("\t").index("mpirank")
    for i, line in enumerate(lines):
        f = line.split("\t")
        if f[1:2] == ["start"]:
            f[c] = str(i % 3)
            lines[i] = "\t".join(f)
    open(path, "w").write("\n".join(lines))
END
submit '' ''
is "$(ask 'SELECT ranks FROM job')|$(ask 'SELECT count(*) > 20 FROM process WHERE mpirank IS NOT NULL')" "3|1" "ranks are counted once each"
mkdir one && mv now/*n1* one && rm -f x.db* && PERFMON_DB=$work/x.db "$PERFMON" -q submit now && PERFMON_DB=$work/x.db "$PERFMON" -q submit one
is "$(ask 'SELECT ranks, hosts FROM job')" "3|2" "also where the hosts come one by one"
done_testing
