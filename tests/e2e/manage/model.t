#!/bin/sh
# model, rootcause, analyze: what a model keeps, what is judged by it, and when; of either engine the same.
# shellcheck disable=SC2154,SC2016,SC2086 # set by lib.sh; expanded by the command; words
. "${abs_top_srcdir:?}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/postgres.sh
. "$abs_top_srcdir/tests/e2e/postgres.sh"

if ! need python3 sqlite3 timeout || ! python3 -c 'import sqlite3'; then
	skip "model" "no python3 with sqlite3, no sqlite3, or no timeout"
	done_testing
fi
cp -R "$abs_top_srcdir/tests/golden/report/busy" busy && chmod -R u+w busy
PERFMON_DB=$work/jobs.db
export PERFMON_DB PERFMON
"$PERFMON" -q submit busy 2>/dev/null
cp "$abs_top_srcdir/tests/e2e/madejobs.py" made.py
python3 - <<-'END'
	from made import *
	good = [60, 61, 62, 63, 64, 65, 66, 67]
	make("jobs.db", {
	    # The ninth job takes twice as long, and reads ten times as much.
	    "ocean / atm": ({"exp_name": "ocean", "exp_component": "atm"}, {"duration_us": [1000000 * v for v in good] + [130000000],
	        "cpu_time": [900000 * v + v * v for v in good] + [59000000], "processes": [7] * 9, "rchar": [10**9 + v for v in good] + [10**10],
	        "wchar": [5] * 8 + [None]}),
	    "spin": ({}, {"duration_us": [5000000 + i for i in range(6)] + [9000000], "cpu_time": [5] * 7, "processes": [3] * 7}),
	    "two": ({}, {"duration_us": [1, 2], "cpu_time": [1, 2], "processes": [1, 2]})}, 0)
	db = sqlite3.connect("jobs.db")
	db.execute("UPDATE job SET name = NULL WHERE id = 1")
	db.commit()
END
# perfmon ARG...: its status and standard error; standard output goes to out
perfmon()
{
	"$PERFMON" "$@" >out 2>err
	echo "$?|$(cat err)"
}
# json EXPRESSION: of x, what out has
json() { python3 -c 'import json, sys; x = json.load(open("out")); print('"$1"')'; }
good="9002 9003 9004 9005 9006 9007 9008 9009"

