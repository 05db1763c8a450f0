/* The page comes to life: the model, the views, what connects them. */

function blockText(id) {
	const node = document.getElementById(id);

	if (!node)
		return null;
	const text = node.textContent;

	node.remove(); /* it is decoded once; the text is large */
	return text.trim();
}

/* Scroll to a section. */
function goTo(id) {
	const section = document.getElementById(id);
	const still = matchMedia("(prefers-reduced-motion: reduce)").matches;

	if (section)
		section.scrollIntoView({ behavior: still ? "auto" : "smooth", block: "start" });
}

/* Mark the link to the section at the top of the window. */
function showSection() {
	const links = [...document.querySelectorAll("#sections a[href^='#']")];
	const here = links.filter((link) => {
		const section = document.getElementById(link.hash.slice(1));
		return section && section.getBoundingClientRect().top < innerHeight * 0.3;
	}).pop();

	for (const link of links)
		if (link === here)
			link.setAttribute("aria-current", "true");
		else
			link.removeAttribute("aria-current");
}

class App {
	constructor(index) {
		this.model = new Model(index, blockText);
		this.written = location.hash;
		this.state = new State(this.written);
		this.escapes = []; /* asked in turn, the latest first, until one has something to close */
		this.tables = [];
		this.programLinks = [];
		this.printing = false;
		this.failed = null; /* 1 for rows that failed, once known */
		this.failures = 0;
		this.counts = null;
		this.times = {};
		this.makers = []; /* each makes a view, if that has not happened */
		this.dirty = new Set();
		this.flush = perFrame(() => this.drawDirty());
	}

	redraw(...names) {
		names.forEach((name) => this.dirty.add(name));
		this.flush();
	}

	drawDirty() {
		const names = [...this.dirty];

		this.dirty.clear();
		for (const name of names)
			this[name]?.draw();
	}

	redrawAll() {
		this.redraw("timeline", "pinned", "tree", "series", "nodes");
	}

	async start() {
		const began = performance.now();

		await this.model.prepare();
		this.times.decoded = performance.now() - began;
		theme.read();
		this.filter = makeFilter(this.model, this.state.program);
		this.card = new Card(this);
		this.timeline = new Timeline(this, document.getElementById("view-timeline"));
		this.pinned = new PinnedCharts(this, this.timeline.pinned);
		this.timeline.draw();
		this.times.ready = performance.now() - began;
		this.times.readyAt = performance.now();
		this.connect();
		window.perfmonTest = makeHooks(this);
	}

