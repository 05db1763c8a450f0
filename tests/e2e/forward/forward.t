#!/bin/sh
# perfmon forward: to a directory, a command and a database; what a target that fails, hangs or is away leaves; bounds; what
# users may put into a spool.
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/spool.sh
. "$abs_top_srcdir/tests/e2e/spool.sh"

skip_without_archives
PERFMON_SPOOL_AGE=0
PERFMON_FORWARD_JITTER=0
export PERFMON_SPOOL_AGE PERFMON_FORWARD_JITTER

until_true()
{
	tries=0
	until "$@" 2>/dev/null; do
		tries=$((tries + 1))
		[ $tries -lt 1200 ] || return 1
		sleep 0.05
	done
}
forward() { "$PERFMON" forward --spool spool "$@" >out 2>err; }
fresh()
{
	chmod -R u+rwx spool target 2>/dev/null
	rm -rf spool target && mkdir -m 1733 spool target
}
# status KEY: of the spool.
status() { "$PERFMON" forward status --json --spool spool | sed -n "s/^  \"$1\": \(.*[^,]\),*\$/\1/p"; }
mkdir stock
for i in 1 2 3; do
	archive "stock/$i.tgz" "$i"
done

# --- usage ------------------------------------------------------------------------------------

mkdir -m 1733 spool
forward --once
is "$?|$(grep -c forward_to err)" "2|1" "no target"
forward --once --forward-to spool
is "$?|$(cat err)" "2|perfmon: forward_to: neither a directory that begins with /, nor |COMMAND, nor postgresql://..." "a relative directory is none"
"$PERFMON" forward --once --forward-to /x 2>err
is "$?|$(cat err)" "2|perfmon: --spool DIR says where the archives lie" "no spool"
for none in sqlite: sqlite:// sqlite::memory:; do
	forward --once --forward-to "$none"
	is "$?|$(grep -c "^perfmon: forward_to: $none .*give a path" err)|$(find "$work" -name 'perfmon.db*')" "2|1|" "$none names no database, not the usual one"
done
"$PERFMON" list jobs --db postgresql://127.0.0.1:1/none 2>err
if grep -q 'libpq' err; then
	skip "URLs that are none" "no libpq"
else
	for none in 'postgresql://me:geheim@[::1/db' 'postgresql://h:port/db' 'postgresql://h:70000/db' 'postgres://h:1,h2:x/db' 'postgresql://h/db?no_such=1' \
		'postgresql://me:ge%zzheim@h/db'; do
		timeout 20 "$PERFMON" forward --spool spool --forward-to "$none" 2>err
		is "$?|$(grep -c '^perfmon: forward_to: not a database URL: ' err)|$(grep -c 'ge.*heim' err)" "2|1|0" "at the start: $none is no URL"
	done
	timeout 20 "$PERFMON" forward --once --spool spool --forward-to 'postgresql://127.0.0.1:1,:2,127.0.0.1/db' 2>err
	is "$?" 0 "several hosts and ports are one, and with an empty spool nothing is asked of them"
fi
forward send --forward-to /x
is $? 2 "an unknown operand"
"$PERFMON" forward --once --spool nowhere --forward-to /x 2>err
is "$?|$(cat err)" "1|perfmon: spool nowhere: No such file or directory" "a spool that is not there"

# --- to a directory ---------------------------------------------------------------------------

