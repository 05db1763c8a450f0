#!/bin/sh
# In each shell: instrument, run things in every way a shell runs them, uninstrument. What ran is
# recorded, and the environment of its programs is what it was, byte for byte.
# shellcheck disable=SC2154,SC2016,SC2086 # set by lib.sh; the tested shells expand; words
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"

export PERFMON
here=$work/globs
# Names that a shell would find for careless words.
mkdir "$here" && cd "$here" || exit 99
touch a b 'A=x' '[' '{' 1 2 s x test LD_PRELOAD=x

# The same in three languages. set -eu where there is such a thing.
cat >../sh <<'SCRIPT'
set -eu
env -0 >../before
WAY
f() { /bin/echo in-function; }
f >/dev/null
(/bin/echo in-subshell >/dev/null)
/bin/echo in-pipe | /bin/cat >/dev/null
trap '/bin/echo in-trap >/dev/null' USR1
kill -USR1 $$
x=$(/bin/echo in-substitution)
/bin/echo in-background >/dev/null & wait
perfmon_uninstrument
env -0 >../after
/bin/echo afterwards >/dev/null
perfmon_instrument
/bin/echo again >/dev/null
perfmon_uninstrument
env -0 >../last
SCRIPT
cat >../csh <<'SCRIPT'
env -0 >../before
WAY
alias f '/bin/echo in-function >/dev/null'
f
(/bin/echo in-subshell >/dev/null)
/bin/echo in-pipe | /bin/cat >/dev/null
/bin/echo in-trap >/dev/null
set x = `/bin/echo in-substitution`
/bin/echo in-background >/dev/null
perfmon_uninstrument
env -0 >../after
/bin/echo afterwards >/dev/null
perfmon_instrument
/bin/echo again >/dev/null
perfmon_uninstrument
env -0 >../last
SCRIPT
cat >../fish <<'SCRIPT'
env -0 >../before
WAY
function f; /bin/echo in-function >/dev/null; end
f
begin; /bin/echo in-subshell >/dev/null; end
/bin/echo in-pipe | /bin/cat >/dev/null
function t --on-event now; /bin/echo in-trap >/dev/null; end
emit now
set x (/bin/echo in-substitution)
/bin/echo in-background >/dev/null & wait
perfmon_uninstrument
env -0 >../after
/bin/echo afterwards >/dev/null
perfmon_instrument
/bin/echo again >/dev/null
perfmon_uninstrument
env -0 >../last
SCRIPT
want='again in-background in-function in-pipe in-pipe-cat in-subshell in-substitution in-trap '