engine()
{
	# --- create -----------------------------------------------------------------------------------
	is "$(perfmon model create atm $good --feature '*')|$(cat out)" "0||created model atm of 8 jobs: 5 figures" "$1: a model of eight jobs"
	is "$(perfmon model create twice 9002 9003)|$(cat out)" \
		"1|perfmon: model create: 2 jobs, and 3 are needed at least: two are equally far from their middle, so that any other would stand out|" "$1: of two, none"
	is "$(perfmon model create lost nosuchjob 9002 | cut -d' ' -f1-6)" "1|perfmon: nosuchjob: no such job in" "$1: of one that is not there, none"
	is "$(perfmon model create atm $good)" "1|perfmon: there is a model 'atm' already; perfmon model delete deletes it" "$1: a name is taken once"
	is "$(perfmon model create mixed 9002 9003 9012)" "0|perfmon: warning: the jobs are not comparable: their names, or tags exp_name and exp_component, differ ('ocean / atm', 'spin'); analyze does not judge by this model, only outliers --model and rootcause --model do" \
		"$1: jobs that are not comparable are a warning"
	is "$(perfmon model create -n none --name spin)|$(cat out)|$(perfmon model show none | cut -d' ' -f1-6)" \
		"0||would create model none of 7 jobs: 3 figures|1|perfmon: there is no model 'none'" "$1: --dry-run makes none"
	for words in "" "fly" "create" "create x" "create x 9002 --name spin" "create .. --feature size --name spin" "create a/b --name spin" "list x" "show" \
		"delete" "create x --name spin --method mad"; do
		is "$(perfmon model $words | cut -c1)" 2 "$1: model $words is a usage error"
	done
	is "$(perfmon model list)|$(sed 1d out | sed 's/  */ /g; s/20..-..-.. ..:...* \([o(]\)/\1/' | tr '\n' ';')" "0||atm yes 8 5 ocean / atm;mixed yes 3 3 (not comparable);" \
		"$1: the list"
	is "$(perfmon model list --tag 'exp_component:atm;exp_name:ocean' --json)|$(json '[(m["name"], m["jobs"], m["jobs_stored"], m["group"], m["tags"], m["enabled"]) for m in x]')" \
		"0||[('atm', 8, 8, 'ocean / atm', {'exp_component': 'atm', 'exp_name': 'ocean'}, True)]" "$1: the list by tags"
	is "$(perfmon model list --tag exp_component:ice)|$(cat out)" "0||no models with these tags" "$1: a tag that none has"
	is "$(perfmon model list --tag 'exp_component:ice,exp_name:ocean;exp_component:atm' --json)|$(json '[m["name"] for m in x]')" "0||['atm']" "$1: one of two groups"
	is "$(perfmon model list --tag 'exp_component:ice,exp_name:ocean;exp_component:ice' --json)|$(json 'x')" "0||[]" "$1: neither of them"
	for words in "list --tag exp_name:ocean --user anna" "show atm --tag exp_name:ocean" "delete atm --name spin"; do
		is "$(perfmon model $words | cut -c1)|$(grep -c 'chooses the jobs of a new model, for model create$' err)" "2|1" "$1: model $words: filters are for create"
	done
	for words in "create m --name spin" "disable atm" "delete atm"; do
		is "$(perfmon model $words --json | cut -c1)|$(grep -c 'json is for model list and model show$' err)" "2|1" "$1: model $words prints no JSON"
	done
	is "$(perfmon model show atm --json)" "0|" "$1: what it keeps"
	python3 - >got <<-'END'
		import json, statistics
		x = json.load(open("out"))
		y = [1000000 * v for v in range(60, 68)]
		f = {f["name"]: f for f in x["features"]}["duration_us"]
		z = (max(y) - statistics.mean(y)) / statistics.pstdev(y)
		want = dict(low=(3 * y[7] + 5 * y[0]) / 8, high=(5 * y[7] + 3 * y[0]) / 8, least=y[0], greatest=y[7])
		near = lambda a, b: abs(a - b) <= 1e-9 * abs(b)
		print([k for k in want if f[k] != want[k]], near(f["z"]["score"], z), near(f["z"]["spread"], statistics.pstdev(y)), f["z"]["centre"] == statistics.mean(y),
		    f["madz"]["centre"] == 63500000, f["madz"]["spread"] == 2000000, near(f["madz"]["score"], .6745 * 3.5 / 2), f["known"])
	END
	is "$(cat got)" "[] True True True True True True 8" "$1: pseudo-quartiles, scores, centres and spreads"

	# --- outliers ---------------------------------------------------------------------------------
	is "$(perfmon outliers --model atm --json)" "0|" "$1: judged by the model"
	json '[{k: o[k] for k in o if k != "id"} for g in x["groups"] for o in g["outliers"]]' >by-model
	is "$(json '[(o["jobid"], o["feature"], o["score"]) for g in x["groups"] for o in g["outliers"]], x["jobs_not_compared"]')" \
		"[('9010', 'duration_us', 3), ('9010', 'rchar', 3)] 10" "$1: the one that took longer"
	"$PERFMON" outliers --good "$(echo $good | tr ' ' ,)" --feature '*' --json >out
	is "$(json '[{k: o[k] for k in o if k != "id"} for g in x["groups"] for o in g["outliers"]]')" "$(cat by-model)" "$1: as by --good"
	is "$(perfmon outliers --model mixed | cut -c1)" 0 "$1: a model of any jobs judges any"
	is "$(perfmon outliers --model none | cut -d' ' -f1-6)" "1|perfmon: there is no model 'none'" "$1: a model that is not there"
	is "$(perfmon outliers --model atm --name spin | cut -d' ' -f1-9)" "1|perfmon: outliers: of 7 jobs, none is comparable with" "$1: jobs of another kind"
	is "$(perfmon outliers --model atm --good 9002 | cut -c1)" 2 "$1: --model and --good"

	# --- rootcause --------------------------------------------------------------------------------
	is "$(perfmon rootcause 9010 --json --model atm)" "0|" "$1: root cause"
	json '[(c["feature"], c["beyond"]) for c in x["causes"]]' >ranks
	is "$(cat ranks)" "[('rchar', True), ('duration_us', True), ('cpu_time', False), ('processes', False)]" "$1: ranks by a model"
	python3 - >got <<-'END'
		import json, statistics
		y = [1000000 * v for v in range(60, 68)]
		z = lambda v: abs(v - statistics.mean(y)) / statistics.pstdev(y)
		c = {c["feature"]: c for c in json.load(open("out"))["causes"]}["duration_us"]
		print(abs(c["distance"] - abs(z(130000000) - max(map(z, y)))) < 1e-9, abs(c["z"] - z(130000000)) < 1e-9)
	END
	is "$(cat got)" "True True" "$1: EPMT's |z - largest z|"
	is "$(perfmon rootcause 9010 $good --json)|$(json '[(c["feature"], c["beyond"]) for c in x["causes"]]')" "0||$(cat ranks)" "$1: beside jobs that are named"
	is "$(perfmon rootcause 9010 --json)|$(json '[(c["feature"], c["beyond"]) for c in x["causes"]]')|$(json 'x["reference_jobs"]')" "0||$(cat ranks)|8" "$1: beside its peers"
	is "$(perfmon rootcause 9010 9002 9003 | cut -d' ' -f1-9)" "1|perfmon: rootcause: 2 jobs are there to compare job" "$1: beside two, none"
	is "$(perfmon rootcause 9010 9002 --model atm | cut -c1)$(perfmon rootcause | cut -c1)" 22 "$1: two references, no job"
	is "$(perfmon rootcause "#$(number 4711)")" "1|perfmon: rootcause: job 4711 has no name, so that none is comparable; name good jobs behind it, or use filters or --model" \
		"$1: a job without a name has no peers"
	is "$(perfmon rootcause 9003)|$(sed -n '$p' out)" "0||none of 5 figures is beyond theirs" "$1: a good job"

	# --- analyze ----------------------------------------------------------------------------------
	command='echo "[$1|$2|$3]"; head -n 1'
	is "$(perfmon analyze -n)|$(grep -c '^job' out)|$(perfmon list analyses 9010)|$(cat out)" "0||2|0||no analyses: perfmon analyze makes them" "$1: --dry-run notes nothing"
	is "$(perfmon analyze --analyze-command "$command")" "0|" "$1: analyze"
	sed 's/#[0-9]*/#N/; s/\[[0-9]*|/[N|/' out | sort >got
	is "$(tr '\n' ';' <got)" "  duration_us 2 min 10 s, median 1 min 04 s (IQR MADZ z);  duration_us 9.00 s, median 5.00 s (IQR MADZ);  rchar 10.0 GB, median 1.00 GB (IQR MADZ z);[N|9010|anna];[N|9017|anna];job 9010 (#N) of anna, ocean / atm, beside 8 jobs of model atm:;job 9010 (#N) of anna, ocean / atm, beside 8 jobs of model atm:;job 9017 (#N) of anna, spin, beside 7 comparable jobs:;job 9017 (#N) of anna, spin, beside 7 comparable jobs:;" \
		"$1: by the model, and beside peers; the command has its arguments and its input" ||
		diag "$(cat got)"
	is "$(perfmon analyze --analyze-command "$command")|$(cat out)" "0||" "$1: again: nothing, quietly"
	is "$(perfmon list analyses 9010 --json)|$(json '[(a["name"], a["model"], a["found"]) for a in x]')" "0||[('outliers', 'atm', 2)]" "$1: its result"
	is "$(perfmon list analyses 9018)|$(grep -c 'no model fits' out)" "0||1" "$1: one of two jobs is not judged, which is noted"
	is "$(perfmon model disable atm)|$(perfmon analyze --all)|$(grep -c 'beside 9 comparable' out)" "0||0||1" "$1: without the model, beside its peers"
	perfmon model enable atm >/dev/null
	is "$(perfmon analyze --all --name spin --json)|$(json 'x["jobs"], [(o["jobid"], o["model"]) for o in x["outliers"]]')" "0||7 [('9017', None)]" "$1: --all with a filter"
	is "$(perfmon analyze --all --analyze-command 'sleep 60' --analyze-limit 100ms | sed 's/#[0-9]*/#N/')" \
		"1|perfmon: warning: job #N: analyze_command: killed after 0.1 s (setting analyze_limit)
perfmon: warning: job #N: analyze_command: killed after 0.1 s (setting analyze_limit)" "$1: a command that hangs is killed"
	is "$(perfmon analyze x | cut -c1)$(perfmon analyze --feature size | cut -c1)$(perfmon analyze --score 4 | cut -c1)" 222 "$1: analyze: usage errors"

	# --- without the jobs -------------------------------------------------------------------------
	is "$(perfmon retire --older-than 1s --keep summary | cut -c1)|$(perfmon outliers --model atm --json)|$(json '[{k: o[k] for k in o if k != "id"} for g in x["groups"] for o in g["outliers"]]')" \
		"0|0||$(cat by-model)" "$1: the same by a model whose jobs were thinned"
	n=$(number 9002)
	is "$(perfmon delete -n 9002)" "0|perfmon: warning: job #$n is in model atm, which keeps what it knows of it
perfmon: warning: job #$n is in model mixed, which keeps what it knows of it" "$1: delete --dry-run warns"
	is "$(perfmon delete -f 9002 | grep -c 'is in model')" 2 "$1: delete warns"
	is "$(perfmon outliers --model atm --json)|$(json '[{k: o[k] for k in o if k != "id"} for g in x["groups"] for o in g["outliers"]]')" "0||$(cat by-model)" \
		"$1: and by one of whose jobs one is gone"
	is "$(perfmon retire -n --user nobody --older-than 1s)|$(grep -c '^left alone' out)|$(perfmon retire -n --user anna --older-than 1s)|$(grep -c '^left alone, since models were made of them: 8 jobs' out)" \
		"0||0|0||1" "$1: retire tells of jobs of models that its filter selects alone"
	is "$(perfmon retire --older-than 1s)|$(grep -c '^left alone, since models were made of them: 8 jobs' out)" "0||1" "$1: retire leaves jobs of models"
	is "$(perfmon list jobs --json)|$(json 'len(x)')" "0||8" "$1: and no others"
	is "$(perfmon model list --json)|$(json '[(m["name"], m["jobs"], m["jobs_stored"]) for m in x]')" "0||[('atm', 8, 7), ('mixed', 3, 2)]" "$1: the list tells how many are left"
	perfmon verify >/dev/null
	is "$(grep -c refer out)" 0 "$1: no row refers to a missing one"
	is "$(perfmon model delete atm mixed nope | cut -d' ' -f1-6)|$(perfmon model list --json)|$(json 'len(x)')" "1|perfmon: there is no model 'nope'|0||2" "$1: all are deleted, or none"
	is "$(perfmon model delete atm mixed)|$(perfmon retire --older-than 1s)|$(perfmon list jobs --json)|$(json 'len(x)')" "0||0||0||0" "$1: without models all are retired"
}

