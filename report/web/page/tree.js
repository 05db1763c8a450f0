/* The process tree as an icicle: width is a measure of a process with its descendants. */

const LEVEL = 19;
const MOST_LEVELS = 26;

const MEASURES = [
	{ key: "cpu", title: "CPU time", columns: ["cpu_time"], how: "sum", format: formatDuration },
	{ key: "wall", title: "wall time", columns: ["duration_us"], how: "own", format: formatDuration },
	{ key: "io", title: "read and written", columns: ["rchar", "wchar"], how: "sum", format: formatBytes },
	{ key: "storage", title: "from and to storage", columns: ["read_bytes", "write_bytes"], how: "sum", format: formatBytes },
	{ key: "rss", title: "peak memory", columns: ["rssmax"], how: "max", format: formatBytes },
	{ key: "count", title: "processes", columns: [], how: "sum", format: formatCount },
];

class Tree {
	constructor(app, root) {
		this.app = app;
		this.root = root;
		this.chosen = -1; /* the node that keys move */
		this.forest = null;
		this.args = null; /* command lines of processes, once a search has asked for them */
		this.draw = this.draw.bind(this);
		this.measures = MEASURES.filter((m) => m.columns.every((name) => app.model.has(name)));
		this.build();
	}

	build() {
		const { state } = this.app;
		const options = this.measures.map((m) => [m.key, m.title]);

		this.select = selectBox("Width", options, state.measure ?? "cpu", (v) => state.set({ measure: v === "cpu" ? null : v }));
		this.merge = checkBox("merge same programs", state.merge === true, (v) => state.set({ merge: v || null }));
		this.search = element("input", { type: "search", id: "pm-search", placeholder: "Search (regular expression)", "aria-label": "Search processes by program and command line, a regular expression",
			"aria-describedby": "pm-found", spellcheck: "false", on: { input: () => this.app.state.set({ q: this.search.value || null }) } });
		this.search.value = state.q ?? "";
		this.found = element("output", { id: "pm-found", class: "found" });
		this.path = element("nav", { class: "path", "aria-label": "Path to the shown subtree" });
		this.canvas = element("canvas", { role: "img" });
		this.box = element("div", { class: "chart icicle", id: "pm-tree", tabindex: "0", role: "group", "aria-describedby": "pm-tree-keys",
			"aria-label": "Process tree: arrow keys choose a process, Enter shows its subtree, space its card, Escape goes up" }, this.canvas);
		this.root.replaceChildren(element("div", { class: "tools" }, this.select, this.merge, this.search, this.found,
			element("span", { class: "spring" }), button("PNG", () => this.savePicture(), { "aria-label": "Download the tree as PNG" })),
		this.path, this.box, element("p", { class: "hint", id: "pm-tree-keys" },
			"A click shows the subtree, a double click the process. Keys: / searches, arrows choose, Enter goes in, Esc out. Processes narrower than a pixel share one."));
		this.box.addEventListener("pointermove", (event) => this.hover(event));
		this.box.addEventListener("pointerleave", () => tip.hide());
		this.box.addEventListener("click", (event) => this.click(event));
		this.box.addEventListener("dblclick", (event) => this.open(event));
		this.box.addEventListener("keydown", (event) => {
			if (event.target === this.box && !event.ctrlKey && !event.metaKey && !event.altKey && this.key(event.key))
				event.preventDefault();
		});
		this.app.escapes.push(() => {
			if (!this.box.contains(document.activeElement) || this.app.state.tree === null)
				return false;
			this.key("Backspace");
			return true;
		});
	}

	get measure() {
		return this.measures.find((m) => m.key === this.app.state.measure) ?? this.measures[0];
	}

	/* Own values of the rows for the measure. */
	async own(measure) {
		const { model } = this.app;

		if (measure.key === "count")
			return model.has("count") ? model.column("count") : new Float64Array(model.n).fill(1);
		const columns = await Promise.all(measure.columns.map((name) => model.column(name)));
		const scaled = columns.map((values, i) => {
			const factor = unitFactor(model.columns.get(measure.columns[i]));
			return factor === 1 ? values : values.map((v) => v * factor);
		});

		if (scaled.length === 1)
			return scaled[0];
		/* What is known of the two. */
		return scaled[0].map((v, i) => (v !== v ? scaled[1][i] : scaled[1][i] !== scaled[1][i] ? v : v + scaled[1][i]));
	}

