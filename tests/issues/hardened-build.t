#!/bin/sh
# What distributions build their packages with would put checks of libc into the collector, which then did not link,
# or would not load everywhere.
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"

if [ "${PM_SANITIZED:-no}" != no ] || ! need nm readelf; then
	skip "the collector of a hardened build" "${missing:+no $missing}${missing:-tested without sanitizers}"
	done_testing
fi

# built NAME CPPFLAGS CFLAGS LDFLAGS: the collector of such a build is as tests/symbols.t wants it, and records.
built()
{
	mkdir "$1"
	(cd "$1" && "$abs_top_srcdir/configure" --quiet --disable-dependency-tracking --cache-file="$work/cache.$1" \
		--without-bpf CPPFLAGS="$2" CFLAGS="$3" LDFLAGS="$4" && make -s libperfmon.so) >"$1.log" 2>&1
	ok $? "$1: it builds" || diag "$(tail -n 20 "$1.log")"
	nm -D --undefined-only "$1/libperfmon.so" >"$1.undefined"
	is "$?:$(grep -v -E '^ +w ' "$1.undefined")" "0:" "$1: every reference is weak"
	is "$(readelf -d "$1/libperfmon.so" | grep -c NEEDED):$(readelf -W -l "$1/libperfmon.so" | grep -c GNU_RELRO)" "0:0" \
		"$1: it needs no library"
	PERFMON_LIBRARY=$work/$1/libperfmon.so "$PERFMON" -a -j "$1" run sh -c '/bin/true; exit 3'
	is "$?:$("$PERFMON" status --json 2>/dev/null | grep -c "\"$1\"")" "3:1" "$1: it records"
	is "$(cat "$PERFMON_OUTPUT_PREFIX"/*/"$1"/*.tsv | grep -c -P '\ttrue\t')" 2 "$1: its records name the program"
}
built debian "-Wdate-time -D_FORTIFY_SOURCE=2" "-g -O2 -fstack-protector-strong -Wformat -Werror=format-security" \
	"-Wl,-z,relro -Wl,-z,now"
built rhel "" "-O2 -flto=auto -ffat-lto-objects -fexceptions -g -pipe -Wall -Werror=format-security -Wp,-D_FORTIFY_SOURCE=2 \
	-fstack-protector-strong -fasynchronous-unwind-tables -fstack-clash-protection" "-Wl,-z,relro -Wl,--as-needed -Wl,-z,now"
done_testing
