#!/bin/sh
# CPython: the tests of its source, run by the installed interpreter. An interpreter: fork, spawn and
# exec in every way, subprocess, multiprocessing, threads, signals, asyncio, descriptors, os and posix.
# shellcheck disable=SC2154 # set by lib.sh
. "$(dirname "$0")/lib.sh"

# Not one of a user's own: packages and their sources are the system's.
python=$(PATH=/usr/bin:/bin command -v python3)
name=$(readlink -f "${python:-python3}")
name=${name##*/}

needs()
{
	[ -n "$python" ] || { echo "no python3"; return; }
	# Some distributions leave them out of what everybody installs.
	"$python" -c 'import _testcapi, test.regrtest' 2>/dev/null || echo "no test support in $python"
}

fetch() { fetch_source "$name"; }
version() { "$python" --version | sed 's/^Python/CPython/'; }

# An installation of its own, of the system's files: tests start interpreters that ignore the
# environment and have to find test modules nevertheless.
prepare()
{
	unpack_source "$name" '*/Lib' || return
	mkdir -p bin lib tmp && cp "$(readlink -f "$python")" bin/ && ln -s "$name" bin/python3 &&
		cp -a "/usr/lib/$name" lib/ && cp -a --no-clobber Lib/. "lib/$name/" &&
		cp -a --no-clobber Lib/test/. "lib/$name/test/" && rm -rf Lib
	find lib -name __pycache__ -prune -exec rm -rf {} +
	# It is not the system's any more.
	rm -f "lib/$name/EXTERNALLY-MANAGED"
	bin/python3 -c 'import sys, test.test_os; assert sys.prefix == sys.argv[1]' "$PWD"
}

quick="test_atexit test_eintr test_fork1 test_popen test_posix test_pty test_resource test_select
	test_subprocess test_thread test_threadsignals test_wait3 test_wait4"

# Cases as the driver's XML has them, and one per file, which may crash as a whole.
run()
{
	# Words of one test each.
	# shellcheck disable=SC2086
	case $1 in
	all) set -- ;;
	short) set -- $quick ;;
	esac
	rm -f junit.xml
	TMPDIR=$PWD/tmp PYTHONDONTWRITEBYTECODE=1 bin/python3 -m test -j2 --timeout 900 \
		--junit-xml "$PWD/junit.xml" "$@" </dev/null >driver.log 2>&1
	sed -n -E 's/^[0-9:]+ .*\[ *[0-9]+\/[0-9]+(\/[0-9]+)?\] (test_[a-z0-9_A-Z]+) (passed|failed|crashed|timed|skipped|run).*/\3 \2/p' \
		driver.log | sed 's/^passed/PASS/; s/^skipped/SKIP/; s/^[a-z][a-z]*/FAIL/'
	[ ! -e junit.xml ] || bin/python3 - <<'END'
import collections
import os
import test
import xml.etree.ElementTree

seen = collections.Counter()
folder = test.__path__[0]


def file_of(name):
    """The test file that a case is of: test.FILE..., or doctests and tests of MODULE in test_MODULE."""
    first, _, rest = name.partition(".")
    file = rest.split(".")[0] if first == "test" else "test_" + first
    return file if os.path.exists(f"{folder}/{file}.py") or os.path.isdir(f"{folder}/{file}") else None


group = "unknown"
for suite in xml.etree.ElementTree.parse("junit.xml").getroot():
    cases = list(suite.iter("testcase"))
    # Where no name says it, the results of a file are next to each other.
    group = next(filter(None, (file_of(case.get("name") or "") for case in cases)), group)
    for case in cases:
        name = (case.get("name") or "unnamed").replace(" ", "_")
        seen[name] += 1
        if case.find("failure") is not None or case.find("error") is not None:
            result = "FAIL"
        elif case.find("skipped") is not None or case.get("result") == "skipped":
            result = "SKIP"
        else:
            result = "PASS"
        print(result, group, name if seen[name] == 1 else f"{name} {seen[name]}")
END
}

"$@"
