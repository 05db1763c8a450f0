#!/bin/sh
# compare: differences and facts of known answers, how often one is called where there is none, against an account in Python;
# on both engines.
# shellcheck source=tests/e2e/lib.sh
# shellcheck disable=SC2154 # set by lib.sh and postgres.sh
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/postgres.sh
. "$abs_top_srcdir/tests/e2e/postgres.sh"
# shellcheck source=tests/e2e/report/plain.sh
. "$abs_top_srcdir/tests/e2e/report/plain.sh"

TZ=UTC
export TZ PERFMON

# --- recorded jobs --------------------------------------------------------------------------------
cat >step.sh <<-'END'
	"$PERFMON" mark begin work
	PERFMON_TAGS='op:copy' sh -c 'cp /etc/passwd a; true; /bin/true'
	"$PERFMON" mark end work
	[ -z "$more" ] || /bin/ls >/dev/null
END
PERFMON_DB=$work/real.db
export PERFMON_DB
for n in 1 2; do
	LANG=one$n more=$([ $n = 1 ] || echo yes) "$PERFMON" -q -a -j 470$n run sh step.sh && "$PERFMON" -q submit 470$n
done
"$PERFMON" compare 4701 4702 >out 2>err
is "$? $(cat err)" "0 " "two recorded jobs"
is "$(grep -c '^Noise unknown: there are no earlier jobs' out)" 1 "of one run each the noise is unknown"
is "$(awk '/^The job/ { inside = 1 } inside && $1 == "Processes" { print $2, $3, $NF }' out)" \
	"$(sqlite3 -separator ' ' real.db "SELECT a.processes, b.processes, 'unknown' FROM job a, job b WHERE a.id = 1 AND b.id = 2")" \
	"a figure of both, its noise is not known, and there is no verdict"
is "$(sed -n '/^Environment/,/^$/p' out | sed -n '/^  LANG$/,+2p')" "  LANG
    A: one1
    B: one2" "a variable that differs"
is "$(sed -n '/^Programs of one side/,$p' out | grep -c '^  only B: ls$')" 1 "a program of one side alone"
cp real.db gap.db
sqlite3 gap.db "UPDATE job SET minflt = NULL WHERE id = 2"
"$PERFMON" --db "$work/gap.db" compare 4701 4702 >out
is "$(awk '/^  Page faults/ { print $(NF - 2), $(NF - 1), $NF }' out)" "unknown unknown unknown" "a change from what is known to what is not is unknown"
"$PERFMON" compare --json 4701 4702 | tr '{' '\n' >json
is "$(grep -c '"differs":null' json) $(grep -c '"differs":\(true\|false\)' json) $(grep -c '"of":"phase"' json) $(grep -c '"operation":"op:copy"' json)" \
	"$(grep -c '"differs":' json) 0 2 3" "JSON: phases and operations are there, and nothing is judged"
"$PERFMON" compare 4701 4701 >out 2>err
is "$? $(cat err)" "1 perfmon: compare: a job is named twice" "a job on both sides"
for words in "" "4701" "4701 4702 4703" "4701 4702 --user root" "4701 --split now" "--user root" "--split"; do
	# shellcheck disable=SC2086 # words
	"$PERFMON" compare $words >out 2>err
	is "$? $(wc -c <out)" "2 0" "compare $words is a usage error"
done
"$PERFMON" compare 4701 nobody >out 2>err
is "$? $(grep -c 'nobody: no such job' err)" "1 1" "a job that is not there"

if ! need python3 sqlite3 || ! python3 -c 'import sqlite3' 2>/dev/null; then
	skip "the account" "no python3 with sqlite3"
	done_testing
fi
account="$abs_top_srcdir/tests/e2e/report/compare.py"
pairs=200
[ "$PM_SANITIZED" = no ] || pairs=20

# --- no difference, and one -----------------------------------------------------------------------
cp real.db none.db && python3 "$account" pairs none.db $pairs 0 normal lognormal heavy ticks bimodal
python3 "$account" ask "$work/none.db" $pairs >got
read -r called found others <got
test $((50 * called)) -le $pairs
ok $? "of $pairs pairs of five runs of one distribution, one of five, $called have a difference: two percent at most"
cp real.db some.db && python3 "$account" pairs some.db 20 0.1 normal
python3 "$account" ask "$work/some.db" 20 >got
read -r called found others <got
test "$found" -ge 19
ok $? "of 20 pairs with a program that takes a tenth more it is found in $found"
test "$others" -le 1
ok $? "and no other program in more than one: $others"
for file in none some; do
	python3 "$account" check $file.db 4 >got
	read -r checked wrong <got
	test "$checked" -gt 100 && is "$wrong" 0 "$file: the p of $checked figures are those of the account"
