#!/bin/sh
# A job of very many processes of every kind; prints nothing. About 200 processes a round.
#
# usage: crowd.sh CROWD BLIND ROUNDS
#
# CROWD is the program tests/progs/crowd, BLIND a directory that holds, where they could be made,
# blind-static (crowd, linked statically), blind-sh (a shell to be run without the environment) and
# blind-true (for that shell). What has "blind-" in its name cannot be instrumented.

set -eu
crowd=$1 blind=$2 rounds=$3
true=/bin/true
bash=$(command -v bash || echo sh)

cat >"$blind/Makefile" <<'MAKE'
all: 1 2 3 4 5 6
1 2 3:
	@true
4 5 6:
	@true; echo | cat >/dev/null
MAKE

# The inner shells expand.
# shellcheck disable=SC2016
round()
{
	sh -c '
		for i in 1 2 3 4 5; do
			x=$(echo $i | sed s/1/2/)
			echo $x | cat | sort >/dev/null
		done
		yes | head -n 1 >/dev/null
		true & true & wait
		( ( sleep 0.001 ) & ) >/dev/null
		exec true'
	"$bash" -c '
		for i in 1 2 3; do
			x=$(date +%s); (exit 3) || /bin/true
			diff <(echo 1) <(echo 1)
			cat <<<"$x" | grep -q .
		done
		timeout --foreground -s KILL 0.001 sleep 100 || :' 2>/dev/null
	for kind in forks orphans kills deaths unwaited waits threads libc raw ignored; do
		"$crowd" "$1" $kind 5
	done
	"$crowd" "$1" chain 7
	"$crowd" "$1" images 2
	"$crowd" "$1" spawn 5 "$true"
	"$crowd" "$1" vfork 5 "$true"
	if [ -x "$blind/blind-static" ]; then
		"$blind/blind-static" "$1" forks 3
		"$blind/blind-static" "$1" chain 7
		"$blind/blind-static" "$1" orphans 2
		"$blind/blind-static" "$1" spawn 2 "$true"
		"$crowd" "$1" spawn 2 "$blind/blind-static" "$1" deaths 1
	fi
	[ ! -x "$blind/blind-sh" ] ||
		env -i "$blind/blind-sh" -c '"$1"; "$1" | "$1"; ("$1" & ) ' x "$blind/blind-true"
	if [ $(($1 % 5)) -eq 0 ] && command -v make >/dev/null 2>&1; then
		MAKEFLAGS='' make -s -j2 -f "$blind/Makefile"
	fi
	if [ $(($1 % 10)) -eq 0 ] && command -v python3 >/dev/null 2>&1; then
		python3 - <<'PYTHON'
import multiprocessing, subprocess

def twice(x):
    return 2 * x

if __name__ == "__main__":
    with multiprocessing.get_context("fork").Pool(4) as pool:
        assert pool.map(twice, range(20)) == list(range(0, 40, 2))
    subprocess.run(["true"], check=True)
PYTHON
	fi
	if [ $(($1 % 50)) -eq 0 ] && command -v python3 >/dev/null 2>&1; then
		cat >"$blind/spawned.py" <<'PYTHON'
import multiprocessing

def twice(x):
    return 2 * x

if __name__ == "__main__":
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        assert pool.map(twice, range(20)) == list(range(0, 40, 2))
PYTHON
		python3 "$blind/spawned.py"
	fi
}

# Two rounds at a time.
i=0
while [ $i -lt "$rounds" ]; do
	round $i &
	other=$!
	i=$((i + 1))
	[ $i -ge "$rounds" ] || round $i
	i=$((i + 1))
	wait $other
done
