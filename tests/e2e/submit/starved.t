#!/bin/sh
# A job is loaded while one allocation fails, or temporary files have no room: the database has the job wholly
# or not at all, as the job that it is, and the next submit completes it. `make check-submit` does so for every
# allocation.
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/database.sh
. "$abs_top_srcdir/tests/e2e/database.sh"

if ! need python3; then
	skip "no memory" "no $missing"
	done_testing
fi
"$abs_top_builddir/tests/progs/generate" job 60 2 >/dev/null || exit 99
cat >starve.py <<'EOT'
import os, shutil, subprocess, sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.environ["abs_top_srcdir"] + "/tests/e2e")
import database_content

perfmon, starve, step = os.environ["PERFMON"], sys.argv[1], int(sys.argv[2])
command = [perfmon, "-q", "submit", "job"]


def remove():
    for end in "", "-wal", "-shm":
        if os.path.exists("x.db" + end):
            os.unlink("x.db" + end)
    if os.path.exists("template.db"):
        shutil.copy("template.db", "x.db")


def content():
    """All rows of all tables, times of loading aside; {} where there are none of a job."""
    rows = database_content.content("x.db")
    return rows if rows == "damaged" or rows.get("job") else {}


def load(**more):
    return subprocess.run(command, env=dict(os.environ, PERFMON_DB="x.db", **more), stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL).returncode


# A database without a job: tables alone take most allocations.
subprocess.run([perfmon, "-q", "submit", "nothing"], env=dict(os.environ, PERFMON_DB="template.db"), stderr=subprocess.DEVNULL)
remove()
if load(LD_PRELOAD=starve, STARVE_COUNT="count") != 0 or not os.path.exists("count"):
    sys.exit(77)
calls, want = int(open("count").read()), content()
wrong, tried, there = [], 0, 0
for at in range(1 + calls % step, calls + 1, step):
    remove()
    status, got = load(LD_PRELOAD=starve, STARVE_AT=str(at)), content()
    if status not in (0, 1):
        wrong.append("%d: exit status %d" % (at, status))
    if got not in ({}, want):
        wrong.append("%d: part of a job, exit status %d" % (at, status))
    elif status == 0 and got != want:
        wrong.append("%d: a success without the job" % at)
    if load() != 0 or content() != want:
        wrong.append("%d: not completed by the next submit" % at)
    tried += 1
    there += got == want
for line in wrong[:8]:
    print(line)
print("%d of %d allocations failed, after %d of them the job was there" % (tried, calls, there))
sys.exit(not tried or len(wrong) > 0)
EOT
if [ "${PM_SANITIZED:-no}" = yes ]; then
	skip "without memory for an allocation" "sanitizers allocate themselves"
else
	export PERFMON
	python3 starve.py "$abs_top_builddir/tests/progs/starve.so" "${PM_STARVE_STEP:-211}" >out
	status=$?
	if [ $status -eq 77 ]; then
		skip "without memory for an allocation" "no allocations are counted here"
	else
		ok $status "without memory for an allocation"
		diag "$(cat out)"
	fi
fi

# Beyond the limit of a file's size a temporary file ends, and what is kept of it in memory is beyond its end.
"$abs_top_builddir/tests/progs/generate" --jobid 4712 long 20000 >/dev/null || exit 99
PERFMON_DB=$work/y.db "$PERFMON" -q submit job || exit 99
(
	ulimit -f 4000
	PERFMON_DB=$work/y.db "$PERFMON" -q submit long 2>err
)
is "$?" 1 "temporary files without room are a failure"
grep -q 'write temporary file: File too large' err
ok $? "is told"
is "$(query 'SELECT group_concat(jobid), (SELECT count(*) FROM process), (SELECT * FROM pragma_integrity_check()) FROM job' y.db)" \
	"4711|60|ok" "nothing of the job is there"
(
	ulimit -f 100
	PERFMON_DB=$work/y.db "$PERFMON" -q submit long 2>err
)
is "$?|$(query 'SELECT group_concat(jobid), (SELECT * FROM pragma_integrity_check()) FROM job' y.db)" "1|4711|ok" \
	"a database that may not grow is a failure, too"
PERFMON_DB=$work/y.db "$PERFMON" -q submit long
is "$?|$(query 'SELECT count(*) FROM process' y.db)" "0|20060" "the next submit completes it"
done_testing
