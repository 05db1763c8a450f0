#!/bin/sh
# Tiers: samples, processes, totals of programs and summaries are kept for as long as retire is told, each longer than
# the one before; what is left stays sound and readable, and nothing is added to it that it cannot take.
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/manage.sh
. "$abs_top_srcdir/tests/e2e/manage.sh"

if ! need python3 sqlite3; then
	skip "tiers" "no $missing"
	done_testing
fi
golden=$abs_top_srcdir/tests/golden
mkdir real v1 && cp "$golden"/schema/job/* real && cp "$golden"/v1/job/* v1 || exit 99
"$abs_top_builddir/tests/progs/generate" job 60 2 >/dev/null || exit 99
PERFMON_DB=$work/3.db "$PERFMON" submit real v1 job >out 2>err
count() { sqlite3 "$1" "SELECT $(for t in sample_block tick_block content series series_summary process program_summary; do
	printf '(SELECT count(*) > 0 FROM %s),' "$t"
done) (SELECT count(*) FROM job)"; }
sound() { is "$(PERFMON_DB=$1 "$PERFMON" verify 2>&1)" "$1: 3 jobs checked, 0 faults" "$2"; }
said() { sed 's/, ended before [^;]*//' out; }
is "$(count 3.db)" "1|1|1|1|1|1|1|3" "there is some of everything"
samples=$(sqlite3 3.db 'SELECT count(DISTINCT job_id) FROM sample_block')
processes=$(sqlite3 3.db "SELECT sum(processes) FROM job WHERE id IN (SELECT job_id FROM sample_block)")
all=$(sqlite3 3.db 'SELECT sum(processes) FROM job')
s=s
[ "$samples" -ne 1 ] || s=

# --- from tier to tier ------------------------------------------------------------------------------
cp 3.db x.db
is "$(perfmon x.db retire -n --samples-older-than 1h)|$(said)" "0||would delete the samples of $samples job$s with $processes processes" "a dry run"
is "$(count x.db)" "1|1|1|1|1|1|1|3" "deletes nothing"
for id in 1 2 3; do perfmon x.db report --json "#$id" && cat out; done >before
is "$(perfmon x.db retire --samples-older-than 1h)|$(said)" "0||deleted the samples of $samples job$s with $processes processes" "samples go first"
is "$(sqlite3 x.db 'SELECT count(*) FROM sample_block')|$(sqlite3 x.db 'SELECT count(*) FROM tick_block')|$(sqlite3 x.db "SELECT count(*) FROM content WHERE job_id IN (SELECT job_id FROM series)")" \
	"0|0|0" "with the content of the files of their jobs"
rows 3.db series series_summary process counter node_summary program_summary user_day >want
rows x.db series series_summary process counter node_summary program_summary user_day | cmp -s - want
ok $? "and nothing else"
sound x.db "what is left is sound"
is "$(sqlite3 x.db "SELECT count(*) FROM job WHERE problems LIKE '%retired: its samples are no longer here'")" "$samples" "the jobs say so"
for id in 1 2 3; do perfmon x.db report --json "#$id" && cat out; done >after
is "$(python3 -c '
import json, sys
def jobs(name):
    decoder, text, found = json.JSONDecoder(), open(name).read(), []
    while "{" in text:
        value, end = decoder.raw_decode(text[text.index("{"):])
        found.append(value)
        text = text[text.index("{") + end:]
    return found
def flat(v, at=""):
    if isinstance(v, dict):
        return [x for k in v for x in flat(v[k], at + "." + k)]
    if isinstance(v, list):
        return [x for i, e in enumerate(v) for x in flat(e, "%s[%d]" % (at, i))]
    return [(at, v)]
lost = set()
for a, b in zip(jobs("before"), jobs("after")):
    # Without samples the line of CPUs follows from the processes, and the verdict on memory, the second, is
    # that of the largest process, which it says.
    for j in (a, b):
        del j["time_line"], j["verdicts"][1]
    a, b = dict(flat(a)), dict(flat(b))
    for k in a:
        if a[k] != b.get(k) and b.get(k) is not None:
            print("invented", k, a[k], b[k])
    lost |= {k.split("[")[0] for k in a if a[k] is not None and b.get(k) is None}
