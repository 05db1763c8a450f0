#!/bin/sh
# `make dist` gives the same bytes whenever, wherever and by whomever it is run, and what is in
# the archive is enough.
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"

# `make distcheck` builds with them, from an archive.
if [ "${PM_SANITIZED:-no}" != no ]; then
	skip "the release archive is reproducible" "tested without sanitizers"
	done_testing
fi
if ! need autoreconf automake pkg-config; then
	skip "the release archive is reproducible" "no $missing"
	done_testing
fi

# Two build directories of different names, umasks and time zones.
mkdir one two.directory
(umask 022; TZ=UTC; cd one && "$abs_top_srcdir/configure" --quiet --cache-file=../cache \
	--disable-dependency-tracking &&
	make -s dist) >log.one 2>&1
ok $? "make dist runs" || diag "$(tail -n 20 log.one)"
(umask 077; TZ=Asia/Tokyo; cd two.directory && "$abs_top_srcdir/configure" --quiet --without-pq \
	--disable-dependency-tracking --cache-file=../cache && make -s dist) >log.two 2>&1
ok $? "make dist runs elsewhere"
cmp one/perfmon-*.tar.gz two.directory/perfmon-*.tar.gz >difference 2>&1
ok $? "both archives are the same, byte for byte"
[ ! -s difference ] || diag "$(cat difference log.one log.two | tail -n 30)"

tar -tzvf one/perfmon-*.tar.gz >list 2>&1
is "$(awk '{ print $2 }' list | sort -u)" "0/0" "owned by nobody in particular"
is "$(grep -c -E ' perfmon-[0-9.]+/(bootstrap|configure|README.md|LICENSE|CONTRIBUTING.md|NEWS.md)$' list)" 6 \
	"it holds what a reader looks for first"
is "$(grep -E '\.(o|a|so|log|trs)$' list)" "" "and nothing that was built"

done_testing
