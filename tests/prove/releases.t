#!/bin/sh
# Both commands of the README, `./bootstrap demo` and `./bootstrap check`, in bare roots of Debian 11, 12 and 13: nothing but
# what debootstrap puts there, in namespaces of their own, with the commit that is checked out. As root, with the network, an
# hour or two in all; roots stay in PM_RELEASES_DIR, where that is set, for the next run.
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"
# shellcheck source=tests/prove/lib.sh
. "$abs_top_srcdir/tests/prove/lib.sh"

# shellcheck source=tests/prove/roots.sh
. "$abs_top_srcdir/tests/prove/roots.sh"
need_roots "bare Debian 11, 12 and 13"

# release ROUND: one command in one release, first the short one in each.
release()
{
	case $1 in
	1 | 4) name=bullseye ;;
	2 | 5) name=bookworm ;;
	*) name=trixie ;;
	esac
	[ "$1" -le 3 ] && verb=demo || verb=check
	make_root $name || return
	# Both begin bare.
	root=$roots/$name-$verb
	rm -rf "$root"
	cp -a "$roots/$name" "$root" && git clone -q "$abs_top_srcdir" "$root/srv/perfmon" || return
	inside "$root" "./bootstrap $verb" >"$roots/$name-$verb.log" 2>&1
	status=$?
	grep -E '^(FAIL|XPASS|ERROR): ' "$roots/$name-$verb.log"
	tail -n 5 "$roots/$name-$verb.log"
	if [ $verb = check ]; then
		finding "$name, check" "$(grep -E '^[0-9]+ passed, ' "$roots/$name-$verb.log" | tail -n 1)"
	fi
	rm -rf "$root"
	return $status
}
rounds 6 release "demo and check on Debian 11, 12 and 13"
done_testing
