#!/bin/sh
# perfmon stage: closed jobs become archives, nothing is lost, whatever happens meanwhile.
# shellcheck disable=SC2154,SC2016,SC2012 # set by lib.sh; commands' own shells expand; names are ours
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"

if ! "$PERFMON" -a -j probe run true || ! "$PERFMON" stage -j probe >out 2>err; then
	grep -q 'built without' err && skip "stage" "$(cut -d: -f2- <err)" && done_testing
fi
host=$(uname -n)
user=$PERFMON_OUTPUT_PREFIX/$(id -un)
is "$(cat out)" "$work/probe.$host.tgz" "it prints where the archive is: here, by default"
is "$(ls "$user"):$(stat -c %a "probe.$host.tgz")" ":600" "the job's directory is gone, the archive is the user's alone"
export PERFMON_STAGE_TO="$work/spool"

# sum ARCHIVE...: what a database with nothing but these says of the processes.
sum()
{
	rm -f "$work/sum.db"
	PERFMON_DB=$work/sum.db "$PERFMON" -q submit "$@" >"$work/sum.out" 2>&1 || cat "$work/sum.out"
	PERFMON_DB=$work/sum.db "$PERFMON" list processes --csv | cut -d, -f8- | cksum
}

# --- what is no job ------------------------------------------------------------------------------------
mkdir empty "$user/left"
"$PERFMON" stage empty >out 2>err
is "$?:$(cat out err):$(ls -d empty)" "1:perfmon: $work/empty: no job in it:empty" \
	"an empty directory that lies elsewhere is none of ours, and stays"
"$PERFMON" stage "$user/left" >out 2>err
is "$?:$(cat out err):$(ls "$user")" "0::" "one among the jobs is what a stage left that was killed"

# --- a job of many files ------------------------------------------------------------------------------
job='i=0; while [ $i -lt 20 ]; do /bin/true; i=$((i + 1)); done; exit 3'
PERFMON_OPTIONS=PER_PROCESS "$PERFMON" -a -j many run sh -c "$job"
# As a stop that was killed leaves it.
head -n 1 "$user/many/$host-$(id -u).tsv" >header
tail -n +2 "$user/many/$host-$(id -u).tsv" | split -l 7 - part.
n=100
for part in part.*; do
	n=$((n + 1))
	cat header "$part" >"$user/many/$host-$n-1.tsv"
done
rm "$user/many/$host-$(id -u).tsv" part.*
before=$(sum "$user/many")
cp -a "$user/many" many.copy
"$PERFMON" -n stage -j many >out
is "$?:$(cat out | sed 's/[0-9][0-9]* files/N files/'):$(ls "$user/many" | wc -l)" \
	"0:would stage N files of job many on $host:$(ls many.copy | wc -l)" "-n says what it would do"
"$PERFMON" stage "$user/many" >out 2>err
is "$?:$(cat out err)" "0:$work/spool/many.$host.tgz" "an archive in the directory of stage_to"
is "$(ls spool):$(ls "$user")" "many.$host.tgz:" "which was made, and holds nothing else; the job is gone"
is "$(sum "spool/many.$host.tgz")" "$before" "the archive loads to the rows of the directory"
if need tar python3; then
	tar -tzf "spool/many.$host.tgz" >names
	is "$?:$(grep -c -v '^many/' names):$(tail -n 1 names):$(grep -c "many/$host-.*tsv$" names)" \
		"0:0:many/manifest.json:1" "any tar reads it; the files of single processes are collated"
	tar -xzOf "spool/many.$host.tgz" many/manifest.json >manifest.json
	mkdir x && tar -C x -xzf "spool/many.$host.tgz"
	python3 - <<'PYTHON'
import hashlib, json
m = json.load(open("manifest.json"))
assert m["format"] == "perfmon-manifest-1" and m["job"] == "many", m
assert m["count"] == len(m["files"]) == 3, m
for f in m["files"]:
    data = open("x/many/" + f["name"], "rb").read()
    assert f["size"] == len(data), f
    assert f["sha256"] == hashlib.sha256(data).hexdigest(), f
    assert f["lines"] == data.count(b"\n"), f
assert m["bytes"] == sum(f["size"] for f in m["files"])
assert m["lines"] == sum(f["lines"] for f in m["files"])
PYTHON
	ok $? "the manifest has every file's size, lines and digest"
else
	skip "any tar reads it" "no $missing"
	skip "the manifest has every file's size and digest" "no $missing"
