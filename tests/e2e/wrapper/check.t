#!/bin/sh
# perfmon check: each fault, planted, is found and named with its remedy; where nothing is wrong,
# nothing fails; and nothing is changed by looking.
# shellcheck disable=SC2154,SC2016 # set by lib.sh; other shells expand
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"

version=$("$PERFMON" --version | cut -d' ' -f2)

# found NAME STATUS VERDICT CHECK WHAT REMEDY [COMMAND...]: the command, else `perfmon check`,
# ends with the status and reports the check with the verdict; both texts are patterns of grep.
found()
{
	name=$1 want=$2 line="^$3  $4 *" what=$5 remedy=$6
	[ "$3" = pass ] || line="$line.*$what.*; .*$remedy"
	[ "$3" = pass ] && line="$line.*$what"
	shift 6
	[ $# -gt 0 ] || set -- "$PERFMON" check
	"$@" >found.out 2>found.err
	got=$?
	if [ $got = "$want" ] && grep -q -e "$line" found.out; then
		ok 0 "$name"
	else
		ok 1 "$name"
		diag "status $got, want $want; no line matches: $line"
		diag "$(cat found.out found.err)"
	fi
}

# --- nothing is wrong ----------------------------------------------------------------------------
mkdir empty
"$PERFMON" check >out 2>err
status=$?
is "$(grep '^fail' out | grep -v ' counters[.]'):$(cat err)" ":" "nothing fails where nothing is wrong"
is "$status" "$(grep -q '^fail' out && echo 1 || echo 0)" "the status says whether something failed"
is "$(grep -c -e '^pass  job' -e '^pass  output.place ' out)" 4 "a job is recorded, packed and loaded"
is "$(find "$PERFMON_OUTPUT_PREFIX" "$XDG_DATA_HOME" -mindepth 1 2>/dev/null)" "" \
	"nothing is left of it"
PERFMON_OUTPUT_PREFIX=$work/new/deep "$PERFMON" check output job >out
is "$?:$(find "$work" -name 'new*')" "0:" "nor of a prefix that was not there"
"$PERFMON" -a -j mine run true
(cd "$PERFMON_OUTPUT_PREFIX" && find . -type f -exec md5sum {} + && find .) | sort >before
"$PERFMON" check >out
(cd "$PERFMON_OUTPUT_PREFIX" && find . -type f -exec md5sum {} + && find .) | sort | cmp -s - before
ok $? "the user's jobs stay as they are"
"$PERFMON" submit "$PERFMON_OUTPUT_PREFIX/$(id -un)/mine" >out
"$PERFMON" check database >out
is "$?:$(grep -c '^pass' out)" "0:8" "the database is as it should be"
is "$("$PERFMON" list jobs --csv | wc -l)" 2 "and has no other job in it"
is "$("$PERFMON" check -q library)" "" "-q does not speak of what passes"
if need python3; then
	PERFMON_LIBRARY=/nowhere.so "$PERFMON" check --json library.file >out
	is "$?:$(python3 -c '
import json
c, = json.load(open("out"))
print(c["check"], c["verdict"], c["passed"], "PERFMON_LIBRARY" in c["remedy"])')" \
		"1:library.file fail False True" "--json says the same"
else
	skip "--json says the same" "no $missing"
fi

# --- the collector ---------------------------------------------------------------------------------
found "library missing" 1 fail library.file "/nowhere.so: No such file" "install perfmon, or set PERFMON_LIBRARY" \
	env PERFMON_LIBRARY=/nowhere.so "$PERFMON" check library
found "and what comes of it" 1 fail job.record "not recorded.*nowhere.so" "see the checks of library" \
	env PERFMON_LIBRARY=/nowhere.so "$PERFMON" check job
cp "$PERFMON_LIBRARY" foreign.so && chmod u+w foreign.so
# e_machine, the two bytes at 18, of SPARC: none that anybody builds perfmon on
printf '\002\000' | dd of=foreign.so bs=1 seek=18 conv=notrunc 2>/dev/null
found "preload of another architecture" 1 fail library.file "foreign.so is for another architecture" \
	"set PERFMON_LIBRARY to the libperfmon.so that was built for" \
	env PERFMON_LIBRARY="$work/foreign.so" "$PERFMON" check library.file
found "it is not loaded" 1 fail job.record "not recorded" "see the checks of library" \
	env PERFMON_LIBRARY="$work/foreign.so" "$PERFMON" check job
head -c 100 "$PERFMON_LIBRARY" | tail -c 50 >damaged.so
found "a file that is no library" 1 fail library.file "is not a shared library" "install perfmon" \
	env PERFMON_LIBRARY="$work/damaged.so" "$PERFMON" check library.file
found "a path with a colon" 1 fail library.file "cannot be preloaded" "without colons" \
	env PERFMON_LIBRARY="$work/a:b.so" "$PERFMON" check library.file
found "a path with a blank" 1 fail library.file "cannot be preloaded" "or blanks" \
	env PERFMON_LIBRARY="$work/a b.so" "$PERFMON" check library.file
other=$(echo "$version" | tr 0-8 1-9)
sed "s/$version/$other/g" "$PERFMON_LIBRARY" >other.so
found "another version" 0 warn library.version "the collector is $other, perfmon is $version" "one release" \
	env PERFMON_LIBRARY="$work/other.so" "$PERFMON" check library.version

# --- settings and variables --------------------------------------------------------------------------
mkdir -p "$XDG_CONFIG_HOME/perfmon"
printf 'tags = a:b\nsampel = 1s\nsample = soon\n' >"$XDG_CONFIG_HOME/perfmon/perfmon.conf"
found "a broken configuration line" 1 fail config.files "perfmon.conf:2: unknown setting 'sampel'; ignored" \
	"correct it"
found "a bad value" 1 fail config.files "perfmon.conf:3: sample: " "correct it" "$PERFMON" check config
rm "$XDG_CONFIG_HOME/perfmon/perfmon.conf"
found "a bad variable" 1 fail config.files "environment PERFMON_ARGS" "correct it" \
	env PERFMON_ARGS=some "$PERFMON" check config
found "an unknown variable" 0 warn config.names "PERFMON_OPTION is not a setting" "perfmon config" \
	env PERFMON_OPTION=x "$PERFMON" check config
found "an old name" 0 warn config.names "PAPIEX_TAGS is an old name of PERFMON_TAGS" \
	"set PERFMON_TAGS instead" env PAPIEX_TAGS=a:b "$PERFMON" check config
found "an old name beside the new one" 0 warn config.names "which is also set and takes precedence" "set PERFMON_TAGS" \
	env PAPIEX_TAGS=a:b PERFMON_TAGS=c:d "$PERFMON" check config
"$PERFMON" start -j sourced
is "$(sh -c 'eval "$("$0" -j sourced source)"; "$0" check -q config environment scheduler' "$PERFMON")" "" \
	"what source sets is as it should be"
"$PERFMON" -j sourced stop
touch "$XDG_CONFIG_HOME/perfmon/off"
found "recording switched off by the user" 0 warn config.recording "perfmon/off exists" "SWITCHING IT OFF"
found "which is no fault" 0 warn job.record "the trial job was not recorded: .*perfmon/off exists" "see config.recording"
rm "$XDG_CONFIG_HOME/perfmon/off"
found "recording switched off by the configuration" 0 warn config.recording "not recorded: recording is switched off by" \
	"SWITCHING IT OFF" env PERFMON_RECORDING=off "$PERFMON" check config
found "what is switched off is tried all the same" 0 pass job.record "the trial job was recorded" "" \
	env PERFMON_RECORDING=off PERFMON_OFF_USERS="$(id -un)" PERFMON_FRACTION=0 "$PERFMON" check job
found "a preload without a place to write to" 0 warn environment.preload "PERFMON_OUTPUT is not set: nothing is recorded" \
	'eval "$(perfmon source)"' env LD_PRELOAD="$PERFMON_LIBRARY" "$PERFMON" check environment
found "a preload that is gone" 1 fail environment.preload "LD_PRELOAD has /gone/x.so: No such file" \
	"remove it from LD_PRELOAD" env LD_PRELOAD=/gone/x.so "$PERFMON" check environment
found "a job directory that is gone" 1 fail environment.output "/gone: No such file" "unset PERFMON_OUTPUT" \
	env PERFMON_OUTPUT=/gone "$PERFMON" check environment
found "no place for archives" 1 fail stage.place "stage_to is /gone: No such file" "set stage_to" \
	"$PERFMON" --stage-to /gone check stage
found "stage_to and stage_command do not matter to the test job" 0 pass job.stage "the trial job was packed" "" \
	"$PERFMON" --stage-to /gone --stage-command "touch $work/staged" check job
is "$(ls staged 2>/dev/null)" "" "nor are they used"
found "a temporary directory that is gone" 0 warn environment.tmpdir "/gone: No such file" "set TMPDIR" \
	env TMPDIR=/gone "$PERFMON" check environment
found "the batch system's job" 0 pass scheduler.job "job 9[[]1[]].server of pbs, from PBS_JOBID" "" \
	sh -c 'cp /bin/sh pbs_mom; PBS_JOBID="9[1].server" ./pbs_mom -c "\"$0\" check scheduler; exit \$?"' "$PERFMON"
found "left-over variables" 0 warn scheduler.job "PBS_JOBID also names a job of pbs; perfmon uses the job of slurm" \
	"unset PBS_JOBID" env PBS_JOBID=1 SLURM_JOB_ID=2 "$PERFMON" check scheduler

if need unshare && unshare --pid --fork --mount-proc true 2>/dev/null; then
	found "a job whose batch system is gone" 0 warn scheduler.job \
		"SLURM_JOB_ID names job 2 of slurm, but no ancestor process is slurmstepd" \
		"unset SLURM_JOB_ID" env SLURM_JOB_ID=2 PERFMON="$PERFMON" \
		unshare --pid --fork --mount-proc sh -c '"$PERFMON" check scheduler; exit $?'
else
	skip "a job whose batch system is gone" "no right to make a pid namespace"
fi

# --- the kernel --------------------------------------------------------------------------------------
mkdir -p root/proc/sys/kernel root/proc/self
echo 0 >root/proc/sys/kernel/task_delayacct
found "delays not accounted" 0 warn kernel.delays "delayacct_blkio_time is unknown" "kernel.task_delayacct to 1" \
	"$PERFMON" --root "$work/root" check kernel
found "no schedstat" 0 warn kernel.schedstat "time_oncpu, time_waiting" "CONFIG_SCHED_INFO" \
	"$PERFMON" --root "$work/root" check kernel
found "no counts of input and output" 0 warn kernel.io "rchar, wchar" "CONFIG_TASK_IO_ACCOUNTING" \
	"$PERFMON" --root "$work/root" check kernel
rmdir root/proc/self && ln -s 1 root/proc/self
found "the /proc of another pid namespace" 0 warn kernel.proc "another pid namespace" "mount a /proc" \
	"$PERFMON" --root "$work/root" check kernel.proc
rm root/proc/self
mkdir -p "$work/loaded/proc/driver/nvidia" && echo 550 >"$work/loaded/proc/driver/nvidia/version"
found "NVIDIA's driver without its library" 0 warn devices.nvidia "no/libnvidia-ml.so.1: cannot open" "set nvml_library" \
	env PERFMON_NVML_LIBRARY="$work/no/libnvidia-ml.so.1" "$PERFMON" --root "$work/loaded" check devices.nvidia
printf '#!/bin/sh\necho 220\n' >"$work/power" && chmod 777 "$work/power"
found "a command that anybody may write" 0 warn devices.import "power_command: .*others may write to it" "chmod go-w" \
	env PERFMON_POWER_COMMAND="$work/power" "$PERFMON" check devices.import
chmod 755 "$work/power"
found "one that nobody else may" 0 pass devices.import "the sampler can read" "" \
	env PERFMON_POWER_COMMAND="$work/power" "$PERFMON" check devices.import
printf '#!/bin/sh\necho 220 parsecs\n' >"$work/power"
found "one whose values have no unit" 0 warn devices.import "not read all of .*refused: power_command: no unit of power: parsecs" "by hand" \
	env PERFMON_POWER_COMMAND="$work/power" "$PERFMON" check devices.import
printf '#!/bin/sh\nexit 1\n' >"$work/power"
found "one that fails" 0 warn devices.import "not read all of .*power_command: .*: failed" "by hand" \
	env PERFMON_POWER_COMMAND="$work/power" "$PERFMON" check devices.import
found "no /proc" 1 fail kernel.proc "root/proc/self: No such file" "mount /proc" \
	"$PERFMON" --root "$work/root" check kernel.proc

# --- the database ------------------------------------------------------------------------------------
if need sqlite3; then
	cp "$XDG_DATA_HOME/perfmon/perfmon.db" new.db
	sqlite3 new.db "UPDATE schema_version SET version = 99"
	found "a newer schema" 1 fail database.schema "schema version 99 is newer than this" \
		"use the perfmon that wrote it, or a newer one, or set PERFMON_DB" \
		"$PERFMON" --db new.db check database
	sqlite3 foreign.db "CREATE TABLE t (a)"
	found "a database of something else" 1 fail database.schema "not a perfmon database" "set PERFMON_DB to another file" \
		"$PERFMON" --db foreign.db check database
	cp "$XDG_DATA_HOME/perfmon/perfmon.db" poor.db
	sqlite3 poor.db "DROP INDEX job_by_start"
	found "an index less" 0 warn database.indexes "index job_by_start is missing" "its line of .perfmon schema" \
		"$PERFMON" --db poor.db check database
	sqlite3 poor.db "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000) INSERT INTO job
		(cluster, user, jobid, array_task, restart_count, epoch_us) SELECT '', 'u', i, '', 0, i FROM n"
	found "a large database without statistics" 0 warn database.statistics "no statistics" "run ANALYZE" \
		"$PERFMON" --db poor.db check database
	sqlite3 poor.db "ANALYZE"
	found "and with them" 0 pass database.statistics "there are statistics" "" "$PERFMON" --db poor.db check database
	found "growth" 0 pass database.growth "grows by [0-9.]* MB a day: 1.0 jobs of [0-9.]* kB" "" \
		"$PERFMON" --db poor.db check database
	sqlite3 poor.db "UPDATE job SET start_us = 0"
	found "no growth" 0 pass database.growth "no job began in the last 30 days" "" "$PERFMON" --db poor.db check database
	touch -d "@$(($(date +%s) - 259200))" saved
	found "an old backup" 0 warn database.backup "the last backup is 72 hours old: saved" "renew it with every backup" \
		"$PERFMON" --db poor.db --backup saved check database
	touch saved
	found "a new one" 0 pass database.backup "is 0 hours old" "" "$PERFMON" --db poor.db --backup saved check database
	found "none" 0 warn database.backup "none: No such file" "renew it" "$PERFMON" --db poor.db --backup none check database
	for mode in wal delete; do
		cp "$XDG_DATA_HOME/perfmon/perfmon.db" held.db
		sqlite3 held.db "PRAGMA journal_mode = $mode" >/dev/null
		md5sum held.db >before
		rm -f go held && mkfifo go
		(echo "BEGIN IMMEDIATE; SELECT 'ready';" && cat go) | sqlite3 held.db >held &
		tries=0
		until grep -q ready held 2>/dev/null || [ $((tries += 1)) -gt 300 ]; do sleep 0.1; done
		found "locked by a writer, $mode" 1 fail database.lock \
			"held.db is locked for writing by process [0-9]* (sqlite3)" "wait for process [0-9]*" \
			timeout 60 "$PERFMON" --db held.db check database
		: >go
		wait
		md5sum -c before >/dev/null 2>&1
		ok $? "locked by a writer, $mode: it is left as it is"
		found "and free again, $mode" 0 pass database.lock "no process is writing" "" \
			"$PERFMON" --db held.db check database
	done
else
	for name in "a newer schema" "a database of something else" "locked by a writer"; do
		skip "$name" "no $missing"
	done
fi
echo "no database at all, but a text that is longer than its head of a hundred bytes, so that it is read" >text.db
cat text.db >>text.db.2 && cat text.db.2 >>text.db
found "no database" 1 fail database.schema "not a database" "move this one away" "$PERFMON" --db text.db check database
found "a database that is a directory" 1 fail database.place "is not a regular file" "set PERFMON_DB" \
	"$PERFMON" --db "$work" check database
if grep -q 'define HAVE_PQ 1' "$abs_top_builddir/config.h"; then
	found "no server" 1 fail database.place "postgresql://me@$work/none/d: co[a-z ]* to server" \
		"check that the server runs" \
		"$PERFMON" --db "postgresql://me:secret@/d?host=$work/none" check database.place
	grep -q secret found.out found.err
	is $? 1 "no server: the password is not shown"
else
	found "PostgreSQL is not built in" 1 fail database.place "PostgreSQL is not built in" \
		"set PERFMON_DB to a path" "$PERFMON" --db postgresql://h/d check database.place
fi

# --- users -------------------------------------------------------------------------------------------
if [ "$(id -u)" = 0 ] && need setpriv; then
	found "nobody takes a census" 0 pass kernel.bpf "the sampler reads processes one by one from /proc: " "" \
		setpriv --reuid=65534 --clear-groups env HOME=/nonexistent "$PERFMON" check kernel.bpf
	chmod 755 "$work"
	cp "$PERFMON" "$PERFMON_LIBRARY" "$abs_top_builddir/tests/progs/refuse" "$work"
	chmod 755 "$work/perfmon" "$work/libperfmon.so" "$work/refuse"
	mkdir plain && chown 65534 plain
	# as UID COMMAND...
	as()
	{
		uid=$1
		shift
		HOME=$work/plain XDG_DATA_HOME=$work/plain XDG_CONFIG_HOME=$work/plain \
			PERFMON_LIBRARY=$work/libperfmon.so \
			setpriv --reuid="$uid" --regid="$uid" --clear-groups "$@"
	}
	echo 3 >root/proc/sys/kernel/perf_event_paranoid
	found "perf_event_paranoid 3" 1 fail counters.user "perf_event_paranoid is 3 (EACCES)" \
		"set kernel.perf_event_paranoid to 2" \
		as 65534 ./refuse 13 ./perfmon --root "$work/root" check counters
	echo 2 >root/proc/sys/kernel/perf_event_paranoid
	found "perf_event_paranoid 2 costs a plain user the kernel alone" 0 warn counters.kernel \
		"perf_event_paranoid is 2" "set kernel.perf_event_paranoid to 1" \
		as 65534 ./refuse 13 ./perfmon --root "$work/root" check counters.kernel
	mkdir -m 1777 theirs && chown 4711 theirs
	chmod 1777 . # as /tmp is
	found "prefix owned by another user" 1 fail output.place \
		"theirs belongs to 4711, who could move other users' jobs; jobs go to $work/theirs-65534/" \
		"as root: chown root $work/theirs && chmod 1777" \
		as 65534 ./perfmon --output-prefix "$work/theirs" check output
	chmod 755 .
	found "prefix owned by another user, and no other place" 1 fail output.place \
		"theirs belongs to 4711.*no directory for the job" "as root: chown root $work/theirs" \
		as 65534 ./perfmon --output-prefix "$work/theirs" check output
	chmod 1777 .
	found "no prefix" 0 warn output.place "none: No such file or directory; jobs go to $work/none-65534/" \
		"as root: install -d -m 1777 $work/none" as 65534 ./perfmon --output-prefix "$work/none" check output
	is "$(find "$work" -maxdepth 1 -name 'none*')" "" "no prefix: nothing is left of it"
	chmod 755 .
	mkdir -m 777 open
	found "prefix where everybody may rename" 1 fail output.place "anybody could move" "as root: chmod 1777" \
		as 65534 ./perfmon --output-prefix "$work/open" check output
	mkdir -m 755 closed
	found "prefix of root's alone" 1 fail output.place "closed: Permission denied" "as root: chmod 1777" \
		as 65534 ./perfmon --output-prefix "$work/closed" check output
	ln -s closed link
	found "prefix is a symbolic link" 1 fail output.place "symbolic link" "remove it; as root: install -d" \
		as 65534 ./perfmon --output-prefix "$work/link" check output
	mkdir -m 700 plain/db && touch plain/db/p.db && chown -R 4711 plain/db && chmod 755 plain/db
	found "a database of another user" 1 fail database.place "p.db cannot be written: Permission denied" \
		"set PERFMON_DB to a file of your own" as 65534 ./perfmon --db "$work/plain/db/p.db" check database.place
	cp ./perfmon set-uid && chmod 4755 set-uid
	if [ "$(cp "$(command -v id)" uid && chmod 4755 uid && as 65534 ./uid -u)" = 0 ]; then
		found "a set-user-ID program" 1 fail library.privilege "ld.so ignores LD_PRELOAD" \
			"without the set-user-ID bit" as 65534 ./set-uid check library.privilege
	else
		skip "a set-user-ID program" "this file system ignores the bit"
	fi
else
	skip "faults of several users" "only root can be two users"
fi

# --- file systems ------------------------------------------------------------------------------------
# on OPTIONS SCRIPT: a tmpfs at $work/fs in a mount namespace of its own, prepared by the script.
on()
{
	options=$1 script=$2
	shift 2
	unshare --mount sh -c 'mount -t tmpfs -o "$1" tmpfs fs && eval "$2" && shift 2 && exec "$@"' sh \
		"$options" "$script" "$@"
}
mkdir fs
if [ "$(id -u)" = 0 ] && need unshare mount && on size=1m : true 2>/dev/null; then
	prefix="--output-prefix=$work/fs/p"
	full='mkdir -p fs/p/$(id -un); head -c 4m /dev/zero >fs/fill 2>/dev/null; true'
	found "no space" 1 fail output.space "no space left: 0 kB in $work/fs" "make room" \
		on size=256k "$full" "$PERFMON" "$prefix" check output
	found "no space: what comes of it" 1 fail job.record "not recorded" "see the checks of" \
		on size=256k "$full" "$PERFMON" "$prefix" check job
	found "no space for the database" 1 fail database.space "no space left" "make room, or set PERFMON_DB" \
		on size=256k "$full" "$PERFMON" --db "$work/fs/x.db" check database
	found "no inodes" 1 fail output.inodes "no inodes left: room for 0 files in $work/fs" "remove files" \
		on nr_inodes=4 'mkdir fs/p; touch fs/1 fs/2 fs/3 fs/4 2>/dev/null; true' "$PERFMON" "$prefix" check output
	found "no inodes: the place" 1 fail output.place "No space left on device" "see output.space and output.inodes" \
		on nr_inodes=4 'mkdir fs/p; touch fs/1 fs/2 fs/3 fs/4 2>/dev/null; true' "$PERFMON" "$prefix" check output
	found "prefix read-only" 1 fail output.place "fs/p: Read-only file system" "mounted read-write" \
		on size=1m 'mkdir -m 1777 fs/p; mount -o remount,ro fs' "$PERFMON" "$prefix" check output
	found "a database that cannot be written" 1 fail database.place "Read-only file system" "mounted read-write" \
		on size=1m 'cp "$XDG_DATA_HOME/perfmon/perfmon.db" fs/x.db; mount -o remount,ro fs' \
		"$PERFMON" --db "$work/fs/x.db" check database.place
	found "temporary files where nothing may be executed" 0 pass environment.tmpdir "mounted noexec" "" \
		on noexec : env TMPDIR="$work/fs" "$PERFMON" check environment
	found "the collector where nothing may be executed" 1 fail library.mount "mounted noexec" "without noexec" \
		on noexec 'cp "$PERFMON_LIBRARY" fs/libperfmon.so' env PERFMON_LIBRARY="$work/fs/libperfmon.so" \
		"$PERFMON" check library.mount
else
	skip "faults of file systems" "no right to mount"
fi

done_testing
