#!/bin/sh
# perfmon source: in every shell there is here, in every way to evaluate it.
# shellcheck disable=SC2154,SC2016 # set by lib.sh; the tested shells expand
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"

export PERFMON # for the scripts of the tested shells
"$PERFMON" source >out 2>err
is "$?:$(cat out):$(cat err)" "1::perfmon: no job is open; see perfmon start" \
	"without a job it is an error and prints nothing to evaluate"
"$PERFMON" start
"$PERFMON" source --shell sh >out 2>err
is "$?:$(cat err)" "0:" "with a job it succeeds"
is "$(wc -l <out):$(grep -c ';$' out)" 1:1 "it prints one line, which ends in ;"
for family in csh fish; do
	# Programs with AddressSanitizer have options of theirs.
	env -u ASAN_OPTIONS "$PERFMON" source --shell $family >out 2>err
	is "$(wc -l <out):$(grep -c ';$' out)" 1:1 "in $family, too"
	sed "s|$PERFMON_LIBRARY|LIB|g; s|\`$PERFMON|\`PERFMON|; s|--output=[^ ]*|--output=DIR|
		s/\\(PERFMON_[A-Z]* \\)[^;]*;/\\1X;/g" out >out.$family
done
is "$(cat out.csh)" "setenv PERFMON_OUTPUT X; setenv PERFMON_JOBID X; setenv PERFMON_EXE X; setenv PERFMON_HOST X; \
setenv ASAN_OPTIONS verify_asan_link_order=0; setenv LD_PRELOAD LIB; alias perfmon_uninstrument 'unsetenv LD_PRELOAD; \
unsetenv ASAN_OPTIONS; unsetenv PERFMON_HOST; unsetenv PERFMON_EXE; unsetenv PERFMON_JOBID; unsetenv PERFMON_OUTPUT; '; \
alias perfmon_instrument 'eval \`PERFMON --output=DIR source --shell csh\`';" "csh: set in order, taken back in the other one"
is "$(cat out.fish)" "function perfmon_uninstrument; if test \"\$LD_PRELOAD\" = 'LIB'; set -e LD_PRELOAD; \
else if set -q LD_PRELOAD; set -gx LD_PRELOAD (string replace -- ':''LIB' '' \"\$LD_PRELOAD\"); end; \
set -e ASAN_OPTIONS; set -e PERFMON_HOST; set -e PERFMON_EXE; set -e PERFMON_JOBID; set -e PERFMON_OUTPUT; end; \
function perfmon_instrument; perfmon_uninstrument; set -gx PERFMON_OUTPUT X; set -gx PERFMON_JOBID X; \
set -gx PERFMON_EXE X; set -gx PERFMON_HOST X; set -gx ASAN_OPTIONS 'verify_asan_link_order=0'; \
if set -q LD_PRELOAD; set -gx LD_PRELOAD \"\$LD_PRELOAD\":'LIB'; else; set -gx LD_PRELOAD 'LIB'; end; end; \
perfmon_instrument;" "fish: so are its functions"
for shell in bash zsh-5.9 /bin/dash tcsh; do
	"$PERFMON" source --shell $shell >out 2>err
	is "$?:$(wc -l <out):$(cat err)" "0:1:" "--shell $shell stands for its family"
	case $shell:$(cat out) in
	bash:*'export -fn perfmon_instrument perfmon_uninstrument; '*) ok 0 "bash does not export the functions" ;;
	bash:* | tcsh:perfmon_* | [z/]*'export -fn'*) ok 1 "$shell: $(cat out)" ;;
	esac
done
"$PERFMON" source --shell rc >out 2>err
is "$?:$(cat out)" "2:" "another family of shells is a usage error"

# Names in the current directory that globs would match.
mkdir globs
cd globs || exit 99
touch a b 'A=x' '[' '{' "$(printf 'PERFMON_TAGS=x')" 1 2 s x

