#!/bin/sh
# perfmon submit --spool: what is picked up, where it goes, what is refused, locks, a database that is away.
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/spool.sh
. "$abs_top_srcdir/tests/e2e/spool.sh"

skip_without_archives
PERFMON_DB=$work/x.db
PERFMON_SPOOL_AGE=0
export PERFMON_DB PERFMON_SPOOL_AGE

# pass [OPTION...]: one pass over $spool; its status in $status.
pass()
{
	"$PERFMON" submit --spool "$spool" "$@" >out 2>err
	status=$?
}

# Everything below a folder with kind, owner, mode, size, time and content.
listing()
{
	(cd "$1" && find . -printf '%p %y %U %m %s %T@ %l\n' | sort && find . -type f -exec cksum {} + | sort)
}

# Good ones.
spool=$work/good && mkdir "$spool"
archive "$spool/a.tgz" 1 && archive "$spool/b.tar.gz" 2 && gzip -dc "$spool/a.tgz" >c.tar
archive "$spool/.d.tgz" 3 && archive "$spool/e.tgz.part" 4 && echo hello >"$spool/README"
mkdir "$spool/jobdir" && cp made/* "$spool/jobdir"
mv c.tar "$spool/c.tar"
pass
is "$status|$(cat err)" "0|" "a spool with archives"
is "$(jobs x.db)" "1|$made 2|$made" "they are loaded"
is "$(sed -n '$p' out)" "spool $spool: 3 loaded, 0 set aside, 0 left" "and counted"
is "$(names "$spool" | tr '\n' ' ')" ".d.tgz README e.tgz.part failed jobdir loaded " "what has not an archive's name stays"
is "$(names "$spool/loaded" | tr '\n' ' ')|$(names "$spool/failed")" ".lock a.tgz b.tar.gz c.tar |" "the others are in loaded"
is "$(stat -c %a "$spool/loaded" "$spool/failed" | tr '\n' ' ')" "700 700 " "which is private"
pass
is "$status|$(cat out err)" "0|" "nothing to do: nothing said"

archive "$spool/young.tgz" 2
pass --spool-age 1h
is "$status|$(cat out)" "0|spool $spool: 0 loaded, 0 set aside, 1 left: changed too recently, see the setting spool_age" \
	"what may still be written is left, and why is said"
rm "$spool/young.tgz"

# A reason names what is set aside, and is read at a terminal.
spool=$work/named && mkdir "$spool" && echo x >"$spool/$(printf 'a\nb\033[31m').tgz"
pass
is "$status|$(find "$spool/failed" -name '*.reason' -exec cat {} + | sed -n '1s/.*\///; 1s/:.*//p')" '1|a\nb\x1b[31m.tgz' \
	"a reason cannot steer a terminal"
is "$(find "$spool/failed" -name '*.reason' -exec cat {} + | sed -n '2s/,.*//p')" "of uid $(id -u)" "and has its lines where they are"
spool=$work/good

# Once more, under names that are taken.
archive "$spool/a.tgz" 1 && archive "$spool/b.tar.gz" 5
pass
is "$status|$(jobs x.db)" "0|1|$made 2|$made 5|$made" "what was loaded is recognised"
is "$(names "$spool/loaded" "[!.]*" | tr '\n' ' ')" "1.a.tgz 1.b.tar.gz a.tgz b.tar.gz c.tar " "no archive takes another one's place"
archive "$spool/r.tgz" 6
pass --remove
is "$status|$(jobs x.db)|$(names "$spool/loaded" r.tgz)$(names "$spool" r.tgz)" "0|1|$made 2|$made 5|$made 6|$made|" \
	"--remove"
rm -rf unpacked && mkdir unpacked && cp made/*.tsv unpacked && echo 'no record' >>unpacked/n0-1000.tsv &&
	sed 's/"4711"/"7"/' made/job-n0.json >unpacked/job-n0.json && tar -czf "$spool/reject.tgz" -C unpacked .
pass --remove
is "$status|$(query "SELECT processes, rejected FROM job WHERE jobid = '7'" x.db)" "1|$made|1" "a rejected line: status 1, the rest is loaded"
is "$(names "$spool/loaded" "reject*" | tr '\n' ' ')" "reject.tgz reject.tgz.reason " "and the archive is never removed"
grep -q '^1 rejected lines' "$spool/loaded/reject.tgz.reason"
ok $? "its reason lies beside it"

# A database under an archive's name, whose rows never end, an archive of more jobs than memory may
# have room for, and one that unpacks to a thousand times its size: none holds up what lies behind it.
spool=$work/greedy && mkdir "$spool" && archive "$spool/z.tgz" 8
python3 - "$spool" <<'END'
import io, sqlite3, sys, tarfile
sqlite3.connect("endless").executescript("""
    CREATE VIEW processes AS SELECT 1 id, 'a' jobid, NULL threads_df;
    CREATE VIEW jobs AS WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT n AS jobid FROM r""")
open(sys.argv[1] + "/a.tgz", "wb").write(open("endless", "rb").read())
with tarfile.open(sys.argv[1] + "/b.tgz", "w:gz", compresslevel=1) as tar:
    for i in range(4200):
        tar.addfile(tarfile.TarInfo(f"{i}/job-h.json"), io.BytesIO())
with tarfile.open(sys.argv[1] + "/c.tgz", "w:gz", compresslevel=1) as tar:
    bomb = tarfile.TarInfo("1/n0-1.tsv")
    bomb.size = 40 << 20
    tar.addfile(bomb, io.BytesIO(bytes(bomb.size)))
END
PERFMON_DB=$work/greedy.db PERFMON_MAX_UNPACKED=1G timeout 100 "$PERFMON" submit --spool "$spool" >out 2>err
is "$?|$(sed -n '$p' out)|$(jobs greedy.db)" "1|spool $spool: 1 loaded, 3 set aside, 0 left|8|$made" \
	"one database, one of too many jobs and one bomb among them"
is "$(cat "$spool"/failed/*.reason | grep -c -e 'a database' -e 'more than 4096 jobs' -e 'max_unpacked, now 1G')" 3 \
	"their reasons"
timeout 20 "$PERFMON" convert -o none.tgz endless >out 2>err
is "$?|$(grep -c 'not a database of EPMT' err)" "1|1" "what has views for tables is no database of EPMT"

# Everything that has an archive's name and is none, and a good one: nothing outside is touched.
spool=$work/bad && mkdir "$spool" outside
archive outside/target.tgz 100 && archive outside/hard.tgz 101 && mkdir outside/dir && echo text >outside/dir/file
ln -s "$work/outside/target.tgz" "$spool/link.tgz"
ln -s /nonexistent "$spool/dangling.tgz"
ln -s "$work/outside/dir" "$spool/linkdir.tgz"
ln outside/hard.tgz "$spool/hard.tgz"
mkfifo "$spool/fifo.tgz"
mkdir "$spool/directory.tgz" && archive "$spool/directory.tgz/inner.tgz" 102
python3 -c 'import socket, sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])' "$spool/socket.tgz" || exit 99
archive whole.tgz 103 && head -c $(($(wc -c <whole.tgz) / 2)) whole.tgz >"$spool/truncated.tgz"
: >"$spool/empty.tgz" && head -c 5000 /dev/urandom >"$spool/noise.tar"
rm -rf unpacked && mkdir unpacked && echo '{' >unpacked/job-n0.json && tar -czf "$spool/nothing.tgz" -C unpacked .
archive "$spool/good.tgz" 104
archive "$spool/$(printf 'na\nme\033[31m').tgz" 105
archive "$spool/-rf.tgz" 106
want_aside='dangling directory empty fifo hard link linkdir noise nothing socket truncated'
if [ "$(id -u)" -eq 0 ]; then
	nobody=$(id -u nobody)
	archive "$spool/foreign.tgz" 107 && chown "$nobody" "$spool/foreign.tgz"
	archive "$spool/own.tgz" 108 "s/\"uid\":1000/\"uid\":$nobody/; s/tester/nobody/" && chown "$nobody" "$spool/own.tgz"
	want_aside=$(echo "$want_aside foreign" | tr ' ' '\n' | sort | tr '\n' ' ' | sed 's/ $//')
	own=" 108|$made"
else
	own=
fi
listing outside >outside.before
pass
is $status 1 "a spool with a fifo, links, a socket, a directory, damaged and foreign archives: status 1"
is "$(jobs x.db)" "1|$made 104|$made 105|$made 106|$made${own} 2|$made 5|$made 6|$made 7|$made" "the good ones are loaded"
is "$(find "$spool" -maxdepth 1 -mindepth 1 | sed 's/.*\///' | sort | tr '\n' ' ')" "failed loaded " "nothing is left"
is "$(names "$spool/failed" | grep -v 'reason$' | sed 's/\.t.*//' | sort | tr '\n' ' ' | sed 's/ $//')" "$want_aside" "the others are in failed"
unsaid=
for name in $want_aside; do
	[ -s "$spool/failed/$(names "$spool/failed" "$name.t*" | grep -v reason).reason" ] || unsaid="$unsaid $name"
	grep -q "$name\.t" err || unsaid="$unsaid $name"
done
is "$unsaid" "" "each with its reason, which was told, too"
reason()
{
	sed -n 1p "$spool/failed/$1.reason"
}
is "$(reason fifo.tgz)|$(reason link.tgz)|$(reason directory.tgz)|$(reason socket.tgz)" \
	"a fifo, not a regular file|a symbolic link, not a regular file|a directory, not a regular file|a socket, not a regular file" \
	"what each of them is"
reason hard.tgz | grep -q 'it has 2 hard links'
ok $? "a file with another name elsewhere"
reason truncated.tgz | grep -q 'ends too early' && reason nothing.tgz | grep -q 'no job in it' && reason noise.tar | grep -q 'not a tar archive'
ok $? "what cannot be read"
is "$(readlink "$spool/failed/link.tgz")|$(readlink "$spool/failed/dangling.tgz")" "$work/outside/target.tgz|/nonexistent" \
	"a link is moved itself"
# A hard link is a name less of the file, and that is all.
listing outside >outside.after
cmp -s outside.before outside.after
ok $? "nothing outside the spool is touched"
cmp -s outside.before outside.after || diag "$(diff outside.before outside.after)"
if [ "$(id -u)" -eq 0 ]; then
	reason foreign.tgz | grep -q "its metadata name uid 1000, but it belongs to uid $nobody"
	ok $? "an archive that says another user than owns it"
	is "$(query "SELECT \"user\", uid FROM job WHERE jobid = '108'" x.db)" "nobody|$nobody" "one that says its owner"
