#!/bin/sh
# A setting library that names something else than perfmon's collector: check, run and source say so; ld.so
# says nothing, once for every program of the job, and the command runs as it would.
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"

unset PERFMON_LIBRARY
mkdir -p "$XDG_CONFIG_HOME/perfmon"
cp /etc/passwd notes && cp "$abs_top_builddir/libperfmon.so" foreign.so && chmod u+w foreign.so
# e_machine, the two bytes at 18, of SPARC.
printf '\002\000' | dd of=foreign.so bs=1 seek=18 conv=notrunc 2>/dev/null
other=$(ldd "$PERFMON" | sed -n 's/.* => \(\/[^ ]*libc\.so[^ ]*\) .*/\1/p' | head -n 1)
head -c 3000 "$abs_top_builddir/libperfmon.so" >cut.so
# Beyond its headers and names: ld.so maps what is not there.
end=$(readelf -lW "$abs_top_builddir/libperfmon.so" 2>/dev/null | awk '$1 == "LOAD" { print $2 }' | tail -n 1)
head -c $((${end:-40000})) "$abs_top_builddir/libperfmon.so" >short.so

# says FILE TEXT: each verb tells what the file is, and does what it says.
says()
{
	echo "library = $1" >"$XDG_CONFIG_HOME/perfmon/perfmon.conf"
	"$PERFMON" check library.file >out 2>&1
	is "$?:$(grep -c "^fail .*$2" out)" 1:1 "check: ${1##*/} $2"
	"$PERFMON" -a run sh -c 'sh -c true; echo out; echo err >&2; exit 7' >out 2>err
	is "$?:$(cat out):$(grep -v '^perfmon: ' err):$(grep -c "^perfmon: warning: processes are not recorded: .*$2" err)" \
		7:out:err:1 "run, once, and its command runs"
	"$PERFMON" start && "$PERFMON" source >out 2>err
	is "$?:$(wc -c <out | tr -d ' '):$(grep -c "^perfmon: .*$2" err)" 1:0:1 "source, which prints nothing else"
	"$PERFMON" stop
}
says "$work/notes" "is not a shared library"
says "$work" "is not a shared library"
says "$work/foreign.so" "is for another architecture"
says "$work/cut.so" "is truncated or damaged"
says "$work/short.so" "is truncated or damaged"
if [ -n "$other" ]; then
	says "$other" "is not perfmon's library"
else
	skip "the C library" "not known where"
fi

# Any name will do for the collector itself.
cp "$abs_top_builddir/libperfmon.so" renamed
echo "library = $work/renamed" >"$XDG_CONFIG_HOME/perfmon/perfmon.conf"
"$PERFMON" check library.file >out 2>&1
is "$?:$(grep -c '^pass ' out)" 0:1 "a copy of the collector under another name will do"
"$PERFMON" -a -j renamed run true 2>err
is "$?:$(cat err):$(cut -f 2 "$PERFMON_OUTPUT_PREFIX"/*/renamed/*.tsv | grep -c '^end')" 0::1 "and records"
done_testing
