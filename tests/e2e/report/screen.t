#!/bin/sh
# report: six lines, one screen on a terminal, parts of a report, colours, a pager.
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/postgres.sh
. "$abs_top_srcdir/tests/e2e/postgres.sh"

golden=$abs_top_srcdir/tests/golden/report
cp -R "$golden/busy" "$golden/killed" . && chmod -R u+w busy killed || exit 99
unset PAGER PERFMON_PAGER NO_COLOR COLUMNS
TERM=xterm
export TERM

# --- six lines ------------------------------------------------------------------------------------------

want="Job     4711 (train) succeeded, 1 min 00 s on 1 host
CPU     26 %, low: 1.0 of 4 CPUs busy on average
Memory  15 %, fine: 2.46 GB of 16.4 GB in the largest process
I/O     97.6 MB read, 903 MB written, small calls; storage: 50.0 MB read, 882...
Most    63 % of CPU time by python3.11 train.py
Advice  44.4 s: The job kept 1.0 of its 4 CPUs busy: python3.11 train.py has ..."
is "$("$PERFMON" report --brief busy)" "$want" "six lines of a job"
is "$(LC_ALL=C.UTF-8 "$PERFMON" report --brief --width 200 busy)" "$want" "whatever the locale and the width"
"$PERFMON" report --brief killed >out
is "$(sed -n 1p out)|$(sed -n 4p out)" "Job     4713 (lost) ended by SIGKILL, 5.00 s on 1 host|I/O     unknown: no process recorded it" \
	"of one that was killed"
sed -i 's/"name": "train"/"name": "\\u001b[31mr\\u00f6t\\u202e\\nx <\/script>"/' busy/job-node17.json
"$PERFMON" report --brief busy >out
is "$(wc -l <out | tr -d ' ')|$(LC_ALL=C tr -d '\n\040-\176' <out | wc -c | tr -d ' ')" "6|0" "a hostile name stays in its line, in ASCII"
cp "$golden/busy/job-node17.json" busy/
for words in '--brief --json' '--brief --section io' '--json --section io'; do
	# shellcheck disable=SC2086 # words
	"$PERFMON" report $words busy >out 2>err
	is "$?|$(grep -c 'one of --html, --pdf, --json, --brief and --section' err)" "2|1" "$words is refused"
done

# They cost no pass over processes or samples: without these they say the same. A whole report does not.
# brief DATABASE SQL...: before and after
brief()
{
	name=$1 db=$2
	shift 2
	PERFMON_DB=$db "$PERFMON" -q submit busy >/dev/null 2>&1
	PERFMON_DB=$db "$PERFMON" report --brief 4711 >before 2>err
	is "$?|$(cat before)" "0|$want" "$name: six lines from a database"
	PERFMON_DB=$db "$PERFMON" report 4711 >whole
	"$@" 'DELETE FROM sample_block; DELETE FROM process' >out 2>&1 || diag "$(cat out)"
	PERFMON_DB=$db "$PERFMON" report --brief 4711 >after 2>err
	cmp -s before after
	ok $? "$name: neither processes nor samples are read for them"
	PERFMON_DB=$db "$PERFMON" report 4711 >after
	! cmp -s whole after
	ok $? "$name: noticed: a report that reads them"
}
if need sqlite3; then
	brief SQLite "$work/a.db" sqlite3 "$work/a.db"
else
	skip "SQLite: six lines from a database" "no $missing"
fi
if postgres_start; then
	postgres_sql postgres -c 'CREATE DATABASE brief' || exit 99
	brief PostgreSQL "$(postgres_url brief)" postgres_sql brief -c
else
	skip "PostgreSQL: six lines from a database" "$postgres_missing"
fi

# --- parts ----------------------------------------------------------------------------------------------

"$PERFMON" report --section io,programs busy >out 2>err
is "$?|$(sed -n 1p out)|$(grep -c '^Programs by' out)|$(grep -c '^  Read ' out)|$(grep -c '^Advice' out)" \
	"0|Job 4711: train, user anna|3|1|0" "only the parts that --section names"
"$PERFMON" report --section io --section advice busy >out
is "$(grep -c '^Advice\|^Input and output' out)" 2 "given again, it adds to them"
"$PERFMON" report --section io,nope busy >out 2>err
is "$?|$(wc -c <out | tr -d ' ')|$(grep -c -e '--section nope: no such section; there are overview, header, ' err)" "2|0|1" \
	"one that is none is refused, with those that there are"
for name in $("$PERFMON" report --json busy | sed -n 's/^ *"section": "\(.*\)",*/\1/p' | sort -u); do
	"$PERFMON" report --section "$name" busy >out 2>err
	is "$?" 0 "the part that an advice links to: $name"
