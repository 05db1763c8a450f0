#!/bin/sh
# Redis: the tests of its source, run against the installed server. A database of another kind: it
# forks to save, works with threads in the background, is killed, restarted and replicated.
# shellcheck disable=SC2154 # set by lib.sh
. "$(dirname "$0")/lib.sh"

# Of which redis-server is another name; a package that starts a server of its own is not needed.
server=redis-check-rdb

needs() { lacks $server redis-cli redis-benchmark tclsh timeout; }
fetch() { fetch_source redis; }
version() { redis-cli --version | sed 's/^redis-cli/Redis/'; }

prepare()
{
	unpack_source redis && rm -rf src deps && mkdir src || return
	for program in cli benchmark check-aof check-rdb; do
		ln -s "$(command -v redis-$program)" src/ || return
	done
	for program in server sentinel; do
		ln -s "$(command -v $server)" "src/redis-$program" || return
	done
}

# A group is a unit, and four of them run at once, each with ports of its own: they wait a lot.
run()
{
	# Words of one unit each.
	# shellcheck disable=SC2046
	case $1 in
	all) set -- $(./runtest --list-tests) ;;
	short) set -- unit/auth unit/other unit/multi unit/quit unit/protocol ;;
	esac
	rm -f ./*.cases
	number=0
	for unit in "$@"; do
		number=$((number + 1))
		echo "$unit $((20000 + number * 200))"
	done | xargs -P 4 -L 1 sh "$0" one
	cat ./*.cases
}

# one UNIT PORT: a directory for each, where the driver writes.
one()
{
	place=$PWD/unit-$2
	mkdir "$place" && cp -a runtest tests src redis.conf "$place" && cd "$place" || return
	timeout -k 10 900 ./runtest --single "$1" --clients 1 --baseport "$2" --portcount 200 \
		--timeout 600 </dev/null >../"$2.log" 2>&1
	status=$?
	# As the driver has it, without its colours and times.
	# Some names hold random numbers.
	sed -n "s/$(printf '\033')\[[0-9;]*m//g; s/ ([0-9]* ms)\$//
		/PSYNC2/s/[0-9][0-9]*/N/2g
		s#^\[ok\]: #PASS $1 #p; s#^\[err\]: \(.*\) in tests/.*#FAIL $1 \1#p
		s#^\[exception\]: .*#FAIL $1 exception#p; s#^\[ignore\]: #SKIP $1 #p
		s#^\[skip\]: #SKIP $1 #p" ../"$2.log" >../"$2.cases"
	if [ $status -eq 0 ]; then
		echo "PASS $1"
	else
		echo "FAIL $1"
	fi >>../"$2.cases"
	cd .. && rm -rf "$place"
}

"$@"
