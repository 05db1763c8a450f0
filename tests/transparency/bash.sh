#!/bin/sh
# bash: the regression tests of its source, run by the installed bash. A shell: job control, traps,
# pipelines, coprocesses, descriptors.
# shellcheck disable=SC2154 # set by lib.sh
. "$(dirname "$0")/lib.sh"

needs() { lacks bash cc script timeout; }
fetch() { fetch_source bash; }
# The inner shell expands.
# shellcheck disable=SC2016
version() { bash -c 'echo "bash ${BASH_VERSION%(*}"'; }

prepare()
{
	unpack_source bash || return
	for program in recho zecho printenv xcase; do
		cc -w -I. -Iinclude -DHAVE_UNISTD_H -DHAVE_STRING_H -DHAVE_STDLIB_H \
			-DPACKAGE='"bash"' -o "tests/$program" "support/$program.c" || return
	done
	# Two files of a built tree that a test copies about.
	cp config-bot.h config.h && cp config-top.h version.h || return
	# The tests of locales fail without them, recorded or not.
	mkdir -p locale tmp
	if [ -d /usr/share/i18n/locales ]; then
		for name in en_US.UTF-8 de_DE.UTF-8 fr_FR.ISO-8859-1 ja_JP.SHIFT_JIS \
			zh_HK.BIG5-HKSCS; do
			localedef --no-archive -i "${name%%.*}" -f "${name#*.}" "locale/$name" \
				>/dev/null 2>&1
		done
		ln -s fr_FR.ISO-8859-1 locale/fr_FR.ISO8859-1
		ln -s ja_JP.SHIFT_JIS locale/ja_JP.SJIS
		ln -s zh_HK.BIG5-HKSCS locale/zh_HK.big5hkscs
	fi
	true
}

# Left out of the short form: what sleeps for longer than it works.
long=" jobs trap func read ifs-posix test coproc procsub "

run()
{
	LOCPATH=$PWD/locale BUILD_DIR=$PWD TMPDIR=$PWD/tmp
	THIS_SH=$(command -v bash) SHELL=/bin/sh
	export LOCPATH BUILD_DIR TMPDIR THIS_SH SHELL
	cd tests || return
	PATH=$PWD:$PATH
	which=$1
	[ "$which" != all ] && [ "$which" != short ] || set -- run-*
	for name in "$@"; do
		name=${name#run-}
		case $name in
		all | minimal | gprof) continue ;;
		esac
		case $which:$long in
		short:*" $name "*) continue ;;
		esac
		BASH_TSTOUT=$TMPDIR/$name.out
		export BASH_TSTOUT
		# Some want a terminal; one per test.
		if timeout -k 10 300 script -q -e -c "sh ./run-$name" /dev/null \
			</dev/null >"$TMPDIR/$name.log" 2>&1; then
			echo "PASS $name"
		else
			echo "FAIL $name"
		fi
	done
}

"$@"