# What must survive: each is a line of its own.
cat >../values <<'VALUES'
plain:1;second:two
blank:a b;two:a  b;lead: x
glob:*;q:?;set:[a-z]*;brace:{a,b}
quote:it's;double:"x";back:a\b\\c
dollar:$HOME;tick:`id`;bang:a!b!!c;tilde:~root
tab:a	b	;semi
equals:a=b:c=d;percent:%1;hash:# no
utf:äöü€;amp:a&b|c>d<e(f)
VALUES

# What is in force, as programs see it.
cat >../show.sh <<'SHOW'
printf '%s|' "${PERFMON_OUTPUT##*/}" "${PERFMON_JOBID}" "${PERFMON_TAGS-}" "${LD_PRELOAD-unset}"
SHOW
id=$(ls "$PERFMON_OUTPUT_PREFIX"/*)

# check SHELL NAME: evaluate in three ways, then undo.
check_sh()
{
	for way in 'eval $("$PERFMON" source)' 'eval "$("$PERFMON" source)"' 'eval `"$PERFMON" source`'
	do
		# The environment of the shell before and after is compared by programs it runs.
		got=$(echo "
			before=\$(env | grep -v -e ^_= -e ^SHLVL= | sort)
			$way
			sh ../show.sh
			perfmon_uninstrument
			sh ../show.sh
			after=\$(env | grep -v -e ^_= -e ^SHLVL= | sort)
			[ \"\$before\" = \"\$after\" ] && echo restored
			perfmon_instrument
			sh ../show.sh" >../script
			"$@" ../script 2>&1)
		is "$got" "$id|$id||$PERFMON_LIBRARY|||${PERFMON_TAGS-}|unset|restored
$id|$id||$PERFMON_LIBRARY|" "$*: $way, back, and on again"
	done
	failed=
	while read -r value; do
		printf 'tags = %s\n' "$value" >"$XDG_CONFIG_HOME/perfmon/perfmon.conf"
		for way in 'eval $("$PERFMON" source)' 'eval "$("$PERFMON" source)"' \
			'eval `"$PERFMON" source`'; do
			echo "$way
				printf '%s' \"\$PERFMON_TAGS\"" >../script
			got=$("$@" ../script 2>&1)
			[ "$got" = "$value" ] || failed="$failed $way: $got, not $value"
		done
	done <../values
	is "$failed" "" "$*: values of every kind arrive in each way"
	rm "$XDG_CONFIG_HOME/perfmon/perfmon.conf"
}
mkdir -p "$XDG_CONFIG_HOME/perfmon"

for shell in sh dash bash ksh mksh zsh; do
	if need $shell; then
		check_sh $shell
	else
		skip "$shell evaluates it" "no $shell"
	fi
done
if need bash; then
	check_sh bash --posix
	# Options that make careless code fail.
	check_sh bash -euo pipefail
fi
if need busybox; then
	check_sh busybox sh
else
	skip "busybox sh evaluates it" "no busybox"
fi

# csh has no functions and its own quoting.
check_csh()
{
	for way in 'eval `"$PERFMON" source`' 'eval "`$PERFMON source`"'; do
		cat >../script <<SCRIPT
env | grep -v -e ^_= -e ^SHLVL= | sort >$work/before
$way
sh ../show.sh
perfmon_uninstrument
sh ../show.sh
env | grep -v -e ^_= -e ^SHLVL= | sort >$work/after
perfmon_instrument
sh ../show.sh
SCRIPT
		# Between double quotes csh makes a word of each line; eval joins them.
		is "$("$@" -f ../script 2>&1)" "$id|$id||$PERFMON_LIBRARY||||unset|$id|$id||$PERFMON_LIBRARY|" \
			"$*: $way, back, and on again"
		cmp "$work/before" "$work/after"
		ok $? "$*: the environment is what it was"
	done
	failed=
	while read -r value; do
		printf 'tags = %s\n' "$value" >"$XDG_CONFIG_HOME/perfmon/perfmon.conf"
		# csh spells it `...`; single quotes around the program keep $ from csh.
		echo 'eval `"$PERFMON" source`
			printenv PERFMON_TAGS' >../script
		got=$("$@" -f ../script 2>&1)
		[ "$got" = "$value" ] || failed="$failed $got, not $value"
	done <../values
	is "$failed" "" "$*: values of every kind arrive"
	rm "$XDG_CONFIG_HOME/perfmon/perfmon.conf"
}
for shell in tcsh csh bsd-csh; do
	if need $shell; then
		check_csh $shell
	else
		skip "$shell evaluates it" "no $shell"
	fi
done

# --- the shell is found, not guessed from $SHELL ------------------------------------------------
is "$(SHELL=/bin/tcsh "$PERFMON" source | grep -c '^setenv')" 0 "\$SHELL does not decide"
if need tcsh; then
	printf '#!%s -f\n"$PERFMON" source\n' "$(command -v tcsh)" >../job.script
	chmod +x ../job.script
	SHELL=/bin/bash ../job.script | grep -q '; setenv LD_PRELOAD'
	ok $? "a csh script is recognised though its process has the script's name"
else
	skip "a csh script is recognised though its process has the script's name" "no tcsh"
fi

# --- what was there before --------------------------------------------------------------------
if need cc && echo 'int pm_test_nothing;' >../own.c &&
	cc -shared -fPIC -o ../own.so ../own.c 2>/dev/null; then
	cat >../script <<'SCRIPT'
before=$LD_PRELOAD
eval $("$PERFMON" source)
printf '%s|' "$LD_PRELOAD"
eval $("$PERFMON" source)
printf '%s|' "$LD_PRELOAD"
perfmon_uninstrument
[ "$LD_PRELOAD" = "$before" ] && echo restored
SCRIPT
	is "$(LD_PRELOAD=$work/own.so sh ../script)" \
		"$work/own.so:$PERFMON_LIBRARY|$work/own.so:$PERFMON_LIBRARY|restored" \
		"the user's LD_PRELOAD stays in front, sourcing twice adds once, and undoing restores it"
	is "$(LD_PRELOAD="$work/own.so  $work/own.so" sh ../script)" \
		"$work/own.so  $work/own.so:$PERFMON_LIBRARY|$work/own.so  $work/own.so:$PERFMON_LIBRARY|restored" \
		"also where blanks separate its entries"
else
	skip "the user's LD_PRELOAD stays in front" "no C compiler"
	skip "also where blanks separate its entries" "no C compiler"
fi
cat >../script <<'SCRIPT'
export ASAN_OPTIONS='detect_leaks=0 verbosity=0' PERFMON_ARGS_MAX=64k
eval $("$PERFMON" source)
printf '%s|' "$ASAN_OPTIONS" "$PERFMON_ARGS_MAX"
perfmon_uninstrument
printf '%s|' "$ASAN_OPTIONS" "$PERFMON_ARGS_MAX"
SCRIPT
is "$(sh ../script)" \
	"detect_leaks=0 verbosity=0:verify_asan_link_order=0|65536|detect_leaks=0 verbosity=0|64k|" \
	"other variables get their values back"

# --- a job script of EPMT's kind ---------------------------------------------------------------
"$PERFMON" stop
cat >../script <<'SCRIPT'
"$PERFMON" start
eval `"$PERFMON" source`
/bin/echo hello >/dev/null
unset LD_PRELOAD
"$PERFMON" stop
SCRIPT
sh ../script >../out 2>&1
is "$?:$(cat ../out)" "0:" "start, source, stop around commands"
dir=$(find "$PERFMON_OUTPUT_PREFIX" -mindepth 2 -maxdepth 2 -type d | sort -V | tail -n 1)
is "$(awk -F '\t' '/^perfmon-tsv/ { for (i = 1; i <= NF; i++) c[$i] = i; next }
	$2 == "end" { print $c["exename"] }' "$dir"/*.tsv)" echo \
	"the commands are recorded, perfmon is not"
"$PERFMON" dump "$dir" | grep -q '^stop_records 2$'
ok $? "and counted"

"$PERFMON" start -j given
is "$("$PERFMON" -jgiven source | sed -n 's/.* PERFMON_JOBID=\([^;]*\);.*/\1/p')" given \
	"-j chooses the job"
PERFMON_LIBRARY=$work/none.so "$PERFMON" -j given source >../out 2>../err
is "$?:$(cat ../out)" "1:" "without the collector it fails and prints nothing"

done_testing
