#!/bin/sh
# packaging/perfmon.spec: rpmbuild makes packages of a release archive with the flags of RHEL, also where packages are Debian's;
# rpmlint finds no error; they have what `make install` installs, each file in one of them.
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"
# shellcheck source=tests/prove/lib.sh
. "$abs_top_srcdir/tests/prove/lib.sh"

if [ "$PM_PROVE_PART" -ne 1 ] && [ -z "$PM_PROVE_ROUND" ]; then
	skip "packages of RHEL" "building them takes longer than a part of a proof may"
	done_testing
fi
if ! need rpmbuild rpm rpmlint rpm2cpio cpio; then
	skip "packages of RHEL" "no $missing"
	done_testing
fi
flags="-O2 -g -pipe -Wall -Werror=format-security -Wp,-D_FORTIFY_SOURCE=2 -fexceptions -fstack-protector-strong \
-grecord-gcc-switches -fasynchronous-unwind-tables -fstack-clash-protection"

# packages ROUND
packages()
{
	make -s -C "$abs_top_builddir" dist >dist.log 2>&1 || { cat dist.log; return 1; }
	rpmbuild -tb --nodeps --define "_topdir $PWD" --define "_smp_mflags -j${PM_PROVE_JOBS:-2}" --define "optflags $flags" \
		"$abs_top_builddir"/perfmon-*.tar.gz >build.log 2>&1 || { tail -n 30 build.log; return 1; }
	ls RPMS/*/*.rpm >made
	[ "$(sed 's|.*/||; s/-[0-9].*//' made | sort | tr '\n' ' ')" = "perfmon perfmon-doc perfmon-libs perfmon-sampler perfmon-slurm " ] ||
		{ cat made; return 1; }
	# Words.
	# shellcheck disable=SC2046
	rpmlint -r "$abs_top_srcdir/packaging/perfmon.rpmlintrc" "$abs_top_srcdir/packaging/perfmon.spec" $(cat made) >lint 2>&1
	grep ': E: ' lint | grep -v unused-rpmlintrc-filter && return 1
	while read -r package; do
		rpm -qp --qf '[%{FILEMODES:perms} %{FILENAMES}\n]' "$package" | grep -v '^d' | sed 's/^[^ ]* //'
	done <made | grep -v /.build-id | sort >packed
	[ -z "$(uniq -d packed)" ] || { echo "in two packages:"; uniq -d packed; return 1; }
	# What is installed otherwise, but for what packages leave out or compress.
	make -s -C "$abs_top_builddir" install DESTDIR="$PWD/dest" >install.log 2>&1 || return
	find dest \( -type f -o -type l \) -printf '%f\n' | sort -u >installed
	sed 's|.*/||; s/\.[gx]z$//' packed | sort -u >names
	left=$(comm -23 installed names | grep -v -x -E '[0-9.]+(\.lua)?')
	[ -z "$left" ] || { echo "not packed: $left"; return 1; }
	# Relocated, the program runs, and knows where it is at home.
	mkdir root
	while read -r package; do
		rpm2cpio "$package" | (cd root && cpio -idm --quiet)
	done <made
	root/usr/bin/perfmon --version -v | grep -q "^  collector  */usr/lib.*/perfmon/libperfmon.so" || return
	PERFMON_LIBRARY=$(find "$PWD/root" -path '*/perfmon/libperfmon.so' ! -path '*/lib/perfmon/lib/*' -type f | sed 1q) \
		root/usr/bin/perfmon -a -j rpm run sh -c 'exit 3'
	[ $? -eq 3 ] && "$PERFMON" submit -j rpm
	finding "packages" "$(wc -l <made), $(wc -l <packed) files, $(grep -c ': W: ' lint) warnings of rpmlint"
}
rounds 1 packages "packages of RHEL"
done_testing
