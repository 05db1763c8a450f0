#!/bin/sh
# The packages of debian/ in bare roots of Debian 12, 11 and 13: built in one with build tools, installed, used, upgraded
# while a job runs, removed and purged in one without. As root, with the network, some ten minutes each; roots and packages
# stay in PM_RELEASES_DIR, where that is set, for the next run.
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"
# shellcheck source=tests/prove/lib.sh
. "$abs_top_srcdir/tests/prove/lib.sh"

# shellcheck source=tests/prove/roots.sh
. "$abs_top_srcdir/tests/prove/roots.sh"
need_roots "packages of Debian 12, 11 and 13"

# The tree as it is, what is not committed too.
(cd "$abs_top_srcdir" && git ls-files -z -c -o --exclude-standard | xargs -0 ls -d 2>/dev/null | LC_ALL=C sort |
	tar --owner=0 --group=0 --mtime="@$(git log -1 --format=%ct)" -cf "$work/tree.tar" -T -) || exit 99
tree=$(cksum <"$work/tree.tar")

# build RELEASE: its packages, of two versions, in $roots/RELEASE-packages.
build()
{
	[ "$(cat "$roots/$1-packages/tree" 2>/dev/null)" != "$tree" ] || return 0
	rm -rf "${roots:?}/$1-build" "${roots:?}/$1-packages"
	cp -a "$roots/$1" "$roots/$1-build" && mkdir -p "$roots/$1-build/srv/perfmon" &&
		tar -xf "$work/tree.tar" -C "$roots/$1-build/srv/perfmon" || return
	inside "$roots/$1-build" "sh tests/prove/packages-build.sh" >"$roots/$1-build.log" 2>&1 ||
		{ tail -n 30 "$roots/$1-build.log"; return 1; }
	mkdir "$roots/$1-packages" && mv "$roots/$1-build"/srv/v1 "$roots/$1-build"/srv/v2 "$roots/$1-packages" || return
	rm -rf "${roots:?}/$1-build"
	echo "$tree" >"$roots/$1-packages/tree"
}

# packages ROUND: those of a release.
packages()
{
	case $1 in
	1) name=bookworm ;;
	2) name=bullseye ;;
	*) name=trixie ;;
	esac
	make_root $name && build $name || return
	rm -rf "${roots:?}/$name-use"
	cp -a "$roots/$name" "$roots/$name-use" && mkdir -p "$roots/$name-use/srv/perfmon" &&
		cp -a "$roots/$name-packages/v1" "$roots/$name-packages/v2" "$roots/$name-use/srv/perfmon" &&
		cp "$abs_top_srcdir/tests/prove/packages-use.sh" "$roots/$name-use/srv" || return
	inside "$roots/$name-use" "sh /srv/packages-use.sh" >"$roots/$name-use.log" 2>&1
	status=$?
	grep '^FAILED' "$roots/$name-use.log"
	[ $status -eq 0 ] || tail -n 20 "$roots/$name-use.log"
	finding "$name" "$(grep -c '^passed: ' "$roots/$name-use.log") steps passed, $(grep -c '^FAILED' "$roots/$name-use.log") failed"
	[ $status -ne 0 ] || rm -rf "${roots:?}/$name-use"
	return $status
}
rounds 3 packages "packages of Debian 12, 11 and 13"
done_testing
