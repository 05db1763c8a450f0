#!/bin/sh
# What a user writes into a job of another one says nothing of that one's processes: their ends, threads and last
# words are told by their own files.
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/database.sh
. "$abs_top_srcdir/tests/e2e/database.sh"

if ! need sqlite3 awk; then
	skip "files of two users" "no $missing"
	done_testing
fi
"$PERFMON" -q -a -j 7 run sh -c 'true; exit 3' 2>err
job=$(find "$PERFMON_OUTPUT_PREFIX" -name 7 -type d)
own=$(ls "$job"/*-"$(id -u)".tsv)
stem=${own%-*}
other=$(($(id -u) + 1))
ends=$(awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "record") at = i } $at == "end"' "$own" | grep -c .)
cp "$own" whole
awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "record") at = i } NR == 1 || $at == "end"' whole >ends
awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "record") at = i } $at != "end"' whole >"$own"
test "$ends" -gt 0
ok $? "there are ends"
cp ends "$stem-$other.tsv"
PERFMON_DB=$work/other.db "$PERFMON" submit "$job" >out 2>&1
is "$(query 'SELECT count(vmpeak) FROM process' other.db)" 0 "nothing of them is taken from another user"
is "$(query 'SELECT count(*), min(reason) FROM reject' other.db)" "$ends|of another user's process" "each is rejected for that"
rm "$stem-$other.tsv"
sed 1d ends >>"$own"
PERFMON_DB=$work/own.db "$PERFMON" submit "$job" >out 2>&1
is "$(query 'SELECT count(vmpeak) FROM process' own.db)|$(query 'SELECT count(*) FROM reject' own.db)" \
	"$ends|0" "the user's own are"
done_testing
