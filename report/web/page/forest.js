/* The process tree as a forest in depth-first order: sums over subtrees, and their layout. */

/* The row after the last descendant of each row. */
function subtreeEnds(parent) {
	const ends = new Int32Array(parent.length);

	for (let i = parent.length - 1; i >= 0; i--) {
		ends[i] = Math.max(ends[i], i + 1);
		if (parent[i] >= 0)
			ends[parent[i]] = Math.max(ends[parent[i]], ends[i]);
	}
	return ends;
}

function depths(parent) {
	const depth = new Int32Array(parent.length);

	for (let i = 0; i < parent.length; i++)
		depth[i] = parent[i] >= 0 ? depth[parent[i]] + 1 : 0;
	return depth;
}

/* Each row's value with those of its descendants: "sum" or "max" of own values, unknown ones left
   out; "own" keeps the row's value alone (a wall time contains its children's already). */
function inclusive(parent, own, how) {
	const total = new Float64Array(parent.length);

	for (let i = parent.length - 1; i >= 0; i--) {
		const value = own[i] === own[i] ? own[i] : 0;

		total[i] = how === "sum" ? total[i] + value : Math.max(total[i], value);
		if (how === "own")
			total[i] = value;
		else if (parent[i] >= 0)
			total[parent[i]] = how === "sum" ? total[parent[i]] + total[i] : Math.max(total[parent[i]], total[i]);
	}
	return total;
}

/* Places in [0, 1]: children share their parent's width by weight; where their weights are less than
   the parent's, the rest is its own. */
function layoutForest(parent, weight) {
	const n = parent.length;
	const begin = new Float64Array(n);
	const end = new Float64Array(n);
	const below = new Float64Array(n);
	const cursor = new Float64Array(n);
	let roots = 0;

	for (let i = 0; i < n; i++)
		if (parent[i] >= 0)
			below[parent[i]] += weight[i];
		else
			roots += weight[i];
	let at = 0;

	for (let i = 0; i < n; i++) {
		const up = parent[i];
		const share = up < 0 ? (roots > 0 ? 1 / roots : 0) : scaleOf(up);

		begin[i] = up < 0 ? at : begin[up] + cursor[up];
		end[i] = begin[i] + weight[i] * share;
		if (up < 0)
			at = end[i];
		else
			cursor[up] += weight[i] * share;
	}
	return { begin, end, total: roots };

	function scaleOf(up) {
		const most = Math.max(weight[up], below[up]);

		return most > 0 ? (end[up] - begin[up]) / most : 0;
	}
}

/* Siblings of the same program made one, recursively, the largest first ("left heavy"). size orders
   them. Returns a forest of its own: {parent, program, row (the first of each), rows, nodeOf}. */
function mergeForest(parent, program, size) {
	const n = parent.length;
	const nodeOf = new Int32Array(n);
	const known = new Map();
	const nodes = [];

	for (let i = 0; i < n; i++) {
		const up = parent[i] >= 0 ? nodeOf[parent[i]] : -1;
		const key = (up + 1) * 4294967296 + program[i];
		let node = known.get(key);

		if (node === undefined) {
			node = nodes.length;
			known.set(key, node);
			nodes.push({ up, program: program[i], row: i, rows: 0, size: 0, children: [] });
			if (up >= 0)
				nodes[up].children.push(node);
		}
		nodeOf[i] = node;
		nodes[node].rows++;
		nodes[node].size += size[i] === size[i] ? size[i] : 0;
	}
	return orderNodes(nodes, nodeOf);
}

function orderNodes(nodes, nodeOf) {
	for (let i = nodes.length - 1; i >= 0; i--)
		if (nodes[i].up >= 0)
			nodes[nodes[i].up].size += nodes[i].size;
	const heavy = (a, b) => nodes[b].size - nodes[a].size || a - b;
	const stack = nodes.map((_, i) => i).filter((i) => nodes[i].up < 0).sort(heavy).reverse();
	const place = new Int32Array(nodes.length);
	const merged = {
		parent: new Int32Array(nodes.length),
		program: new Uint32Array(nodes.length),
		row: new Int32Array(nodes.length),
		rows: new Float64Array(nodes.length),
	};

	for (let at = 0; stack.length > 0; at++) {
		const node = nodes[stack[stack.length - 1]];

		place[stack.pop()] = at;
		merged.parent[at] = node.up >= 0 ? place[node.up] : -1;
		merged.program[at] = node.program;
		merged.row[at] = node.row;
		merged.rows[at] = node.rows;
		stack.push(...node.children.sort(heavy).reverse());
	}
	merged.nodeOf = nodeOf.map((node) => place[node]);
	return merged;
}

/* Values of rows as values of merged nodes: their sum, or the largest. */
function mergeValues(merged, own, how) {
	const values = new Float64Array(merged.parent.length).fill(NaN);

	for (let i = 0; i < own.length; i++) {
		const node = merged.nodeOf[i];

		if (own[i] !== own[i])
			continue;
		values[node] = values[node] !== values[node] ? own[i]
			: how === "max" ? Math.max(values[node], own[i]) : values[node] + own[i];
	}
	return values;
}

/* What matched rows sum up to: themselves, and with their descendants, each counted once. */
function matchedSums(matched, own, total, subtree) {
	let rows = 0;
	let sum = 0;
	let withDescendants = 0;

	for (let i = 0, covered = 0; i < matched.length; i++) {
		if (!matched[i])
			continue;
		rows++;
		sum += own[i] === own[i] ? own[i] : 0;
		if (i >= covered) {
			withDescendants += total[i];
			covered = subtree[i];
		}
	}
	return { rows, sum, withDescendants };
}
