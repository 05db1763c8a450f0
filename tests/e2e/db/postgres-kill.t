#!/bin/sh
# kill -9 while jobs are loaded into PostgreSQL, at random: each job is there wholly or not at all, for a reader
# at any time, too, and the next submit completes it. `make check-submit` kills 1 000 times.
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/postgres.sh
. "$abs_top_srcdir/tests/e2e/postgres.sh"

if ! need python3; then
	skip "kill -9 and PostgreSQL" "no $missing"
	done_testing
fi
postgres_needed "kill -9 and PostgreSQL"
postgres_sql postgres -c 'CREATE DATABASE perfmon' >/dev/null || exit 99
"$abs_top_builddir/tests/progs/generate" job 60 2 >/dev/null || exit 99

cat >kill.py <<'EOT'
import os, random, subprocess, sys, threading, time

perfmon, url, kills = os.environ["PERFMON"], sys.argv[1], int(sys.argv[2])
env = dict(os.environ, PERFMON_DB=url)
random.seed(11)


class Sql:
    """A psql that stays: an answer is what comes before a line of its own."""
    def __init__(self):
        self.p = subprocess.Popen(["psql", "-XqAt", url], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True)

    def ask(self, sql):
        self.p.stdin.write(sql + ";\n\\echo <end>\n")
        self.p.stdin.flush()
        lines = []
        for line in self.p.stdout:
            if line == "<end>\n":
                return lines
            lines.append(line.rstrip("\n"))
        sys.exit("Bail out! psql: " + "\n".join(lines))


def name(jobid):
    for f in os.listdir("job"):
        if f.endswith(".json"):
            text = open("whole/" + f).read().replace('"4711"', '"%s"' % jobid)
            open("job/" + f, "w").write(text)


def submit():
    return subprocess.run([perfmon, "-q", "submit", "job"], env=env).returncode


os.rename("job", "whole")
os.mkdir("job")
for f in os.listdir("whole"):
    open("job/" + f, "wb").write(open("whole/" + f, "rb").read())
name("k0000")
if submit() != 0:
    sys.exit("Bail out! the first submit")
sql, reader = Sql(), Sql()
tables = sql.ask("SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'job_id' "
                 "WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relnamespace = 'public'::regnamespace "
                 "ORDER BY 1")
# What differs between two jobs that are the same but for their ids: those, what was made of them, when.
but = "- 'job_id' - 'loaded_us' - 'digest' - 'bytes' - 'source' - 'file'"
rows = " UNION ALL ".join(
    "SELECT '%s ' || count(*) || ' ' || coalesce(md5(string_agg((to_jsonb(t) %s)::text, ' ' ORDER BY "
    "(to_jsonb(t) %s)::text)), '') FROM \"%s\" t WHERE job_id = (SELECT id FROM job WHERE jobid = '%%s')" %
    (t, but, but, t) for t in tables)
rows += " UNION ALL SELECT 'job ' || count(*) || ' ' || coalesce(md5(string_agg((to_jsonb(t) - 'id' - 'jobid')::text, ' ')), '') " \
        "FROM job t WHERE jobid = '%s'"
orphans = " UNION ALL ".join("SELECT '%s' FROM \"%s\" t WHERE job_id NOT IN (SELECT id FROM job)" % (t, t) for t in tables)


def content(of, jobid):
    return sorted(of.ask(rows.replace("%s", jobid)))


whole, nothing = content(sql, "k0000"), content(sql, "none")
took = 10
for jobid in "k9997", "k9998", "k9999":
    name(jobid)
    began = time.monotonic()
    submit()
    took = min(took, time.monotonic() - began)
wrong, seen, inside, looks = [], [], 0, 0
current, stop = "none", False


def read():
    global looks
    while not stop:
        jobid = current
        got = content(reader, jobid)
        looks += 1
        if got not in (whole, nothing):
            seen.append("%s: %s" % (jobid, [l for l in got if l not in whole]))


watch = threading.Thread(target=read)
watch.start()
for i in range(1, kills + 1):
    current = "k%04d" % i
    name(current)
    p = subprocess.Popen([perfmon, "-q", "submit", "job"], env=env)
    time.sleep(took * 1.2 * random.random() ** 0.6)
    p.kill()
    p.wait()
    got = content(sql, current)
    if got == whole:
        inside += 1
    elif got != nothing:
        wrong.append("%s: part of a job: %s" % (current, [l for l in got if l not in whole]))
    status = submit()
    if status != 0 or content(sql, current) != whole:
        wrong.append("%s: not completed by the next submit, exit status %d" % (current, status))
stop = True
watch.join()
left = sql.ask(orphans)
many = int(sql.ask("SELECT count(*) FROM job")[0])

# What is removed is on the server's disk before, also where the site would rather be fast.
sql.ask("CREATE TABLE how (jobid text, sync text); "
        "CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
        "INSERT INTO how VALUES (NEW.jobid, current_setting('synchronous_commit')); RETURN NEW; END $$; "
        "CREATE TRIGGER note BEFORE INSERT ON job FOR EACH ROW EXECUTE FUNCTION note(); "
        "ALTER DATABASE perfmon SET synchronous_commit = off")
name("fast")
submit()
name("sure")
command = [perfmon, "-q", "submit", "--remove", "job"]
status = subprocess.run(command, env=env).returncode
how = sql.ask("SELECT * FROM how ORDER BY 1") + [str(status), str(os.path.exists("job"))]
for n, (bad, what) in enumerate(((wrong, "killed at random, jobs are wholly there or not, and completed by the next submit"),
                                 (seen, "a reader at the same time sees whole jobs alone"),
                                 (left, "nothing belongs to no job"),
                                 ([] if how == ["fast|off", "sure|on", "0", "False"] else how,
                                  "--remove waits for the server's disk"),
                                 ([many] if many != kills + 4 else [], "every job is there once")), 1):
    print("%s %d - %s" % ("not ok" if bad else "ok", n, what))
    for line in bad[:5]:
        print("#", line)
print("# killed %d times, after %d of them the job was there; %d looks" % (kills, inside, looks))
print("1..5")
sys.stdout.flush()
os._exit(bool(wrong or seen or left))
EOT
export PERFMON
python3 kill.py "$(postgres_url perfmon)" "${PM_KILLS:-12}"