	connect() {
		this.chips = element("div", { class: "chips", role: "group", "aria-label": "Filters in force" });
		document.getElementById("sections").append(this.chips);
		showChips(this, this.chips);
		this.state.listen((changed) => this.changed(changed));
		addEventListener("hashchange", () => this.readHash());
		addEventListener("resize", () => this.redrawAll());
		addEventListener("scroll", perFrame(() => {
			this.series?.scrolled();
			showSection();
		}), { passive: true });
		document.addEventListener("keydown", (event) => this.key(event));
		matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.recolour());
		addEventListener("beforeprint", () => this.print(true));
		addEventListener("afterprint", () => this.print(false));
	}

	/* The views below the first screen, and what the first does without. */
	async more() {
		const { model } = this;

		this.lazily("view-tree", "The process tree", async (root) => {
			this.tree = new Tree(this, root);
			await this.tree.update();
		});
		if (model.index.series?.list.length > 0) {
			const root = document.getElementById("view-series");

			if (root)
				this.series = new SeriesView(this, root);
			this.pinned.update();
		}
		if (model.index.nodes?.metrics.length > 0)
			this.lazily("view-nodes", "The nodes", async (root) => {
				this.nodes = new NodesView(this, root);
			});
		this.card.update();
		await this.findFailures();
	}

	lazily(id, what, make) {
		const root = document.getElementById(id);

		if (!root)
			return;
		this.makers.push(whenVisible(root, () => make(root).catch((error) => showFailure(root, what, error))));
	}

	/* Draw what nobody has looked at yet, too, and print. */
	async printAll() {
		announce("Preparing to print");
		await Promise.all([...this.makers.map((make) => make()), this.series?.loadAll()]);
		window.print();
	}

	/* Which processes failed; drawn when known, not waited for. */
	async findFailures() {
		const { model } = this;
		const load = (name) => (model.has(name) ? model.column(name) : null);
		const [codes, signals, counts] = await Promise.all([load("exitcode"), load("exitsignal"), load("count")]);
		const failed = new Uint8Array(model.n);

		for (let row = 0; row < model.n; row++)
			if (isFailure(codes && codes[row], signals && signals[row])) {
				failed[row] = 1;
				this.failures++;
			}
		this.counts = counts;
		if (this.failures > 0) {
			this.failed = failed;
			this.timeline.marked();
			this.timeline.showLegend();
			this.redraw("timeline");
		}
	}

	/* Views obey the state. */
	changed(changed) {
		const any = (...keys) => keys.some((key) => changed.has(key));

		if (any("program"))
			this.filter = makeFilter(this.model, this.state.program);
		if (any("lanes", "host"))
			this.timeline.pack();
		if (any("program", "lanes", "host"))
			this.timeline.recolour();
		if (any("critical", "host", "lanes", "rows"))
			this.timeline.syncControls();
		if (any("measure", "merge"))
			this.tree?.update().catch((error) => showFailure(this.tree.root, "The process tree", error));
		else if (any("q", "program"))
			this.tree?.forest && this.tree.find();
		if (any("program"))
			showChosenPrograms(this);
		if (any("with"))
			this.pinned.update();
		if (any("nodes"))
			this.nodes?.update();
		if (any("row"))
			this.card.update();
		showChips(this, this.chips);
		if (any("from", "to"))
			this.redraw("timeline", "pinned", "series", "nodes");
		if (any("program", "host", "lanes", "rows", "row", "critical"))
			this.redraw("timeline");
		if (any("measure", "merge", "q", "program", "tree"))
			this.redraw("tree");
		if (any("with"))
			this.redraw("pinned", "series");
		this.writeHash();
	}

	writeHash() {
		clearTimeout(this.hashTimer);
		/* Browsers limit how often an address may change; the last one counts. */
		this.hashTimer = setTimeout(() => {
			/* An address that came meanwhile, whose event is on its way, is not overwritten. */
			if (location.hash !== this.written) {
				this.readHash();
				return;
			}
			history.replaceState(null, "", this.state.hash || location.pathname + location.search);
			this.written = location.hash;
		}, 120);
	}

	readHash() {
		if (location.hash === this.written)
			return;
		this.written = location.hash;
		const { section, ...rest } = parseHash(location.hash);

		/* A plain link to a section leaves filters and zoom as they are. */
		this.state.set(location.hash.includes("=") ? { section, ...rest } : { section });
		if (section)
			goTo(section);
	}

	key(event) {
		const typing = event.target.closest?.("input, textarea, select");

		if (event.key === "Escape") {
			if (typing && typing.value && typing.type === "search") {
				typing.value = "";
				typing.dispatchEvent(new Event("input"));
			} else if (![...this.escapes].reverse().some((close) => close())) {
				tip.hide();
				clearFilters(this);
			}
			return;
		}
		if (event.key === "p" && (event.ctrlKey || event.metaKey)) {
			event.preventDefault();
			this.printAll();
			return;
		}
		if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && document.getElementById("view-tree")) {
			event.preventDefault();
			this.makers[0]?.(); /* the tree */
			goTo("tree");
			document.getElementById("pm-search")?.focus({ preventScroll: true });
		}
	}

	recolour() {
		theme.read();
		this.timeline.recolour();
		if (this.tree?.forest)
			this.tree.recolour();
		for (const chart of [...(this.series?.charts ?? []), ...this.pinned.charts.values()])
			if (chart.values)
				chart.showLegend();
		this.redrawAll();
	}

	/* For print everything is opened and drawn at once, light and twice as sharp. */
	print(on) {
		this.printing = on;
		this.makers.forEach((make) => on && make());
		document.documentElement.toggleAttribute("data-print", on);
		for (const details of document.querySelectorAll("main details:not(.group):not(.twin)")) {
			if (on && !details.open)
				details.dataset.closed = "";
			if (on || details.dataset.closed !== undefined)
				details.open = on;
			if (!on)
				delete details.dataset.closed;
		}
		for (const table of this.tables)
			table.print(on);
		this.recolour();
		this.drawDirty();
	}
}

function addPageParts() {
	tip.node = element("div", { id: "pm-tip", role: "tooltip" });
	tip.node.hidden = true;
	document.body.append(tip.node, element("div", { id: "pm-status", role: "status", "aria-live": "polite" }));
	document.documentElement.classList.add("scripted");
}

function addHeaderTools(print) {
	document.getElementById("top").append(element("div", { class: "tools page" }, zoneControl(),
		button("Copy link", () => copyText(location.href, "The link to this view")), button("Print", print)));
}

async function main() {
	let app = null;

	addPageParts();
	addHeaderTools(() => (app ? app.printAll() : window.print()));

	try {
		app = new App(JSON.parse(document.getElementById("pm-index").textContent));
		await app.start();
	} catch (error) {
		for (const view of document.querySelectorAll(".view"))
			showFailure(view, "This view", error);
		app = null;
	}
	enhanceTables(app ?? { model: null, state: null, tables: [], programLinks: [] });
	document.documentElement.dataset.ready = "1";
	if (!app)
		return;
	showChosenPrograms(app);
	if (app.state.section && location.hash.includes("="))
		goTo(app.state.section);
	await app.more();
}
