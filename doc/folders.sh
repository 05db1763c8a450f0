#!/bin/sh
# The folders and what they include, as a graph for dot(1): an arrow per pair of folders. Those that
# follow from others are left out where tred(1) is at hand.
#
#   doc/folders.sh | tred | dot -Tsvg >doc/folders.svg        (make picture)
cd "$(dirname "$0")/.." || exit 1
# shellcheck source=tests/layout.sh
. tests/layout.sh
echo 'digraph folders {'
echo '	graph [rankdir = TB, nodesep = 0.25, ranksep = 0.45];'
echo '	node [shape = box, style = filled, fillcolor = "#f4f4f4", fontname = "sans-serif", fontsize = 11];'
layout_includes | layout_folder_edges | awk '
	BEGIN {
		split("common #e8e8e8 libperfmon #fde2c8 wrapper #fff3b8 sampler #dff0d8 submit #d6e8fa forward #d6e8fa " \
			"db #e3dcf5 sql #e3dcf5 analysis #fadadd report #fadadd manage #fadadd export #fadadd slurm #fff3b8", word, " ")
		for (i = 1; i in word; i += 2)
			color[word[i]] = word[i + 1]
	}
	function top(folder) { sub("/.*", "", folder); return folder }
	{
		for (i = 1; i <= 2; i++)
			if (!($i in seen)) {
				seen[$i] = 1
				printf "\t\"%s\" [fillcolor = \"%s\"];\n", $i, color[top($i)]
			}
		printf "\t\"%s\" -> \"%s\";\n", $1, $2
	}'
echo '}'
