#!/bin/sh
# ./configure finds what the sampler's programs in the kernel need whatever compiles the rest. clang 19 as the compiler
# has no -print-multiarch: the kernel's headers were not found, and the sampler was built without those programs.
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?}/tests/e2e/lib.sh"

grep -q '^#define HAVE_BPF 1' "$abs_top_builddir/config.h" || {
	skip "configured with a compiler that does not name its folders" "built without BPF"
	done_testing
	exit
}
cat >cc <<'END'
#!/bin/sh
for word in "$@"; do
	[ "$word" != -print-multiarch ] || { echo "cc: unsupported option '$word'" >&2; exit 1; }
done
exec cc "$@"
END
chmod +x cc
mkdir build
(cd build && "$abs_top_srcdir/configure" --quiet --disable-dependency-tracking CC="$work/cc" --with-bpf --without-zlib \
	--without-zstd --without-lzma --without-bzip2 --without-libtar --without-papi --without-pfm --without-pq \
	--without-check --without-spank) >log 2>&1
is "$?" 0 "configured with a compiler that does not name its folders" || diag "$(tail -n 5 log)"
grep -q '^#define HAVE_BPF 1' build/config.h
ok $? "with programs that run in the kernel"
done_testing