done
test "$(python3 "$account" check none.db 2 alone | cut -d ' ' -f 2)" -gt 0
ok $? "noticed: an account that judges each figure alone"

# --- earlier runs ---------------------------------------------------------------------------------
cp real.db nightly.db && python3 "$account" history nightly.db 25 0.5
PERFMON_DB=$work/nightly.db
"$PERFMON" compare '#25' '#26' --width 100 >out
is "$(grep -c 'earlier  *23 jobs of' out) $(sed -n '/^What differs/,/^$/p' out | grep -c 'cc1: CPU time .*+[45][0-9] %')" "1 1" \
	"one run each: 23 earlier ones tell the noise, and that the first program takes half more"
plain_page "compare --html" compare '#25' '#26'
"$PERFMON" compare '#25' '#26' --json | python3 -c '
import json, sys
x = json.load(sys.stdin)["figures"]
print([[float(f[k]) for k in "ab"] + [f["differs"]] for f in x if f["of"] == "job"])' >want
is "$(plain print page.html '[[value(r[1]), value(r[2]), r[5] == "differs"] for r in tables[1][1:]]')" "$(cat want)" "page: its numbers and what differs are those of JSON"
is "$(plain print page.html '*[h[1] for h in headings], "of 23 jobs" in text or "23 jobs of" in text, tables[0][1][0]')" \
	"Jobs compared: #25 and #26 What differs The job Programs, by CPU time True cc1: CPU time" "page: what differs first"
"$PERFMON" compare '#24' '#25' >out
is "$(grep -c '^What differs' out)" 0 "but no difference where there is none"
sqlite3 nightly.db "UPDATE job SET exit_status = 1 WHERE id BETWEEN 2 AND 9; UPDATE job SET cpus = 99 WHERE id = 10; UPDATE job SET running = 1 WHERE id = 11;
	UPDATE job SET name = 'other' WHERE id = 12"
is "$("$PERFMON" compare '#25' '#26' | sed -n 's/^  earlier  *\([0-9]*\) jobs.*/\1/p')" 12 "failed, running and other jobs, and those of another size, tell none"
is "$("$PERFMON" compare '#25' '#12' | tr '\n' ' ' | grep -c 'the jobs are not comparable')" 1 "jobs of other names have no earlier ones"

# --- facts ----------------------------------------------------------------------------------------
cp real.db facts.db && PERFMON_DB=$work/facts.db
sqlite3 facts.db "UPDATE host SET kernel = 'old', start_modules = '[\"gcc/12\",\"mpi\"]', hostname = 'n1', cpu_model = 'same', start_command = '[\"sh\",\"a b\"]',
		start_cwd = '/run/470' || job_id;
	UPDATE host SET kernel = 'new' || char(27) || '[31m', start_modules = '[\"gcc/13\",\"mpi\"]' WHERE job_id = 2; UPDATE job SET queue = 'q' || id;
	UPDATE process SET path = '/opt/' || job_id || '/cp' WHERE exename = 'cp'"
"$PERFMON" compare 4701 4702 >out
is "$(sed -n '/^Modules/,/^$/p' out)" "Modules
  only A: gcc/12
  only B: gcc/13" "modules"