# Jobs beside which the newest ones are crowded out, if those of an unknown start are the newest.
crowd()
{
	is "$(perfmon rootcause 9017 --json)|$(json '[(c["feature"], c["reference"]["known"]) for c in x["causes"] if c["beyond"]]')" "0||[('duration_us', 6)]" \
		"$1: jobs whose start is unknown are not the newest"
}
cp jobs.db crowd.db
python3 - <<-'END'
	import sqlite3
	db = sqlite3.connect("crowd.db")
	db.execute("CREATE TEMP TABLE j AS SELECT * FROM job WHERE jobid = '9017'")
	db.execute("UPDATE j SET start_us = NULL, duration_us = NULL, cpu_time = NULL, processes = NULL")
	for i in range(600):
	    db.execute("UPDATE j SET id = ?, jobid = ?", (1000 + i, str(20000 + i)))
	    db.execute("INSERT INTO job SELECT * FROM j")
	db.commit()
END

cp jobs.db whole.db
number() { sqlite3 whole.db "SELECT id FROM job WHERE jobid = '$1'"; }
# What was analyzed is found by an index, and a job that is loaded again is due again.
is "$(sqlite3 jobs.db "EXPLAIN QUERY PLAN SELECT id FROM job WHERE id > 0 AND analyzed_us IS NULL AND coalesce(running, 0) = 0 ORDER BY id LIMIT 500" | grep -c job_unanalyzed)" 1 \
	"an index has the jobs that are due"
