#!/bin/sh
# What must agree agrees: folders and includes, tables and help and man pages and completion,
# generated and committed files, the list of packages and what tests use.
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"

cd "$abs_top_srcdir" || exit 99
folders="common libperfmon wrapper sql db submit forward sampler analysis report manage export"
perfmon() { "$PERFMON" "$@" 2>&1; }

# none FILE NAME: passed when the file is empty; its lines are shown else.
none()
{
	test ! -s "$1"
	ok $? "$2"
	test ! -s "$1" || diag "$(head -n 40 "$1")"
}

# --- folders ----------------------------------------------------------------------------------

# shellcheck source=tests/layout.sh
. tests/layout.sh

layout_breaches >"$work/out"
none "$work/out" "each folder includes what its rule in ARCHITECTURE.md allows, and no more is allowed"
layout_circles >"$work/out"
none "$work/out" "neither folders nor files include each other in circles"
layout_missing >"$work/out"
none "$work/out" "the files that ARCHITECTURE.md names are there"
layout_picture >"$work/out"
none "$work/out" "doc/folders.dot and its picture show the folders as they are (make picture)"

layout_guards >"$work/out"
none "$work/out" "every header's guard is its path"

layout_variables >"$work/out"
none "$work/out" "no variable of the collector is named but in its table"
layout_identities >"$work/out"
none "$work/out" "jobs are compared by common/job/jobidentity.h alone"
layout_operands >"$work/out"
none "$work/out" "what an operand is, is asked in submit/operand.c alone"

# Each of those rules notices what breaks it: planted into a copy, one at a time.
mkdir "$work/planted"
find $layout_folders doc tests/layout.sh tests/consistency.t ARCHITECTURE.md \( -name '*.[ch]' -o -name '*.def' -o -path 'doc/*' -o -path 'tests/*' \
	-o -name '*.md' -o -path 'slurm/*' \) -print0 | xargs -0 cp --parents -t "$work/planted"
# planted RULE NAME FILE LINE: the rule prints nothing, and something with the line at the file's end.
planted()
{
	[ ! -e "$work/planted/$3" ] || cp "$work/planted/$3" "$work/kept"
	mkdir -p "$work/planted/${3%/*}"
	(cd "$work/planted" && "layout_$1") >"$work/before"
	printf '%s\n' "$4" >>"$work/planted/$3"
	(cd "$work/planted" && "layout_$1") >"$work/after"
	[ ! -s "$work/before" ] && [ -s "$work/after" ]
	ok $? "noticed: $2"
	rm "$work/planted/$3"
	[ ! -e "$work/kept" ] || mv "$work/kept" "$work/planted/$3"
}
planted breaches "containers that know a job" submit/memory/blobs.c '#include "submit/job/images.h"'
planted breaches "the loader that knows an engine" submit/load.c '#include "db/sqlite/handle.h"'
planted breaches "a folder without a rule" submit/elsewhere/new.c '#include "config.h"'
planted breaches "a forwarder that knows an engine" forward/pass.c '#include "db/sqlite/handle.h"'
planted breaches "a permission for nothing" ARCHITECTURE.md '| `sql/` | | `db/` |'
planted circles "a circle of folders" common/err.h '#include "wrapper/job/job.h"'
planted circles "a circle of files" sampler/clock.h '#include "sampler/loop.h"'
planted missing "a file that is gone" ARCHITECTURE.md '`submit/gone.c`'
planted guards "a header under another's guard" common/copy.h "$(cat common/err.h)"
planted variables "a variable outside of its table" wrapper/job/launch.c 'static const char *const more = "PERFMON_EVENTS";'
planted variables "the preload, with its =" libperfmon/base/preload.c '#define ENTRY "LD_PRELOAD=/x"'
planted variables "a variable in a script that nothing sets" slurm/taskprolog.sh.in '[ ! "${PERFMON_TASKS-}" ]'
planted operands "a loader that asks what its operand is" submit/load.c 'if (pm_epmt_db_is(fd)) return;'
planted operands "a verb that opens its operand" submit/convert.c 'fd = pm_db_open_file(AT_FDCWD, path, O_NONBLOCK | O_NOCTTY);'
planted identities "a query by an identity of its own" db/copy.c '"jobid = ? AND restart_count = ? AND epoch_us = ?"'
planted picture "an arrow that the picture lacks" common/err.c '#include "sql/schema.h"'

# A parent that went before the kernel was asked to tell of it is never told of.
# shellcheck disable=SC2086 # words
grep -r -n -A 4 --include='*.c' 'prctl(PR_SET_PDEATHSIG' $folders |
	awk '/prctl\(PR_SET_PDEATHSIG/ { if (asked) print asked; asked = $0 } /getppid\(\)/ { asked = "" }
		END { if (asked) print asked }' >"$work/out"