fresh
cp stock/1.tgz stock/2.tgz spool
forward --once --forward-to "$work/target"
is "$?|$(cat out)|$(cat err)|$(names spool)" "0|spool spool: 2 sent, 0 set aside, 0 dropped, 0 left||failed
loaded" "to a directory"
(cd target && sha256sum ./*.tgz | cut -d' ' -f1 | sort) >got
sha256sum stock/1.tgz stock/2.tgz | cut -d' ' -f1 | sort | cmp - got
ok $? "byte for byte"
one=$(printf '%u\n' "$(id -u)" | cat - stock/1.tgz | sha256sum | cut -c 1-32)
ok "$([ -f "target/1-$one.tgz" ] && echo 0 || echo 1)" "under a name with the digest of owner and content"
is "$(status sent)|$(status sent_bytes)|$(status waiting)|$(status running)" \
	"2|$(cat stock/1.tgz stock/2.tgz | wc -c)|0|false" "the account"
before=$(ls -li --time-style=full-iso target)
cp stock/1.tgz spool
forward --once --forward-to "$work/target"
is "$?|$(ls -li --time-style=full-iso target)|$(status sent)" "0|$before|3" "one that is sent again is there already"
# What made it may have been killed before it was on the disk.
if [ "${PM_SANITIZED:-no}" = no ] && need strace && strace -o trace true 2>/dev/null; then
	cp stock/1.tgz spool
	strace -f -y -o trace -e trace=fsync "$PERFMON" -q forward --spool spool --spool-age 0 --once --forward-to "$work/target" 2>err
	is "$?|$(grep -c "fsync([0-9]*<$work/target/1-$one.tgz>" trace) $(grep -c "fsync([0-9]*<$work/target>" trace)" "0|1 1" \
		"and is brought to the disk before it leaves the spool"
else
	skip "and is brought to the disk before it leaves the spool" "no strace, or nothing can be traced"
fi
PERFMON_DB=$work/dir.db "$PERFMON" -q submit --spool target 2>err
is "$?|$(jobs dir.db)" "0|1|$made 2|$made" "and loads from there"

fresh
cp stock/1.tgz spool
echo half >"target/.1-$one.tgz.part" && echo other >"target/1-$one.tgz"
forward --once --forward-to "$work/target"
is "$?|$(cmp stock/1.tgz "target/1-$one.tgz" && names target)" "0|1-$one.tgz" "what a killed copy left is replaced"

fresh
chmod 700 target
cp stock/1.tgz stock/2.tgz spool && touch -d 2001-01-01 spool/1.tgz
PERFMON_FORWARD_ROTATE=day forward --once --forward-to "$work/target"
is "$?|$(names target)|$(names "target/$(date -u +%F)" | wc -l)" "0|$(date -u +%F)|2" "a folder for the day on which they came, whatever the user says"
chmod 1777 target && cp stock/1.tgz spool
PERFMON_FORWARD_ROTATE=day forward --once --forward-to "$work/target"
is "$?|$(names spool '*.tgz')|$(grep -c 'names of days' err)" "75|1.tgz|1" "not in a directory that all may write to"

fresh
cp stock/1.tgz spool && rmdir target
forward --once --forward-to "$work/target"
is "$?|$(names spool '*.tgz')|$(status failures)|$(status waiting)" "75|1.tgz|1|1" "a directory that is away: it stays"
mkdir -m 777 target
forward --once --forward-to "$work/target"
is "$?|$(names spool '*.tgz')" "75|1.tgz" "one that anybody may change"
rmdir target && ln -s "$work/home" target
forward --once --forward-to "$work/target"
is "$?|$(names home | grep -c tgz)" "0|1" "the administrator may name it by a link"
rm target && mkdir target

fresh
cp stock/1.tgz spool
forward --once --forward-to "$work/spool"
is "$?|$(names spool '*.tgz')|$(grep -c 'the spool itself' err)" "75|1.tgz|1" "the spool is no target"
mkdir -m 333 target/unlisted
forward --once --forward-to "$work/target/unlisted"
is "$?" 75 "a directory that anybody may write to and is not sticky"
chmod 1333 target/unlisted
forward --once --forward-to "$work/target/unlisted"
is "$?|$(chmod u+r target/unlisted && names target/unlisted)" "0|1-$one.tgz" "one that may not be listed"

# --- to a command -----------------------------------------------------------------------------

fresh
cp stock/1.tgz spool
forward --once --forward-to "|cat >got && echo \$1 \$2 >told && echo chatter"
is "$?|$(cmp got stock/1.tgz)|$(cat told)|$(grep -c chatter out)" "0||1-$one.tgz $(id -u)|0" "a command has it on its standard input, and its name"
cp stock/1.tgz spool
forward --once --forward-to '|exit 1'
is "$?|$(names spool '*.tgz')|$(cat err)" "75|1.tgz|perfmon: command: exit status 1" "one that fails"
forward --once --forward-to '|kill -9 $$'
is "$?|$(names spool '*.tgz')|$(cat err)" "75|1.tgz|perfmon: command: killed by signal 9" "or is killed"
PERFMON_FORWARD_LIMIT=200ms forward --once --forward-to '|sleep 1000 & echo $! >pid; wait'
is "$?|$(names spool '*.tgz')|$(cat err)" "75|1.tgz|perfmon: command: killed after 0.2 s (setting forward_limit)" "or hangs"
# A process that is gone may still be a zombie, where nobody waits for orphans.
gone() { ! kill -0 "$1" || [ "$(sed 's/.*) //; s/ .*//' "/proc/$1/stat")" = Z ]; }
until_true gone "$(cat pid)"
ok $? "what it had started is gone, too"
is "$(status failures)|$(status error)" '3|"command: killed after 0.2 s (setting forward_limit)"' "the account says so"
forward --once --forward-to '|exit 65'
is "$?|$(names spool '*.tgz')|$(names spool/failed)|$(status failures)" "1||1.tgz
1.tgz.reason|0" "what it can never take is set aside"

# By cron, where each forwarder has but one look at the spool, an archive that fails keeps no other.
fresh
for i in a b c d; do
	cp stock/1.tgz spool/$i.tgz
	sleep 0.02
done
rm -f taken
forward --once --forward-to '|case $1 in a-*) exit 1 ;; esac; echo $1 >>taken'
is "$?|$(cut -c 1 taken | tr -d '\n')|$(names spool '*.tgz')" "75|bcd|a.tgz" "with --once the others are sent as well"
fresh
for i in a b c d e; do
	cp stock/1.tgz spool/$i.tgz
	sleep 0.02
done
rm -f taken
forward --once --forward-to '|case $1 in [abcd]-*) exit 1 ;; esac; echo $1 >>taken'
is "$?|$(cat taken 2>/dev/null)|$(status failures)" "75||3" "after three that fail the target is taken to be away"
forward --once --forward-to '|case $1 in [abcd]-*) exit 1 ;; esac; echo $1 >>taken'
is "$?|$(cut -c 1 taken)|$(names spool '*.tgz' | tr -d '\n')" "75|e|a.tgzb.tgzc.tgzd.tgz" "the next forwarder begins with others"
forward --once --forward-to '|cat >/dev/null'
is "$?|$(names spool '*.tgz')" "0|" "and in the end all are sent"

# Nor in a service: it goes behind them.
rm -f taken
fresh
cp stock/1.tgz spool/a.tgz && cp stock/2.tgz spool/b.tgz && cp stock/3.tgz spool/c.tgz
rm -f pid
PERFMON_SPOOL_PERIOD=10ms PERFMON_SPOOL_PAUSE=10ms "$PERFMON" forward --spool spool \
	--forward-to '|case $1 in a-*) exit 1 ;; esac; echo $1 >>taken' >out 2>err &
service=$!
until_true grep -q c- taken
ok $? "an archive that fails does not keep the others"
is "$(sort taken | cut -c 1 | tr -d '\n')|$(names spool '*.tgz')" "bc|a.tgz" "it waits itself"

# --- the service ------------------------------------------------------------------------------

is "$(status running)" true "it is at work"
"$PERFMON" forward --spool spool --once --forward-to "$work/target" 2>second
is "$?|$(cat second)" "75|perfmon: spool spool: another perfmon forward is at work" "one at a time"
kill -TERM $service
wait $service
is $? 0 "SIGTERM ends it"
rm -f taken

fresh
mkdir -p home/config/perfmon
echo "forward_to = |exit 1" >home/config/perfmon/perfmon.conf
PERFMON_SPOOL_PAUSE=50ms "$PERFMON" -v forward --spool spool >out 2>err &
service=$!
cp stock/1.tgz spool/x && mv spool/x spool/1.tgz
until_true grep -q 'trying again' err
ok $? "it says why it waits"
echo "forward_to = nothing" >home/config/perfmon/perfmon.conf
kill -HUP $service
until_true grep -q 'stays the target' err
ok $? "SIGHUP: a target that is none is told"
echo "forward_to = $work/target" >home/config/perfmon/perfmon.conf
kill -HUP $service
until_true test -e "target/1-$one.tgz"
ok $? "SIGHUP: settings are read anew"
cp stock/2.tgz spool/x && mv spool/x spool/2.tgz
until_true test ! -e spool/2.tgz
ok $? "what comes is sent at once"
kill -INT $service
wait $service
is "$?|$(status sent)" "0|2" "SIGINT ends it"
rm home/config/perfmon/perfmon.conf

fresh
cp stock/1.tgz spool
"$PERFMON" forward --spool spool --forward-to '|echo $$ >pid; exec sleep 1000' >out 2>err &
service=$!
until_true test -s pid
kill -TERM $service
wait $service
is "$?|$(names spool '*.tgz')" "0|1.tgz" "SIGTERM ends a command that hangs, and the archive stays"
# dies COMMAND NAME: what it began, whose pid it writes, is gone after the forwarder was killed.
dies()
{
	rm -f pid
	"$PERFMON" forward --spool spool --forward-to "$1" >out 2>err &
	service=$!
	until_true test -s pid
	kill -KILL $service
	wait $service 2>/dev/null
	until_true gone "$(cat pid)"
	ok $? "$2"
}
# The command's shell expands.
# shellcheck disable=SC2016
dies '|echo $$ >pid; exec sleep 1000' "a command dies with a forwarder that is killed"
# shellcheck disable=SC2016
dies '|(sleep 1000 & echo $! >pid; wait); true' "and so does what the command had started"
forward --once --forward-to "$work/target"
is "$?|$(names target)" "0|1-$one.tgz" "and the next one sends what it left"

echo secret >secret && chmod 600 secret
# --- to a database ----------------------------------------------------------------------------

fresh
cp stock/1.tgz stock/2.tgz spool && echo broken >spool/3.tgz
forward --once --forward-to "sqlite:$work/x.db"
is "$?|$(cat out)|$(jobs x.db)|$(names spool '*.tgz')|$(names spool/failed)" \
	"1|spool spool: 2 sent, 1 set aside, 0 dropped, 0 left|1|$made 2|$made||3.tgz
3.tgz.reason" "to a database"
cp stock/1.tgz spool
forward --once --forward-to "sqlite:$work/x.db"
is "$?|$(jobs x.db)|$(status sent)" "0|1|$made 2|$made|3" "what is there already is taken, and nothing twice"
cp stock/3.tgz spool
forward --once --forward-to "sqlite:$work/secret/x.db"
is "$?|$(names spool '*.tgz')|$(status failures)" "75|3.tgz|1" "a database that cannot be written: it stays"
PERFMON_DB=$work/other.db forward --once --forward-to "sqlite:$work/x.db"
is "$?|$(jobs x.db)|$(test -e other.db; echo $?)" "0|1|$made 2|$made 3|$made|1" "the setting db is another one"

# The commands of the unit that samples the node, but for a shorter day: its series arrive.
fresh
unit=$abs_top_builddir/forward/perfmon-node.service
mkdir node
here() { sed -n "s|^$1=-*[^ ]*/perfmon|\"$PERFMON\"|p" "$unit" | sed 's/%H/n1/; s/10s sleep 1d/200ms sleep 1/'; }
(
	PERFMON_OUTPUT_PREFIX=$work/node PERFMON_STAGE_TO=$work/spool
	export PERFMON_OUTPUT_PREFIX PERFMON_STAGE_TO
	for what in ExecStartPre ExecStart ExecStopPost; do
		sh -c "$(here $what)" || exit
	done
) >out 2>&1
is "$?|$(names spool '*.tgz' | wc -l)|$(find node -name '*.series')" "0|1|" "the unit of a node stages what it sampled"
forward --once --forward-to "sqlite:$work/node.db"
is "$?|$(query "SELECT jobid, (SELECT count(*) > 50 FROM series s WHERE s.job_id = j.id) FROM job j" node.db)" "0|node-n1|1" "and its series arrive"

# --- bounds -----------------------------------------------------------------------------------

fresh
for i in 1 2 3; do
	cp "stock/$i.tgz" spool
	sleep 0.02
done
# What two of them count.
max=$(stat -c '%s %b' spool/1.tgz spool/2.tgz | awk '{ n = $1 > $2 * 512 ? $1 : $2 * 512; sum += n } END { print sum }')
PERFMON_SPOOL_MAX=$max forward --once --forward-to '|exit 1'
is "$?|$(names spool '*.tgz' | tr '\n' ' ')|$(status dropped)|$(status waiting)" "75|1.tgz 2.tgz |1|2" "what does not fit is dropped: the newest"
is "$(cat err)" "perfmon: spool spool: 1 archive dropped: all of them take more than $max bytes (setting spool_max)
perfmon: command: exit status 1" "and told"
truncate -s 1T spool/0.tgz
PERFMON_SPOOL_MAX=1G forward --once --forward-to "$work/target"
is "$?|$(names target | wc -l)|$(status dropped)" "1|2|2" "a hole counts as what its target would get"

# --- hostile users ----------------------------------------------------------------------------

fresh
ln -s ../secret spool/1.tgz && ln secret spool/2.tgz && mkfifo spool/3.tgz && mkdir spool/4.tgz && mkdir spool/4.tgz/x
forward --once --forward-to "$work/target"
is "$?|$(names target)|$(names spool/failed '*.reason' | wc -l)|$(cat secret)" "1||4|secret" "links, other names of files, pipes and directories are set aside"
for i in 1 2 3 4 5 6 7 8 9; do
	ln -s nowhere "spool/$i.tgz"
done
PERFMON_SPOOL_MAX=32k forward --once --forward-to "$work/target"
PERFMON_SPOOL_MAX=32k forward --once --forward-to "$work/target"
ok "$([ "$(names spool/failed | wc -l)" -le 9 ] && echo 0 || echo 1)" "what is set aside is bounded, too, links with the files that say why"
fresh
rmdir spool && mkdir -m 777 spool
forward --once --forward-to "$work/target"
is "$?|$(grep -c sticky err)" "1|1" "a spool in which anybody may exchange files"

# A pass that has no time, and an archive that is too young: it ends.
fresh
cp stock/1.tgz spool
timeout 20 "$PERFMON" forward --once --spool spool --forward-to "$work/target" --spool-period 0 --spool-age 1h >out 2>err
is "$?|$(names spool '*.tgz')" "0|1.tgz" "a period of nothing"

nobody=$(id -u nobody 2>/dev/null)
if [ "$(id -u)" -ne 0 ] || [ -z "$nobody" ] || ! need setpriv; then
	skip "files of others" "not root, or no user nobody"
else
	as_nobody() { setpriv --reuid="$nobody" --regid="$(id -g nobody)" --clear-groups "$@"; }
	chmod 711 "$work"
	fresh
	cp stock/1.tgz spool && chown nobody spool/1.tgz && chmod 600 spool/1.tgz
	sed_free=$(stat -c %u spool/1.tgz)
	forward --once --forward-to "$work/target"
	is "$?|$sed_free|$(stat -c %u:%a target/*)" "0|$nobody|$nobody:600" "a copy belongs to the owner of the archive"
	PERFMON_DB=$work/nobody.db "$PERFMON" submit --spool target >out 2>err
	is "$?|$(names target/failed | wc -l)" "1|2" "who cannot pass for another user at the target"
	# A forwarder that is killed takes the copy that it makes as another user with it.
	if need strace; then
		fresh
		cp stock/1.tgz spool && chown nobody spool/1.tgz
		# shellcheck disable=SC2016 # inner shells expand
		strace -f -o trace -e trace=fsync -e inject=fsync:delay_enter=1500000 \
			sh -c 'echo $$ >pid; exec "$@"' sh "$PERFMON" forward --once --spool spool --forward-to "$work/target" >out 2>err &
		until_true sh -c '[ -n "$(ls -A target)" ]'
		kill -KILL "$(cat pid)"
		wait $!
		sleep 2
		is "$(names target '*.tgz')" "" "a killed forwarder leaves no copy behind that goes on"
		forward --once --forward-to "$work/target"
		is "$?|$(names target '*.tgz' | wc -l)" "0|1" "and the next one makes it"
	fi
	fresh
	chmod 755 target
	cp stock/1.tgz spool && chown nobody spool/1.tgz
	forward --once --forward-to "$work/target"
	is "$?|$(stat -c %u:%a target/*)" "0|$nobody:600" "also where root alone may write"
	# Its name at the target, taken by another user.
	fresh
	cp stock/1.tgz spool && as_nobody sh -c "echo other >target/1-$one.tgz"
	forward --once --forward-to "$work/target"
	is "$?|$(names spool '*.tgz')|$(cat "target/1-$one.tgz")" "75|1.tgz|other" "a name that another user took: it stays, and so does that"
	# One user's archives fail, and another's are sent; he fills the spool, and loses his own.
	fresh
	cp stock/1.tgz spool/1.tgz
	for i in 2 3 4 5; do
		cp stock/2.tgz "spool/$i.tgz" && chown nobody "spool/$i.tgz"
	done
	forward --once --forward-to "|[ \$2 = 0 ]"
	is "$?|$(status sent)|$(names spool '*.tgz' | wc -l)" "75|1|4" "one user's archives fail, and another's are sent"
	cp stock/3.tgz spool/9.tgz
	PERFMON_SPOOL_MAX=$max forward --once --forward-to "|[ \$2 = 0 ]"
	is "$?|$(status sent)|$(status dropped)" "75|2|3" "one who fills the spool loses his own"
	fresh
	chown nobody target && cp stock/1.tgz spool
	forward --once --forward-to "$work/target"
	is "$?|$(names target)" "75|" "a target that is another user's"
	chown root target
	# A forwarder that is not root's.
	fresh
	mkdir own && chown nobody own && cp stock/1.tgz own/1.tgz && cp stock/2.tgz own/2.tgz && chown nobody own/1.tgz && chmod 644 own/2.tgz
	mkdir as && chown nobody as
	as_nobody "$PERFMON" forward --spool own --once --forward-to "$work/as" >out 2>err
	is "$?|$(names as | cut -c 1)|$(names own/failed | tr '\n' ' ')" "1|1|2.tgz 2.tgz.reason " "a user's own forwarder sends that user's archives alone"
fi

# --- what a pass leaves ------------------------------------------------------------------------

# A load that ends by its time, after the first 64 archives: what is left is counted, and is sent by another pass.
fresh
i=0
while [ $((i += 1)) -le 70 ]; do cp stock/1.tgz "spool/$i.tgz"; done
PERFMON_SPOOL_PERIOD=1ms forward --once --forward-to "sqlite:$work/late.db"
is "$?|$(sed -n 1p out)|$(sed -n '$p' out | sed 's/.*, //')|$(names spool '*.tgz' | wc -l)" \
	"0|spool spool: 64 sent, 0 set aside, 0 dropped, 6 left|0 left|0" "a load that ends by its time: another one follows"

# A target that takes longer to fail than a pass lasts: the pause comes all the same.
fresh
cp stock/1.tgz stock/2.tgz spool
PERFMON_SPOOL_PERIOD=1ms "$PERFMON" forward --spool spool --forward-to '|sleep 0.01; exit 1' >out 2>err &
service=$!
until_true grep -q 'trying again' err
kill -TERM $service
wait $service
is "$(sed -n '1s/.*; trying again in 0\.0 s/no pause/p' err)|$(grep -c 'trying again in 0\.[5-9]\|trying again in 1' err)" "|1" \
	"a target that takes long to fail is tried again after a pause"

# Two archives as long as a number can say, where files may be: others are bounded as before.
fresh
cp stock/1.tgz spool/1.tgz
if truncate -s 9223372036854775807 spool/2.tgz spool/3.tgz 2>/dev/null; then
	PERFMON_SPOOL_MAX=1M forward --once --forward-to '|exit 1'
	is "$?|$(names spool '*.tgz')|$(status dropped)" "75|1.tgz|2" "files as long as a number can say are dropped, and nothing else"
else
	skip "files as long as a number can say are dropped, and nothing else" "not on this file system"
fi

# A copy that hangs holds no lock: another forwarder can bound the spool.
fresh
truncate -s 1T spool/1.tgz
PERFMON_SPOOL_MAX=2T "$PERFMON" forward --spool spool --forward-to "$work/target" >out 2>err &
service=$!
child() { copy=$(cat "/proc/$service/task/$service/children") && [ -n "$copy" ]; }
unlocked() { kill -0 "$copy" && [ "$(find "/proc/$copy/fd" -lname '*lock' | wc -l)" = 0 ]; }
if until_true child; then
	copy=${copy% }
	until_true unlocked
	is "$?|$(find "/proc/$service/fd" -lname '*lock' | wc -l)" "0|2" "a copy that hangs holds no lock"
else
	skip "a copy that hangs holds no lock" "the kernel does not tell children"
fi
kill -KILL $service
wait $service 2>/dev/null
done_testing