is "$(perfmon analyze -q)|$(sqlite3 jobs.db 'SELECT count(*) FROM job WHERE analyzed_us IS NULL')" "0||0" "all are analyzed"
perfmon submit --replace busy >/dev/null
is "$(sqlite3 jobs.db 'SELECT count(*) FROM job WHERE analyzed_us IS NULL')" 1 "one that is loaded again is due again"
# What a job is called is no command.
sqlite3 jobs.db "UPDATE job SET jobid = '\$(touch hacked)\`touch hacked\`;touch hacked', name = char(10) || 'spin' || char(27) || '[31m', analyzed_us = NULL WHERE name = 'spin'
	AND duration_us = 9000000; UPDATE job SET name = char(10) || 'spin' || char(27) || '[31m' WHERE name = 'spin'"
is "$(perfmon analyze --analyze-command 'printf "%s\n" "$2"')|$(grep -c 'touch hacked' out)|$(wc -l <out)|$(find . -name hacked | grep -c .)|$(grep -c "$(printf '\033')" out)" "0||2|3|0|0" \
	"a job id and a name that are commands and control a terminal"
# What was found before a failure is noted, and told.
PERFMON_DB=$work/crowd.db
crowd SQLite
sqlite3 crowd.db "CREATE TRIGGER planted BEFORE INSERT ON analysis WHEN NEW.job_id = 1599 BEGIN SELECT RAISE(ABORT, 'planted'); END"
is "$(perfmon analyze --json | grep -c planted)|$(json 'x["jobs"], sorted(o["jobid"] for o in x["outliers"])')|$(sqlite3 crowd.db 'SELECT count(*) FROM job WHERE analyzed_us IS NULL')" \
	"1|500 ['9010', '9017']|119" "a failure in the second batch: the first one's findings are printed"