print(len(jobs("after")), ".processes" in lost, ".hosts" in lost)' | grep -v 'problems\|advice')" "3 False False" "a report invents no value"
is "$(perfmon x.db retire --samples-older-than 1h)|$(said)" "0||deleted the samples of 0 jobs with 0 processes" "again: done already"
is "$(perfmon x.db retire --older-than 1h --keep programs)|$(said)" "0||retired 3 jobs with $all processes; summaries and programs are kept" "then processes"
is "$(count x.db)" "0|0|0|0|0|0|1|3" "with series and their totals"
sound x.db "sound"
for column in processes failed killed cpu_time systemtime rchar wchar syscr syscw read_bytes write_bytes rssmax; do
	cp x.db y.db
	sqlite3 y.db "UPDATE program_summary SET $column = 1 + (SELECT $column FROM job WHERE id = job_id)
		WHERE job_id = 3 AND program = 'cc1'"
	is "$(perfmon y.db verify)|$(grep -c "job #3 .*: all programs: $column [0-9]*; expected: $column [0-9]" out)" "1||1" \
		"a total of a program that the job's cannot be of: $column"
done
cp x.db y.db
sqlite3 y.db "DELETE FROM program_summary WHERE job_id = 3 AND program = 'cc1'"
is "$(perfmon y.db verify)|$(grep -c 'job #3 .*: all programs: processes ' out)" "1||1" "a program that is gone"
sqlite3 y.db "UPDATE program_summary SET cpu_time = 9223372036854775807 WHERE job_id = 3"
is "$(perfmon y.db verify)|$(grep -c ': all programs: cpu_time ' out)" "1||0" "a sum that is too large is not compared"
rm -f y.db
is "$(perfmon x.db retire --older-than 1h --keep-summary)|$(said)" "0||retired 0 jobs with 0 processes; summaries and programs are kept" "--keep-summary is --keep programs"
is "$(perfmon x.db retire --older-than 1h --keep summary)|$(said)" "0||retired 3 jobs with $all processes; summaries are kept" "then programs"
is "$(count x.db)" "0|0|0|0|0|0|0|3" "with their totals"
is "$(sqlite3 x.db "SELECT count(*) FROM job WHERE problems LIKE '%retired: its processes%retired: its processes%'")" 0 "which is said once"
sound x.db "sound"
rows 3.db user_day >want
rows x.db user_day | cmp -s - want
ok $? "their users' days stay"
is "$(perfmon x.db retire --older-than 1h --keep summary)|$(said)" "0||retired 0 jobs with 0 processes; summaries are kept" "again: done already"
is "$(perfmon x.db retire --older-than 1h)|$(said)|$(count x.db)" "0||retired 3 jobs with $all processes|0|0|0|0|0|0|0|0" "then the rest"

# Two tiers in one call, and the setting.
cp 3.db x.db
is "$(perfmon x.db retire --older-than 9999d --samples-older-than 1h)|$(said | tail -n 1)" "0||deleted the samples of $samples job$s with $processes processes" "both in one call"
cp 3.db x.db
is "$(PERFMON_RETIRE_AFTER=1h perfmon x.db retire --keep all --samples-older-than 1h)|$(said)|$(count x.db | cut -d'|' -f8)" \
	"0||deleted the samples of $samples job$s with $processes processes|3" "--keep all: the setting deletes no job"

# --- what is refused --------------------------------------------------------------------------------
is "$(perfmon x.db retire --keep all --older-than 1h)" "2|perfmon: retire: --keep all leaves nothing to do but --samples-older-than" "all, and nothing else"
is "$(perfmon x.db retire --keep all --older-than 1h --samples-older-than 1h)" "2|perfmon: retire: --keep all leaves nothing to do but --samples-older-than" "all, and jobs"
is "$(perfmon x.db retire --keep most --older-than 1h)" "2|perfmon: --keep most: it is summary, programs or all" "no tier"
is "$(perfmon x.db retire --keep summary --keep-summary --older-than 1h)" "2|perfmon: retire: --keep summary contradicts --keep-summary" "two tiers"
is "$(perfmon x.db retire --samples-older-than 30)" "2|perfmon: --samples-older-than 30: a unit is needed, as in 30d or 30h" "no unit"
is "$(perfmon x.db retire --samples-older-than 0)" "2|perfmon: --samples-older-than 0: this would delete every sample; the least is 1s" "every sample"
is "$(perfmon x.db retire --samples-older-than x | cut -c1-47)" "2|perfmon: --samples-older-than: 'x' is not a d" "no age"
is "$(perfmon x.db retire --samples-older-than 1h --to cold | cut -c1-48)" "2|perfmon: retire: --samples-older-than deletes " "with --to"

