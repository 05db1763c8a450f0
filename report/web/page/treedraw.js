/* What the tree draws, and how keys move in it. */

function nodeLines(tree, node) {
	const { forest, measure, app } = tree;
	const lines = [];
	const own = forest.values[node];

	if (measure.how === "sum") {
		lines.push(`${measure.format(forest.weight[node])} ${measure.title}, ${formatPercent(forest.weight[node] / tree.total())} of the job`);
		if (forest.subtree[node] - node > 1)
			lines.push(`${measure.format(own)} of its own`);
	} else {
		lines.push(`${measure.format(forest.weight[node])} ${measure.title}${measure.how === "max" ? ", the largest of its subtree" : ""}`);
	}
	if (forest.subtree[node] - node > 1)
		lines.push(`${formatCount(forest.subtree[node] - node - 1)} ${forest.merged ? "merged " : ""}descendants`);
	if (!forest.merged && app.failed && app.failed[node])
		lines.push([failureText(app, node), "bad"]);
	return lines;
}

/* Up to the parent, down to the first child, left and right among siblings. */
function nextNode(forest, node, key) {
	const { parent, subtree } = forest;

	switch (key) {
	case "ArrowUp":
		return parent[node] >= 0 ? parent[node] : node;
	case "ArrowDown":
		return subtree[node] > node + 1 ? node + 1 : node;
	case "ArrowRight":
		return subtree[node] < parent.length && parent[subtree[node]] === parent[node] ? subtree[node] : node;
	case "ArrowLeft": {
		let before = node;

		for (let i = parent[node] + 1; i < node; i = subtree[i])
			before = i;
		return before;
	}
	default:
		return node;
	}
}

function drawIcicle(tree) {
	const { app, forest, top } = tree;
	const width = tree.box.clientWidth;
	const first = top < 0 ? 0 : forest.depth[top];
	let deepest = first;

	if (top < 0)
		deepest = forest.levels - 1;
	else
		for (let i = top; i < forest.subtree[top]; i++)
			deepest = Math.max(deepest, forest.depth[i]);
	const levels = Math.max(1, Math.min(MOST_LEVELS, deepest - first + 1));
	const height = levels * LEVEL;
	const { context, ratio } = fitCanvas(tree.canvas, width, height, app.printing);
	const [from, to] = tree.range();
	const tops = new Float64Array(forest.levels).map((_, lane) => (lane - first) * LEVEL * ratio);

	tree.frame = { width };
	tree.firstLevel = first;
	if (!(forest.total > 0)) {
		context.fillStyle = theme.colours.muted;
		context.fillText(app.model.n > 0 ? `${tree.measure.title} is unknown or zero for all processes` : "no process was recorded", 4, 14);
		return;
	}
	const painted = paintSpans(context, forest.spans, { from, to, left: 0, width: Math.round(width * ratio), height: Math.round(height * ratio),
		tops, bottoms: tops.map((top) => top + LEVEL * ratio), shade: tree.shade, wideFrom: 30 * ratio });

	tree.drawn = painted.drawn;
	for (const [i, x, y, w, h] of painted.wide)
		labelNode(context, tree, forest.spans.row[i], x / ratio, y / ratio, w / ratio, h / ratio);
	outlineNode(context, tree, from, to, width);
}

function labelNode(context, tree, node, x, y, width, height) {
	const { forest, measure } = tree;
	const rank = tree.app.model.rank[forest.program[node]];
	const faded = tree.nodesFound && !tree.nodesFound[node];
	const share = measure.how === "sum" && width > 110 ? `  ${formatPercent(forest.weight[node] / tree.total())}` : "";

	context.font = `11px ${theme.font}`;
	context.textAlign = "left";
	context.fillStyle = faded ? theme.colours.muted : inkOn(theme.ofRank(rank));
	context.fillText(fitText(context, tree.nameOf(node) + share, width - 8), x + 4, y + height / 2 + 4);
}

function outlineNode(context, tree, from, to, width) {
	const { chosen, forest, firstLevel } = tree;

	if (chosen < 0)
		return;
	const x = ((forest.begin[chosen] - from) / (to - from)) * width;
	const w = ((forest.end[chosen] - forest.begin[chosen]) / (to - from)) * width;

	context.strokeStyle = theme.colours.text;
	context.lineWidth = 2;
	context.strokeRect(x + 1, (forest.depth[chosen] - firstLevel) * LEVEL + 1, Math.max(2, w - 2), LEVEL - 3);
}