PERFMON_DB=$work/jobs.db
# What a call found but could not say, a call says that begins an hour later; once.
cp whole.db untold.db
PERFMON_DB=$work/untold.db
told() { echo "$(wc -l <out) $(sqlite3 untold.db 'SELECT count(told_us) || " of " || sum(found > 0) FROM analysis')"; }
hour_later() { sqlite3 untold.db 'UPDATE analysis SET analyzed_us = analyzed_us - 3600000001'; }
"$PERFMON" analyze >/dev/full 2>err
is "$?|$(: >out; told)" "1|0 0 of 2" "an output that is full: nothing is told"
is "$(perfmon analyze)|$(told)" "0||0 0 of 2" "a call that may still be at it is not spoken for"
hour_later
is "$(perfmon analyze --dry-run)|$(told)" "0||0 0 of 2" "--dry-run tells nothing of earlier calls"
is "$(perfmon analyze --analyze-command 'cat >>mail; exit 1' | grep -c 'exit status 1')|$(told)|$(grep -c '^job 90' mail)" "2|4 2 of 2|2" \
	"an hour later it is printed, and the command run"
is "$(perfmon analyze)|$(told)" "0||0 2 of 2" "and then no more"
sqlite3 untold.db "UPDATE analysis SET told_us = NULL"
is "$(perfmon analyze --user nobody)|$(told)" "0||0 0 of 2" "not to who asks of other jobs"
# What cannot be read costs no other.
cp untold.db odd.db
for result in NULL "'{'" 5 "'[]'"; do
	cp odd.db untold.db
	sqlite3 untold.db "UPDATE analysis SET result = $result WHERE job_id = (SELECT min(job_id) FROM analysis WHERE found > 0)"
	echo "$(perfmon analyze | grep -c 'cannot be read'; grep -c '^job 90' out) $(told)"
done >odd
is "$(tr '\n' ' ' <odd)" "1 1 2 2 of 2 1 1 2 2 of 2 1 1 2 2 of 2 0 2 3 2 of 2 " "nor one that cannot be read, which is told as such"
perfmon analyze --all >/dev/null
is "$(told)" "4 2 of 2" "jobs that are judged again are told again"
sqlite3 untold.db 'UPDATE analysis SET told_us = NULL'
hour_later
"$PERFMON" analyze --json >/dev/full 2>err
is "$?|$(: >out; told)" "1|0 0 of 2" "the same of JSON"
is "$(perfmon analyze --json)|$(json 'x["jobs"], sorted(o["jobid"] for o in x["outliers"])')|$(told | cut -d' ' -f2-)" \
	"0||0 ['9010', '9017']|2 of 2" "an hour later it is in JSON, beside no analyzed job"
is "$(sqlite3 untold.db "EXPLAIN QUERY PLAN SELECT job_id FROM analysis WHERE name = 'outliers' AND found > 0 AND told_us IS NULL AND analyzed_us < 5 ORDER BY job_id LIMIT 500" | grep -c analysis_untold)" 1 \
	"an index has what was not told"
PERFMON_DB=$work/jobs.db
# What a job is called is no group of tags either.
# Names that are no ASCII stay what they are: in JSON, and in text where the terminal takes them.
cp whole.db named.db
PERFMON_DB=$work/named.db
sqlite3 named.db "UPDATE job SET \"user\" = 'alicé'; UPDATE tag_set SET value = 'océan' WHERE name = 'exp_name'"
perfmon analyze --all --json >/dev/null
is "$(json 'sorted(set(o["user"] for o in x["outliers"]))')" "['alicé']" "analyze --json: a user"
perfmon outliers --json >/dev/null
is "$(json 'sorted(set(o["user"] for g in x["groups"] for o in g["outliers"])), [g["group"] for g in x["groups"] if "/" in g["group"]]')" \
	"['alicé'] ['océan / atm']" "outliers --json: a user and a group"