	/* Everything for the measure and the form chosen. */
	async update() {
		const { model, state } = this.app;
		const measure = this.measure;
		const own = await this.own(measure);

		if (measure !== this.measure)
			return; /* another was chosen meanwhile */
		const merged = state.merge ? mergeForest(model.parent, model.program, model.values.cpu_time) : null;
		const parent = merged ? merged.parent : model.parent;
		const values = merged ? mergeValues(merged, own, measure.how) : own;
		const weight = inclusive(parent, values, measure.how);
		const place = layoutForest(parent, weight);
		const depth = merged ? depths(parent) : model.depth;
		let levels = 0;

		for (let i = 0; i < depth.length; i++)
			levels = Math.max(levels, depth[i] + 1);
		const order = new Int32Array(parent.length).map((_, i) => i);

		this.forest = { merged, parent, values, weight, depth, levels, ...place,
			program: merged ? merged.program : model.program,
			subtree: merged ? subtreeEnds(parent) : model.subtree,
			spans: buildSpans(depth, levels, order, place.begin, place.end) };
		this.rowWeight = merged ? inclusive(model.parent, own, measure.how) : weight;
		this.ownValues = own;
		this.chosen = -1;
		this.select.lastChild.value = measure.key;
		this.merge.firstChild.checked = state.merge === true;
		this.find();
		this.draw();
	}

	/* Search: which nodes stand out, and what they sum up to. */
	find() {
		const { model, state, filter } = this.app;
		const query = state.q ?? "";

		if (this.search.value !== query)
			this.search.value = query;
		this.rowsFound = filter.matched;
		this.found.textContent = "";
		this.found.classList.remove("bad");
		if (query !== "") {
			const { test, error } = regexpMatcher(query);

			if (error) {
				this.found.textContent = "not a regular expression";
				this.found.classList.add("bad");
			} else {
				this.loadArgs();
				this.rowsFound = matchRows(test, model.programs, model.program, this.args);
				this.found.textContent = this.foundText(matchedSums(this.rowsFound, this.ownValues, this.rowWeight, model.subtree));
			}
		}
		this.recolour();
	}

	loadArgs() {
		if (this.args !== null || this.asked || !this.app.model.has("command"))
			return;
		this.asked = true;
		this.app.model.column("command").then((args) => {
			this.args = args;
			this.find();
			this.draw();
		}, () => {}); /* the search is then by programs alone */
	}

	foundText({ rows, sum, withDescendants }) {
		const { how, title, format } = this.measure;
		const total = this.total();

		if (rows === 0)
			return "none matches";
		const count = `${formatCount(rows)} ${rows === 1 ? "process matches" : "processes match"}`;

		if (how !== "sum")
			return count;
		const below = withDescendants > sum * 1.001 ? `, ${formatPercent(withDescendants / total)} with descendants` : "";

		return `${count}: matched ${formatPercent(sum / total)} of ${title} (${format(sum)})${below}`;
	}

	total() {
		return this.forest.total;
	}

	recolour() {
		const { forest } = this;
		const { model } = this.app;
		const ranks = model.ranksOf(forest.program);
		let matched = this.rowsFound;

		if (matched && forest.merged) {
			matched = new Uint8Array(forest.parent.length);
			for (let row = 0; row < model.n; row++)
				matched[forest.merged.nodeOf[row]] |= this.rowsFound[row];
		}
		this.nodesFound = matched;
		forest.spans.found = matched ? countSpans(forest.spans, matched) : null;
		this.shade = shadesOf(ranks, matched);
	}

	/* The node whose subtree fills the width, or -1. */
	get top() {
		const row = this.app.state.tree;

		if (row === null || !(row >= 0 && row < this.app.model.n))
			return -1;
		return this.forest.merged ? this.forest.merged.nodeOf[row] : row;
	}