fi
"$PERFMON" stage "$user/many" 2>err && echo staged twice
cp -a many.copy "$user/many"
echo >>"$user/many/$host-101-1.tsv"
"$PERFMON" --json stage "$user/many" >out
is "$?:$(tr -d ' \n' <out | sed 's/"\(bytes\|lines\)":[0-9]*,//g')" \
	"0:[{\"job\":\"many\",\"host\":\"$host\",\"archive\":\"$work/spool/many.$host.2.tgz\",\"files\":3,\"kept\":false}]" \
	"another archive of the name gets a number, and --json tells"
if need tar; then
	is "$(sed -n 's/^ *"\(bytes\|lines\)": \([0-9]*\).*/\2/p' out | tr '\n' ' ')" \
		"$(tar -xzOf "spool/many.$host.2.tgz" --exclude 'manifest.json' | wc -cl | awk '{ print $2, $1 " " }')" \
		"with the bytes and lines of its files"
fi
is "$(sum "spool/many.$host.tgz" "spool/many.$host.2.tgz")" "$before" "both together load to the same"

# --- which job ------------------------------------------------------------------------------------------
"$PERFMON" stage >out 2>err
is "$?:$(cat out err)" "1:perfmon: no closed job to stage" "without a job it is an error"
"$PERFMON" -a -j first run true
"$PERFMON" -a -j second run true
"$PERFMON" stage >out 2>err
is "$?:$(cat out err)" "0:$work/spool/second.$host.tgz" "without an operand it is the newest closed one"
"$PERFMON" start -j open
"$PERFMON" stage -j open >out 2>err
is "$?:$(cat out err):$(ls "$user")" \
	"1:perfmon: job open is open; stop it first, or use --force to pack what there is:first
open" "an open one stays"
"$PERFMON" stage --force -jopen >out 2>err
is "$?:$(cat out err):$(find "$user/open" -name "*.json" | wc -l)" "0:$work/spool/open.$host.tgz:1" \
	"--force packs it, and leaves it"
"$PERFMON" -a -j third run true
"$PERFMON" stage --all >out 2>err
is "$?:$(sort out | tr '\n' ' ')$(cat err):$(ls "$user")" \
	"0:$work/spool/first.$host.tgz $work/spool/third.$host.tgz :open" "--all takes every closed one"
"$PERFMON" stop -j open
"$PERFMON" -q stage -jopen >out 2>err
is "$?:$(cat out err):$(ls "$user")" "0::" "-q prints nothing"
"$PERFMON" stage "$work/none" "$work" >out 2>err
is "$?:$(cat out):$(grep -c '^perfmon: ' err)" "1::2" "what is no job is told, each"
PERFMON_RECORDING=off "$PERFMON" stage >out 2>err
is "$?:$(cat out err)" "0:" "with recording off there is nothing to do"

# --- several hosts, strange files ---------------------------------------------------------------------
cp -a many.copy "$user/hosts"
sed "s/\"hostname\": \"$host\"/\"hostname\": \"$host-2\"/" "$user/hosts/job-$host.json" >"$user/hosts/job-$host-2.json"
cp "$user/hosts/$host-101-1.tsv" "$user/hosts/$host-2-101-1.tsv"
cp header "$user/hosts/elsewhere-0.tsv"
"$PERFMON" stage -j hosts >out 2>err
is "$?:$(sort out | sed "s|$work/spool/||" | tr '\n' ' ')$(cat err)" \
	"0:hosts.other.tgz hosts.$host-2.tgz hosts.$host.tgz " "an archive per host, and one for what is of none"
need tar && is "$(tar -tzf "spool/hosts.$host-2.tgz" | wc -l)" 3 "each with the host's files"
mkdir "$work/job dir
x" && cp -a many.copy/. "$work/job dir
x/"
touch "$work/job dir
x/notes.txt"
ln -s /etc/passwd "$work/job dir
x/$host-7.tsv"
cp header "$work/job dir
x/$host-a b
c.tsv"
"$PERFMON" stage "$work/job dir
x" >out 2>err
is "$?:$(cat out):$(grep -c '2 files not packed' err)" "0:$work/spool/job dir_x.$host.tgz:1" \
	"names with blanks and newlines are none of a problem"
is "$(cd "$work/job dir
x" && ls -A | wc -l)" 2 "what is not perfmon's stays"
is "$(sum "spool/job dir_x.$host.tgz")" "$before" "and the archive loads"