none "$work/out" "who asks to die with the parent looks whether it is there"

# What is not listed is neither run nor in a release.
cat tests/*.inc tests/*/Makefile.inc >"$work/lists"
find tests/unit -name '*.c' >"$work/listed"
find tests/e2e -name '*.t' -o -name '*.sh' -o -name '*.py' >>"$work/listed"
find tests/issues tests/prove -name '*.t' >>"$work/listed"
awk -v lists="$work/lists" 'BEGIN { while ((getline line <lists) > 0) text = text line "\n" } !index(text, $0)' \
	"$work/listed" >"$work/out"
# And where libcheck is missing alone.
sed -n '/^else/,$p' tests/unit.inc | grep 'TESTS +=' >>"$work/out"
none "$work/out" "every test, and what it sources, is listed in a Makefile.inc"

# What the preload carries of common/ allocates nothing.
carried=$(grep -o 'common/[a-z_/]*[.]c' libperfmon/Makefile.inc)
# shellcheck disable=SC2046,SC2086
grep -n -E '\b(malloc|calloc|realloc|free|getenv|s?n?printf|fopen|strdup|setlocale)\(' $carried \
	$(ls $(echo "$carried" | sed 's/c$/h/') 2>/dev/null) >"$work/out"
none "$work/out" "what the preload carries of common/ neither allocates nor formats"

# shellcheck disable=SC2086
grep -n -E '(\b|__builtin_)(strcpy|strcat|sprintf|strtok|atoi|alloca|gets)\(' -r $folders \
	--include='*.[ch]' >"$work/out"
# The vector of execl, which libc has on the stack, too, and a copy of the environment whose size
# pm_preload_room() bounds.
for line in 'libperfmon/hooks/exec.c.*argv = __builtin_alloca((count_ + 1) ' 'libperfmon/base/preload.h.*__builtin_alloca(room_)'; do
	grep -v "$line" "$work/out" >"$work/rest"
	[ $(($(wc -l <"$work/out") - $(wc -l <"$work/rest"))) -eq 1 ] || echo "gone: $line" >>"$work/rest"
	mv "$work/rest" "$work/out"
done
none "$work/out" "no function without a bound is called"

# shellcheck disable=SC2086
find $folders tests man bench doc slurm bootstrap configure.ac Makefile.am -type f \
	! -path '*/corpus/*' ! -path '*/golden/*' ! -path '*/completion/*' ! -name '*.svg' ! -name '*.sql' ! -name '*.[1-9]' \
	-exec awk 'FNR == 601 { print FILENAME }' {} + >"$work/out" 2>/dev/null
none "$work/out" "no file has more than 600 lines"

# shellcheck disable=SC2086
grep -n -r -w -E 'TO''DO|FIX''ME|XX''X' $folders tests man ./*.md ./*.ac Makefile.am bootstrap \
	--exclude-dir=corpus >"$work/out"
none "$work/out" "nothing is left to do in a comment"

# Each .c begins with config.h, then its own header where it has one; but what is not for this machine.
# Or a wider one of the same name, as loading.h of load.h.
# shellcheck disable=SC2086
find $folders -name '*.h' >"$work/headers"
# shellcheck disable=SC2086
find $folders -name '*.c' ! -name '*.bpf.c' -exec awk -v headers="$work/headers" '
	function look() {
		if (first != "\"config.h\"") print file ": config.h is not first"
		own = substr(file, 1, length(file) - 2)
		if ((own ".h") in is && (index(second, "\"" own) != 1 || second !~ /[.]h"$/))
			print file ": its own header is not second"
	}
	BEGIN { while ((getline header <headers) > 0) is[header] = 1 }
	FNR == 1 {
		if (file != "") look()
		file = FILENAME; count = 0; first = second = ""
	}
	sub(/^# *include */, "") {
		if (++count == 1) first = $0
		if (count == 2) second = $0
	}
	END { look() }' {} + >"$work/out"
# shellcheck disable=SC2086
find $folders -name '*.c' -empty >>"$work/out"
none "$work/out" "every file includes config.h, then its own header"