else
	skip "foreign archives" "not root"
fi
PERFMON_DB=$work/one.db "$PERFMON" submit "$spool/failed/truncated.tgz" >out 2>err
is "$(query 'SELECT jobid FROM job' one.db)" 103 "by hand, what is whole of a damaged archive still loads"

# What is still being written.
spool=$work/young && mkdir "$spool" && archive "$spool/y.tgz" 200
PERFMON_SPOOL_AGE=1h pass
is "$status|$(names "$spool" | tr '\n' ' ')" "0|failed loaded y.tgz " "an archive that changed a short while ago is left alone"
pass
is "$status|$(query "SELECT count(*) FROM job WHERE jobid = '200'" x.db)" "0|1" "and taken when it is old enough"

# Another pass.
spool=$work/locked && mkdir "$spool" && pass && archive "$spool/l.tgz" 300
python3 - "$spool/loaded/.lock" >held <<'EOF2' &
import fcntl, sys, time
f = open(sys.argv[1])
fcntl.flock(f, fcntl.LOCK_EX)
print("held", flush=True)
time.sleep(1000)
EOF2
holder=$!
until [ -s held ]; do sleep 0.05; done
pass
is "$status|$(cat out)|$(names "$spool" | tr '\n' ' ')" "75||failed l.tgz loaded " "while another perfmon is loading it: status 75, nothing moved"
grep -q 'another perfmon is loading it' err
ok $? "and that is told"
kill -9 $holder
wait $holder 2>/dev/null
pass
is "$status|$(names "$spool/loaded" "[!.]*")" "0|l.tgz" "its lock is gone when it was killed"

