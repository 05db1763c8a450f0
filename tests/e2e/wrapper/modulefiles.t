#!/bin/sh
# Modulefiles: made for where perfmon is installed, loaded and unloaded by Environment Modules; loading them records nothing.
# shellcheck disable=SC2154,SC2016 # set by lib.sh; the inner shell expands
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"

version=$("$PERFMON" --version | sed 's/.* //')
make -s -C "$abs_top_builddir" install-nodist_tclmoduleDATA install-nodist_luamoduleDATA DESTDIR="$work/dest" >log 2>&1
ok $? "they are installed" || diag "$(tail -n 20 log)"
tcl=$(find dest -path "*/modulefiles/perfmon/$version")
lua=$(find dest -path "*/modulefiles/perfmon/$version.lua")
[ -s "$tcl" ] && [ -s "$lua" ] && ! grep '@[a-zA-Z]*@' "$tcl" "$lua"
ok $? "one for each, with every name filled in"
bindir=$(sed -n 's/^prepend-path PATH "\(.*\)"$/\1/p' "$tcl")
is "$(sed -n 's/^prepend_path("PATH", "\(.*\)")$/\1/p' "$lua")" "$bindir" "both name the same directory"
is "$(sed -n 's/^bindir = //p' "$abs_top_builddir/Makefile" | sed "s|\${exec_prefix}|$(sed -n 's/^prefix = //p' "$abs_top_builddir/Makefile")|")" \
	"$bindir" "which is that of the program"
is "$(grep -v '^#' "$tcl" | grep -c -E 'LD_|PERFMON|PRELOAD'):$(grep -v '^--' "$lua" | grep -c -E 'LD_|PERFMON|PRELOAD')" "0:0" \
	"neither sets a variable of perfmon or of ld.so"

# after WORD...: what the environment is after these words of module(1), one shell after the other.
after()
{
	env -i PATH=/usr/bin:/bin MODULEPATH="$work/${tcl%/perfmon/*}" MODULES_CMD="$modulecmd" sh -c '
		for word in "$@"; do
			eval "$("$MODULES_CMD" sh "$word" perfmon)"
		done
		env' sh "$@" | grep -v -E '^(__?MODULES?|_LMFILES_|LOADEDMODULES|MODULE|_=|PWD=|SHLVL=|OLDPWD=)' | sort
}
modulecmd=$(find /usr/lib /usr/libexec /usr/share/Modules -name modulecmd.tcl 2>/dev/null | sed 1q)
if [ -z "$modulecmd" ] || ! need tclsh; then
	skip "module load" "no Environment Modules"
else
	after load >loaded
	is "$(cat loaded)" "MANPATH=$(sed -n 's/^prepend-path MANPATH "\(.*\)"$/\1/p' "$tcl"):
PATH=$bindir:/usr/bin:/bin" "module load: paths, and nothing else; the system's pages stay"
	is "$(after load unload)" "PATH=/usr/bin:/bin" "module unload leaves nothing"
	echo 'setenv LD_PRELOAD /x.so' >>"$tcl"
	! after load | cmp -s - loaded
	ok $? "noticed: a modulefile that preloads"
fi

# Lmod's functions as they are called, by a plain Lua.
if need lua; then
	cat >lmod.lua <<'END'
for _, name in ipairs{"help", "whatis", "conflict", "prepend_path", "append_path", "setenv", "pushenv"} do
	_G[name] = function(...) print(name, ...) end
end
dofile(arg[1])
END
	lua lmod.lua "$lua" >called
	is "$?:$(cut -f 1 called | sort | uniq -c | awk '{ print $2 $1 }' | tr '\n' ' ')" \
		"0:append_path1 conflict1 help1 prepend_path2 whatis1 " "the file for Lmod is Lua and calls what it should"
else
	skip "the file for Lmod" "no $missing"
fi
done_testing