# --- what comes late ----------------------------------------------------------------------------------
# host0 and host1: one job, a host each.
mkdir host0 host1 && cp job/*n0* host0 && cp job/*n1* host1 || exit 99
for keep in programs summary; do
	rm -f y.db*
	perfmon y.db submit host0 >/dev/null
	perfmon y.db retire --older-than 1h --keep $keep >/dev/null
	rows y.db job program_summary user_day host >want
	perfmon y.db submit host1 >said
	is "$(cut -c1 said | head -n 1)|$(grep -c 'the job is retired, and only its summary kept, to which nothing can be added: --replace, with all files of the job' said)" \
		"1|1" "--keep $keep: another host of the job is refused"
	rows y.db job program_summary user_day host | cmp -s - want
	ok $? "and what is kept stays"
	is "$(perfmon y.db submit host0)|$(cat out)" "0||job 4711: already loaded, nothing new" "the files that it had are known"
	mkdir spool && tar -czf spool/late.tgz -C host1 .
	perfmon y.db submit --spool spool --remove --spool-age 0s >said
	is "$(cut -c1 said | head -n 1)|$(ls spool/failed)" "1|late.tgz
late.tgz.reason" "in a spool it is set aside"
	rm -r spool
	is "$(perfmon y.db submit --replace host0 host1)|$(sqlite3 y.db 'SELECT processes, hosts, (SELECT count(*) FROM process) FROM job')" \
		"0||60|2|60" "--replace loads it anew"
done
# Where samples alone are gone, another host is added, and a file of the same host is refused.
rm -f y.db*
mkdir early && cp v1/job-*.json v1/*.tsv early && for f in v1/*.series; do
	head -n -2 "$f" >"early/$(basename "$f")"
done
perfmon y.db submit early >/dev/null
perfmon y.db retire --samples-older-than 1h >/dev/null
perfmon y.db submit v1 >said
is "$(cut -c1 said | head -n 1)|$(grep -c 'is not stored any more: --replace, with all files of the job, loads it anew' said)" "1|1" "more samples of a host whose samples are gone"
is "$(PERFMON_DB=y.db "$PERFMON" verify 2>&1)" "y.db: 1 job checked, 0 faults" "which stays sound"
name=$(basename v1/job-*.json .json) && name=${name#job-}
mkdir more && for f in v1/job-*.json v1/*.tsv; do
	sed "s/$name/zz9/g; s/6f0a4c1e/6f0a4c1f/g" "$f" >"more/$(basename "$f" | sed "s/$name/zz9/")"
done
sqlite3 y.db "UPDATE job SET problems = '$(printf 'x%.0s' $(seq 2000)); ' || problems"
is "$(perfmon y.db submit more >said)$(sqlite3 y.db "SELECT hosts, problems LIKE '%; retired: its samples are no longer here%' FROM job")" "2|1" \
	"another host is added, and the note stays behind 2000 characters"
is "$(PERFMON_DB=y.db "$PERFMON" verify 2>&1)" "y.db: 1 job checked, 0 faults" "and the job sound"

# --- a wrong day is put right -------------------------------------------------------------------------
cp 3.db x.db
rows x.db >want
sqlite3 x.db "UPDATE user_day SET jobs = jobs + 5; INSERT INTO user_day SELECT cluster, 'nobody', day_us, 1, 0, 0 $(sqlite3 3.db "SELECT group_concat(', 0', '') FROM pragma_table_info('user_day') WHERE cid > 5") FROM user_day LIMIT 1"
perfmon x.db verify >said
is "$(cut -c1 said | head -n 1)" 1 "a day that is wrong"
is "$(perfmon x.db verify --recompute)" "0|" "verify --recompute"
rows x.db | cmp -s - want
ok $? "makes it what it was"
# --- what years of processes are read from --------------------------------------------------------
cp 3.db x.db
is "$(perfmon x.db retire --older-than 1h --to cold --parquet | cut -d'|' -f1,2)|$(sqlite3 x.db "SELECT count(*) FROM process")" "0||0" "jobs move"
if need zstd; then
	python3 "$abs_top_srcdir/tests/e2e/manage/dayfiles.py" truth 3.db >want
	python3 "$abs_top_srcdir/tests/e2e/manage/dayfiles.py" files cold 2>&1 | cmp -s want -
	ok $? "their processes are in the Parquet files beside the archives, which the next tool reads"
	is "$(wc -l <want)" "$all" "all of them"
else
	skip "Parquet files" "no $missing"
fi
done_testing
