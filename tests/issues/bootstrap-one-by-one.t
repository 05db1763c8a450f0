#!/bin/sh
# ./bootstrap installs what a release has, though it lacks some package or one cannot be installed. On Debian 13, which
# has no libtar-dev, apt refused the whole list: "cannot build without: gcc autoconf ...".
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?}/tests/e2e/lib.sh"

# A system without jansson, SQLite, zlib, libtar and libpfm4 whose registry has no libtar-dev, and an older name
# of libjemalloc2, and whose libpfm4-dev needs what is not there.
mkdir bin top
cp "$abs_top_srcdir/bootstrap" top
printf '#!/bin/sh\n' >top/configure
cc=$(command -v cc)
cat >bin/cc <<END
#!/bin/sh
# The preprocessor, asked for a header.
text=\$(cat)
case \$text in
*sqlite3.h*) test -e $work/has/libsqlite3-dev ;;
*jansson.h*) test -e $work/has/libjansson-dev ;;
*zlib.h*) test -e $work/has/zlib1g-dev ;;
*pfmlib*) test -e $work/has/libpfm4-dev ;;
*libtar.h*) false ;;
*) echo "\$text" | PATH=$PATH $cc "\$@" ;; # a compiler that looks for another one does not find this
esac
END
cat >bin/apt-cache <<END
#!/bin/sh
[ "\$1" = policy ] || exit 1
echo "\$2" >>$work/asked
case \$2 in
libtar-dev) ;;
zlib1g-dev) printf '%s:\n  Installed: (none)\n  Candidate: (none)\n' "\$2" ;;
*) printf '%s:\n  Installed: (none)\n  Candidate: 1.0-1\n' "\$2" ;;
esac
END
cat >bin/apt-get <<END
#!/bin/sh
[ "\$1" = update ] && exit 0
for name in "\$@"; do
	case \$name in
	libtar-dev | zlib1g-dev | *[\\|]*) echo "E: Unable to locate package \$name"; exit 100 ;;
	libpfm4-dev) echo "E: Unable to correct problems"; exit 100 ;;
	esac
done
mkdir -p $work/has
for name in "\$@"; do
	case \$name in
	lib*) : >$work/has/\$name ;;
	esac
done
END
# What would change this machine does nothing.
cat >bin/sudo <<'END'
#!/bin/sh
[ "$1" = -n ] && exit 0
case $1 in
tee) cat >/dev/null ;;
chmod | rm | systemctl) ;;
*) exec "$@" ;;
esac
END
# shellcheck disable=SC2016 # the script expands
printf '#!/bin/sh\n[ "$1" = -u ] && echo 1000\n' >bin/id
chmod +x bin/* top/configure top/bootstrap

PATH=$work/bin:$PATH TMPDIR=$work top/bootstrap >out 2>err
is "$?" 0 "goes on without a package that the release lacks" || diag "$(cat err)"
ls has >got
printf 'libjansson-dev\nlibsqlite3-dev\n' >want
is "$(grep -c -x -F -f want got)" 2 "what it needs is installed"
grep -q 'going on without: .*libtar-dev' err
ok $? "says what it goes on without"
grep -q 'not installed: libpfm4-dev' err
ok $? "says which package cannot be installed"
rm -rf has
sed -i 's/libjansson-dev jansson/libjansson2-dev|libjansson-dev jansson/; /^test /d' top/bootstrap
sed -i 's/^libtar-dev) ;;/libtar-dev | libjansson2-dev) ;;/' bin/apt-cache
PATH=$work/bin:$PATH TMPDIR=$work top/bootstrap >out 2>err
is "$?" 0 "of several names of a package it takes what the release has"
done_testing
