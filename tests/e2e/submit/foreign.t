#!/bin/sh
# Files of papiex: what they say is loaded, what they do not say is unknown, what is damaged is kept.
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/database.sh
. "$abs_top_srcdir/tests/e2e/database.sh"

# Recorded by papiex itself; not part of the tree.
samples=${PM_SAMPLES:-$abs_top_srcdir/../shared/samples}
PERFMON_DB=$work/perfmon.db
export PERFMON_DB

if ! need python3 sqlite3; then
	skip "foreign" "no $missing to look into the database with"
	done_testing
fi

# submit NAME ARG...: into a database of that name.
submit()
{
	PERFMON_DB=$work/$1.db
	shift
	"$PERFMON" submit "$@" >out 2>err
}

# --- a process per file -----------------------------------------------------------------------
names=tags,hostname,exename,path,args,exitcode,exitsignal,pid,generation,ppid,pgid,sid,numtids,mpinumranks,tid,mpirank,start,end,usertime,systemtime,rssmax,minflt,majflt,cminflt,cmajflt,cutime,cstime,num_threads,starttime,processor,delayacct_blkio_time,guest_time,rchar,time_oncpu,PAPI_TOT_INS
mkdir one
{
	echo "$names"
	printf '%s\n' 'op:fft;n:a=b,n1,sh,/usr/bin/dash,a\,b "c \\n\t d,7,0,100,0,99,98,97,2,4,100,3,1700000000000000,1700000000000900,10,20,3000,5,6,7,8,90000,80000,0,40960000,0,70000,10000,11,1000,500'
	echo ',,,,,,,,,,,,,,101,3,1700000000000100,1700000000000800,1,2,2000,3,4,0,0,0,0,0,40960000,0,30000,0,12,300,400'
} >one/n1-papiex-100-0.csv
{
	echo "$names"
	echo ',,x,,,0,1,102,0,100,98,97,1,0,102,0,1700000000000200,1700000000000300,1,1,1,1,1,0,0,0,0,0,40960000,0,0,0,1,1,'
} >one/n1-papiex-102-0.csv
submit one one
is "$(query 'SELECT jobid, processes, threads, failed, killed, rejected FROM job')" "one|2|3|2|1|0" "the job is what its files say"
is "$(query 'SELECT hostname, boot_id FROM host')" "n1|" "its host, of a boot that is unknown"
is "$(query 'SELECT pid, ppid, pgid, sid, exename, path, args, tags, mpirank, numranks, numtids, start_us, end_us, duration_us, end_reason, exitcode, exitsignal, generation, version FROM process WHERE pid = 100')" \
	'100|99|98|97|dash|/usr/bin/dash|a,b "c \\n\t d|op:fft;n:a=b|3|4|2|1700000000000000|1700000000000900|900|exit|7||0|papiex' \
	"who a process was"
is "$(query 'SELECT usertime, systemtime, rssmax, minflt, majflt, rchar, time_oncpu FROM process WHERE pid = 100')" \
	"11|22|3000|8|10|23|1300" "counts are summed over threads, peaks are not"
is "$(query 'SELECT cminflt, cmajflt, cutime, cstime FROM process WHERE pid = 100')" "7|8|90000|80000" \
	"what children used is that of the process"
is "$(query 'SELECT guest_time, num_threads, starttime, processor, delayacct_blkio_time FROM process WHERE pid = 100')" \
	"10||||" "of the shifted columns one is known"
is "$(query 'SELECT id, tid, start_us, duration_us, usertime, guest_time, time_oncpu FROM thread_row')" \
	"1|100|1700000000000000|900|10|7|1000
