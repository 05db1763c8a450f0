#!/bin/sh
# What another loader of such files loses or refuses: a job of five processes, damaged in one way at a time,
# in files of perfmon's own and in papiex's. Each costs what was damaged alone, and says so.
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/database.sh
. "$abs_top_srcdir/tests/e2e/database.sh"

if ! need sqlite3 python3; then
	skip "loading" "no $missing to look into the database with"
	done_testing
fi
PERFMON_DB=$work/x.db
export PERFMON_DB

# Five processes of perfmon's: a shell that starts two commands, each a fork and an exec.
"$abs_top_builddir/tests/progs/generate" good 5 >/dev/null && sed -i '/^$/d' good/n0-1000.tsv || exit 99
args=$(awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "args") print i }' good/n0-1000.tsv)
# Five of papiex's, collated.
mkdir papiex
printf '{usertime,systemtime,rssmax}\ttags\thostname\texename\tpath\texitcode\texitsignal\tpid\tgeneration\tppid\tpgid\tsid\tnumtids\tstart\tend\targs\n' \
	>papiex/n1-papiex-header.tsv
for i in 1 2 3 4 5; do
	printf '{%d,2,3000}\t\tn1\tcat\t/bin/cat\t0\t0\t10%d\t0\t100\t1\t1\t1\t170000000000%d000\t170000000000%d900\ta b %d\n' $i $i $i $i $i
done >papiex/n1-papiex.tsv

# meta HOST: the job's metadata, as perfmon beside papiex writes them.
meta()
{
	printf '{"format":"perfmon-job-1","job":{"user":"u","uid":%s,"jobid":"7","epoch_us":5},"host":{"hostname":"%s"},"start":{"time_us":1699999999000000},"stop":{"time_us":1700000009000000}}\n' \
		"$(id -u)" "$1"
}
meta n1 >papiex/job-n1.json

# case_of NAME AWK: a copy of both jobs, each line of records but the header through an awk program, in which
# n counts them and a is the field of arguments.
case_of()
{
	name=$1
	for job in good papiex; do
		rm -rf "$job.$name" && cp -R $job "$job.$name" || exit 99
		file=good/n0-1000.tsv header=1 a=$args
		[ $job = good ] || file=papiex/n1-papiex.tsv
		[ $job = good ] || header=0 a=16
		awk -F '\t' -v OFS='\t' -v header=$header -v a="$a" 'NR <= header { print; next } { n++ } '"$2" \
			"$file" >"$job.$name/${file#*/}"
	done
}

# load SOURCE...: into a new database. Its exit status is in $status.
load()
{
	rm -f x.db*
	"$PERFMON" submit "$@" >out 2>err
	status=$?
}

# loads SOURCE STATUS PROCESSES REJECTED TEXT
loads()
{
	load "$1"
	is "$status|$(query 'SELECT processes, rejected, (SELECT count(*) FROM process), (SELECT count(*) FROM reject) FROM job')" \
		"$2|$3|$4|$3|$4" "$5"
}

loads good 0 5 0 "perfmon's five processes"
loads papiex 0 5 0 "papiex's five processes"

case_of quote 'n == 2 { $a = "say \"hello" } { print }'
loads good.quote 0 5 0 "an unbalanced quote"
is "$(query "SELECT args FROM process WHERE args LIKE '%hello%'")" 'say "hello' "an unbalanced quote is kept as it is"
loads papiex.quote 0 5 0 "an unbalanced quote (papiex)"
is "$(query "SELECT args FROM process WHERE args LIKE '%hello%'")" 'say "hello' "and kept (papiex)"

case_of second 'n == 2 { print substr($0, 1, 40); next } { print }'
loads good.second 1 5 1 "a truncated second row"
loads papiex.second 1 4 1 "a truncated second row (papiex)"
is "$(query 'SELECT line, CAST(bytes AS TEXT) FROM reject')" "2|$(sed -n 2p papiex.second/n1-papiex.tsv)" "which is kept with its bytes"

case_of garbage 'n == 3 { print "garbage" } { print }'
loads good.garbage 1 5 1 "a garbage line"
loads papiex.garbage 1 5 1 "a garbage line (papiex)"
is "$(query 'SELECT CAST(bytes AS TEXT) FROM reject')" garbage "which is kept with its bytes"

case_of cut '{ line[n] = $0 } END { for (i = 1; i < n; i++) print line[i]; printf "%s", substr(line[n], 1, 60) }'
loads good.cut 1 5 1 "the last line cut"
loads papiex.cut 1 4 1 "the last line cut (papiex)"

case_of byte 'n == 2 { $a = "a\377b" } { print }'
loads good.byte 1 5 1 "a byte that is not UTF-8 where it cannot be"
loads papiex.byte 0 5 0 "a byte that is not UTF-8 (papiex)"
is "$(query "SELECT args FROM process WHERE args LIKE 'a\\%'")" 'a\xffb' "is one of the arguments (papiex)"