for charset in C.UTF-8 C; do
	LC_ALL=$charset "$PERFMON" analyze --all | grep -o 'of ali[^,]*, oc[^ ]* ' | sort -u
done >names
is "$(tr '\n' '|' <names)" 'of alicé, océan |of alic\xc3\xa9, oc\xc3\xa9an |' "analyze: names as the terminal takes them"
PERFMON_DB=$work/jobs.db
cp whole.db forged.db
sqlite3 forged.db "UPDATE job SET name = char(1) || 'ocean' || char(2) || 'atm' WHERE jobid = '9018'; UPDATE job SET name = char(1) || 'oceanatm/5' WHERE jobid = '9019'"
PERFMON_DB=$work/forged.db
is "$(perfmon outliers --json)|$(json '[(g["group"], g["jobs"]) for g in x["groups"]], x["jobs_not_compared"]')" "0||[('ocean / atm', 9), ('spin', 7)] 3" \
	"names that look like tags within perfmon"
PERFMON_DB=$work/jobs.db
# What is stored decides.
perfmon model create atm $good >/dev/null
sqlite3 jobs.db "UPDATE model_feature SET greatest = 2e8, score = 1e9 WHERE feature = 'duration_us'"
is "$(perfmon outliers --model atm)|$(head -n 1 out)" "0||nothing stands out of 9 jobs in 1 group" "noticed: a model with other values"
cp whole.db jobs.db
rm -f jobs.db-*
engine SQLite

cp whole.db jobs.db
rm -f jobs.db-*
postgres_needed "the same in PostgreSQL"
postgres_sql postgres -c 'CREATE DATABASE jobs'
url=$(postgres_url jobs)
is "$(perfmon copy jobs.db "$url" | cut -c1)" 0 "the jobs are copied to PostgreSQL"
number() { postgres_sql jobs -c "SELECT id FROM job WHERE jobid = '$1'"; }
PERFMON_DB=$url
engine PostgreSQL

# --- while others write --------------------------------------------------------------------------
postgres_sql postgres -c 'CREATE DATABASE crowd' && postgres_sql postgres -c 'CREATE DATABASE busy'
PERFMON_DB=$(postgres_url crowd)
perfmon copy crowd.db "$PERFMON_DB" >/dev/null
crowd PostgreSQL
PERFMON_DB=$(postgres_url busy)
perfmon copy whole.db "$PERFMON_DB" >/dev/null
number() { postgres_sql busy -c "SELECT id FROM job WHERE jobid = '$1'"; }
# within SQL ARG...: the same as perfmon, while a session has done that and not committed it
within()
{
	mkfifo sql || exit 99
	postgres_sql busy <sql >session &
	session=$!
	exec 8>sql
	echo "BEGIN; $1; SELECT 'ready';" >&8
	until grep -q ready session || ! kill -0 $session; do sleep 0.02; done
	shift
	timeout 30 "$PERFMON" "$@" >out 2>err
	echo "$?|$(cat err)"
	echo 'COMMIT;' >&8
	exec 8>&-
	wait $session
	rm sql
}
due() { postgres_sql busy -c 'SELECT jobid FROM job WHERE analyzed_us IS NULL ORDER BY id' | tr '\n' ' '; }
is "$(within "UPDATE job SET duration_us = 5000003, analyzed_us = NULL WHERE jobid = '9017'" analyze)|$(grep -c '^job' out)|$(due)" "0||1|9017 " \
	"a job that is being loaded is left for the next time"
is "$(perfmon analyze)|$(grep -c '^job' out)|$(due)" "0||0|" "and then judged as it is loaded"
is "$(within "DELETE FROM analysis WHERE job_id = $(number 9010); DELETE FROM job WHERE jobid = '9010'" analyze --all)|$(due)" "0||" \
	"one that is being deleted keeps none from being judged"
# A lock that is not to be had.
postgres_sql postgres -c "ALTER DATABASE busy SET statement_timeout = '3s'"
said=$(within "SELECT pg_advisory_xact_lock(hashtextextended('model', 0))" model create m --name spin)
case $said in *'statement timeout'*) ok 0 "a lock that fails is an error" ;; *) ok 1 "a lock that fails is an error" ;; esac
diag "$said"
done_testing