2|101|1700000000000100|700|1|3|300" "its threads"
is "$(query 'SELECT thread_id, name, value FROM counter ORDER BY 1')" "0|PAPI_TOT_INS|900
1|PAPI_TOT_INS|500
2|PAPI_TOT_INS|400" "other columns are counters"
is "$(query 'SELECT name, value FROM tag WHERE process_id > 0 ORDER BY 1')" "n|a=b
op|fft" "tags"
is "$(query 'SELECT count(*) FROM tag WHERE process_id = 0')" 0 "which are not the job's"
is "$(query "SELECT h.hostname, p.exename, p.path, p.tags, p.numranks, p.mpirank, p.exitcode, p.exitsignal, p.end_reason, q.pid FROM process p JOIN host h ON h.id = p.host_id JOIN process q ON q.id = p.parent_id WHERE p.pid = 102")" \
	"n1|x|||||||signal|100" "what is empty is unknown, and a signal is one of unknown number"
"$PERFMON" show -j one | grep -q 'signal .* x$'
ok $? "show says that"
submit one one
is "$(cat out)" "job one: already loaded, nothing new" "the same again: a no-op"

mkdir crlf
for file in one/*.csv; do sed 's/$/\r/' "$file" >"crlf/${file#one/}"; done
submit crlf crlf
rows='SELECT pid, exename, args, guest_time, time_oncpu, (SELECT group_concat(value) FROM counter c WHERE c.process_id = p.id) FROM process p ORDER BY pid'
is "$(query "$rows")" "$(PERFMON_DB=$work/one.db query "$rows")" "lines that end as Windows ends them"

# --- collated ---------------------------------------------------------------------------------
mkdir two
fixed='tags	hostname	exename	path	exitcode	exitsignal	pid	generation	ppid	pgid	sid	numtids	start	end	args'
printf '{usertime,systemtime,rssmax,time_oncpu,delayacct_blkio_time,EV}\t%s\n' "$fixed" >two/n2-papiex-header.tsv
line()
{
	printf '{%s}\t\tn2\tcat\t/bin/cat\t0\t0\t%s\t0\t1\t1\t1\t%s\t%s\t%s\t%s\n' "$@"
}
{
	line 1,2,30,4,50000,6,7,8,90,10,11,12 200 2 1700000000000000 1700000000000009 'x\ty  z'
	line 1,2,30,4,50000,6 200 1 1700000000000010 1700000000000011 '"a ""b"""'
} >two/n2-papiex.tsv
submit two two
is "$(query 'SELECT pid, numtids, usertime, systemtime, rssmax, time_oncpu, guest_time, args, generation FROM process ORDER BY start_us')" \
	'200|2|8|10|90|14|5|x\\ty \e z|0
200|1|1|2|30|4|5|a "b"|0' "a collated file; a pid that came again is another process"
is "$(query 'SELECT id, tid, start_us, usertime, time_oncpu FROM thread_row')" "1|200||1|4
2|||7|10" "ids of threads are unknown, their counts are not"
is "$(query 'SELECT value FROM counter WHERE process_id = 1 ORDER BY thread_id')" "18
6
12" "their counters"

mkdir three
printf '{usertime,systemtime}\t%s\n' "$fixed" >three/n2-papiex-header.tsv
line 1,2,3,4,5,6,7,8 200 4 1700000000000000 1700000000000009 x >three/n2-papiex.tsv
submit three three
is "$(query 'SELECT id, tid, usertime FROM thread_row ORDER BY id' | tr '\n' ' ')" "1|200|1 2||3 3||5 4||7 " \
	"threads without an id keep their order"
sed "s/$(printf '\tstart')//" three/n2-papiex-header.tsv >header && mkdir startless && mv header startless/n2-papiex-header.tsv && cp three/n2-papiex.tsv startless/
submit startless startless
is "$(query 'SELECT processes FROM job')|$(query 'SELECT reason FROM reject ORDER BY id LIMIT 1')" "0|columns pid and start are missing" \
	"without the column that says when it began no process is known"

# The names may come late, and in an archive.
tar -cf late.tar two/n2-papiex.tsv two/n2-papiex-header.tsv
submit late late.tar
rows='SELECT id, parent_id, pid, usertime, rssmax, time_oncpu, end_us, args FROM process ORDER BY id'
is "$(query "$rows")" "$(PERFMON_DB=$work/two.db query "$rows")" "the names may come behind the lines"

# Without names, those that papiex writes.
mkdir bare
i=1
metrics=$(while [ $i -lt 28 ]; do printf '%s,' $i; i=$((i + 1)); done)28
line "$metrics" 7 1 1700000000000000 1700000000000009 '' >bare/n2-papiex.tsv
submit bare bare
is "$(query 'SELECT usertime, cstime, guest_time, rchar, timeslices FROM process')" "1|13|0|19|28" "or be missing"

# --- damage -----------------------------------------------------------------------------------
mkdir hurt
{
	line 1,2,30,4,50000,6 300 1 1700000000000000 1700000000000009 good
	line 1,2,30,4,50000,6,7 301 1 1700000000000000 1700000000000009 'a value too many'
	line 1,2,30,4,x,6 302 1 1700000000000000 1700000000000009 'no number'
	line 1,2,30,4,50000,6 303 2 1700000000000000 1700000000000009 'a thread too few'
	line 1,2,30,4,50000,6 304 1 now 1700000000000009 'no time'
	line 1,2,30,4,50000,6 x 1 1700000000000000 1700000000000009 'no pid'
	line 1,2,30,4,50000,6 300 1 1700000000000000 1700000000000009 'again'
	echo garbage
	line -1,2,30,4,50000,6 305 1 1700000000000000 1700000000000009 'negative'
	printf 'a\0b\n'
	line 1,2,30,4,50000,6 306 1 1700000000000000 1700000000000009 "$(printf '"\377 unbalanced')"
	line 1,2,30,4,50000,6 307 1 1700000000000000 1700000000000009 cut | tr -d '\n'
} >hurt/n2-papiex.tsv
cp two/n2-papiex-header.tsv hurt
submit hurt hurt
is $? 1 "a damaged file: exit status 1"
is "$(query 'SELECT pid, args, usertime, systemtime, guest_time FROM process ORDER BY 1')" '300|good|1|2|5
302|no number|1|2|
305|negative||2|5
306|"\xff unbalanced|1|2|5' "the rest loads; a metric that is no number, or negative, is unknown"
is "$(query 'SELECT r.line, r.reason FROM reject r JOIN load l ON l.id = r.load_id WHERE l.file = '"'n2-papiex.tsv'"' ORDER BY 1')" \
	"2|the number of values does not match the threads and column names
4|the number of values does not match the threads and column names
5|start: not a number
6|pid: not a number
7|duplicate: this image started before
8|too few fields: the line is cut
10|a NUL byte
12|the line is cut: it has no newline" "each line that does not is kept, with its reason"
is "$(query "SELECT CAST(bytes AS TEXT) FROM reject WHERE line = 8")" garbage "and its bytes"
is "$(query "SELECT sum(lines), sum(rejected), (SELECT count(*) FROM process) FROM load WHERE file = 'n2-papiex.tsv'")" \
	"12|8|4" "no line is lost"

mkdir torn
{
	sed -n 1,2p one/n1-papiex-100-0.csv
	sed -n 3p one/n1-papiex-100-0.csv | sed 's/,2000,/,/'
	sed -n 2p one/n1-papiex-102-0.csv
	sed -n 3p one/n1-papiex-100-0.csv
	sed -n 2p one/n1-papiex-102-0.csv
} >torn/n1-papiex-0-0.csv
submit torn torn
is $? 1 "CSV with a broken thread: exit status 1"
is "$(query 'SELECT pid, usertime, rssmax, numtids, cminflt FROM process ORDER BY 1')" "100||3000|2|7
102|1|1|1|0" "its process has no sums"
is "$(query 'SELECT tid, usertime FROM thread_row')" "100|10" "the other thread is there"
is "$(query 'SELECT line, reason FROM reject')" "3|too few fields: the line is cut
5|a thread without a process: no line before it has a pid
6|duplicate: this image started before" "what is broken is kept"
grep -q '1 threads of .* missing' err
ok $? "and said"
printf 'nothing\nat all\n' >torn/x-papiex-1-0.csv
submit none torn
is "$(query "SELECT r.line, r.reason FROM reject r JOIN load l ON l.id = r.load_id WHERE l.file LIKE 'x%'")" "1|no line with the column names before it
2|no line with the column names before it" "lines without names"

# Bytes of collated files and of CSV changed at random: every line is a process or is kept.
python3 - <<'END' || exit 99
import os, random
random.seed(7)
names = open("one/n1-papiex-102-0.csv").readline()
for form in "tsv", "csv":
    os.mkdir("random-" + form)
    for f in range(50):
        rows = []
        for i in range(40):
            pid, start = 1000 + i, 1700000000000000 + f * 10**6 + i
            if form == "tsv":
                rows.append("{1,2,30,4,50000,6}\t\tn2\tcat\t/bin/cat\t0\t0\t%d\t0\t1\t1\t1\t1\t%d\t%d\tx y\n" % (pid, start, start + 9))
            else:
                rows.append(",n1,x,,a\\,b,0,0,%d,0,1,1,1,1,0,%d,0,%d,%d,1,1,1,1,1,0,0,0,0,0,40960000,0,0,0,1,1,\n" % (pid, pid, start, start + 9))
        data = bytearray("".join(rows).encode())
        for i in range(len(data) // 200):
            data[random.randrange(len(data))] = random.randrange(256)
        with open("random-%s/h%d-papiex%s.%s" % (form, f, "" if form == "tsv" else "-1-0", form), "wb") as out:
            out.write((names.encode() if form == "csv" else b"") + data)
        if form == "tsv":
            with open("random-tsv/h%d-papiex-header.tsv" % f, "w") as out:
                out.write(open("two/n2-papiex-header.tsv").read())
END
for form in tsv csv; do
	submit "random-$form" "random-$form"
	is $? 1 "$form with bytes changed at random: exit status 1"
	is "$(query 'SELECT sum(lines) = (SELECT count(*) FROM process) + (SELECT count(*) FROM reject), sum(lines) > 1900, (SELECT count(*) FROM reject) > 100, (SELECT count(*) FROM process) > 500 FROM load')" \
		"1|1|1|1" "$form: processes and rejected lines are all lines"
done

# --- recorded by papiex -----------------------------------------------------------------------
if [ -d "$samples/papiex" ]; then
	for form in collated collated-papi csv; do
		submit "$form" "$samples/papiex/$form"
		is "$(query 'SELECT processes, threads, failed, killed, rejected FROM job')" "45|49|4|2|0" \
			"$form: 45 processes, one of 5 threads, none rejected"
		is "$(query "SELECT exename, count(*) FROM process WHERE exename = 'true' GROUP BY 1")" "true|30" \
			"$form: 30 of true"
		is "$(query "SELECT DISTINCT substr(args, -11) FROM process WHERE exename = 'true'")" ' a,b quo"te' \
			"$form: their arguments"
		is "$(query "SELECT exename, exitcode, end_reason FROM process WHERE exitcode <> 0 OR end_reason = 'signal' ORDER BY start_us")" \
			"false|1|exit
dash|7|exit
dash||signal
sort||signal" "$form: how they ended"
		is "$(query "SELECT tags, numtids, (SELECT count(*) FROM thread_row t WHERE t.process_id = p.id), (SELECT count(*) FROM counter c WHERE c.process_id = p.id) FROM process p WHERE numtids > 1")" \
			"op:fft;op_instance:3|5|5|$([ $form = collated-papi ] && echo 6 || echo 0)" "$form: threads and tags"
		is "$(query 'SELECT count(*), count(num_threads), count(starttime), count(processor), count(delayacct_blkio_time), sum(guest_time) FROM process')" \
			"45|0|0|0|0|0" "$form: what papiex shifted is unknown"
		is "$(query 'SELECT count(*) FROM process WHERE parent_id IS NULL')" 1 "$form: one root"
	done
	is "$(query "SELECT args FROM process WHERE exename = 'printf'")" '%s back\\there \ttab line\ntwo é漢' \
		"csv: every byte of the arguments"
else
	skip "files recorded by papiex" "no $samples"
fi

done_testing
