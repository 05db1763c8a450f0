#!/bin/sh
# perfmon --version -v: how perfmon was built, its libraries, and the versions of what it writes, each
# compared with another source.
# shellcheck disable=SC2154,SC2016 # set by lib.sh; other shells expand
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"

"$PERFMON" --version >short && "$PERFMON" --version -v >long
ok $? "--version -v"
is "$(wc -l <short) $(head -n 1 long)" "1 $(cat short)" "begins as --version, which is one line"
"$PERFMON" -V -v | cmp - long && "$PERFMON" -v config --version | cmp - long
ok $? "in every spelling"

# said NAME: what is said of a part.
said()
{
	sed -n "s/^  $1  *//p" long
}
rows=$(grep -c '^PM_VERSION(' "$abs_top_srcdir/common/version.def")
is "$(grep -c '^  [^ ]' long)" "$rows" "a line for each row of the table"
is "$(grep -c '^  .\{17\} .' long)" "$rows" "none of them is empty"

# --- what is written -----------------------------------------------------------------------------
"$PERFMON" -j 7 -a run sh -c "$PERFMON mark begin x; sleep 0.01; $PERFMON mark end x" &&
	"$PERFMON" -j 8 -a run --sample 20ms sleep 0.2
ok $? "jobs are recorded"
is "$(head -qn 1 "$PERFMON_OUTPUT_PREFIX"/*/7/*.tsv | cut -f 1 | sort -u)" "$(said records)" "records"
is "$(head -qn 1 "$PERFMON_OUTPUT_PREFIX"/*/8/*.series | cut -f 1 | sort -u)" "$(said series)" "series"
is "$(head -qn 1 "$PERFMON_OUTPUT_PREFIX"/*/7/*.phases | cut -f 1)" "$(said phases)" "phases"
is "$(head -qn 1 "$PERFMON_OUTPUT_PREFIX"/*/7/*.tally | cut -f 1)" "$(said tallies)" "tallies"
is "$(cat "$PERFMON_OUTPUT_PREFIX"/*/7/job-*.json | sed -n 's/.*"format": "\([^"]*\)".*/\1/p')" \
	"$(said 'metadata of jobs')" "metadata"
mkdir staged
if [ "$(said zlib)" = "not in this build" ]; then
	skip "index of archives" "built without zlib"
else
	"$PERFMON" -j 7 stage --stage-to staged
	is "$(tar -xOf staged/*.tgz --wildcards '*manifest*' | sed -n 's/.*"format": *"\([^"]*\)".*/\1/p')" \
		"$(said 'index of archives')" "index of archives"
fi
is "$("$PERFMON" schema | sed -n 's/.*INSERT INTO schema_version .* VALUES (\([0-9]*\),.*/\1/p')" "$(said schema)" "schema"

# --- libraries -----------------------------------------------------------------------------------
# What configure found, and nothing else.
while read -r macro name; do
	wanted=$(grep -c "^#define $macro " "$abs_top_builddir/config.h")
	[ "$(said "$name" | grep -c -v '^not in this build$')" -eq "$wanted" ] || echo "$name: $(said "$name")"
done <<'END' >differs
HAVE_ZLIB zlib
HAVE_ZSTD libzstd
HAVE_LZMA liblzma
HAVE_BZIP2 libbz2
HAVE_LIBTAR libtar
HAVE_PQ libpq
HAVE_PAPI PAPI
HAVE_PFM libpfm4
HAVE_LAPACKE LAPACKE
HAVE_CAIRO cairo
PM_HDF5_LIBRARY HDF5
PM_CURL_LIBRARY libcurl
HAVE_BPF libbpf
HAVE_SPANK plugin of Slurm
END
is "$(cat differs)" "" "libraries that configure found are in the build, and no others"

# is_package MODULE NAME: pkg-config has the same version of the library that is installed here.
is_package()
{
	case $(said "$2") in
	"not in this build" | "cannot be used: "*) skip "$2 as pkg-config has it" "$(said "$2")" ;;
	*) is "$(said "$2")" "$(pkg-config --modversion "$1" | sed 's/ .*//')" "$2 as pkg-config has it" ;;
	esac
}
if need pkg-config; then
	is_package sqlite3 SQLite
	is_package zlib zlib
	is_package libzstd libzstd
	is_package liblzma liblzma
	is_package jansson jansson
else
	skip "versions as pkg-config has them" "no $missing"
fi

# A library that is not there: where it is looked for, nothing can be read. bwrap hides a folder of libraries.
if [ "$(said libpq)" = "not in this build" ]; then
	skip "a library that cannot be opened" "without libpq"
else
	libpq=$(/sbin/ldconfig -p | sed -n 's/.*libpq\.so\.5 .*=> //p' | sed 1q)
	if ! need bwrap || ! bwrap --dev-bind / / true 2>/dev/null || [ -z "$libpq" ]; then
		skip "a library that cannot be opened" "no $missing"
	else
		bwrap --dev-bind / / --bind /dev/null "$(readlink -f "$libpq")" "$PERFMON" --version -v >hidden
		is "$?:$(grep -c '^  libpq  *cannot be used: .*libpq' hidden):$(diff long hidden | grep -c '^>')" "0:1:1" \
			"a library that cannot be opened is told with the reason, all others as before"
	fi
fi

# --- JSON ----------------------------------------------------------------------------------------
if need python3; then
	"$PERFMON" --version --json >json && python3 - json long <<'END'
import json, sys
d = json.load(open(sys.argv[1]))
lines = open(sys.argv[2]).read().splitlines()
assert lines[0] == "perfmon " + d.pop("version"), lines[0]
assert set(d) == {"build", "libraries", "database", "files"}, d.keys()
seen = 0
for group in d.values():
    for part in group.values():
        text = next(l[20:] for l in lines if l.startswith("  " + part["name"].ljust(18)))
        if not part["built"]:
            assert text == "not in this build" and part["version"] is None, (part, text)
        elif part["reason"]:
            assert text == "cannot be used: " + part["reason"], (part, text)
        else:
            assert part["version"] and text == part["version"], (part, text)
        seen += 1
assert seen == sum(l.startswith("  ") for l in lines), seen
END
	ok $? "--json says the same"
else
	skip "--json says the same" "no python3"
fi
done_testing