# What is not static is used by another file, or by itself and a unit test. Tables make names that no
# text has, and the build may leave files empty: a use counts that objects or texts have.
if need nm; then
	# shellcheck disable=SC2086
	(cd "$abs_top_builddir" && find $folders -name '*.o' ! -name '*.bpf.o') | while read -r object; do
		source=${object##*-}
		# Objects of files that are gone may lie there.
		[ ! -e "${object%/*}/${source%.o}.c" ] || echo "$abs_top_builddir/$object"
	done | xargs nm -p -A | sed "s|^$abs_top_builddir/\([a-z0-9/]*\)/[^:/]*-\([^:]*\)[.]o:|\1/\2.c |" \
		>"$work/names"
	find "$abs_top_builddir/tests" -name '*.o' -exec nm -p {} + | sed 's/^/tests /' >>"$work/names"
	awk '$NF !~ /^pm_/ { next }
		$(NF - 1) ~ /^[TDBRVG]$/ && $1 != "tests" { defined[$NF] = $1 }
		$(NF - 1) ~ /^[Uw]$/ { $1 == "tests" ? tested[$NF] = 1 : used[$NF] = 1 }
		END {
			for (name in defined)
				if (!(name in used))
					print name, defined[name], name in tested
		}' "$work/names" >"$work/unused"
	while read -r name source tested; do
		# shellcheck disable=SC2086
		grep -l -r -w "$name" $folders --include='*.c' | grep -q -v -F "$source" ||
			{ [ "$tested" = 1 ] && [ "$(grep -c -w "$name" "$source")" -gt 1 ]; } ||
			[ "$source" = sampler/sources/template.c ] ||
			echo "$source: $name"
	done <"$work/unused" >"$work/out"
	test "$(wc -l <"$work/names")" -gt 1000 || echo "no names were found" >>"$work/out"
	none "$work/out" "what no other file uses is static"

	# A library is called in one place, whichever header it is reached through; those that are opened when
	# they are needed have no symbols.
	while read -r symbols files; do
		awk -v symbols="^($symbols)" -v files="^($files)[.]c\$" \
			'$(NF - 1) ~ /^[Uw]$/ && $NF ~ symbols && $1 != "tests" && $1 !~ files { print $1, $NF }' "$work/names"
		case $symbols in
		sqlite3_*) grep -q " U sqlite3_open" "$work/names" || echo "no call of SQLite was found" ;;
		esac
	done <<'END' >"$work/out"
sqlite3_ db/sqlite/[a-z_]+
PQ db/postgres/wire
PAPI_|pfm_ nowhere
cairo_|pango_|g_object_ nowhere
H5[A-Z]*[a-z] nowhere
bpf_|libbpf_ sampler/tree/census_[a-z]+
tar_|th_ submit/input/tarblocks_libtar
ZSTD_ (submit/(memory/coder|input/stream_zstd)|export/parquet/compress)
lzma_ submit/input/stream_xz
BZ2_ submit/input/stream_bzip2
inflate submit/(memory/coder|input/stream_gzip)
deflate (submit/memory/coder|report/web/deflate|export/parquet/compress|export/bulk/gzip)
gz[a-z]+$ common/tarwrite
END
	none "$work/out" "each foreign library is called in one place"
else
	skip "what no other file uses is static" "no $missing"
	skip "each foreign library is called in one place" "no $missing"
fi

# --- commits ------------------------------------------------------------------------------------

is "$(while read -r expected subject; do
	echo "$subject" >"$work/message"
	doc/commit-msg "$work/message" 2>/dev/null
	[ $? -eq "$expected" ] || echo "$subject"
done <<'END'
0 submit: 3456789012345678901234567890123456789012345678901234567890123456
1 submit: 34567890123456789012345678901234567890123456789012345678901234567
0 report, README: words
1 words without an area
1 submit:
0 fixup! words
END
)" "" "the hook takes subjects of 72 characters with an area, and no others"

# --- tables -----------------------------------------------------------------------------------

verbs=$(sed -n 's/^PM_VERB(\([a-z_]*\),.*/\1/p' common/cli/verbs.def)
options=$(sed -n 's/^PM_OPTION([a-z_]*, [^,]*, "\([a-z-]*\)",.*/\1/p' common/cli/options.def)
settings=$(sed -n 's/^PM_SETTING(\([a-z_]*\),.*/\1/p' common/settings/config.def)
is "$(echo "$verbs" | wc -l) $(echo "$options" | wc -l) $(echo "$settings" | wc -l)" \
	"$(grep -c '^PM_VERB(' common/cli/verbs.def) $(grep -c '^PM_OPTION(' common/cli/options.def) $(
	grep -c '^PM_SETTING(' common/settings/config.def)" "the test reads every row of the tables"

# Reasons why a counter is not known come from their table, which the manual page shows.
grep -n -E '\breason = [^;]*"[A-Za-z0-9]+"|set_state\([^"]*, "' -r libperfmon submit/job/counters.c \
	wrapper/events >"$work/out"
none "$work/out" "no reason of a counter is written by hand"

