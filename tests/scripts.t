#!/bin/sh
# Every script of the tree is fine by shellcheck.
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"

cd "$abs_top_srcdir" || exit 99

# Once is enough: with sanitizers the scripts are the same.
if [ "${PM_SANITIZED:-no}" = no ] && need shellcheck; then
	grep -l -r -E '^#!.*\b(sh|bash|dash)$' bootstrap .ci tests man slurm bench 2>/dev/null |
		sort >"$work/scripts"
	# Those that were fine before are not looked at again.
	fine=$abs_top_builddir/tests/shellcheck.fine
	[ -e "$fine" ] || : >"$fine"
	{
		shellcheck --version
		xargs cksum <"$work/scripts"
	} | sort >"$work/sums"
	grep -q -x -F "$(shellcheck --version | sed -n 's/^version: .*/&/p')" "$fine" || : >"$fine"
	# `[ ... ]` is a command whose status `ok $?` takes; lib.sh sets variables; dash has ulimit -n, and dirs is a name like others there.
	comm -23 "$work/sums" "$fine" | awk '/^[0-9]+ [0-9]+ / { print $3 }' |
		xargs -r -P 2 -n 25 shellcheck -S warning -e SC1090,SC1091,SC2039,SC2154,SC2319,SC3044,SC3045 >"$work/out" 2>&1
	[ -s "$work/out" ] || cp "$work/sums" "$fine"
	shellcheck -S warning -s sh -e SC1090,SC2034,SC2039,SC2154,SC2319 tests/e2e/*.sh >>"$work/out" 2>&1
	test ! -s "$work/out"
	ok $? "shellcheck is content with every script"
	diag "$(head -n 40 "$work/out")"
else
	skip "shellcheck is content with every script" "no ${missing:-need to look twice}"
fi
done_testing
