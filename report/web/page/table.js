/* Tables: sorted by their headers, filtered by words, copied; long ones cut until all is asked for. */

const FILTERED_FROM = 10; /* rows: shorter ones need no box to search them */

class DataTable {
	constructor(app, table) {
		this.app = app;
		this.table = table;
		this.body = table.tBodies[0];
		this.rows = [...this.body.rows];
		this.types = [...table.tHead.rows[table.tHead.rows.length - 1].cells].map((th) => th.dataset.type);
		this.order = this.rows.map((_, i) => i);
		this.values = [];
		this.texts = null;
		this.first = FIRST_ROWS;
		this.all = this.rows.length <= LONG_TABLE;
		this.sorted = { column: -1, descending: false };
		this.query = "";
		this.align();
		this.wrap();
		this.heads();
		this.update();
	}

	/* Right-aligned numbers, where the writer has not said so. */
	align() {
		this.types.forEach((type, column) => {
			if (type === undefined || type === "text")
				return;
			for (const row of this.rows)
				if (row.cells[column])
					row.cells[column].classList.add("number");
		});
	}

	wrap() {
		const name = this.table.caption?.textContent ?? this.table.closest("section")?.querySelector("h2")?.textContent ?? "Table";
		let box = this.table.parentElement;

		if (!box.classList.contains("scroll")) {
			box = element("div", { class: "scroll" });
			this.table.replaceWith(box);
			box.append(this.table);
		}
		box.tabIndex = 0;
		box.setAttribute("role", "region");
		box.setAttribute("aria-label", `${name}, a table`);
		this.filter = this.rows.length < FILTERED_FROM ? null : element("input", { type: "search", placeholder: "Filter rows", "aria-label": `Filter the rows of ${name}: words, or /regular expression/`,
			spellcheck: "false", on: { input: () => this.search(this.filter.value) } });
		this.count = element("output", { class: "found" });
		this.more = button("", () => {
			this.all = true;
			this.update();
		});
		box.before(element("div", { class: "tools table" }, this.filter, this.count, element("span", { class: "spring" }),
			button("Copy", () => copyText(this.tsv(), "The table"), { "aria-label": `Copy ${name} as tab-separated values` })));
		box.after(element("p", { class: "more" }, this.more));
	}

	heads() {
		const heads = [...this.table.tHead.rows[this.table.tHead.rows.length - 1].cells];

		heads.forEach((th, column) => {
			const type = this.types[column];
			const label = button("", () => this.sort(column, type !== undefined && type !== "text"), { class: "sort" });

			label.append(...th.childNodes);
			if (label.textContent.trim() === "")
				label.setAttribute("aria-label", `Sort by column ${column + 1}`);
			th.replaceChildren(label);
			th.classList.toggle("number", type !== undefined && type !== "text");
			th.setAttribute("aria-sort", "none");
		});
		this.ths = heads;
	}

	column(column) {
		if (!this.values[column])
			this.values[column] = this.rows.map((row) => cellValue(row.cells[column], this.types[column]));
		return this.values[column];
	}

	/* The first click sorts numbers with the largest first, texts from A to Z; the next turns round. */
	sort(column, largestFirst) {
		const again = this.sorted.column === column;

		this.sorted = { column, descending: again ? !this.sorted.descending : largestFirst };
		this.order = sortedPlaces(this.column(column), this.sorted.descending);
		this.ths.forEach((th, i) => th.setAttribute("aria-sort",
			i !== column ? "none" : this.sorted.descending ? "descending" : "ascending"));
		this.update();
	}

	search(query) {
		const { test, error } = textMatcher(query);

		this.matcher = test;
		this.error = error;
		if (test && !this.texts)
			this.texts = this.rows.map((row) => row.textContent);
		this.update();
	}

	matching() {
		return this.matcher ? this.order.filter((i) => this.matcher(this.texts[i])) : this.order;
	}

	/* On paper a long table has as many rows as fit a few pages, and says how many there are. */
	print(on) {
		if (this.all)
			return;
		this.first = on ? LONG_TABLE : FIRST_ROWS;
		this.update();
		if (on)
			this.more.textContent = `The first ${this.first} of ${formatCount(this.matching().length)} rows`;
	}

	update() {
		const matching = this.matching();
		const shown = this.all ? matching : matching.slice(0, this.first);

		this.body.replaceChildren(...shown.map((i) => this.rows[i]));
		this.count.textContent = this.error ? "not a regular expression"
			: this.matcher ? `${formatCount(matching.length)} of ${formatCount(this.rows.length)} rows`
			: this.filter ? `${formatCount(this.rows.length)} rows` : "";
		this.more.parentElement.hidden = shown.length === matching.length;
		this.more.textContent = `Show all ${formatCount(matching.length)} rows`;
	}

	tsv() {
		const head = tsvLine(this.ths.map((th) => th.textContent));
		const lines = this.matching().map((i) => tsvLine([...this.rows[i].cells].map((cell) => cell.dataset.value ?? cell.textContent)));

		return [head, ...lines].join("\n");
	}
}

/* A click on a program's name filters all views by it. */
function linkPrograms(app, table) {
	const names = new Set(app.model.programs);

	for (const row of table.rows) {
		const cell = row.cells[0];
		const name = cell ? cell.textContent : "";

		if (cell.tagName !== "TD" && cell.scope !== "row")
			continue;
		if (!names.has(name))
			continue;
		const link = button(name, () => app.state.toggle("program", name), { class: "program", "aria-pressed": "false", "aria-label": `Filter all views by ${name}` });

		cell.replaceChildren(link);
		app.programLinks.push([name, link]);
	}
}

function showChosenPrograms(app) {
	for (const [name, link] of app.programLinks) {
		const chosen = app.state.program.includes(name);

		link.setAttribute("aria-pressed", String(chosen));
		link.closest("tr").classList.toggle("chosen", chosen);
	}
}

function enhanceTables(app) {
	for (const table of document.querySelectorAll("table.data")) {
		if (table.dataset.plain !== undefined || !table.tHead || !table.tBodies[0] || table.tBodies[0].rows.length === 0)
			continue;
		if (table.closest("#programs") && app.model)
			linkPrograms(app, table);
		app.tables.push(new DataTable(app, table));
	}
}