# The letters of records that rows of the metric table have are those that its beginning explains.
is "$(sed -n 's/^PM_COLUMN([^"]*"[^"]*", [A-Z]*, "\([A-Z]*\)".*/\1/p' common/safe/columns.def | grep -o . |
	sort -u | tr '\n' ' ')" "$(sed -n '/^ \*   records/,/^ \*   since/p' common/safe/columns.def |
	grep -o -w '[A-Z]' | sort -u | tr '\n' ' ')" "columns.def explains the letters of records"

perfmon --help >"$work/help"
perfmon help settings >"$work/settings"
perfmon config >"$work/config"
for verb in $verbs; do
	grep -q -w "$verb" "$work/help" || echo "$verb is not in perfmon --help"
	perfmon "$verb" --help >"$work/help.$verb" || echo "$verb --help fails"
	perfmon help "$verb" | cmp -s - "$work/help.$verb" || echo "help $verb differs from --help"
done >"$work/out"
for option in $options; do
	cat "$work"/help.* | grep -q -e "--$option\b" || echo "no help shows --$option"
done >>"$work/out"
for setting in $settings; do
	long=$(echo "$setting" | tr _ -)
	grep -q -e "--$long\b" "$work/settings" || echo "help settings lacks --$long"
	grep -q -w "$setting" "$work/config" || echo "perfmon config lacks $setting"
done >>"$work/out"
none "$work/out" "help shows every verb, option and setting"

# man(1) writes a minus sign as \-.
plain() { sed 's/\\-/-/g; s/\\f[BIRP]//g' "$@"; }
for option in $options; do
	cat man/*.1 | plain | grep -q -e "--$option\b" || echo "no page of a verb has --$option"
done >"$work/out"
none "$work/out" "the pages of the verbs have every option"

if [ -e man/perfmon.conf.5 ]; then
	plain man/perfmon.conf.5 >"$work/perfmon.conf.5"
	for setting in $settings; do
		grep -q -w "$setting" "$work/perfmon.conf.5" || echo "perfmon.conf(5) lacks $setting"
		variable=PERFMON_$(echo "$setting" | tr '[:lower:]' '[:upper:]')
		grep -q -w "$variable" "$work/perfmon.conf.5" || echo "perfmon.conf(5) lacks $variable"
	done
else
	echo "there is no perfmon.conf(5)"
fi >"$work/out"
none "$work/out" "perfmon.conf(5) explains every setting and variable"

completion=$(find . -path ./build -prune -o -path '*completion*/perfmon' -print | head -n 1)
if [ -n "$completion" ]; then
	for word in $verbs $(echo "$options" | sed 's/^/--/') \
		$(echo "$settings" | sed 's/_/-/g; s/^/--/'); do
		grep -q -e "\(^\|[^a-z-]\)$word\([^a-z-]\|\$\)" "$completion" ||
			echo "completion lacks $word"
	done
	bash -n "$completion" 2>&1
else
	echo "there is no completion"
fi >"$work/out"
none "$work/out" "completion knows every verb, option and setting"

for verb in $verbs; do
	perfmon "$verb" --help | grep ' $' | sed "s/^/$verb:/"
done >"$work/out"
none "$work/out" "--help of each verb explains every option"

# --- generated and committed ------------------------------------------------------------------

for dialect in sqlite postgresql; do
	committed=sql/schema-$(echo $dialect | sed s/postgresql/postgres/).sql
	perfmon schema --dialect $dialect | diff -u "$committed" - >"$work/out"
	none "$work/out" "$committed is what perfmon schema prints"
done
if [ -n "$completion" ]; then
	perfmon help completion | diff -u "$completion" - >"$work/out"
	none "$work/out" "$completion is what the tables say"
fi
for page in man/*.[1-9]; do
	grep -q '^\.\\" BEGIN ' "$page" || continue
	man/regenerate "$PERFMON" "$page" | diff -u "$page" - >"$work/out"
	none "$work/out" "generated parts of $page are what the tables say"
done

# --- packages -----------------------------------------------------------------------------------

# What tests ask for with `need`, ./bootstrap check installs.
grep -s -h -o -E '^\s*(if |elif |! )*need [a-z0-9_.+ -]+' tests/*.t tests/e2e/*.t tests/e2e/*/*.t tests/issues/*.t tests/prove/*.t tests/web/*.t |
	sed 's/.*need //' | tr ' ' '\n' | grep . | sort -u | while read -r program; do
	grep -q "^[a-z]* cmd $program " bootstrap || echo "bootstrap does not install $program"
done >"$work/out"
none "$work/out" "bootstrap installs what tests need"

done_testing