done
for name in $("$PERFMON" report --section help busy 2>&1 | sed 's/.*there are //; s/,//g'); do
	"$PERFMON" report --help | grep -q -w -e "$name" && "$PERFMON" report --section "$name" --width 80 busy >out 2>err &&
		[ -z "$(awk 'length > 80' out)" ]
	ok $? "a part of its own, named in the help, not wider than the page: $name"
done

# --- colours --------------------------------------------------------------------------------------------

esc=$(printf '\033')
"$PERFMON" report --color always busy >out
grep -q "^$esc\[1mAdvice$esc\[0m\$" out
ok $? "--color always colours what is no terminal"
sed "s/$esc\[[0-9]*m//g" out >plain
"$PERFMON" report busy >want
cmp -s plain want
ok $? "the text is the same, as are its lines"
grep -q "$esc" want
is $? 1 "without it there are none but on a terminal"
NO_COLOR=1 "$PERFMON" report --color always busy | grep -q "$esc"
ok $? "--color always wins over NO_COLOR"
"$PERFMON" report --color sometimes busy >out 2>err
is "$?|$(cat err)" "2|perfmon: --color sometimes: auto, always or never is needed" "another word is refused"

# --- a terminal -----------------------------------------------------------------------------------------

if ! need script; then
	skip "a terminal" "no $missing"
	done_testing
fi
# terminal WORDS: run words of the shell on a terminal of 24 lines and 80 columns
terminal()
{
	timeout -k 5 60 script -q -e -c "stty rows 24 cols 80; $1" /dev/null </dev/null >raw
	status=$?
	tr -d '\r' <raw >out
	return $status
}
terminal "PERFMON_PAGER=cat $PERFMON report busy"
is "$?|$(wc -l <out | tr -d ' ')|$(grep -c "Outcome  *$esc\[32msucceeded$esc\[0m, 1 min 00 s on node17" out)" "0|22|1" \
	"on a terminal a report fits the screen, with colours"
sed "s/$esc\[[0-9]*m//g" out >plain
is "$(awk 'length > 80' plain)" "" "no line is wider"
grep -q '^  CPU efficiency  *26 %  low  *1.0 of 4 CPUs busy on average$' plain
ok $? "a number has a verdict"
grep -q '^  44.4 s  *The job kept 1.0 of its 4 CPUs busy' plain
ok $? "and the advice says what is at stake"
"$PERFMON" report --section overview busy >want
cmp -s plain want
ok $? "it is what --section overview prints elsewhere"
for words in "NO_COLOR=1 $PERFMON report" "$PERFMON report --color never" "TERM=dumb $PERFMON report"; do
	terminal "PERFMON_PAGER=cat; export PERFMON_PAGER; $words busy"
	cmp -s out want
	ok $? "no colours: ${words##*/}, ${words%% *}"
done
terminal "PERFMON_PAGER=cat $PERFMON report --all --color never busy"
grep -q '^How good the data' out
ok $? "--all is the whole report, on a terminal, too"

# --- a pager --------------------------------------------------------------------------------------------

pager="sed s/^/paged:/"
export pager
terminal "PAGER='sed s/^/PAGER:/' PERFMON_PAGER='$pager' $PERFMON report busy"
is "$(grep -c '^paged:' out)|$(grep -v -c '^paged:' out)" "22|0" "PERFMON_PAGER is the pager on a terminal"
terminal "PAGER='$pager' $PERFMON report busy"
is "$(grep -c '^paged:' out)" 22 "else PAGER"
terminal "PAGER='$pager' $PERFMON report --pager cat busy"
is "$(grep -c '^paged:' out)|$(wc -l <out | tr -d ' ')" "0|22" "the option goes before both"
for words in --json --brief --no-pager; do
	terminal "PAGER='$pager' $PERFMON report $words busy"
	is "$?|$(grep -c '^paged:' out)" "0|0" "none with $words"
done
PAGER=$pager "$PERFMON" report busy | grep -q '^paged:'
is $? 1 "none into a pipe"
terminal "PERFMON_PAGER='$work/nowhere' $PERFMON report busy"
is "$?|$(grep -c "the pager $work/nowhere cannot be run" out)" "1|1" "one that is not there is told of"
terminal "PERFMON_PAGER=true $PERFMON report --all busy"
is "$?|$(cat out)" "0|" "one that is left early is no failure"
if need less; then
	terminal "PATH=$PATH $PERFMON report busy"
	is "$?|$(sed "s/${esc}\[[0-9;?]*[a-zA-Z]//g; s/${esc}[=>]//g" out | grep -c '^  Outcome')" "0|1" "less, where there is one, ends by itself"
else
	skip "less, where there is one, ends by itself" "no less"
fi

done_testing