# The archive cannot be read for now: a server of files is away, say.
archive "$spool/m.tgz" 777
# The search for leaks cannot be traced.
if need strace && strace -o trace true 2>/dev/null; then
	leaks=$([ "${PM_SANITIZED:-no}" = no ] || echo "ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0")
	for fault in EIO ESTALE; do
		# shellcheck disable=SC2086 # a word or none
		env $leaks strace -f -o trace -P "$spool/m.tgz" -e trace=read -e "inject=read:error=$fault:when=2+" \
			"$PERFMON" submit --spool "$spool" >out 2>err
		is "$?|$(names "$spool" | tr '\n' ' ')|$(names "$spool/failed")" "75|failed loaded m.tgz |" \
			"$fault while an archive is read: it is left, nothing of it is loaded"
		grep -q "m.tgz is left in the spool: .*read: " err
		ok $? "and that is told"
	done
	is "$(jobs x.db | grep -c '777|')" 0 "no part of it is loaded"
else
	skip "an archive that cannot be read for now" "no $missing, or none may be traced"
fi
pass
is "$status|$(names "$spool" | tr '\n' ' ')|$(jobs x.db | grep -c "777|$made")" "0|failed loaded |1" "once it can be read, it is loaded"

# The database is away.
archive "$spool/m.tgz" 301
python3 - "$PERFMON_DB" >held2 <<'EOF2' &
import sqlite3, sys, time
db = sqlite3.connect(sys.argv[1], isolation_level=None)
db.execute("begin immediate")
print("held", flush=True)
time.sleep(1000)
EOF2
holder=$!
until [ -s held2 ]; do sleep 0.05; done
pass
is "$status|$(names "$spool" | tr '\n' ' ')|$(names "$spool/failed")" "75|failed loaded m.tgz |" "the database is locked: status 75, nothing moved"
grep -q 'm.tgz is left in the spool: .*locked' err
ok $? "and that is told"
kill -9 $holder
wait $holder 2>/dev/null
mkdir notadb
PERFMON_DB=$work/notadb pass
is "$status|$(names "$spool" | tr '\n' ' ')" "75|failed loaded m.tgz " "no database can be opened: status 75"
if [ "$(id -u)" -eq 0 ] && mkdir full && mount -t tmpfs -o size=400k tmpfs full 2>/dev/null; then
	head -c 300000 /dev/zero >full/rest
	PERFMON_DB=$work/full/x.db pass
	is "$status|$(names "$spool" | tr '\n' ' ')" "75|failed loaded m.tgz " "the database has no room: status 75"
	umount full