# --- what a killed one left -------------------------------------------------------------------------------
cp -a many.copy "$user/again"
: >"spool/.again.$host.tgz.ab12.new"
: >"spool/.others.$host.tgz.ab12.new"
"$PERFMON" -q stage -j again
is "$?:$(find spool -name '.*.new' -printf '%f')" "0:.others.$host.tgz.ab12.new" "half an archive that was left of a job goes"
rm -f "spool/.others.$host.tgz.ab12.new"

# --- the command ------------------------------------------------------------------------------------------
cp -a many.copy "$user/cmd"
PERFMON_STAGE_COMMAND='echo told; exit 7' "$PERFMON" stage -jcmd >out 2>err
is "$?:$(cat out):$(ls "$user"):$(grep -c 'failed with status 7' err)" "1::cmd:1" "a command that fails keeps the job"
PERFMON_STAGE_COMMAND='kill -9 $$' "$PERFMON" stage -jcmd >out 2>err
is "$?:$(cat out):$(ls "$user"):$(grep -c 'killed by signal 9' err)" "1::cmd:1" "so does one that is killed"
mkdir moved
PERFMON_STAGE_COMMAND='echo told; mv "$1" moved/' "$PERFMON" stage -jcmd >out 2>err
is "$?:$(cat out):$(cat err):$(ls moved):$(ls "$user")" \
	"0:$work/spool/cmd.$host.tgz:told:cmd.$host.tgz:" \
	"the next call goes on with the archive that is there; the command may move it"
is "$(sum "moved/cmd.$host.tgz")" "$before" "it is whole"

# --- full disk, no permission -----------------------------------------------------------------------------
cp -a many.copy "$user/full"
if [ "$(id -u)" -eq 0 ] && need unshare && unshare -m sh -c 'mount -t tmpfs none /mnt' 2>err; then
	# Room for the job, and 4 kB for its archive; then no inode.
	for limit in size=4k nr_inodes=1; do
		unshare -m sh -c 'mkdir -p spool.full && mount -t tmpfs -o '$limit' none spool.full &&
			head -c 3000 /dev/urandom 2>/dev/null >spool.full/taken
			PERFMON_STAGE_TO=$PWD/spool.full "$0" stage -j full >out 2>err
			echo $? >status; ls -A spool.full >left' "$PERFMON"
		is "$(cat status):$(cat out):$(grep -c 'No space left' err):$(grep -c tgz left):$(
			diff -r many.copy "$user/full" >/dev/null; echo $?)" "1::1:0:1" \
			"$limit: an error, no archive"
		is "$(sum "$user/full")" "$before" "$limit: and the job is as it was"
	done
else
	skip "a full disk" "no tmpfs to mount"
fi
if [ "$(id -u)" -eq 0 ] && need setpriv; then
	as_user() { setpriv --reuid 65534 --regid 65534 --clear-groups "$@"; }
	chmod 755 "$work"
	mkdir -m 1777 pub
	as_user env PERFMON_OUTPUT_PREFIX="$work/pub/p" "$PERFMON" -a -jtheirs run true
	as_user env PERFMON_OUTPUT_PREFIX="$work/pub/p" PERFMON_STAGE_TO="$work/spool" "$PERFMON" stage -jtheirs >out 2>err
	is "$?:$(cat out):$(grep -c 'Permission denied' err):$(find pub -name 'job-*.json' | wc -l)" "1::1:1" \
		"where the user may not write, the job stays"
	# As their user can where the kernel does not protect hard links.
	theirs=$(dirname "$(find pub -name 'job-*.json')")
	(umask 077 && echo secret >secret && ln secret "$theirs/$host-9.tsv")
	"$PERFMON" stage "$theirs" >out 2>err
	is "$?:$(cat out):$(grep -c '9.tsv: a file of uid 0' err):$(find spool -name '*theirs*' | wc -l)" "1::1:0" \
		"root packs nothing for a user that is not the user's"
	rm "$theirs/$host-9.tsv"
	"$PERFMON" stage "$theirs" >out 2>err
	is "$?:$(cat out err):$(stat -c %u "spool/theirs.$host.tgz")" "0:$work/spool/theirs.$host.tgz:65534" \
		"an archive that root makes is the job's user's"
	# A spool that hides from users what is in it.
	mkdir -m 1733 blind
	for name in theirs.$host.tgz theirs.$host.2.tgz; do
		as_user env PERFMON_OUTPUT_PREFIX="$work/pub/p" "$PERFMON" -a -jtheirs run true
		as_user env PERFMON_OUTPUT_PREFIX="$work/pub/p" PERFMON_STAGE_TO="$work/blind" "$PERFMON" stage -jtheirs >out 2>err
		is "$?:$(cat out err):$(find pub -name 'job-*.json' | wc -l):$(stat -c '%a %u' "blind/$name")" \
			"0:$work/blind/$name:0:600 65534" "a directory that the user may not list takes $name"
	done
	PERFMON_STAGE_TO="$work/blind" as_user "$PERFMON" status >out 2>err
	is "$?:$(cat err)" "0:" "and status passes it over"
	as_user "$PERFMON" stage "$user/full" >out 2>err
	is "$?:$(cat out)" "1:" "other users' jobs are out of reach"
