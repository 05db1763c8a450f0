#!/bin/sh
# Whose a record file is does not depend on the order in which a job's files come, in an archive, over
# archives or over loads, and nothing in the file decides it: in a job of root's, whose programs become
# other users, the names do that root gave.
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"

if ! need python3; then
	skip "users of files" "no $missing"
	done_testing
fi
if ! grep -q '^#define HAVE_ZLIB' "$abs_top_builddir/config.h"; then
	skip "users of files" "built without zlib"
	done_testing
fi
"$abs_top_builddir/tests/progs/generate" --seed=3 made 40 >/dev/null

# Writes the files of a case, and what to load in a line each.
cat >case.py <<'END'
import io, itertools, json, os, sys, tarfile

which, host = sys.argv[1], sys.argv[2]
os.makedirs("whole/4711")
head, *lines = [line for line in open("made/n0-1000.tsv").read().split("\n") if line]
at = {name: i for i, name in enumerate(head.split("\t"))}
meta = json.load(open("made/job-n0.json"))
rows = [line.split("\t") for line in lines]


def changed(row, **values):
    row = list(row)
    for name, value in values.items():
        row[at[name]] = value
    return row


for row in rows:
    row[at["hostname"]] = host
uid = 1000 if which == "user" else 0
meta["job"].update(uid=uid, user="root" if uid == 0 else "tester")
meta["host"]["hostname"] = host
theirs = {row[at["pid"]] for row in rows[len(rows) // 2:len(rows) // 2 + 9]}
own = [changed(row, uid=str(uid)) if row[at["uid"]] == "1000" else row for row in rows if row[at["pid"]] not in theirs]
other = [row for row in rows if row[at["pid"]] in theirs]
files = {"job-%s.json" % host: json.dumps(meta).encode()}


def put(name, some):
    files[name] = ("\n".join([head] + ["\t".join(row) for row in some]) + "\n").encode()


if which == "user":
    # One job of one user: its lines are in any files.
    for n, name in enumerate(("0", "1000", "7")):
        put("%s-%s.tsv" % (host, name), rows[n::3])
elif which == "root":
    # Another user's file says what root's processes ended with, and that it is root's and of elsewhere.
    ends = [row for row in own if row[at["record"]] == "end"][:5]
    lie = [changed(other[0], hostname="elsewhere", boot_id="ab", pid="77", uid="0")]
    put("%s-0.tsv" % host, own)
    put("%s-1000.tsv" % host, lie + [changed(row, exitcode="66") for row in ends] +
        [changed(row, uid="0") for row in other])
elif which == "processes":
    # Files of single processes, one of which was there when another user's file was made.
    put("%s-0.tsv" % host, own[::2])
    put("%s-4711-1000.tsv" % host, own[1::2])
    put("%s-1000.tsv" % host, other)
for name, data in files.items():
    open("whole/4711/" + name, "wb").write(data)


def archive(path, names):
    with tarfile.open(path, "w:gz", compresslevel=1) as tar:
        for name in names:
            info = tarfile.TarInfo("4711/" + name)
            info.size = len(files[name])
            tar.addfile(info, io.BytesIO(files[name]))
    return path


plan = open("plan", "w")
# Each file is the first in two of these; all orders are among those of tests/prove/splits.
for n, order in enumerate(itertools.islice(itertools.permutations(files), 0, None, 3)):
    print("one", archive("all%d.tgz" % n, order), file=plan)
names = [name for name in files if name.endswith(".tsv")]
metadata = "job-%s.json" % host
for n, order in enumerate(itertools.permutations(names)):
    sources = []
    for k, name in enumerate(order):
        sources.append(archive("part%d-%d.tgz" % (n, k), (name, metadata) if (n + k) % 2 else (metadata, name)))
    print("together", *sources, file=plan)
    print("each", *sources, file=plan)
END
canon()
{
	python3 "$abs_top_srcdir/tests/e2e/submit-canon.py" "$1" >"$2" && sqlite3 "$1" "
		SELECT 'reject', file, reason, count(*) FROM reject WHERE reason NOT LIKE 'duplicate%'
		GROUP BY 2, 3 ORDER BY 2, 3" >>"$2"
}
load()
{
	rm -f db
	how=$1
	shift
	case $how in
	each) for source; do "$PERFMON" -q submit "$source" || return 1; done ;;
	*) "$PERFMON" -q submit "$@" ;;
	esac >>out 2>&1
}
PERFMON_DB=$work/round/db
export PERFMON_DB
round()
{
	rm -rf "$work/round" && mkdir "$work/round" && cd "$work/round" || exit 99
	ln -s ../made made
	python3 "$work/case.py" "$1" "$2"
	load whole whole/4711
	canon db rows
	wrong=0
	while read -r how sources; do
		# shellcheck disable=SC2086 # a list
		load "$how" $sources
		canon db got
		if ! cmp -s rows got; then
			wrong=$((wrong + 1))
			[ $wrong -gt 1 ] || diag "$how $sources: $(diff rows got | cut -c 1-300 | head -n 6)"
		fi
	done <plan
	is "$wrong of $(grep -c . plan)" "0 of $(grep -c . plan)" "$3"
	cp db rows "$work"
	cd "$work" || exit 99
}
rejected() { sqlite3 db "SELECT count(*) FROM reject WHERE reason LIKE '%another user%'"; }

round user n0 "a user's job in any order is one"
is "$(rejected):$(sqlite3 db "SELECT count(*) FROM process WHERE uid <> 1000")" "0:0" "and nothing in it is another's"
for host in n0 n-12; do
	round root $host "root's job in any order is one, on host $host"
	is "$(rejected):$(sqlite3 db "SELECT count(*) FROM process WHERE exitcode = 66")" "5:0" \
		"and another user says nothing of root's processes"
	is "$(sqlite3 db "SELECT DISTINCT p.uid FROM process p JOIN host h ON h.job_id = p.job_id AND h.id = p.host_id
		WHERE h.hostname = 'elsewhere'")" 1000 "nor that it is root, wherever it says to be"
done
round processes n-12 "files of processes are root's, in any order"
is "$(rejected):$(sqlite3 db "SELECT count(DISTINCT uid) FROM process")" "0:2" "and those of the other user are not"

# --- a directory knows more -------------------------------------------------------------------------
if [ "$(id -u)" != 0 ]; then
	skip "a file of another user by its owner" "not root"
	done_testing
fi
python3 case.py root n0
mkdir later && mv whole/4711/n0-0.tsv later/ && cp whole/4711/job-n0.json later/
mv whole/4711/n0-1000.tsv whole/4711/n0-more.tsv
chown 1000 whole/4711/n0-more.tsv
rm -f db
PERFMON_DB=$work/db
"$PERFMON" -q submit whole/4711 >out 2>&1
"$PERFMON" -q submit later >>out 2>&1
is "$(rejected):$(sqlite3 db "SELECT count(*) FROM process WHERE exitcode = 66")" "5:0" \
	"the owner of a file is remembered for what comes later"
done_testing