else
	skip "no room" "cannot mount a small file system"
fi
pass
is "$status|$(query "SELECT processes FROM job WHERE jobid = '301'" x.db)" "0|$made" "afterwards it is loaded"

# Places that are not safe.
mkdir open && chmod 777 open
spool=$work/open && pass
is "$status|$(names open)" "1|" "a spool that all may write to"
grep -q 'not sticky' err
ok $? "is refused, and why"
chmod 1777 open && pass
is "$status" 0 "a sticky one is none of those"
chmod 777 open/loaded && pass
is "$status" 1 "nor may others write to its folders"
mkdir planted && mkdir planted/elsewhere && ln -s elsewhere planted/loaded
archive planted/p.tgz 400
spool=$work/planted && pass
is "$status|$(names planted/elsewhere)" "1|" "a folder that is a link is refused"
ln -s good alias && spool=$work/alias && pass
is "$status" 1 "so is a spool"
spool=$work/none && pass
is "$status|$(cat err)" "1|perfmon: spool $work/none: No such file or directory" "a spool that is not there"
if [ "$(id -u)" -eq 0 ]; then
	mkdir theirs && chown nobody theirs
	spool=$work/theirs && pass
	is "$status|$(grep -c 'belongs to uid' err)" "1|1" "a spool that belongs to another user"
else
	skip "a spool that belongs to another user" "not root"
fi
spool=$work/good
pass x.tgz
is "$status" 2 "operands"
pass --dry-run
is "$status" 2 "--dry-run"
"$PERFMON" submit --watch >out 2>err
is "$?" 2 "--watch without --spool"
pass -q
is "$status|$(cat out err)" "0|" "-q"
done_testing
