#!/bin/sh
# What replaces or outlives something else is on disk before that is renamed over or removed, so that a loss of
# power at any moment leaves one of the two.
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?}/tests/e2e/lib.sh"

if [ "${PM_SANITIZED:-no}" = yes ] || ! need strace python3 || ! strace -o trace true 2>/dev/null; then
	skip "durable before destructive" "no ${missing:-tracing}"
	done_testing
fi

cat >order.py <<'EOT'
"""order.py TRACE FOLDER REMOVED...: what was not synced when a file below the folder was renamed or linked, or when one
that matches an expression was removed. Of every file that was removed, renamed or linked there are so many."""
import os, re, sys

trace, folder = sys.argv[1:3]
removed = re.compile("|".join(sys.argv[3:]))
dirty, seen = {}, 0  # files and folders, with what was done to them and is not synced


def path(where, name):
    return os.path.normpath(os.path.join(where, name))


for line in open(trace, errors="replace"):
    line = re.sub(r"^\d+ +", "", line)
    if " = -1 " in line:
        continue
    call = line.split("(")[0]
    of = re.match(r"\w+\((\d+)<([^>]*)>", line)
    named = re.findall(r'(?:(?:AT_FDCWD|\d+)<([^>]*)>, |\()"([^"]*)"|, "([^"]*)"', line)
    names = [path(a or folder, b or c) for a, b, c in named]
    if call in ("write", "pwrite64", "writev", "ftruncate", "sendfile", "copy_file_range", "fallocate") and of:
        target = re.findall(r"\d+<([^>]*)>", line)[1 if call == "copy_file_range" else 0]
        if target.startswith(folder) and not target.endswith(("-shm", "/out", "/err")):
            dirty[target] = call
    elif call in ("fsync", "fdatasync") and of:
        dirty.pop(of[2], None)
    elif call == "syncfs":
        dirty.clear()
    elif call.startswith(("rename", "link")) and len(names) == 2 and names[1].startswith(folder):
        seen += 1
        if names[0] in dirty:
            print("%s becomes %s before it is synced" % (names[0], names[1]))
            dirty[names[1]] = dirty.pop(names[0])
        # A new name is on disk with its folder.
        dirty[os.path.dirname(names[1])] = "it has " + os.path.basename(names[1])
    elif call.startswith("unlink") and names and names[0].startswith(folder):
        dirty.pop(names[0], None)
        if dirty.get(os.path.dirname(names[0])) == "it has " + os.path.basename(names[0]):
            dirty.pop(os.path.dirname(names[0]))
        if removed.search(os.path.basename(names[0])):
            seen += 1
            for other in sorted(dirty):
                print("%s is removed before %s is synced (%s)" % (names[0], other, dirty[other]))
if not seen:
    print("nothing was renamed or removed")
EOT

# durable NAME EXPRESSION COMMAND...: while it runs, what the expression matches is removed last.
durable()
{
	name=$1 removed=$2
	shift 2
	strace -f -y -s 300 -o trace "$@" >out 2>err
	is "$?|$(python3 order.py trace "$work" "$removed" | head -n 5)" "0|" "$name"
}
run() { "$PERFMON" start -j job && "$PERFMON" -j job run sh -c 'for i in 1 2 3; do /bin/true; done; exec /bin/true' && "$@"; }

# --- metadata, collating -------------------------------------------------------------------------
durable "metadata of a job" '[.]json$' "$PERFMON" start -j job
PERFMON_OPTIONS=PER_PROCESS "$PERFMON" -j job run sh -c 'for i in 1 2 3; do /bin/true; done; exec /bin/true' || exit 99
PERFMON_OPTIONS=PER_PROCESS durable "collating by stop" '[0-9][.]tsv$' "$PERFMON" -j job stop
dir=$(echo "$PERFMON_OUTPUT_PREFIX"/*/job)
is "$(find "$dir" -name '*.tsv' | wc -l)" 1 "has made one file of several"
durable "annotating a directory" '[.]json$' "$PERFMON" annotate "$dir" a=b

# --- staging -------------------------------------------------------------------------------------
mkdir staged
durable "staging" '[.](tsv|json)$' "$PERFMON" --stage-to="$work/staged" stage "$dir"
archive=$(find staged -name '*.tgz' | head -n 1)
test -n "$archive" && [ ! -e "$dir" ]
ok $? "has made an archive of the directory"
durable "annotating an archive" '[.]tgz$' "$PERFMON" annotate "$archive" c=d
is "$("$PERFMON" dump "$archive" | grep -c -E '^annotation.* (b|d)$')" 2 "of which both are there"

# --- loading -------------------------------------------------------------------------------------
export PERFMON_DB=$work/x.db
mkdir spool && cp "$archive" spool/a.tgz || exit 99
durable "submit --remove" '[.](tgz|tsv|json)$' "$PERFMON" submit --remove "$archive"
test ! -e "$archive"
ok $? "has removed the archive"
"$PERFMON" --spool-age=0 submit --spool spool >/dev/null 2>&1
cp spool/loaded/a.tgz spool/b.tgz 2>/dev/null || cp "$work"/spool/loaded/* spool/b.tgz
rm -f x.db*
durable "submit --spool --remove" '[.]tgz$' "$PERFMON" --spool-age=0 submit --spool spool --remove
test ! -e spool/b.tgz
ok $? "has removed the archive"
done_testing
