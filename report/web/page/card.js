/* The card of a process: all that is known of it, its parents, its children. */

const CARD_GROUPS = [
	["Time", ["start_us", "duration_us", "cpu_time", "usertime", "systemtime", "time_waiting", "delayacct_blkio_time", "vol_ctxsw", "invol_ctxsw"]],
	["Memory", ["rssmax", "vmpeak", "minflt", "majflt"]],
	["Input and output", ["rchar", "wchar", "syscr", "syscw", "read_bytes", "write_bytes", "cancelled_write_bytes"]],
];
/* Said in the card's head, or of no use to people. */
const CARD_HIDDEN = new Set(["parent", "host", "program", "command"]);
const MOST_PARENTS = 40;

class Card {
	constructor(app) {
		this.app = app;
		this.back = null; /* who gets the focus when the card closes */
		this.body = element("div", { class: "body" });
		this.node = element("aside", { id: "pm-card", role: "dialog", "aria-label": "Process", tabindex: "-1" },
			button("Close", () => this.close(), { class: "close" }), this.body);
		this.node.hidden = true;
		document.body.append(this.node);
		app.escapes.push(() => {
			if (this.node.hidden)
				return false;
			this.close();
			return true;
		});
	}

	open(row, from) {
		this.back = from ?? this.back ?? document.activeElement;
		this.app.state.set({ row });
		this.node.focus({ preventScroll: true });
	}

	close() {
		this.app.state.set({ row: null });
		if (this.back && this.back.isConnected)
			this.back.focus({ preventScroll: true });
		this.back = null;
	}

	/* Show the row of the state. */
	async update() {
		const { model, state } = this.app;
		const row = state.row;

		if (row === null || !(Number.isInteger(row) && row >= 0 && row < model.n)) {
			this.node.hidden = true;
			return;
		}
		this.node.hidden = false;
		this.body.replaceChildren(element("p", { text: "Loading …" }));
		let values;

		try {
			const names = [...model.columns.keys()];
			const list = await Promise.all(names.map((name) => model.valueAt(name, row)));
			values = new Map(names.map((name, i) => [name, list[i]]));
		} catch (error) {
			if (state.row === row)
				showFailure(this.body, "The process", error);
			return;
		}
		if (state.row === row)
			this.fill(row, values);
	}

	fill(row, values) {
		const { model, state } = this.app;
		const swatch = element("span", { class: "swatch" });
		const pid = values.get("pid");
		const command = this.command(values.get("command"));

		swatch.style.background = theme.ofRank(model.rank[model.program[row]]);
		this.node.setAttribute("aria-label", `Process ${model.programName(row)}`);
		this.body.replaceChildren(...[
			element("h2", {}, swatch, model.programName(row)),
			element("p", { class: "sub", text: `${model.hostName(row)}${pid >= 0 ? ` · process ${pid}` : ""}${model.endUnknown[row] ? " · end unknown" : ""}` }),
			element("pre", { class: "args", tabindex: "0", "aria-label": "Command line", text: command }),
			element("div", { class: "tools" },
				button("Zoom to its time", () => this.zoom(row)),
				button("Subtree", () => { state.set({ tree: row, section: "tree" }); goTo("tree"); }),
				button("Copy", () => copyText(this.text(row, values), "The process"))),
			...this.tables(values),
			...this.family(row),
		].filter((part) => part !== null));
	}

	/* The command line; short processes have none in the page of a large job. */
	command(text) {
		if (text)
			return text.length > 4000 ? `${text.slice(0, 4000)}… (${formatCount(text.length)} characters)` : text;
		return this.app.model.index.processes.command_us > 0 ? "the command line is left out here: perfmon show has it" : "command line unknown";
	}

	/* Columns by group; those of none last. */
	tables(values) {
		const { model } = this.app;
		const rest = new Set([...model.columns.keys()].filter((name) => !CARD_HIDDEN.has(name)));
		const groups = CARD_GROUPS.map(([title, names]) => [title, names.filter((name) => rest.delete(name))]);

		groups.push(["Other", [...rest]]);
		return groups.filter(([, names]) => names.length > 0).map(([title, names]) => element("section", {},
			element("h3", { text: title }),
			element("dl", {}, ...names.flatMap((name) => {
				const column = model.columns.get(name);
				const text = this.cell(name, column, values.get(name), values);

				return [element("dt", { text: column.title, title: column.help ?? null }),
					element("dd", { class: text === UNKNOWN ? "unknown" : null, text })];
			}))));
	}

	cell(name, column, value, values) {
		const { ends } = this.app.model.index;
		const other = { exitcode: "exitsignal", exitsignal: "exitcode" }[name];

		/* A process ends by a status or by a signal: the other is none. */
		if (other && !(value >= 0) && values.get(other) >= 0)
			return "none";
		if (name === "tags" && value >= 0)
			return this.app.model.index.tagsets?.[value] ?? UNKNOWN;
		if (name === "end_reason" && ends && ends[value] !== undefined)
			return ends[value];
		return formatCell(value, column);
	}

	family(row) {
		const { model } = this.app;
		const parents = [];
		let children = 0;

		for (let up = model.parent[row]; up >= 0 && parents.length < MOST_PARENTS; up = model.parent[up])
			parents.push(up);
		for (let i = row + 1; i < model.subtree[row]; i = model.subtree[i])
			children++;
		const below = model.subtree[row] - row - 1;
		const chain = element("ol", { class: "parents" }, ...parents.map((up) =>
			element("li", {}, element("a", { href: formatHash({ ...this.app.state, row: up }), text: model.programName(up) }),
				element("span", { text: ` ${formatDuration(model.values.duration_us[up])}` }))));

		return [element("section", {}, element("h3", { text: "Parents" }),
			parents.length > 0 ? chain : element("p", { text: "none in this job" })),
		element("section", {}, element("h3", { text: "Children" }),
			element("p", { text: below === 0 ? "none" : `${formatCount(children)}, ${formatCount(below)} with all their descendants` }))];
	}

	zoom(row) {
		const { start, end } = this.app.model;
		const margin = Math.max(5, (end[row] - start[row]) * 0.15);

		showRange(this.app, start[row] - margin, end[row] + margin);
		goTo("timeline");
	}

	/* The card as lines of text. */
	text(row, values) {
		const { model } = this.app;
		const lines = [`program\t${model.programName(row)}`, `host\t${model.hostName(row)}`];

		for (const [name, column] of model.columns)
			if (!CARD_HIDDEN.has(name) || name === "command")
				lines.push(`${column.title}\t${this.cell(name, column, values.get(name), values)}`);
		return lines.join("\n");
	}
}
