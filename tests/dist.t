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
if ! need git autoreconf automake pkg-config || ! [ -e "$abs_top_srcdir/.git" ]; then
	skip "the release archive is reproducible" "${missing:+no $missing}${missing:-not a git checkout}"
	done_testing
fi
# Another user needs to find the way here.
chmod 755 "$work"

# plant DIR: a copy of the tree as it is, changes that are not committed too, with one commit of a time of its own.
plant()
{
	mkdir -p "$1"
	(cd "$abs_top_srcdir" && git ls-files -z -c -o --exclude-standard | xargs -0 ls -d 2>/dev/null | tar -cf - -T -) |
		tar -xf - -C "$1" --no-same-owner --touch
	git -C "$1" init -q && GIT_AUTHOR_DATE='@1700000000 +0000' GIT_COMMITTER_DATE='@1700000000 +0000' \
		git -C "$1" -c user.name=a -c user.email=a@b commit -q --allow-empty -m 'test: one'
}

# Where libfaketime is, the second build runs years later by another user's clock.
later=
if need faketime; then
	later="env NO_FAKE_STAT=1 faketime -f +2000d"
fi
# As root, it is another user's.
other=
if [ "$(id -u)" -eq 0 ] && need setpriv; then
	other="setpriv --reuid 65534 --regid 65534 --clear-groups"
fi

# In its source folder; beside it, below another path.
(umask 022; plant one)
(umask 077; plant two.directory/deeper/tree; mkdir two.directory/build)
[ -z "$other" ] || chown -R 65534:65534 two.directory
(umask 022; cd one && export TZ=UTC LC_ALL=C && autoreconf -fi && ./configure --quiet --cache-file="$work/cache" \
	--disable-dependency-tracking && make -s dist) >log.one 2>&1
ok $? "make dist runs" || diag "$(tail -n 20 log.one)"
cp cache cache.two && chmod 666 cache.two
# The archive of the second tree.
dist_two()
{
	# Words.
	# shellcheck disable=SC2086
	(umask 077; export TZ=Asia/Tokyo LC_ALL=C.UTF-8 LANG=C.UTF-8 HOME=/nonexistent USER=other
		cd "$work/two.directory/build" && rm -f perfmon-*.tar.gz && $other $later make -s dist) >>log.two 2>&1
}
# shellcheck disable=SC2016,SC2086 # the inner shell expands; words
(umask 077; cd two.directory/deeper/tree && HOME=/nonexistent $other $later sh -c 'autoreconf -fi && cd ../../build &&
	../deeper/tree/configure --quiet --without-pq --disable-dependency-tracking --cache-file="$1"' sh "$work/cache.two") \
	>log.two 2>&1 && dist_two
ok $? "make dist runs elsewhere${other:+, by another user}${later:+, years later}" || diag "$(tail -n 20 log.two)"
cmp one/perfmon-*.tar.gz two.directory/build/perfmon-*.tar.gz >difference 2>&1
ok $? "both archives are the same, byte for byte"
[ ! -s difference ] || diag "$(cat difference log.one log.two | tail -n 30)"

# Whether the second tree gives the same archive once more.
same()
{
	dist_two && cmp -s "$work"/one/perfmon-*.tar.gz "$work"/two.directory/build/perfmon-*.tar.gz
}
is "$(gzip -dc one/perfmon-*.tar.gz | tar -tvf - --utc --full-time | awk '{ print $4, $5 }' | sort -u)" \
	"2023-11-14 22:13:20" "every file has the time of the last commit"
export SOURCE_DATE_EPOCH=1700000000
same
ok $? "SOURCE_DATE_EPOCH of that time changes nothing"
SOURCE_DATE_EPOCH=1700000001
! same
ok $? "another one makes another archive"
unset SOURCE_DATE_EPOCH

# What makes it so is what this test sees. Each of these is left out in turn.
# fault WHAT SED: make dist of the second tree with its Makefile changed.
fault()
{
	makefile=two.directory/build/Makefile
	cp -p $makefile kept
	sed -i "$2" $makefile
	cmp -s kept $makefile && diag "nothing to plant: $1"
	touch -r kept $makefile
	! same && ! cmp -s kept $makefile
	ok $? "noticed: $1"
	cp -p kept $makefile
}
fault "times of the build" 's/-exec touch -h/-exec true -h/'
fault "modes by the umask" 's/chmod -R u=rwX,go=rX/true/'
if [ -n "$other" ]; then
	fault "the builder's user" 's/--owner=0 --group=0/--owner=65534/'
fi
fault "another order" 's/--sort=name/--sort=inode/'

tar -tzvf one/perfmon-*.tar.gz >list 2>&1
is "$(awk '{ print $2 }' list | sort -u)" "0/0" "owned by nobody in particular"
is "$(grep -c -E ' perfmon-[0-9.]+/(bootstrap|configure|README.md|LICENSE|CONTRIBUTING.md|NEWS.md)$' list)" 6 \
	"it holds what a reader looks for first"
is "$(grep -E '\.(o|a|so|log|trs)$' list)" "" "and nothing that was built"

done_testing