# What the images of the job's echo and cat were given.
recorded()
{
	cat "$PERFMON_OUTPUT_PREFIX"/*/"$1"/*.tsv | awk -F '\t' '
		/^perfmon-tsv/ { for (i = 1; i <= NF; i++) c[$i] = i; next }
		$2 == "start" && $c["exename"] == "echo" { sub(/.* /, "", $c["args"]); print $c["args"] }
		$2 == "start" && $c["exename"] == "cat" { print "in-pipe-cat" }' |
		sort | tr '\n' ' '
}

run=0
# try NAME WAY LANGUAGE COMMAND...: the environment comes from the caller.
try()
{
	name=$1 way=$2 language=$3
	shift 3
	run=$((run + 1))
	# The way has slashes and quotes; no delimiter of sed would do.
	awk -v way="$way" '$0 == "WAY" { $0 = way } { print }' "../$language" >../script
	rm -f ../before ../after ../last
	env -u PERFMON_OUTPUT "$PERFMON" start -j "job$run" >../out 2>&1
	"$@" ../script >>../out 2>&1
	is "$?:$(cat ../out)" "0:" "$name: it runs"
	# Version 4 of fish puts variables that were set and erased into another order, and so does mksh
	# where its table of variables grew meanwhile.
	case $name in
	fish* | mksh*)
		for file in ../before ../after ../last; do
			sort -z -o $file $file
		done
		;;
	esac
	cmp ../before ../after && cmp ../before ../last
	ok $? "$name: the environment is what it was, byte for byte"
	is "$(recorded "job$run")" "$want" "$name: what ran between was recorded, and nothing else"
	env -u PERFMON_OUTPUT "$PERFMON" stop -j "job$run"
}

# try_all SHELL LANGUAGE COMMAND...: with several things there before.
try_all()
{
	shell=$1 language=$2
	shift 2
	case $language in
	sh) one='eval $("$PERFMON" source)' two='eval "$("$PERFMON" source)"' three='eval `"$PERFMON" source`' ;;
	csh) one='eval `$PERFMON source`' two=$one three='eval "`$PERFMON source`"' ;;
	fish)
		one='eval ($PERFMON source)' two='eval "$($PERFMON source)"' three='$PERFMON source | source'
		# Of version 3.4.
		[ "$(fish $config -c 'echo "$(echo yes)"' 2>/dev/null)" = yes ] || two=$three
		;;
	esac
	try "$shell, bare" "$one" "$language" "$@"
	ASAN_OPTIONS="detect_leaks=0 verbosity=0${ASAN_OPTIONS:+:$ASAN_OPTIONS}" LD_PRELOAD=$own \
		try "$shell, LD_PRELOAD in use" "$two" "$language" "$@"
	LD_PRELOAD=" $own:: " PERFMON_ARGS_MAX=64k PERFMON_TAGS='a:b c;d:*' \
		try "$shell, LD_PRELOAD with blanks" "$three" "$language" "$@"
	LD_PRELOAD='' PERFMON_JOBID=mine try "$shell, LD_PRELOAD empty" "$one" "$language" "$@"
}

own=$work/own.so
need cc && echo 'int pm_test_nothing;' >../own.c && cc -shared -fPIC -o "$own" ../own.c 2>../err
ok $? "a library to preload"

for shell in dash bash zsh ksh mksh; do
	if need $shell; then
		try_all $shell sh $shell
	else
		skip "$shell" "no $missing"
	fi
done
if need busybox; then try_all busybox sh busybox sh; else skip busybox "no $missing"; fi
for shell in tcsh bsd-csh; do
	if need $shell; then
		try_all $shell csh $shell -f
	else
		skip "$shell" "no $missing"
	fi
done
if need fish; then
	# Of version 3.5.
	config=--no-config
	fish $config -c true 2>/dev/null || config=
	try_all fish fish fish ${config:+"$config"}
else
	skip fish "no $missing"
fi

# --- the shell is the caller's --------------------------------------------------------------------
"$PERFMON" start -j found
if need tcsh; then
	is "$(SHELL=/bin/sh tcsh -fc 'nice env $PERFMON -jfound source' | cut -c1-6)" "setenv" \
		"programs may stand between it and perfmon"
	cp "$(command -v tcsh)" ../gone-csh
	ln -s /bin/sh ../tcsh
	is "$(../gone-csh -fc 'rm ../gone-csh; $PERFMON -jfound source' | cut -c1-6)" "perfmo" \
		"an unknown name is no shell's: the next one decides"
	cp "$(command -v tcsh)" ../tcsh-6.24
	is "$(../tcsh-6.24 -fc 'rm ../tcsh-6.24; $PERFMON -jfound source' | cut -c1-6)" "setenv" \
		"a shell that was removed while it runs is known, and so is one with a version"
else
	skip "programs may stand between it and perfmon" "no $missing"
	skip "an unknown name is no shell's" "no $missing"
	skip "a shell that was removed while it runs is known" "no $missing"
fi
if need bash; then
	is "$(bash -c 'set -a; eval $($PERFMON -jfound source); perfmon_uninstrument; env' |
		grep -c perfmon_)" 0 "bash -a exports no function of ours"
else
	skip "bash -a exports no function of ours" "no $missing"
fi
# What is put into LD_PRELOAD meanwhile stays.
for shell in dash bash zsh ksh mksh; do
	if need $shell; then
		is "$($shell -c 'eval $($PERFMON -jfound source)
			LD_PRELOAD=$1:$LD_PRELOAD
			perfmon_uninstrument
			printf "%s|" "$LD_PRELOAD"
			LD_PRELOAD=$1:$1
			perfmon_instrument
			printf "%s" "$LD_PRELOAD"' x "$own")" "$own|$own:$own:$PERFMON_LIBRARY" \
			"$shell: what is added to LD_PRELOAD between and in front stays"
	else
		skip "$shell: what is added to LD_PRELOAD stays" "no $missing"
	fi
done

# --- for Slurm ------------------------------------------------------------------------------------
PERFMON_TAGS='a:b c;d:*' "$PERFMON" -jfound source --slurm >../out
is "$?:$(grep -c -v '^export [A-Z_]*=' ../out)" "0:0" "source --slurm prints nothing but exports"
is "$(sed -n 's/^export PERFMON_TAGS=//p' ../out)$(PERFMON_TAGS='a:b c;d:*' "$PERFMON" -jfound source --slurm --tags='x y' |
	sed -n 's/^export PERFMON_TAGS=//p')" "x y" "values are plain text, and what is set already is left alone"
is "$(sed -n 's/^export LD_PRELOAD=//p' ../out)" "$PERFMON_LIBRARY" "with the collector"
PERFMON_TAGS='' "$PERFMON" -jfound source --slurm --tags="$(printf 'x\ny')" >../out 2>../err
is "$?:$(cat ../out)" "1:" "a value with a newline is refused, and nothing printed"

done_testing