	rowOf(node) {
		return this.forest.merged ? this.forest.merged.row[node] : node;
	}

	countOf(node) {
		return this.forest.merged ? this.forest.merged.rows[node] : 1;
	}

	show(node) {
		this.app.state.set({ tree: node < 0 ? null : this.rowOf(node) });
	}

	range() {
		const { top, forest } = this;

		return top < 0 || !(forest.end[top] > forest.begin[top]) ? [0, forest.total > 0 ? 1 : 1] : [forest.begin[top], forest.end[top]];
	}

	draw() {
		if (!this.forest || this.box.clientWidth < 60)
			return;
		drawIcicle(this);
		this.showPath();
		const measure = this.measure;
		const first = this.app.model.ranked[0];

		this.canvas.setAttribute("aria-label", `Process tree by ${measure.title}: ${formatCount(this.forest.parent.length)} ${this.forest.merged ? "merged processes" : "processes"} in ${this.forest.levels} levels, `
			+ `${measure.how === "sum" ? `${measure.format(this.total())} in all` : "each as wide as its own"}${first === undefined ? "" : `; most CPU time is that of ${this.app.model.programs[first]}`}.`);
	}

	showPath() {
		const { forest, top } = this;
		const chain = [];

		for (let node = top; node >= 0; node = forest.parent[node])
			chain.unshift(node);
		const items = chain.map((node) => (node === top
			? element("span", { "aria-current": "true", text: this.nameOf(node) })
			: button(this.nameOf(node), () => this.show(node))));

		this.path.replaceChildren(top < 0 ? element("span", { "aria-current": "true", text: "whole job" })
			: button("whole job", () => this.show(-1)), ...items);
	}

	nameOf(node) {
		const name = this.app.model.programs[this.forest.program[node]] ?? UNKNOWN;
		const count = this.countOf(node);

		return count > 1 ? `${name} ×${THIN}${formatCount(count)}` : name;
	}

	hit(x, y) {
		const { forest, frame } = this;
		const lane = Math.floor(y / LEVEL) + this.firstLevel;
		const [from, to] = this.range();

		if (!forest || lane < 0 || lane >= forest.levels || x < 0 || x > frame.width)
			return -1;
		const perPixel = (to - from) / frame.width;
		const i = spanAt(forest.spans, lane, from + x * perPixel, perPixel / 2);

		return i < 0 ? -1 : forest.spans.row[i];
	}

	nodeAt(event) {
		const bounds = this.canvas.getBoundingClientRect();

		return this.forest ? this.hit(event.clientX - bounds.left, event.clientY - bounds.top) : -1;
	}

	hover(event) {
		const node = this.nodeAt(event);

		this.box.classList.toggle("pointing", node >= 0);
		if (node < 0) {
			tip.hide();
			return;
		}
		tip.show(event.clientX, event.clientY, this.nameOf(node), nodeLines(this, node));
	}

	click(event) {
		const node = this.nodeAt(event);

		if (node >= 0 && node !== this.top)
			this.show(node);
	}

	open(event) {
		const node = this.nodeAt(event);

		if (node >= 0)
			this.app.card.open(this.rowOf(node), this.box);
	}

	key(key) {
		const { forest } = this;

		if (!forest)
			return false;
		const here = this.chosen >= 0 ? this.chosen : this.top >= 0 ? this.top : 0;
		const next = nextNode(forest, here, this.chosen < 0 ? "stay" : key);

		switch (key) {
		case "ArrowUp": case "ArrowDown": case "ArrowLeft": case "ArrowRight":
			this.chosen = next;
			announce(`${this.nameOf(next)}: ${nodeLines(this, next)[0]}`);
			this.draw();
			return true;
		case "Enter":
			this.show(here);
			return true;
		case " ":
			this.app.card.open(this.rowOf(here), this.box);
			return true;
		case "Backspace": case "-":
			this.show(this.top >= 0 ? forest.parent[this.top] : -1);
			return true;
		default:
			return false;
		}
	}

	savePicture() {
		this.canvas.toBlob((blob) => saveFile(`${this.app.model.index.job.title} tree.png`, "image/png", blob));
	}
}
