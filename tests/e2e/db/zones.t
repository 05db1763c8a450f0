#!/bin/sh
# The first few jobs in the order of a figure (analysis/select/jobtop.c, sql/jobzones.c): the same as a sort of all, for figures
# that are random, tied, unknown, changed and deleted; bounds hold whatever becomes of jobs.
# shellcheck disable=SC2154 # set by lib.sh
# shellcheck source=tests/e2e/lib.sh
. "${abs_top_srcdir:?}/tests/e2e/lib.sh"

if ! need python3 sqlite3; then
	skip "zones" "no $missing"
	done_testing
fi
"$abs_top_builddir/tests/progs/generate" made 5 >/dev/null && "$PERFMON" --db site.db -q submit made || exit 99

# jobs: 3000 jobs with gaps, whose figures are random, few different ones, mostly unknown, or all the same; then some
# are changed and deleted.
python3 - <<'END' || exit 99
import random, sqlite3
random.seed(7)
db = sqlite3.connect("site.db")
columns = [c[1] for c in db.execute("PRAGMA table_info(job)")]
first = dict(zip(columns, db.execute("SELECT * FROM job").fetchone()))
figures = {"duration_us": lambda: random.randrange(10 ** 9), "cpu_time": lambda: random.choice([5, 6, 7]),
    "rssmax": lambda: random.choice([None] * 9 + [random.randrange(1000)]), "processes": lambda: 20,
    "efficiency": lambda: random.choice([None, random.random()])}
job = 10
for n in range(3000):
    job += random.choice([1] * 50 + [700])
    row = dict(first, id=job, jobid="j%d" % job, **{k: v() for k, v in figures.items()})
    # As a load does: the row first, its figures later; or as a copy does.
    if n % 2:
        later = {k: row.pop(k) for k in figures}
        db.execute("INSERT INTO job (%s) VALUES (%s)" % (", ".join('"%s"' % c for c in row), ", ".join("?" * len(row))), list(row.values()))
        db.execute("UPDATE job SET %s WHERE id = ?" % ", ".join("%s = ?" % c for c in later), list(later.values()) + [job])
    else:
        db.execute("INSERT INTO job (%s) VALUES (%s)" % (", ".join('"%s"' % c for c in row), ", ".join("?" * len(row))), list(row.values()))
ids = [r[0] for r in db.execute("SELECT id FROM job")]
for job in random.sample(ids, 300):
    db.execute("UPDATE job SET duration_us = ?, rssmax = ? WHERE id = ?", (figures["duration_us"](), figures["rssmax"](), job))
# The largest and the least go, and leave their bounds behind.
for f in figures:
    db.execute("DELETE FROM job WHERE id IN (SELECT id FROM job ORDER BY %s DESC, id DESC LIMIT 40)" % f)
    db.execute("DELETE FROM job WHERE id IN (SELECT id FROM job ORDER BY %s, id LIMIT 40)" % f)
db.commit()
END

# wrong DATABASE [planted]: questions whose answer is not that of a sort of all jobs.
wrong()
{
	python3 - "$PERFMON" "$@" <<-'END'
	import json, os, sqlite3, subprocess, sys
	program, path = sys.argv[1:3]
	db = sqlite3.connect(path)
	orders = {"duration": "duration_us", "cpu": "cpu_time", "memory": "rssmax", "processes": "processes", "efficiency": "efficiency"}
	asked = 0
	for word, column in orders.items():
	    for way, falls in (("", True), (":desc", True), (":asc", False)):
	        want = [r[0] for r in db.execute("SELECT id FROM job ORDER BY %s %s, id %s" % (column, *["DESC" if falls else "ASC"] * 2))]
	        for limit, offset in ((1, 0), (20, 0), (7, 250), (300, 0), (1500, 0), (5, 10 ** 6), (990, 10), (2 ** 63 - 1, 2500)):
	            out = subprocess.run([program, "--db", path, "list", "jobs", "--order", word + way, "--limit", str(limit), "--offset", str(offset),
	                "--columns", "id", "--csv"], capture_output=True, text=True)
	            got = [int(x) for x in out.stdout.split()[1:]]
	            asked += 1
	            if out.returncode or got != want[offset:offset + limit]:
	                print(word + way, limit, offset, got[:5], want[offset:offset + 5], out.stderr)
	print(asked)
	END
}
wrong site.db >out
is "$(cat out)" 120 "the first few in each order are those of a sort of all jobs"
bad="SELECT count(*) FROM job j LEFT JOIN job_zone z ON z.zone = j.id / 256 WHERE z.zone IS NULL"
for f in duration_us cpu_time rssmax processes efficiency; do
	bad="$bad OR (j.$f IS NULL AND z.least_$f IS NOT NULL) OR j.$f < z.least_$f OR j.$f > coalesce(z.most_$f, -1)"
done
is "$(sqlite3 site.db "$bad")" 0 "and bounds hold for each job"

# What is read: zones, and the jobs of few.
steps()
{
	rm -f steps.out
	STEPS_OF='SELECT r.' STEPS_FILE=$work/steps.out LD_PRELOAD=$abs_top_builddir/tests/progs/statements.so \
		"$PERFMON" --db "$1" list jobs --order duration --limit 5 --columns id --csv >of_steps
	cat steps.out
}
if [ "$PM_SANITIZED" = yes ]; then
	skip "what is read" "tested without sanitizers"
else
	# With bounds that no deleted job has left behind.
	cp site.db tight.db && sqlite3 tight.db "UPDATE job_zone SET most_duration_us = (SELECT max(duration_us) FROM job WHERE id / 256 = zone)"
	few=$(steps tight.db) && cp of_steps few.out
	cp site.db wide.db && sqlite3 wide.db "UPDATE job_zone SET most_duration_us = 2000000000"
	all=$(steps wide.db)
	test "${few:-0}" -gt 0 && test "$((few * 4))" -lt "${all:-0}" && cmp -s few.out of_steps
	ok $? "few jobs are read: $few steps of SQLite, with bounds that say nothing $all"
fi

sqlite3 site.db "UPDATE job_zone SET most_duration_us = 1, least_rssmax = 2000"
test "$(wrong site.db | wc -l)" -gt 1
ok $? "noticed: bounds that do not hold"
test "$(sqlite3 site.db "$bad")" -gt 0
ok $? "noticed: by a look at each job, too"

"$PERFMON" --db new.db -q submit made && "$PERFMON" --db new.db -q submit --replace made || exit 99
is "$(sqlite3 new.db "$bad; SELECT count(*) FROM job_zone")" "0
1" "loads keep the bounds"
is "$("$PERFMON" --db new.db -q delete -f '#1' >out 2>&1; echo "$?|$(cat out)")|$("$PERFMON" --db new.db list --order cpu --limit 5)" "0||no jobs" "without jobs they say nothing"

done_testing
