#!/bin/sh
# What the preload shows to and wants from the programs it is loaded into: an absent symbol or
# version would end every one of them.
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"

if ! need readelf; then
	skip "symbols of the preload" "no $missing"
	done_testing
fi
readelf --dyn-syms -W "$PERFMON_LIBRARY" | awk '$1 ~ /^[0-9]+:$/ && $1 != "0:"' >symbols
readelf -d -W "$PERFMON_LIBRARY" >dynamic
readelf -V -W "$PERFMON_LIBRARY" >versions
readelf -l -W "$PERFMON_LIBRARY" >segments

test -s symbols
ok $? "the library has dynamic symbols to look at"

awk '$7 != "UND" && $5 != "LOCAL" { sub(/@.*/, "", $8); print $8 }' symbols | sort >exported
sed 's/[^A-Za-z0-9_*]/\n/g' "$abs_top_srcdir/libperfmon/libperfmon.map" |
	grep -v -x -e global -e local -e '\*' -e '' | sort >listed
test -s listed && diff -u listed exported >difference
ok $? "it exports exactly what libperfmon.map lists"
[ ! -s difference ] || diag "$(cat difference)"

is "$(awk '$7 == "UND" && $5 != "WEAK" { print $8 }' symbols)" "" "every undefined symbol is weak"
is "$(awk '$8 ~ /@/ { print $8 }' symbols)" "" "no symbol has a version"
is "$(grep -E 'Version (needs|definition) section' versions)" "" "it has no version section"
is "$(grep -E '\((NEEDED|RPATH|RUNPATH|TEXTREL)\)' dynamic)" "" "it needs no library and no path"
grep -E 'FLAGS' dynamic | grep -q NOW
ok $? "it is bound when it is loaded"
is "$(grep -E 'GNU_STACK.*RWE' segments)" "" "its stack is not executable"
is "$(awk '$1 == "LOAD" && $5 != $6 { print $5, $6 }' segments)" "" \
	"no segment needs a mapping beside the file's"

# Its memory is what the file holds: another mapping would cost every process and every fork.
anonymous=$(awk '$1 == "LOAD" && $7 == "RW" { print $3, $5, $6 }' segments | while read -r at size memory; do
	page=4096
	echo $(((at + memory + page - 1) / page - (at + size + page - 1) / page)) \
		$(((at + memory + page - 1) / page - at / page))
done)
is "$anonymous" "0 2" "its variables fill two pages of the file and need no memory besides"

done_testing
