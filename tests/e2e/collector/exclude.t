#!/bin/sh
# Programs that are excluded leave no row, and nothing else goes missing: neither what they start,
# nor who started that, nor CPU time.
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/database.sh
. "$abs_top_srcdir/tests/e2e/database.sh"

if ! need bash sqlite3; then
	skip "excluded programs" "no $missing"
	done_testing
fi

query_default '' ' '

# record NAME COMMAND...: a job of its own in a database of its own.
record()
{
	name=$1
	shift
	# Another machine on this processor may take time that is not told: up to three times.
	for _ in 1 2 3; do
		rm -rf "$XDG_DATA_HOME" "$PERFMON_OUTPUT_PREFIX"
		mkdir "$PERFMON_OUTPUT_PREFIX"
		lost=$(taken)
		"$PERFMON" -a run "$@" >out 2>err
		ran="$?:$(cat err)"
		# Less than a tick of 10 ms is not seen.
		lost=$(($(taken) - lost + 10000))
		"$PERFMON" -q submit
		loaded=$?
		[ "$(covered 2>/dev/null)" != 1 ] || break
	done
	is "$ran" "0:" "$name: ran"
	is "$loaded" 0 "$name: loaded, with no line rejected"
}

# covered: whether the job's coverage is all but 5 %, and what was taken meanwhile, which may be charged.
covered()
{
	query "select coverage between 0.95 * max(charged_cpu_us - $lost, 0) / charged_cpu_us and 1.02 from job"
}

# whole: what must hold of every job in which everything was waited for.
whole()
{
	is "$(query 'select rejected, without_end, running from job')" "0 0 0" "$name: every end is known"
	is "$(query 'select count(*) from process where exename is null')" 0 "$name: no nameless row"
	is "$(query 'select count(*) from process where parent_id >= id')" 0 "$name: parents come first"
	is "$(query 'select sum(inclusive_cpu_time) = (select sum(cpu_time) from process) from process
		where parent_id is null')" 1 "$name: inclusive times add up"
	diag "$(query 'select cpu_time, own_cpu_us, excluded, excluded_cpu_us, charged_cpu_us, coverage from job')"
	is "$(covered)" 1 "$name: all CPU time is recorded or excluded"
}

# A script in which the shell works itself, forks, execs, pipes, and ends by exec; a program of each
# name once, so that rows can be told by their names.
cat >script <<'SCRIPT'
i=0
while [ $i -lt 20000 ]; do i=$((i + 1)); done
env true
(ls / >/dev/null; cat script >/dev/null)
tr a b <script | sort >/dev/null
(i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done; exec uniq script >/dev/null)
head -n 1 script >/dev/null &
wait
nice dash -c 'date >/dev/null; (tail -n 1 script; stat script) >/dev/null; sh -c "exit 3"; exit 0'
exec grep -c exit script
SCRIPT

for layout in COLLATED_TSV PER_PROCESS; do
	record "$layout: nothing excluded" --options "$layout" bash script
	whole
	query "select exename from process where exename not in ('bash', 'dash') order by 1" >all
	query "select exename, exitcode, exitsignal from process where exename not in ('bash', 'dash')
		and end_reason <> 'exec' order by 1" >ends
	is "$(query 'select excluded, excluded_cpu_us is null from job')" "0 1" "$layout: none was excluded"

	record "$layout: the script's shell excluded" --options "$layout" --exclude bash bash script
	whole
	is "$(query "select count(*) from process where exename = 'bash'")" 0 "$name: no row of it"
	is "$(query "select exename from process where exename <> 'dash' order by 1" | diff all - && echo same)" \
		same "$name: every program that it started"
	is "$(query 'select exename from excluded_program')" bash "$name: it is named as excluded"
	# 40 000 turns of a loop in the shell, and exec of grep and uniq behind them.
	is "$(query "select group_concat(exename, ' ') from (select exename from process where
		cpu_time > (select cpu_time from excluded_program) / 2)")" "" \
		"$name: what the shell had used before an exec is not the program's"
	is "$(query "select count(*) from process p, process q where p.id = q.parent_id and
		p.exename = 'dash' and q.exename in ('date', 'tail', 'stat')")" 3 \
		"$name: parents that are recorded are linked to"
	is "$(query "select count(*) from process where exename = 'grep' and generation > 0 and rchar > 0")" 1 \
		"$name: I/O before the exec is taken off, not unknown"

	record "$layout: every shell excluded" --options "$layout" --exclude '*sh' bash script
	whole
	is "$(query 'select exename from process order by 1' | diff all - && echo same)" same \
		"$name: every other program"
	is "$(query "select exename, exitcode, exitsignal from process where end_reason <> 'exec' order by 1" |
		diff ends - && echo same)" same "$name: their ends are those without exclusion"
	is "$(query "select count(*) from process p, process q where p.id = q.parent_id and p.exename = 'nice'")" \
		3 "$name: what a shell starts is below the program that it took the place of"
	is "$(query 'select group_concat(exename, " ") from excluded_program')" "bash dash" \
		"$name: they are named as excluded"

	record "$layout: all but one excluded" --options "$layout" --include 'date,stat' bash script
	whole
	is "$(query 'select exename from process order by 1' | tr '\n' ' ')" "date stat " \
		"$name: those, and nothing else"
	record "$layout: exclude wins" --options "$layout" --include 'date,stat' --exclude stat bash script
	is "$(query 'select exename from process')" date "$name"