# A process that ends a microsecond behind the job.
cp -R good good.late && stop=$(awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "end_us") c = i; next }
	$c ~ /^[0-9]+$/ { print $c }' good/n0-1000.tsv | sort -n | tail -n 1)
sed -i "s/\"stop\":{\"time_us\":[0-9]*/\"stop\":{\"time_us\":$((stop - 1))/" good.late/job-n0.json
loads good.late 0 5 0 "a process ending 1 us after stop"
is "$(query 'SELECT late, (SELECT count(*) FROM process p JOIN host h ON h.id = p.host_id WHERE p.end_us = h.stop_time_us + 1) FROM job')" "1|1" \
	"is kept and flagged"

case_of twice '{ print } n == 2'
loads good.twice 1 5 1 "a duplicated line is counted once"
is "$(query 'SELECT cpu_time FROM job')" "$(load good && query 'SELECT cpu_time FROM job')" "and so is its time"
loads papiex.twice 1 5 1 "a duplicated line is counted once (papiex)"
is "$(query 'SELECT usertime FROM job')" 15 "and so is its time (papiex)"

case_of long 'n == 2 { for ($a = "x"; length($a) < 140000; ) $a = $a $a } { print }'
loads good.long 0 5 0 "arguments above 131072 bytes"
is "$(query 'SELECT max(length(args)) FROM process')" 262144 "and all of them"
loads papiex.long 0 5 0 "arguments above 131072 bytes (papiex)"
is "$(query 'SELECT max(length(args)) FROM process')" 262144 "and all of them (papiex)"

# Two hosts with the same pids.
mkdir hosts hosts.papiex
for n in 0 1; do
	sed "s/-00000000000[0-9]*0\t/-00000000000$n\t/; s/\tn0\t/\tn$n\t/" good/n0-1000.tsv >"hosts/n$n-1000.tsv"
	sed "s/\"n0\"/\"n$n\"/; s/000000000000\"/00000000000$n\"/" good/job-n0.json >hosts/job-n$n.json
	sed "s/\tn1\t/\tn$n\t/; s/\t100\t1\t1/\t101\t1\t1/" papiex/n1-papiex.tsv >"hosts.papiex/n$n-papiex.tsv"
	cp papiex/n1-papiex-header.tsv hosts.papiex/n$n-papiex-header.tsv
	meta n$n >hosts.papiex/job-n$n.json
done
boot=$(sed -n 's/.*"boot_id":"\([^"]*\)".*/\1/p' good/job-n0.json)
sed -i "s/$boot/${boot%?}1/" hosts/n1-1000.tsv hosts/job-n1.json
for job in hosts hosts.papiex; do
	loads $job 0 10 0 "$job: several hosts with the same pids are all there"
	is "$(query 'SELECT count(*) FROM host')|$(query 'SELECT count(*) FROM process p JOIN process q ON q.id = p.parent_id WHERE q.host_id <> p.host_id')|$(query 'SELECT count(DISTINCT n) FROM (SELECT host_id, count(*) AS n FROM process WHERE parent_id IS NOT NULL GROUP BY host_id)')" \
		"2|0|1" "$job: no parent is on the other host"
done

# A circle of pids, a process that is its own parent among them.
ppid=$(awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "ppid") print i }' good/n0-1000.tsv)
case_of cycle 'a == 16 { $10 = n == 1 ? 105 : n == 5 ? 105 : 100 + n - 1; $14 = "1700000000001000"; $15 = "1700000000009000" } { print }'
awk -F '\t' -v OFS='\t' -v c="$ppid" 'NR > 1 && $c == 298 { $c = 300 } { print }' good/n0-1000.tsv >good.cycle/n0-1000.tsv
for job in good papiex; do
	load $job.cycle
	is "$(query 'SELECT processes, (SELECT count(*) FROM process WHERE parent_id IS NULL) >= 1 FROM job')" "5|1" \
		"a pid cycle: all processes, and a root ($job)"
	is "$(query 'WITH RECURSIVE below(id, n) AS (SELECT id, 0 FROM process WHERE parent_id IS NULL UNION ALL SELECT p.id, n + 1 FROM process p JOIN below b ON p.parent_id = b.id WHERE n < 100) SELECT count(*) FROM below')" 5 \
		"each is once below it ($job)"
done

# And no copy is deleted of what was not taken whole.
if need tar; then
	for name in second garbage cut twice; do
		for job in good papiex; do
			cp -R $job.$name d && tar -cf d.tar $job.$name
			load --remove d d.tar
			[ "$status" -eq 1 ] && [ -e d.tar ] && diff -r d $job.$name >/dev/null
			ok $? "--remove leaves the directory and the archive of $job.$name"
			rm -rf d d.tar
		done
	done
else
	skip "--remove" "no tar"
fi
cp -R good d && load --remove d
is "$status|$(query 'SELECT processes FROM job')|$(ls -d d 2>&1)" "0|5|ls: cannot access 'd': No such file or directory" \
	"--remove removes what is loaded whole"
done_testing
