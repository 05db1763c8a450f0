#!/bin/sh
# For users of EPMT: every command of the table epmt.def runs, on a small database; the dialect of a link named
# epmt; EPMT's options and answers.
# shellcheck disable=SC2154,SC2016 # set by lib.sh; text for other shells
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/database.sh
. "$abs_top_srcdir/tests/e2e/database.sh"
# shellcheck source=tests/e2e/postgres.sh
. "$abs_top_srcdir/tests/e2e/postgres.sh"

ln -s "$PERFMON" epmt
epmt=$work/epmt
tab=$(printf '\t')

# --- a database of four jobs and a model, the directory and the archive of one ---------------------
record()
{
	PERFMON_JOB_TAGS="exp_name:esm;exp_component:ocean;exp_time:$2" "$PERFMON" -q -a run -j "$1" --tags op:remap sh -c 'true & wait'
}
record 4711 18540101 && record 4712 18590101 && record 4713 18640101 && record 4714 18690101
ok $? "jobs are recorded"
mv "$PERFMON_OUTPUT_PREFIX"/*/471? . && mv 4711 dir && cp -R dir kept && "$PERFMON" -q stage --stage-to "$work" dir &&
	mv ./*.tgz job.tgz && mv kept dir
ok $? "and packed"
PERFMON_DB=$work/base.db "$PERFMON" -q submit job.tgz 471? && PERFMON_DB=$work/base.db "$PERFMON" -q annotate 4711 y=1 &&
	PERFMON_DB=$work/base.db "$PERFMON" -q model create old 4711 4712 4713
ok $? "and loaded, and make a model"
rm -r 471?

# --- every row ------------------------------------------------------------------------------------

# run_line COMMAND [postgres]: 0 if a command, a query or a setting does what it says, or its error is printed.
# Only one that converts what is no archive of EPMT may fail.
run_line()
(
	rm -rf row && mkdir -p row/spool row/prefix && cp -R dir job.tgz base.db row && cd row || exit 99
	PERFMON_DB=$PWD/base.db PERFMON_OUTPUT_PREFIX=$PWD/prefix
	export PERFMON_DB PERFMON_OUTPUT_PREFIX
	command=$(printf '%s\n' "$1" | sed 's/\<JOB\>/4711/g; s/\<DIR\>/dir/g; s/\<ARCHIVE\>/job.tgz/g; s/\<SPOOL\>/spool/g
		s/\<NEW\>/new/g; s/\<MODEL\>/old/g; s/\<EXPERIMENT\>/esm/g')
	case $command in
	"perfmon "*)
		set -f
		eval "set -- ${command#perfmon }"
		case $command in
		*"-j 4711"*) "$PERFMON" -q start -j 4711 ;;
		*" source"* | *" stop"*) "$PERFMON" -q start ;;
		esac
		# It stays until its user ends it: e2e/report/notebook.t.
		case $command in *" notebook"*) set -- "$@" --help ;; esac
		case $command in *--watch*) set -- "$@" --spool-age 1s; limit='timeout 1' ;; *) limit= ;; esac
		$limit "$PERFMON" "$@" >out 2>err </dev/null
		case $?$command in 0* | 124*--watch* | 1*" convert "*) exit 0 ;; esac
		;;
	"SELECT "*)
		[ "${2-}" ] || { query "$command" >out 2>err && exit 0; }
		[ ! "${2-}" ] || { postgres_sql epmt -c "$command" >out 2>err && exit 0; }
		;;
	*)
		mkdir -p "$XDG_CONFIG_HOME/perfmon" && printf '%s\n' "$command" >"$XDG_CONFIG_HOME/perfmon/perfmon.conf"
		(unset PERFMON_DB PERFMON_OUTPUT_PREFIX PERFMON_LIBRARY && "$PERFMON" config) >out 2>err
		rm "$XDG_CONFIG_HOME/perfmon/perfmon.conf"
		grep -q "^${command%% *} = .*perfmon.conf:1" out && [ ! -s err ] && exit 0
		;;
	esac
	head -n 1 err
	exit 1
)

# run_rows FILE: what is wrong with the rows, of which each command runs once.
run_rows()
{
	awk -F '\t' '$4 == "" { print $3 ": no command" }' "$1"
	awk -F '\t' '!seen[$4]++' "$1" >once
	while IFS=$tab read -r kind of name command; do
		[ "$command" ] || continue
		why=$(run_line "$command") || echo "$kind $of $name: $command: $why"
	done <once
}
"$PERFMON" help epmt-rows | awk -F '\t' 'BEGIN { OFS = "\t" } { $2 = $2 == "" ? "-" : $2; print }' >rows
is "$(run_rows rows)" "" "the command of every row can be used: $(wc -l <rows) rows"
printf 'verb\t-\tplanted\tperfmon lisst jobs\ncall\tepmt_query\tplanted\tSELECT nothing FROM job
setting\t-\tplanted\tno_setting = 1\nverb\t-\tempty\t\nverb\t-\tplanted\tperfmon list --no-such-option\n' >planted
is "$(run_rows planted | wc -l)" 5 "rows of a wrong verb, column, setting, option and an empty one are noticed"

# The page has them all, none with an empty cell.
page=$abs_top_srcdir/man/perfmon-epmt.7
is "$(grep -c '|T{$' "$page")" "$(wc -l <rows)" "perfmon-epmt(7) has a row for each"
is "$(grep -A 1 '|T{$' "$page" | grep -c '^\\fB.\+\\fR$')" "$(wc -l <rows)" "none of them empty"

if postgres_start; then
	PERFMON_DB=$(postgres_url epmt) && export PERFMON_DB
	postgres_sql postgres -c 'CREATE DATABASE epmt' && "$PERFMON" -q submit job.tgz
	bad=
	grep "${tab}SELECT " rows | cut -f 4 | sort -u >queries
	while IFS= read -r command; do
		why=$(run_line "$command" postgres) || bad="$bad$command: $why
"
	done <queries
	is "$(PERFMON_DB=postgresql+psycopg2:${PERFMON_DB#postgresql:} "$PERFMON" list --csv | wc -l)" 2 \
		"a driver in the URL of a server has no effect"
	is "$bad" "" "the queries run on PostgreSQL as well: $(wc -l <queries)"
	"$PERFMON" annotate 4711 'EPMT_JOB_TAGS=exp_name:other;bare'
	is "$("$PERFMON" dump -k tags 4711 | tr '\n' ' ')$("$PERFMON" list --csv --tag bare | grep -c 4711)$("$PERFMON" verify | grep -c ' 0 faults')" \
		"bare 1 exp_name other 11" "and tags are set there"
	unset PERFMON_DB
	postgres_stop fast
else
	skip "the queries on PostgreSQL" "$postgres_missing"
fi

# --- URLs of databases ------------------------------------------------------------------------------
mkdir urls
for url in sqlite:///urls/a.db sqlite:////"$work"/urls/b.db sqlite:urls/c.db sqlite:"$work"/urls/d.db urls/e.db \
	'sqlite+pysqlite:///urls/f.db?timeout=5'; do
	"$PERFMON" -q submit --db "$url" job.tgz || diag "$url"
done
is "$(cd urls && echo *)" "a.db b.db c.db d.db e.db f.db" "three slashes before a relative path, four before an absolute one"
is "$(PERFMON_DB=sqlite:///urls/a.db "$PERFMON" list --csv | wc -l)" 2 "in the environment as well"
for url in sqlite:// sqlite:///:memory: :memory: sqlite::memory:; do
	"$PERFMON" submit --db "$url" job.tgz >out 2>err
	is "$?:$(cat out err)" \
		"1:perfmon: database :memory: would be gone when this command ends: give a path, sqlite:PATH or postgresql://..." \
		"$url is refused"
done
PERFMON_DB=sqlite://urls/a.db "$PERFMON" list 2>err
is "$?:$(cat err)" \
	"1:perfmon: database sqlite://urls/a.db: a relative path is sqlite:///PATH, an absolute one sqlite:////PATH" \
	"two slashes are an error"
"$PERFMON" list --db mysql+pymysql://h/d 2>err
is "$?:$(cat err)" "2:perfmon: --db: database mysql+pymysql:...: give a path, sqlite:PATH or postgresql://..." "another engine, too"

# --- the dialect -----------------------------------------------------------------------------------
PERFMON_DB=$work/base.db
export PERFMON_DB
same()
{
	name=$1
	shift
	"$epmt" "$@" >a 2>err
	status=$?
	sh -c "$as" "$PERFMON" >b 2>/dev/null
	is "$status:$(cmp a b 2>&1)$(cat err)" "0:" "$name"
}
as='"$0" list processes 4711'
same "epmt list procs jobs=JOB" list procs jobs=4711
same "a list of Python" list procs "jobs=['4711']"
as='"$0" list jobs --tag "exp_name:esm;exp_component:ocean" --limit 5'
same "tags as a dict, and a limit" list jobs "tags={'exp_name': 'esm', 'exp_component': 'ocean'}" limit=5
same "tags as a text" list 'tags=exp_name:esm;exp_component:ocean' limit=5 fmt=terse
as='"$0" list --host pp208,pp212'
same "hosts" list jobs "hosts=['pp208', 'pp212']"
as='"$0" list --after -7d --before 2038-01-01T10:30'
same "times" list jobs after=-7 'before=01/01/2038 10:30'
as='"$0" list tags 4711'
same "job_proc_tags" list job_proc_tags 4711
as='"$0" list jobs --where "analyzed_us IS NULL"'
same "unanalyzed_jobs" list unanalyzed_jobs
as='"$0" list jobs 4711'
same "a job" list 4711
as='"$0" list --json'
same "perfmon's own options" list --json
as='"$0" list --json'
same "the form of Python" list jobs fmt=dict
as='"$0" list --csv'
same "and of pandas" list jobs "fmt='pandas'"
as='"$0" explore esm --metric duration_us'
same "metric duration" explore esm --metric duration
same "metric=duration" explore esm --metric=duration
as='"$0" help submit'
same "help of a verb" help submit
as='"$0" events cpu-clock'
same "a verb that EPMT lacks" events cpu-clock
"$epmt" -q submit -p job.tgz && "$epmt" -q submit -p 4 job.tgz && "$epmt" -qp4 submit job.tgz
ok $? "submit -p, with a number and without"
"$epmt" -v submit --num-cpus=3 job.tgz >out 2>err
grep -q '^perfmon: --num-cpus has no effect: .*one writer' err
ok $? "-v says that it has no effect"
is "$("$epmt" -v list merge_proc_sums=True 2>&1 >/dev/null)" \
	"perfmon: merge_proc_sums has no effect: sums are columns of the job" "and so of a filter"
is "$("$epmt" -q lint 2>&1; "$epmt" lint --quiet 2>&1)" "" "-q says nothing"
is "$("$epmt" help api get_roots detect_rootcause | grep -c '^epmt_')" 2 "help api of calls"
is "$("$epmt" help api | grep -c '^epmt_')" "$(grep -c '^call' rows)" "help api of all"
"$epmt" help api no_such_call 2>err
is "$?:$(cat err)" "1:perfmon: 'no_such_call' is no call of EPMT's Python API; epmt help api lists them" "of none"

# answer STATUS TEXT WORDS...
answer()
{
	want=$1:$2
	shift 2
	"$epmt" "$@" >out 2>err </dev/null
	is "$?:$(cat out err)" "$want" "epmt $*"
}
answer 0 "perfmon: warning: epmt list unprocessed_jobs is no longer needed: submit has processed every job; status lists those not loaded yet" list unprocessed_jobs
answer 0 "perfmon: warning: epmt lint is no longer needed: perfmon is compiled and has no Python source to look at" lint
answer 0 "perfmon: warning: epmt concat is no longer needed: submit and stage read the files as they are, one for each process or collated" concat -o x a.csv
answer 0 "perfmon: warning: epmt daemon is no longer needed without -i: submit has processed every job" daemon -s --post-process
answer 2 "perfmon: epmt daemon --retire: a line for crontab(5); use: perfmon retire --older-than 14d" daemon --retire
answer 2 "perfmon: epmt daemon --start: nothing goes to the background by itself: the unit perfmon-submit-watch.service does, or an & of the shell; -D watches in the foreground; use: perfmon submit --watch --spool SPOOL" daemon -s -i spool
answer 2 "perfmon: epmt daemon --ingest: the directory has to be named; use: perfmon submit --watch --spool SPOOL" daemon -D -i
answer 2 "perfmon: epmt stage --no-compress-and-tar: submit loads a directory as it is, so none is packed for it; use: perfmon submit DIR" stage --no-compress-and-tar dir
answer 2 "perfmon: epmt list order: a word in place of an expression of the ORM; use: perfmon list jobs --order duration" list jobs 'order=desc(Job.start)'
answer 2 "perfmon: epmt list: jobs has no filter 'colour'; see perfmon-epmt(7)" list jobs colour=red
answer 2 "perfmon: epmt list: one job at a time; use: perfmon list processes 1" list procs jobs=1,2
is "$("$epmt" list op_metrics jobs=nosuch1,nosuch2 2>&1 | grep -c "nosuch1: no such job")" 1 "operations are of several jobs"
answer 2 "perfmon: retire: set the age with --older-than, as 90d, or with the setting retire_after" retire
"$PERFMON" stage --no-compress-and-tar dir 2>err
is "$?:$(cut -d ';' -f 1 err)" "2:perfmon: epmt stage --no-compress-and-tar: submit loads a directory as it is, so none is packed for it" \
	"perfmon says so, too"
"$epmt" gui 2>err
is "$?:$(grep -c '^perfmon: epmt gui: there is no dashboard: .*; use: perfmon report JOB$' err)" 2:1 "epmt gui"
"$PERFMON" gui 2>err
is "$?:$(grep -c '^perfmon: epmt gui: .*; use: perfmon report JOB$' err)" 2:1 "perfmon gui says so, too"
mkdir -p bin && printf '#!/bin/sh\necho "$0" "$@" "${PGPASSWORD-}"\n' >bin/sqlite3 && cp bin/sqlite3 bin/psql && chmod +x bin/*
is "$(PATH=$work/bin:$PATH "$epmt" shell)" "$work/bin/sqlite3 $work/base.db " "epmt shell is sqlite3 on the database"
is "$(PATH=$work/bin:$PATH PERFMON_DB='postgresql://me:p%40ss@h/d' "$epmt" python)" \
	"$work/bin/psql postgresql://me@h/d p@ss" "or psql, its password apart"
is "$(PATH=$work/bin:$PATH PERFMON_DB='postgresql://h/d?user=me&password=s%20x&connect_timeout=3&password=last' "$epmt" shell)" \
	"$work/bin/psql postgresql://h/d?user=me&connect_timeout=3& last" "wherever it stands"
PATH=$work/none "$epmt" shell 2>err
is "$?:$(cut -d ';' -f 1 err)" "1:perfmon: sqlite3 is not installed" "or says that it is not installed"
if need timeout; then
	mkdir spool && cp job.tgz spool && timeout 2 "$epmt" daemon -Dki spool --spool-age 1ms >out 2>&1
	is "$?:$(ls spool/loaded)" "124:job.tgz" "epmt daemon -i DIR loads what is there, and goes on"
fi

# --- options that EPMT has -------------------------------------------------------------------------
printf 'no archive' >bad.tgz
cp bad.tgz bad2.tgz
export PERFMON_DB="$work/options.db"
"$PERFMON" -q submit -e bad.tgz job.tgz bad2.tgz 2>err
is "$?:$("$PERFMON" list --csv 2>/dev/null | wc -l)" "1:1" "submit -e ends at the first that fails"
"$PERFMON" -q submit bad.tgz job.tgz bad2.tgz 2>err
is "$?:$("$PERFMON" list --csv | wc -l)" "1:2" "without it the others are loaded"
"$PERFMON" submit -m bad.tgz 2>err
is "$?:$(cat err)" "2:perfmon: --move-away needs the setting failed_to, the directory to move to" "submit -m needs a directory"
"$PERFMON" -q submit -n -m --failed-to away bad.tgz 2>/dev/null
is "$(ls -d away bad.tgz 2>/dev/null)" bad.tgz "a dry run moves nothing"
"$PERFMON" -q submit -m --failed-to away/failed bad.tgz job.tgz bad2.tgz 2>err
is "$?:$(ls away/failed ./*.tgz | tr '\n' ' ')" "1:./job.tgz  away/failed: bad.tgz bad2.tgz " "submit -m moves what failed, and that alone"
cp away/failed/bad.tgz . && "$PERFMON" -q submit -m --failed-to away/failed bad.tgz 2>err
is "$?:$(ls bad.tgz):$(grep -c 'bad.tgz stays: move to away/failed/bad.tgz: File exists' err)" "1:bad.tgz:1" "nothing is overwritten"
if [ -d /dev/shm ] && [ -w /dev/shm ] && [ "$(stat -c %d /dev/shm)" != "$(stat -c %d .)" ]; then
	other=$(mktemp -d /dev/shm/perfmon-test.XXXXXX) && "$PERFMON" -q submit -m --failed-to "$other" bad.tgz 2>err
	is "$?:$(ls bad.tgz):$(ls "$other")" "1:bad.tgz:" "nor lost on another file system"
	grep -q 'bad.tgz stays: .* is on another file system' err
	ok $? "which is said"
	rmdir "$other"
fi
# Somebody's link must not carry away what it points to.
mkdir victim && cp bad.tgz victim/kept.tgz && ln -s victim/kept.tgz link.tgz && ln -s victim theirs
"$PERFMON" -q submit -m --failed-to away/failed link.tgz 2>err
is "$?:$(ls victim link.tgz | tr '\n' ' '):$(grep -c 'link.tgz stays: .*symbolic link' err)" "1:link.tgz  victim: kept.tgz :1" "a link is not followed"
if [ "$(id -u)" -eq 0 ]; then
	chown -h 65534 theirs
	"$PERFMON" -q submit -m --failed-to away/failed theirs/kept.tgz 2>err
	is "$?:$(ls victim):$(grep -c "theirs/kept.tgz stays: somebody's symbolic link" err)" "1:kept.tgz:1" "nor one of another user's on the way"
	chown -h 0 theirs
fi
"$PERFMON" -q submit -m --failed-to away/failed theirs/kept.tgz 2>err
is "$?:$(ls victim):$(ls away/failed/kept.tgz)" "1::away/failed/kept.tgz" "but one's own"
mkdir empty && "$PERFMON" -q stage -e --stage-to "$work/staged" empty dir 2>err
is "$?:$(ls -d dir)" "1:dir" "stage -e ends at the first that fails"

"$PERFMON" annotate 4711 'EPMT_JOB_TAGS=exp_name:other;bare' && "$PERFMON" list --csv --tag 'exp_name:other;bare' | grep -q 4711
ok $? "annotate EPMT_JOB_TAGS sets the tags of a loaded job"
is "$(query 'SELECT tags, (SELECT count(*) FROM tag_set WHERE id = 0) FROM job')" '{"bare":"1","exp_name":"other"}|2' \
	"in place of those it had"
"$PERFMON" verify >out
ok $? "and the database is sound"
is "$("$PERFMON" dump -k tags 4711 | tr '\n' ' ')" "bare 1 exp_name other " "dump -k tags of a loaded job"
is "$("$PERFMON" dump -k annotations 4711)" "EPMT_JOB_TAGS exp_name:other;bare" "and annotations"
"$PERFMON" dump dir >a
"$PERFMON" dump 4711 | grep -v '^tags\|^annotations' >b
is "$(grep -v '^tags\|^annotations\|^events' a | diff - b)" "" "a loaded job dumps as what was recorded"
is "$("$PERFMON" dump '#1' -k jobid):$("$PERFMON" dump --json 4711 | grep -c '"format": "perfmon-job-1"')" "4711:1" \
	"by its number, and as JSON"
"$PERFMON" dump 4712 2>err
is "$?:$(cat err)" "1:perfmon: job 4712 is not known" "a job that nobody knows"
cp -R dir dir2 && "$PERFMON" annotate dir2 EPMT_JOB_TAGS=exp_name:third && "$PERFMON" dump -k tags dir2 >out
is "$(cat out)" "exp_name third" "annotate EPMT_JOB_TAGS of a directory"
"$PERFMON" annotate 4711 'EPMT_JOB_TAGS=password:hunter2x' 2>err
is "$("$PERFMON" dump 4711 | grep -c hunter2x):$(grep -c 'looks like a secret' err)" "0:1" "without secrets"
"$PERFMON" annotate 4711 x= && "$epmt" annotate 4711 y= 2>err
is "$?:$(cat err)" "2:perfmon: 'y=' has no value" "epmt annotate x= fails"

if need python3; then
	mkdir epmt-job && python3 - <<-'END'
		import datetime, pickle
		t = datetime.datetime(2019, 6, 15, 8, 0)
		pickle.dump({"job_pl_id": "685000", "job_pl_username": "me", "job_pl_start_ts": t, "job_el_stop_ts": t + datetime.timedelta(hours=1),
		    "job_pl_hostname": "pp208", "job_pl_env": {}, "job_el_env": {}, "job_el_exitcode": 0, "job_el_reason": "none",
		    "annotations": {"x": "100", "EPMT_JOB_TAGS": "exp_name:esm"}}, open("epmt-job/job_metadata", "wb"))
	END
	printf '%s\n' 'tags,hostname,exename,path,args,exitcode,exitsignal,pid,generation,ppid,pgid,sid,numtids,numranks,tid,mpirank,start,end,usertime,systemtime' \
		',pp208,true,/bin/true,,0,0,10,0,1,10,10,1,1,10,0,1560585600000000,1560585601000000,5,6' >epmt-job/pp208-papiex-10-0.csv
	tar -C epmt-job -czf 685000.tgz ./job_metadata ./pp208-papiex-10-0.csv
	is "$("$PERFMON" dump -k annotations 685000.tgz 2>err | sort | tr '\n' ' ')$(cat err)" \
		"EPMT_JOB_TAGS exp_name:esm x 100 " "dump -k annotations of an archive of EPMT"
	is "$("$PERFMON" dump -k job_pl_id epmt-job):$("$PERFMON" dump -k tags 685000.tgz)" "685000:exp_name esm" "and other keys"
fi

# --- events by host and processor --------------------------------------------------------------------
model=$(sed -n 's/^model name[[:space:]]*: //p' /proc/cpuinfo | head -n 1)
mkdir -p root/proc && printf 'processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 85\nmodel name\t: Xeon (test)\nstepping\t: 4\n\nprocessor\t: 1\nmodel name\t: other\n' >root/proc/cpuinfo
by() { "$PERFMON" check --root root --options cpu-clock "$@" counters.options | sed -n 's/^[a-z]*  *counters.options *//p' | cut -d : -f 1 | tr '\n' ' '; }
is "$(by)" "cpu-clock " "no rule"
is "$(by --events-by-host "^$(hostname)\$=page-faults; nowhere=cs")" "events_by_host cpu-clock page-faults " "a rule of this host"
is "$(by --events-by-cpu '^6/85/=page-faults; Xeon [(]test=cs; other=minor-faults; ^85=major-faults')" \
	"events_by_cpu events_by_cpu cpu-clock page-faults cs " "rules of the processor, by number and by name"