done

# --- a whole tree -------------------------------------------------------------------------------
mkdir -p site/bin
for program in bash dash date; do
	cp "$(command -v "$program")" site/bin/
done
cat >below <<'SCRIPT'
site/bin/dash -c 'site/bin/date >/dev/null; (site/bin/date; ls /) >/dev/null; exec true'
exit 0
SCRIPT
record "a directory of programs" --exclude "$work/site/*" env site/bin/bash below
whole
is "$(query 'select exename from process order by id' | tr '\n' ' ')" "env ls true " "$name: none of its programs"
is "$(query 'select sum(images) from excluded_program where exename = "date"')" 2 "$name: but counted"
record "everything excluded" --exclude '*' bash script
is "$(query 'select processes, excluded > 20 from job') $(covered)" "0 1 1" "$name: accounted for"
"$PERFMON" report >report
is "$?:$(grep -c 'were excluded by the settings' report)" "0:1" "$name: reported"

# --- an excluded parent between two recorded ones ------------------------------------------------
record "a tree with holes" --exclude dash env nice dash -c 'env dash -c "ls / >/dev/null; :"; :'
whole
is "$(query "select p.exename, p.depth, coalesce(q.exename, '-') from process p left join process q on
	q.id = p.parent_id order by p.id" | tr '\n' ',')" "env 0 -,nice 0 -,env 1 nice,ls 2 env," \
	"$name: links go to the nearest recorded process above"
"$PERFMON" show >show
is "$(grep -c -e dash show)" 2 "$name: show names it as an argument of others alone"

# --- patterns that make no sense ------------------------------------------------------------------
long=$(head -c 100000 /dev/zero | tr '\0' '*')
for pattern in '[' '[!' '**********a' '' ',,, ,' "$long" "${long}[" '[[:alpha' '\*' '/' '//////'; do
	record "pattern $(printf %.20s "$pattern")" --exclude "$pattern" true
	is "$(query 'select exename from process')" true "$name: excludes nothing"
done
record "an include without a pattern" --include ', ,' true
is "$(query 'select exename from process')" true "$name: excludes nothing"

# --- where it is set ------------------------------------------------------------------------------
mkdir -p "$XDG_CONFIG_HOME/perfmon"
echo 'exclude = true, date # helpers' >"$XDG_CONFIG_HOME/perfmon/perfmon.conf"
record "the configuration file" sh -c 'true; env true; date; ls'
is "$(query "select count(*) from process where exename in ('true', 'date')"):$(query 'select sum(images) from excluded_program')" \
	"0:2" "$name: is followed"
PERFMON_EXCLUDE='' record "the environment" sh -c 'env true; date; ls'
is "$(query "select count(*) from process where exename in ('true', 'date')")" 2 "$name: takes it back"
rm -r "$XDG_CONFIG_HOME"
"$PERFMON" -q -j s start
PERFMON_EXCLUDE='l?'
eval "$("$PERFMON" -j s source)"
PERFMON_EXCLUDE='l?' ls >/dev/null
date >/dev/null
perfmon_uninstrument
is "$PERFMON_EXCLUDE" 'l?' "source leaves the variable as it was"
unset PERFMON_EXCLUDE
"$PERFMON" -q -j s stop
rm -rf "$XDG_DATA_HOME"
"$PERFMON" -q submit
is "$(query 'select exename from process'):$(query 'select exename, images from excluded_program')" \
	"date:ls 1" "source hands it on"
done_testing