is "$(sed -n '/^Hosts/,/^$/p' out)" "Hosts
  kernel
    A: old
    B: new\\x1b[31m" "hosts: what differs alone, without control characters"
is "$(sed -n '/^Binaries/,/^$/p' out)" "Binaries
  cp
    A: /opt/1/cp
    B: /opt/2/cp" "binaries"
is "$(sed -n '/^Command and/,/^$/p' out)" "Command and allocation
  queue
    A: q1
    B: q2" "the job's own id in a path is no difference"
cp facts.db evil.db
sqlite3 evil.db "UPDATE host SET kernel = '</dd><script>alert(' || job_id || ')</script>' || CAST(x'ff' AS TEXT), start_modules = '[\"<i onclick=x>' || job_id || '\"]'; UPDATE job SET name = '<u title=\"x'"
"$PERFMON" --db "$work/evil.db" compare 4701 4702 --html page.html
is "$(plain check page.html)|$(plain print page.html '*["</dd><script>alert(%d)</script>\\xff" % n in text for n in (1, 2)], "<u title=\"x" in text, "only A\n<i onclick=x>1\n" in text, "only B\n<i onclick=x>2\n" in text, "A\n/opt/1/cp\n" in text')" \
	"|True True True True True True" "page: facts of both sides; names that are markup or no text are shown as they are"
sqlite3 facts.db "UPDATE host SET start_cwd = '/run/' || job_id"
is "$("$PERFMON" compare 4701 4702 | grep -A 2 '^  directory$' | tr -s ' \n' ' ')" " directory A: /run/1 B: /run/2 " "noticed: another number is"
"$PERFMON" compare --json 4701 4702 | python3 -c '
import json, sys
x = json.load(sys.stdin)
print(*sorted("%s %s %s %s" % (f["about"], f["name"], f["a"], f["b"]) for f in x["facts"] if f["about"] in ("module", "binary", "host")), sep="\n")' >got
is "$(cat got)" "binary cp /opt/1/cp /opt/2/cp
host kernel old new$(printf '\033')[31m
module gcc/12 True None
module gcc/13 None True" "the same in JSON"

# Seconds have passed.
cp real.db thin.db && "$PERFMON" --db "$work/thin.db" -q retire --older-than 1s --keep summary && "$PERFMON" --db "$work/thin.db" compare 4701 4702 >out 2>err
is "$? $(grep -c 'processes of 2 jobs were retired' err) $(grep -c '^Programs' out) $(awk '$1 == "Processes" { print $2 }' out)" \
	"0 1 0 $(sqlite3 real.db 'SELECT processes FROM job WHERE id = 1')" "retired jobs: their own figures are compared, and the others are said to be gone"

# --- two groups by options ------------------------------------------------------------------------
PERFMON_DB=$work/some.db
sqlite3 some.db "INSERT INTO tag_set SELECT id, 0, 'compiler', CASE WHEN id % 10 IN (2, 3, 4, 5, 6) THEN 'old' ELSE 'new' END FROM job WHERE id > 1"
"$PERFMON" compare --json '#2,#3,#4,#5,#6' '#7,#8,#9,#10,#11' >named
"$PERFMON" compare --json --name pair0 --split '#7' >got
cmp -s named got
ok $? "--split JOB: those before a job, and the others"
"$PERFMON" compare --json --name pair0 --split @1700000420 >got
cmp -s named got
ok $? "--split TIME"
"$PERFMON" compare --json --name pair0 --split tag:compiler >got
cmp -s named got
ok $? "--split tag:NAME"
"$PERFMON" compare --json --name pair0 --split '#8' >got
! cmp -s named got
ok $? "noticed: another job is another comparison"
cp some.db many.db
sqlite3 many.db "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 450)
	INSERT INTO job (cluster, \"user\", jobid, array_task, restart_count, epoch_us, name, start_us)
	SELECT 'c', 'u', 'later' || i, '', 0, 1800000000000000, 'pair0', 1800000000000000 + i FROM n"
"$PERFMON" --db "$work/many.db" compare --json --name pair0 --split tag:compiler >got
cmp -s named got
ok $? "newer jobs without the tag take no room"
"$PERFMON" --db "$work/many.db" compare --name pair0 --split @1700000420 >out 2>err
is "$? $(grep -c 'a side has room for 200 jobs' err)" "1 1" "more jobs than a side has room for are told as such"
sqlite3 some.db "UPDATE tag_set SET value = 'third' WHERE job_id = 9"
"$PERFMON" compare --name pair0 --split tag:compiler >out 2>err
is "$? $(cat err)" "1 perfmon: --split: tag compiler has more than two values" "three values are no two sides"
"$PERFMON" compare --name pair0 --split nothing >out 2>err
is "$? $(grep -c "'nothing' is neither a time" err)" "2 1" "neither a time nor a job"
"$PERFMON" compare --name pair0 --split now >out 2>err
is "$? $(cat err)" "1 perfmon: compare: there is no job on side B" "nothing after it"

cp some.db tenth.db
postgres_needed "comparisons in PostgreSQL"
for name in tenth real nightly; do
	postgres_sql postgres -c "CREATE DATABASE $name" && "$PERFMON" -q copy "$work/$name.db" "$(postgres_url $name)"
done
for words in "tenth --name pair0 --split 90007" "tenth --name pair3 --split tag:compiler" "real 4701 4702" "nightly 90025 90026"; do
	name=${words%% *}
	for db in "$work/$name.db" "$(postgres_url "$name")"; do
		# shellcheck disable=SC2086 # words
		"$PERFMON" --db "$db" compare --json ${words#* } 2>&1 | sed 's/"id":[0-9]*/"id":0/g'
	done | uniq >got
	is "$(wc -l <got) $(grep -c '"method"' got)" "1 1" "PostgreSQL: compare ${words#* } says the same"
done
done_testing
