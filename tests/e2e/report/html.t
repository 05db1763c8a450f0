#!/bin/sh
# report --html: the data of a page against the database, names that are markup, folding, files; the page of several jobs.
# shellcheck source=tests/e2e/lib.sh
# shellcheck disable=SC2154 # set by lib.sh and postgres.sh
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/postgres.sh
. "$abs_top_srcdir/tests/e2e/postgres.sh"

if ! need python3 || ! python3 -c 'import sqlite3' 2>/dev/null; then
	skip "report --html" "no python3 with sqlite3"
	done_testing
fi
PERFMON_DB=$work/jobs.db
export PERFMON_DB

# shellcheck source=tests/e2e/report/plain.sh
. "$abs_top_srcdir/tests/e2e/report/plain.sh"

# page ARGUMENT...: page.py; what is wrong goes to the log.
page()
{
	python3 "$abs_top_srcdir/tests/e2e/report/page.py" "$@" 2>wrong
	cat wrong >&2
}

cp -R "$abs_top_srcdir/tests/golden/report/busy" busy && chmod -R u+w busy
# A program whose name is markup; a tag; and an argument that ends no element.
evil='</script><img src=x onerror=alert(1)>'
sed -i "s/\\\\x1b\\[31mevil/${evil%%/*}\\/script><img src=x onerror=alert(1)>/g" busy/*.tsv
"$PERFMON" -q submit busy 2>err
"$PERFMON" report --html page.html '#1' >out 2>err
is "$?|$(cat out err)" "0|" "a page is written"
is "$(page check page.html jobs.db 1 | sed 's/^[1-9][0-9][0-9][0-9]* /many /')" "many 0" "its data are those of the database"
is "$(page check page.html jobs.db 1 fault | cut -d ' ' -f 2)" 1 "noticed: a sum that is wrong"
is "$(page print page.html '"<img" in html, any("<img" in p for p in index["programs"])')" "False True" \
	"a program's name is text, never markup"
is "$(page print page.html 'len(re.findall("(?i)https?:|//[a-z]|src=.?[a-z]+:|@import|url\(", re.sub("<script.*?</script>|sha256-[^ ]*", "", html, flags=re.S)))')" 0 \
	"nothing refers to other files"
"$PERFMON" report --html - '#1' >piped.html
cmp -s page.html piped.html
ok $? "- is standard output"
"$PERFMON" report --html page2.html busy
is "$(page print page2.html 'index["processes"]["rows"]')" "$(page print page.html 'index["processes"]["rows"]')" \
	"a directory has a page without a database"

# Every figure of the text report stands in the page.
"$PERFMON" report --width 200 '#1' | grep -v -e '|' -e 'are not shown' >text
page print page.html 'html' | sed 's/<[^>]*>/ /g; s/&#39;/'\''/g; s/&#34;/"/g; s/&#38;/\&/g; s/&#60;/</g; s/&#62;/>/g' | tr -s ' \n' '  ' >html.txt
grep -o -E '[0-9]+([.][0-9]+)? (%|[kMGT]?B|s|ms|min|processes|calls|CPUs|J|kJ|W)\b' text | sort -u >figures
is "$(wc -l <figures | awk '{ print ($1 > 20) }')|$(while read -r figure; do
	grep -q -F -e "$figure" html.txt || echo "$figure"
done <figures)" "1|" "every figure of the text report is in the page"

for most in 5 20; do
	"$PERFMON" report --html folded.html --page-rows $most '#1'
	is "$(page check folded.html jobs.db 1 | cut -d ' ' -f 2)" 0 "processes beyond $most are folded with exact sums"
	is "$(page print folded.html "index['processes']['folded'] is not None, index['processes']['rows'] - index['processes']['folded']['rows'] <= $most")" \
		"True True" "and no more than $most stay"
done

# Odd rows: texts that are no UTF-8, wall times that nobody knows, more series than a page takes.
cp jobs.db odd.db
python3 - <<-'END'
	import sqlite3
	db = sqlite3.connect("odd.db")
	db.execute("UPDATE process SET end_reason = CAST(x'41ff' AS TEXT) WHERE id = 3")
	db.execute("UPDATE process SET last_call = 'execve E' || char(27) || ']0;' || CAST(x'ff' AS TEXT) || replace(hex(zeroblob(2000)), '0', 'x'),"
	    " exename = 'same', exitsignal = NULL WHERE id IN (4, 5)")
	db.execute("UPDATE job SET without_end = 2")
	db.execute("UPDATE series SET unit = CAST(x'ff' AS TEXT) WHERE id = 1")
	db.commit()
END
is "$("$PERFMON" report --db odd.db --html odd.html '#1' 2>&1; echo "$? $(grep -c 'A\\\\xff' odd.html)")" "0 1" "a text that is no UTF-8 is shown as bytes"
is "$("$PERFMON" report --db odd.db '#1' | tr -d '\n\040-\176\200-\377' | wc -c) $("$PERFMON" report --db odd.db '#1' | tr -s ' \n' ' ' | grep -c 'same (E.x1b')" "0 1" \
	"a last call of any length and kind is told as text"
python3 - <<-'END'
	import sqlite3
	db = sqlite3.connect("odd.db")
	db.execute("UPDATE process SET duration_us = NULL WHERE id > 2")
	copies = "WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 4100) "
	db.execute(copies + "INSERT INTO series SELECT job_id, id + 1000000 * n, host_id, source, metric, object, unit, kind FROM series, n WHERE id = 2")
	db.execute(copies + "INSERT INTO series_summary SELECT job_id, series_id + 1000000 * n, samples, known, begin_us, end_us, minimum, maximum, mean"
	    " FROM series_summary, n WHERE series_id = 2")
	db.commit()
END
is "$("$PERFMON" report --db odd.db --html odd.html --page-rows 1 '#1' 2>&1; echo "$? $(grep -c 'further series, those of the last hosts' odd.html)")" "0 1" \
	"a page says how many series it has no room for"
is "$(page print odd.html '"unknown" in (index["processes"]["folded"] or {"rule": ""})["rule"]')" False "processes of unknown wall time are not folded by it"

# Five thousand phases and one; a page of one job with three programs; folded processes of unknown CPU time.
python3 - <<-'END'
	import sqlite3
	db = sqlite3.connect("odd.db")
	db.execute("DELETE FROM phase")
	db.executemany("INSERT INTO phase (job_id, host_id, id, pid, name, begin_us, end_us, duration_us, ended) VALUES (1, 1, ?, 1, 'step', 1, 2, 1, 1)", [(i,) for i in range(1, 5002)])
	db.execute("UPDATE process SET duration_us = 1, cpu_time = CASE WHEN id > 9 THEN NULL ELSE cpu_time END WHERE id > 5")
	db.commit()
END
"$PERFMON" report --db odd.db --html odd.html --page-rows 5 --limit 3 '#1'
is "$? $(grep -c 'The time line has the first 5 000 phases' odd.html) $(page print odd.html 'len(index["phases"])')" "0 1 5000" "a page says how many phases its picture has"
is "$(page print odd.html 'html.split("<h2>Programs</h2>")[1].split("</table>")[0].count("<tr")')" 4 "--limit is of the programs of a page"
is "$(page print odd.html 're.search("The CPU time of ([0-9]+) of them is not", index["processes"]["folded"]["rule"]) is not None')" True \
	"of how many folded processes the CPU time is unknown"
is "$("$PERFMON" report --job 4711 '#1' 2>&1; echo $?)" "perfmon: report: name jobs, or one by --job, not both
2" "a name beside --job is an error"

# 420 hosts with eleven series each, the figures of nodes last.
cp jobs.db hosts.db
python3 - <<-'END'
	import sqlite3
	db = sqlite3.connect("hosts.db")
	metrics = [("disk", "busy%d" % i, "gauge", "n") for i in range(5)]
	metrics += [("cpu", m, "counter", "us") for m in ("user", "nice", "system", "irq", "softirq")] + [("memory", "used", "gauge", "B")]
	db.execute("DELETE FROM series_summary")
	db.execute("DELETE FROM sample_block")
	db.execute("DELETE FROM series")
	number = 0
	for host in range(2, 421):
	    db.execute("INSERT INTO host (job_id, id, hostname) VALUES (1, ?, ?)", (host, "n%d" % host))
	for host in range(1, 421):
	    for source, metric, kind, unit in metrics:
	        number += 1
	        db.execute("INSERT INTO series (job_id, id, host_id, source, metric, object, unit, kind) VALUES (1, ?, ?, ?, ?, '', ?, ?)", (number, host, source, metric, unit, kind))
	        db.execute("INSERT INTO series_summary (job_id, series_id, samples, known, begin_us, end_us) VALUES (1, ?, 0, 0, 0, 1)", (number,))
	db.commit()
END
"$PERFMON" report --db hosts.db --html hosts.html '#1'
is "$? $(page print hosts.html '[(m["title"], len(m["series"]), m["series"].count(None)) for m in index["nodes"]["metrics"]]')" \
	"0 [('CPUs busy', 420, 0), ('Memory used', 420, 0)]" "of more series than a page takes it has the figures of every node"

# Files: complete or not there.
echo before >kept.html
mkdir dir
is "$("$PERFMON" report --html dir '#1' 2>&1 >/dev/null; echo $?)" "perfmon: write dir: Is a directory
1" "a directory is no file"
is "$("$PERFMON" report --html missing/x.html '#1' 2>err; echo "$? $(grep -c 'No such file' err)")" "1 1" "nor is one in a directory that is not there"
is "$("$PERFMON" report --html kept.html nosuchjob 2>/dev/null; echo "$? $(cat kept.html)")" "1 before" "a job that is not there leaves the file as it was"
if [ -c /dev/full ]; then
	is "$("$PERFMON" report --html /dev/full '#1' 2>err; echo "$? $(grep -c 'No space left' err)")" "1 1" "a full disk is noticed"
	is "$("$PERFMON" report --html - '#1' 2>err >/dev/full; echo "$? $(head -n 1 err)")" "1 perfmon: write standard output: No space left on device" \
		"so is one behind standard output, which is called so"
fi
is "$("$PERFMON" report --html '' '#1' 2>&1; echo $?)" "perfmon: the name of the file to write is empty
1" "nor does an empty name"
mkfifo fifo
timeout 10 "$PERFMON" report --html fifo '#1' 2>err
is "$?" 1 "a FIFO that nobody reads is an error, no wait"
rm fifo
ln -s nowhere.html dangling.html
is "$("$PERFMON" report --html dangling.html '#1' 2>err; echo "$?"; readlink dangling.html; ls nowhere.html 2>/dev/null)" "1
nowhere.html" "a link that leads nowhere stays as it is"
if need strace; then
	ln -s kept.html trap.html
	strace -o trace -P trap.html -e inject=newfstatat,stat:error=EACCES "$PERFMON" report --html trap.html '#1' >out 2>err
	is "$? $(cat kept.html)" "1 before" "nor is one looked through that the kernel does not follow"
fi
chmod 600 kept.html
"$PERFMON" report --html kept.html '#1' && is "$(stat -c %a kept.html)" 600 "a private file stays private"
if [ "$(id -u)" -eq 0 ]; then
	chgrp 65534 kept.html
	"$PERFMON" report --html kept.html '#1' && is "$(stat -c %g kept.html)" 65534 "its group stays"
fi
{
	echo a
	"$PERFMON" report --html /dev/stdout '#1'
	echo b
} >around.html
is "$(sed -n '1p;$p' around.html)" "a
b" "/dev/stdout is standard output"
echo before >kept.html
ln -s kept.html link.html
"$PERFMON" report --html link.html '#1' && [ -L link.html ] && grep -q '<!doctype html>' kept.html
ok $? "a link stays one"
is "$(find . -name '*.html.*')" "" "nothing is left beside the files"
while IFS='|' read -r words why; do
	# shellcheck disable=SC2086 # words
	"$PERFMON" report $words >out 2>err
	is "$? $(grep -c -e "$why" err)" "2 1" "report $words: $why"
done <<'END'
--html x.html --page-rows 0|a number of rows
--html x.html --page-rows many|a number of rows
--html x.html --page-rows 5 --user anna|of the page of one job
--html x.html --newest 2|of which jobs
--html x.html #1 #1 --user anna|not both
END
is "$(find . -name 'x.html*')" "" "a command that cannot be used writes no file"

# --- several jobs ---------------------------------------------------------------------------------
for job in killed counted empty; do
	"$PERFMON" -q submit "$abs_top_srcdir/tests/golden/report/$job" 2>/dev/null
done
"$PERFMON" --db "$work/jobs.db" report --html page.html --after 2000-01-01
is "$(plain print page.html "'As text: perfmon report --after 2000-01-01 --db $work/jobs.db' in text")" True "the command of a page has the database that was given"
plain_page "several jobs" report --after 2000-01-01
"$PERFMON" report --json --after 2000-01-01 >json
cat >same.py <<-'END'
	import json
	number = lambda v: None if v is None else float(v)
	for x in json.load(open("json")):
	    t, j = x["totals"], x["job"]
	    print(j["jobid"], j["name"], j["user"], *[number(v) for v in (j["start_us"], t["wall_us"], t["cpus"], t["efficiency"], t["memory_peak_process_bytes"])])
END
python3 same.py >want
plain print page.html '*[" ".join([*r[:3]] + [str(None if value(r[i]) is None else float("%.13g" % value(r[i]))) for i in (3, 5, 6, 7, 8)]) for r in tables[0][1:]], sep="\n"' >got
cmp -s want got && [ "$(wc -l <got)" -eq 4 ]
ok $? "the table has the figures of the JSON"
diff want got | sed 's/^/# /'
is "$(plain print page.html '*[(r[8], r[9]) for r in tables[0][1:] if r[8] == "unknown"]')" "('unknown', 'unknown')" "of a job without records they are unknown"
is "$(plain print page.html '*[r[0].href for r in tables[0][1:]], all(r[10].href in (None, r[0].href + "-advice") for r in tables[0][1:])')" \
	"#j1 #j2 #j3 #j4 True" "each job leads to its part, its advice to its own"
cat >parts.py <<-'END'
	import re
	html = open("page.html").read()
	parts = re.split(r'(?=<section class="job" id=)', html)[1:]
	ids = [re.match(r'<section class="job" id="(\w+)"', p).group(1) for p in parts]
	links = [set(re.findall(r'href="#([^"]*)"', p)) - {"jobs"} for p in parts]
	print(len(parts), sum(map(len, links)) > 3, all(l.startswith(i + "-") for i, s in zip(ids, links) for l in s),
	    [len(re.findall('<ul class="figures">', p)) for p in parts], [p.count("<li class=\"%s\"" % w) > 0 for p in parts for w in ["unknown"]],
	    len(re.findall(r"</h[23]>\s*</section>", html)), html.count("class=\"view\""), html.count("<noscript"), html.count("perfmon report --html FILE JOB"))
END
is "$(python3 parts.py)" "4 True True [1, 1, 1, 1] [True, True, True, True] 0 0 0 1" \
	"four parts, whose links stay within them; none is empty, and where pictures are is said once"
# Every figure of a job's text report stands in its part, less the drawn ones.
sed -n '/<section class="job" id="j4"/,/<footer>/p' page.html | sed 's/<[^>]*>/ /g; s/&#39;/'\''/g; s/&#34;/"/g; s/&#38;/\&/g; s/&#60;/</g; s/&#62;/>/g' | tr -s ' \n' '  ' >html.txt
is "$(while read -r figure; do
	grep -q -F -e "$figure" html.txt || echo "$figure"
done <figures)" "" "every figure of the text report of a job is in its part"
is "$("$PERFMON" report --html - '#1' "$work/busy" '#3' >page.html; echo "$? $(plain check page.html) $(plain print page.html '*[r[0] for r in tables[0][1:]]')")" \
	"0  4711 4711 4714" "jobs by name, one of them a directory"
is "$("$PERFMON" report --html kept.html '#1' nosuchjob 2>/dev/null; echo "$? $(cat kept.html)")" "1 before" "one that is not there leaves the file as it was"
"$PERFMON" report --json '#1' '#2' >json
is "$(python3 -c 'import json; print(*[x["job"]["jobid"] for x in json.load(open("json"))])')" "4711 4713" "two jobs as JSON are an array"
is "$("$PERFMON" report --brief '#1' '#2' | grep -c '^Job ') $("$PERFMON" report --section header '#1' '#2' | grep -c '^  Command') $("$PERFMON" report '#1' '#2' | grep -c '^Summary')" \
	"2 2 2" "two jobs as text, six lines and parts"
is "$("$PERFMON" report --pdf x.pdf '#1' '#2' 2>&1; echo $?)" "perfmon: report: a PDF is of one job
2" "but not as a PDF"
"$PERFMON" report --html page.html --user nobody
is "$(plain check page.html)|$(plain print page.html '"no jobs" in text, len(tables)')" "|True 0" "no jobs"
# One whose samples are damaged does not keep the others back.
cp jobs.db damaged.db
sqlite3 damaged.db "UPDATE tick_block SET times = 'x' WHERE job_id = 1"
"$PERFMON" --db "$work/damaged.db" report --json --after 2000-01-01 >json 2>err
is "$? $(python3 -c 'import json; print(*[x["job"]["jobid"] for x in json.load(open("json"))])')|$(grep -c 'job 4711: ' err)|$(tail -n 1 err)" \
	"1 4712 4714 4713|1|perfmon: report: 1 of 4 jobs cannot be read" "a job with damaged samples is named, and the others are reported"
"$PERFMON" --db "$work/damaged.db" report --brief '#1' >out 2>err && "$PERFMON" --db "$work/damaged.db" report '#1' '#2' >out 2>err
is "$? $(grep -c '^Job 4713' out)" "1 1" "as text, too"
"$PERFMON" --db "$work/damaged.db" report --html page.html --after 2000-01-01 2>err
is "$? $(plain print page.html 'len(tables[0]) - 1, "1 of 4 jobs cannot be read" in text')" "1 3 True" "and in a page, which says so"
is "$("$PERFMON" --db "$work/damaged.db" report '#1' 2>&1 | grep -c '^perfmon: job 4711: ')" 1 "one job alone is named, too"
cp jobs.db evil.db
sqlite3 evil.db "UPDATE job SET name = '</h2><script>alert(1)</script>\"''&' || char(27) || CAST(x'ff' AS TEXT), \"user\" = '<b onclick=x>' || char(8238), jobid = '#j1\"><i>' WHERE id = 1"
"$PERFMON" --db "$work/evil.db" report --html page.html --after 2000-01-01
is "$(plain check page.html)|$(plain print page.html '"</h2><script>alert(1)</script>\"'\''&\\x1b\\xff" in text, "<b onclick=x>" in text, "#j1\"><i>" in text')" "|True True True" \
	"names that are markup or no text are shown as they are"
# Memory does not grow with the jobs.
before=4711
for n in $(seq 100001 100040); do
	sed -i "s/\b$before\b/$n/g" busy/*.json busy/*.tsv
	"$PERFMON" -q submit busy 2>/dev/null
	before=$n
done
# most PAGE OPTION...: the most memory in kB that it takes to write a page.
most()
{
	python3 -c 'import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)' "$PERFMON" report --html "$@"
}
few=$(most few.html --name train --newest 2) many=$(most many.html --name train)
is "$(plain print many.html 'len(tables[0])')" 42 "41 jobs"
if [ "$PM_SANITIZED" = no ]; then
	[ "$many" -lt $((few + 1000)) ]
	ok $? "take no more memory than two: $many kB and $few kB"
else
	skip "take no more memory than two" "sanitizers keep what was freed"
fi

if postgres_start; then
	postgres_sql postgres -c "CREATE DATABASE pages" >/dev/null
	url=$(postgres_url pages)
	"$PERFMON" -q copy "$work/jobs.db" "$url"
	PERFMON_DB=$url "$PERFMON" report --html server.html '#1'
	is "$(page check server.html "$url" 1 | cut -d ' ' -f 2)" 0 "a page of PostgreSQL has its data"
	"$PERFMON" report --html page.html '#1'
	page print page.html 'html' >a
	page print server.html 'html' >b
	cmp -s a b
	ok $? "and is the same page"
	"$PERFMON" report --html few.html --name train --newest 2
	PERFMON_DB=$url "$PERFMON" report --html server.html --name train --newest 2
	cmp -s few.html server.html
	ok $? "that of two jobs, too"
else
	skip "a page of PostgreSQL" "$postgres_missing"
fi
done_testing
