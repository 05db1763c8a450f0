# shellcheck shell=sh
# The rules of ARCHITECTURE.md, held against the tree in the current directory. For tests/consistency.t
# and doc/folders.sh. Each function prints what breaks its rule, and nothing where all is well.

layout_folders="common libperfmon wrapper sampler sql db submit forward analysis report manage export slurm"

# Those that are there.
layout_present()
{
	# shellcheck disable=SC2086 # words
	ls -d $layout_folders 2>/dev/null
}

# Every include of a file of ours: "FILE INCLUDED".
layout_includes()
{
	# shellcheck disable=SC2046 # words
	find $(layout_present) \( -name '*.[ch]' -o -name '*.def' \) -exec grep -H '^ *# *include *"[^"]*/' {} + |
		sed 's/^\([^:]*\):.*include *"\([^"]*\)".*/\1 \2/' | sort -u
}

# From such lines the pairs of folders that include each other's files.
layout_folder_edges()
{
	sed 's|/[^/ ]* | |; s|/[^/]*$||' | awk '$1 != $2' | sort -u
}

# The table of folders: "FOLDER" or "FOLDER ALLOWED" per line.
layout_rules()
{
	awk -F '|' '/^\| `[a-z0-9\/]*\/` \|/ {
		gsub(/[ `]/, "", $2)
		sub(/\/$/, "", $2)
		print $2
		count = split($4, allowed, "`")
		for (i = 2; i <= count; i += 2)
			print $2, allowed[i]
	}' ARCHITECTURE.md
}

# Folders without a rule, includes that no rule allows, permissions that nothing uses.
layout_breaches()
{
	{
		layout_rules | sed 's/^/rule /'
		# shellcheck disable=SC2046
		find $(layout_present) -name '*.[ch]' | sed 's|/[^/]*$||; s/^/folder /' | sort -u
		layout_includes | sed 's/^/include /'
	} | awk '
		function folder(path) { sub("/[^/]*$", "", path); return path }
		$1 == "rule" { rule[$2] = 1; if (NF > 2) allowed[$2 " " $3] = 1 }
		$1 == "folder" { is[$2] = 1; if (!($2 in rule)) print $2 ": no rule in ARCHITECTURE.md" }
		$1 == "include" {
			from = folder($2); to = folder($3)
			if (from == to) next
			if (from " " to "/" in allowed) used[from " " to "/"] = 1
			else if (from " " $3 in allowed) used[from " " $3] = 1
			else print $2 " includes " $3
		}
		END {
			for (one in allowed)
				if (!(one in used) && (substr(one, 1, index(one, " ") - 1) in is))
					print "nothing uses the permission " one
		}'
}

# Circles of folders; of files: a.c and a.h, together, are used by files above them and use files
# below. Some headers are the second of a file, which others share with it.
layout_circles()
{
	layout_includes | layout_folder_edges | layout_sort folders
	layout_includes |
		sed 's/[.][ch]\b//g; s|\bdb/engine\b|db/db|g; s|\bsubmit/loading\b|submit/load|g' |
		awk '$1 != $2' | sort -u | layout_sort files
}

# A circle in pairs from standard input.
layout_sort()
{
	awk '{ pairs++; print } END { if (!pairs) print "no-includes no-includes2\nno-includes2 no-includes" }' |
		tsort 2>&1 >/dev/null | sed "s/^[^:]*: */$1: /"
}

# Variables by which perfmon reaches the programs of a job, where their names are written but in
# their tables: as a text of C, or in a script of Slurm's under a name that no table has. Messages and
# programs of a shell may name them.
layout_variables()
{
	# shellcheck disable=SC2086
	grep -rn -E '"(PERFMON_[A-Z_]*|LD_PRELOAD|ASAN_OPTIONS)("|\*|=[^$])' $layout_folders --include='*.[ch]' |
		grep -v '^common/safe/variables[.]h:'
	grep -o -E '\bPERFMON_[A-Z_]+' slurm/*.in | sort -u | while IFS=: read -r file name; do
		grep -q -F "\"${name#PERFMON_}\")" common/safe/handed.def || echo "$file: $name"
	done
}

# Identities of jobs that are compared, or shown, by other text of SQL than common/job/jobidentity.h has; the steps of a
# migration are written out.
layout_identities()
{
	# shellcheck disable=SC2086
	grep -rn -E "restart_count *(=|<>|IN) *[?]|\barray_task = ''|\"cluster, .*jobid" $layout_folders --include='*.[ch]' |
		grep -v -e '^common/job/jobidentity[.]h:' -e '^db/migrate[.]c:'
}

# Places other than submit/operand.c that ask what an operand of submit or convert is.
layout_operands()
{
	grep -rn -E '\b(pm_epmt_db_is|isatty)\((fd|o->fd|STDIN)|open.*O_NONBLOCK[^;]*O_NOCTTY' submit --include='*.c' |
		grep -v -E '^submit/(operand|foreign/epmt_db|spool_dir)[.]c:|O_NOFOLLOW'
}

# Files that ARCHITECTURE.md names and that are not there.
layout_missing()
{
	grep -o '`[a-z_]*/[a-z0-9_/]*[.][a-z]*`' ARCHITECTURE.md | tr -d '`' | sort -u | while read -r file; do
		[ -e "$file" ] || echo "ARCHITECTURE.md: $file is not there"
	done
}

# Arrows that the picture lacks or has for nothing: doc/folders.dot is what doc/folders.sh drew.
layout_picture()
{
	doc/folders.sh | diff doc/folders.dot - | sed -n 's/^[<>]/doc\/folders.dot:/p'
	sed -n 's/^\t"\([^"]*\)" \[.*/\1/p' doc/folders.dot | while read -r folder; do
		grep -q ">$folder</text>" doc/folders.svg || echo "doc/folders.svg: no $folder"
	done
}

# Headers whose guard is not their path: two with one guard hide each other.
layout_guards()
{
	# shellcheck disable=SC2086
	find $layout_folders -name '*.h' | while read -r file; do
		guard=PM_$(echo "${file%.h}" | tr '[:lower:]/' '[:upper:]_')_H
		[ "$(grep -c -x -e "#ifndef $guard" -e "#define $guard" "$file")" -eq 2 ] || echo "$file: its guard is not $guard"
	done
}