else
	skip "users" "not root"
fi
rm -rf "$user/full"

# --- written to meanwhile ---------------------------------------------------------------------------------
cp -a many.copy "$user/late"
PERFMON_STAGE_COMMAND="tail -n 3 header >>$user/late/$host-$(id -u).tsv; echo >>$user/late/$host-$(id -u).tsv" \
	"$PERFMON" stage -jlate >out 2>err
is "$?:$(cat out):$(grep -c '1 file changed since packing began' err):$(ls "$user/late" | wc -l)" \
	"0:$work/spool/late.$host.tgz:1:3" "where a file grew, all of them stay"
"$PERFMON" stage -jlate >out 2>&1
is "$?:$(ls "$user"):$(sum "spool/late.$host.tgz" "spool/late.$host.2.tgz")" "0::$before" \
	"and is staged the next time; all of it loads once"

# --- killed anywhere ----------------------------------------------------------------------------------------
if need strace && strace -o trace -e trace=none true 2>/dev/null; then
	rm -rf spool
	calls=fsync,renameat,renameat2,linkat,unlinkat,rmdir,write,fchown,flock,clone,clone3,vfork
	step=0
	lost='' left='' killed=1
	while [ $killed -eq 1 ] && [ $step -lt 300 ]; do
		step=$((step + 1))
		rm -rf spool "$user/kill"
		cp -a many.copy "$user/kill"
		PERFMON_STAGE_COMMAND=: strace -qq -o trace -e "trace=$calls" \
			-e "inject=$calls:signal=KILL:when=$step" "$PERFMON" stage "$user/kill" >out 2>err
		[ $? -eq 137 ] || killed=0
		[ ! -d "$user/kill" ] || "$PERFMON" stage "$user/kill" >out 2>&1 || lost="$lost $step!"
		[ "$(sum spool/*.tgz)" = "$before" ] || lost="$lost $step?"
		[ ! -e "$user/kill" ] && [ "$(find spool -name '.*' | wc -l)" -eq 0 ] || left="$left $step"
	done
	is "$lost" "" "killed at any of $step steps, no record is lost, and the next call completes it"
	is "$left" "" "nothing is left of what was killed"
	[ $step -gt 20 ] && [ $step -lt 300 ]
	ok $? "the steps were tried one by one"
else
	skip "killed anywhere" "no working strace"
fi

# --- hosts whose names begin alike ----------------------------------------------------------------------
rm -rf spool
"$PERFMON" -a -j alike run true
for name in n n-2 n-2.a; do
	cp "$user/alike/job-$host.json" "$user/alike/job-$name.json"
	cp "$user/alike/$host-$(id -u).tsv" "$user/alike/$name-$(id -u).tsv"
done
rm "$user/alike/job-$host.json" "$user/alike/$host-$(id -u).tsv"
"$PERFMON" -q stage "$user/alike"
for name in n n-2 n-2.a; do
	tar tzf "spool/alike.$name.tgz"
done | grep -v manifest | tr '\n' ' ' | sed "s/-$(id -u)[.]tsv/.tsv/g; s|alike/||g" >members
is "$(cat members)" "job-n.json n.tsv job-n-2.json n-2.tsv job-n-2.a.json n-2.a.tsv " \
	"each archive has the files of its host alone"

# --- many at once -------------------------------------------------------------------------------------------
rm -rf spool
cp -a many.copy "$user/same"
i=0
while [ $i -lt 50 ]; do
	i=$((i + 1))
	cp -a many.copy "$user/job$i"
	"$PERFMON" -q stage "$user/same" 2>/dev/null &
	"$PERFMON" -q stage "$user/job$i" || echo "job$i" >>failed &
done
wait
is "$(ls spool | wc -l):$(find spool -name '.*' | wc -l):$(ls "$user"):$(cat failed 2>/dev/null)" "51:0::" \
	"50 at once of one directory and 50 of others make 51 archives"
is "$(sum "spool/same.$host.tgz")" "$before" "and the one that all wanted is whole"

done_testing