"$PERFMON" check --events-by-host '(=cs' 2>err
is "$?:$(cat err)" "2:perfmon: --events-by-host: '(' is no regular expression: Unmatched ( or \\(" "a bad expression is named"
PERFMON_EVENTS_BY_CPU='a=b; [' "$PERFMON" config 2>&1 >out | grep -q "environment PERFMON_EVENTS_BY_CPU: '\[' is not EXPRESSION=VALUE; ignored"
ok $? "in the environment it is ignored, and said"
if PERFMON_OPTIONS=page-faults "$PERFMON" check counters.options >/dev/null 2>&1; then
	PERFMON_EVENTS_BY_HOST='.=page-faults' PERFMON_EVENTS_BY_CPU=${model:+.=cpu-clock} "$PERFMON" -q -a run --options cs -j by true
	job=$(ls -d "$PERFMON_OUTPUT_PREFIX"/*/by)
	is "$(grep -o '"options": *"[^"]*"' "$job"/job-*.json)" "\"options\": \"cs,page-faults${model:+,cpu-clock}\"" \
		"a job's metadata has what applies"
	is "$("$PERFMON" list counters "$job" --csv | cut -d , -f 4 | grep -c 'page-faults')" 1 "and its programs are counted by it"
else
	skip "a job with events by host" "no events here"
fi

# --- a job script of EPMT ----------------------------------------------------------------------------
cat >script.sh <<-'END'
	set -e
	epmt start
	epmt annotate note=first
	eval `epmt source`
	true
	epmt_uninstrument
	true
	epmt_instrument
	true
	epmt_uninstrument
	epmt stop
	epmt stop
	epmt submit
END
"$epmt" -a run 'echo a  | tr a b; exit 3' >out
is "$?:$(cat out)" "3:b" "epmt run of a line for a shell"
cp "$PERFMON_DB" gone.db
is "$(PERFMON_DB=gone.db "$epmt" -q delete 4711 </dev/null 2>&1; PERFMON_DB=gone.db "$PERFMON" list --csv | wc -l)" "1" \
	"epmt delete asks nothing"
if need tcsh; then
	printf '%s\n' 'epmt start' 'eval `epmt source --shell csh`' true epmt_uninstrument true 'epmt stop' >script.csh
	PATH=$work:$PATH SLURM_JOB_ID=78 tcsh -f script.csh >out 2>err
	is "$?:$(cat err):$("$PERFMON" list processes 78 --csv 2>/dev/null | wc -l)" "0::2" "a script of csh: one process is recorded"
fi
if need setsid; then
	PATH=$work:$PATH setsid -w sh -c 'epmt start && epmt stop && epmt stop' 2>err
	is "$?:$(sed 's/[0-9-]*//g' err)" "0:perfmon: warning: job  is closed already" "a second stop without a batch system"
	PATH=$work:$PATH setsid -w sh -c 'epmt stop' 2>err
	is "$?:$(cat err)" "1:perfmon: no job is open; see perfmon start" "a stop without a start fails"
fi
PATH=$work:$PATH SLURM_JOB_ID=77 sh script.sh >out 2>err
is "$?:$(cat err)" "0:perfmon: warning: job 77 is closed already" "a job script of EPMT, which stops twice"
is "$("$PERFMON" list processes 77 --csv | cut -d , -f 12 | grep -c true)" 0 "builtins start no process"
done_testing
