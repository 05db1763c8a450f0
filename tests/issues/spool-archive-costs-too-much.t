#!/bin/sh
# One archive could keep a spool busy without end: a sparse file of terabytes, which takes nothing on its disk, was read
# as far as max_unpacked; hosts, series, rows and time had no limit. It is set aside with its reason, and the others load.
# shellcheck disable=SC2154 # set by lib.sh
# shellcheck source=tests/e2e/lib.sh
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"

if ! need python3 sqlite3; then
	skip "a spool" "no $missing"
	done_testing
fi
PERFMON_SPOOL_AGE=0
PERFMON_DB=$work/jobs.db
export PERFMON_SPOOL_AGE PERFMON_DB
mkdir spool
number=0
# job NAME: an archive of a job of its own in the spool, of 3 hosts and 40 processes.
job()
{
	number=$((number + 1))
	"$abs_top_builddir/tests/progs/generate" --jobid "$number" "$1" 40 3 >/dev/null || exit 99
	if [ -n "$2" ]; then
		python3 - "$1" "$2" <<'END' || exit 99
import sys
with open(sys.argv[1] + "/n0.series", "w") as f:
    f.write("perfmon-series-1\tn0\t00000000-0000-4000-8000-000000000001\t1000000\t.\n")
    for i in range(int(sys.argv[2])):
        f.write("series\t%d\tcpu\tm%d\tcpu0\tpercent\tgauge\t.\n" % (i, i))
    for k in range(1, 11):
        f.write("tick\t%d\t%d\t%s\t.\n" % (1700000000000000 + k, k, " ".join("%d=1" % i for i in range(int(sys.argv[2])))))
END
	fi
	tar -cf "spool/$1.tar" "$1"
}
# pass [SETTING=VALUE...]: one pass; says its status, what is in `loaded`, and the reasons in `failed`.
pass()
{
	env "$@" timeout 120 "$PERFMON" -q submit --spool spool >out 2>err
	echo "$?"
	(cd spool/loaded && ls)
	(cd spool/failed && for reason in *.reason; do
		[ ! -e "$reason" ] || echo "$reason: $(head -n 1 "$reason")"
	done)
	mv spool/failed/* aside 2>/dev/null
	rm -f spool/loaded/*
}
mkdir aside

# --- sparse ---------------------------------------------------------------------------------------
job asparse && job bwhole
truncate -s 5T spool/asparse.tar 2>/dev/null || truncate -s 200G spool/asparse.tar || exit 99
is "$(pass | sed 's/asparse.tar.reason: .* first [0-9]* kB unpack to .*, so the rest is not read.*/asparse: unpacks to too much/')" \
	"1
bwhole.tar
asparse: unpacks to too much" "a sparse archive is set aside, the next one loads"
# By hand what it has is loaded, and it is said. A lower limit is reached sooner.
PERFMON_MAX_UNPACKED=4G "$PERFMON" submit aside/asparse.tar >out 2>err
is "$?|$(grep -c '^job 1: ' out)|$(grep -c 'the rest is not read' err)" "1|1|1" "by hand what is read of it loads"
# Zeros on the end of what is compressed cost nothing to make either.
job azeros && job bwhole2
gzip spool/azeros.tar && truncate -s 1T spool/azeros.tar.gz || exit 99
is "$(pass PERFMON_MAX_UNPACKED=4G | sed 's/: .*//')" "1
bwhole2.tar
azeros.tar.gz.reason" "so is one with zeros without end behind it"
# Holes of an honest size do no harm.
job ahole && truncate -s 300M spool/ahole.tar
is "$(pass)" "0
ahole.tar" "a hole of 300 MB loads"

# --- limits ---------------------------------------------------------------------------------------
number=10
for limit in hosts=2 series=29 rows=100; do
	rm -rf abeyond bwithin spool/*.tar
	job abeyond 30
	mkdir within && "$abs_top_builddir/tests/progs/generate" --jobid 7$number bwithin 3 1 >/dev/null && tar -cf spool/bwithin.tar bwithin
	rm -r within
	what=${limit%=*}
	is "$(pass "PERFMON_SPOOL_$(echo "$what" | tr '[:lower:]' '[:upper:]')=${limit#*=}" | sed "s/reason: it has more than ${limit#*=} [a-z ]*: raise spool_$what.*/reason: beyond/")" \
		"1
bwithin.tar
abeyond.tar.reason: beyond" "$limit is a limit: one archive is beyond it, the next one loads"
	is "$(sqlite3 jobs.db "SELECT count(*) FROM job WHERE jobid = '$number'")" 0 "nothing of it was loaded"
	cp aside/abeyond.tar spool/
	is "$(pass "PERFMON_SPOOL_$(echo "$what" | tr '[:lower:]' '[:upper:]')=0" | tail -n 1)" "abeyond.tar" "0 is none"
done
# Time: an archive that takes long to write. What is within it before is not counted for what comes behind.
number=20
job along 4000 && job bshort
is "$(pass PERFMON_SPOOL_CPU=10ms | tail -n +2 | grep -c 'CPU time')" 1 "CPU time beyond its limit"
is "$(sqlite3 jobs.db "SELECT count(*) FROM job WHERE jobid = '21'")" 0 "nothing of it was loaded"
cp aside/*long.tar spool/
is "$(pass PERFMON_SPOOL_CPU=10m)" "0
along.tar" "within it it loads"
"$PERFMON" verify >out 2>err
is "$?|$(cat err)" "0|" "the database is sound"
done_testing
