/* The timeline: how many processes ran, and each of them as a bar, on one axis of time. */

const OVERVIEW_HEIGHT = 118; /* without labels of phases */
const MOST_HEIGHT = 440; /* of the lanes, in pixels */
const PRINTED_HEIGHT = 300;
const TALL_LANE = 15;

class Timeline {
	constructor(app, root) {
		this.app = app;
		this.root = root;
		this.drawn = 0;
		this.draw = this.draw.bind(this);
		this.build();
		this.pack();
		this.recolour();
	}

	build() {
		const { state, model } = this.app;
		const hosts = model.hosts.length > 1 ? selectBox("Host", [["", `all ${model.hosts.length}`],
			...model.hosts.map((h) => [h.name, h.name])], state.host ?? "", (v) => state.set({ host: v || null })) : null;

		this.range = element("output", { class: "range" });
		this.controls = {
			lanes: selectBox("Lanes", [["", "by process tree"], ["program", "by program"]], state.lanes ?? "", (v) => state.set({ lanes: v || null })),
			rows: selectBox("Height", [["", "fit"], ["tall", "readable"]], state.rows ?? "", (v) => state.set({ rows: v || null })),
			host: hosts,
			critical: (model.index.critical || []).length > 0
				? checkBox("critical path", state.critical === true, (v) => state.set({ critical: v || null })) : null,
		};
		const zoom = element("span", { class: "group", role: "group", "aria-label": "Zoom" },
			button("−", () => zoomBy(this.app, 2), { "aria-label": "Zoom out" }),
			button("+", () => zoomBy(this.app, 0.5), { "aria-label": "Zoom in" }),
			button("Whole job", () => state.set({ from: null, to: null })));
		const tools = element("div", { class: "tools" }, this.controls.lanes, this.controls.rows, hosts, this.controls.critical,
			zoom, this.range, element("span", { class: "spring" }),
			button("PNG", () => this.savePicture(), { "aria-label": "Download the timeline as PNG" }));

		this.overview = element("canvas", { role: "img" });
		this.gantt = element("canvas", { role: "img" });
		this.spacer = element("div", { class: "spacer" }, this.gantt);
		this.scroller = element("div", { class: "scroller", on: { scroll: () => this.app.redraw("timeline") } }, this.spacer);
		this.pinned = element("div", { class: "pinned" });
		this.box = element("div", { class: "chart", id: "pm-timeline", tabindex: "0", role: "group", "aria-describedby": "pm-keys",
			"aria-label": "Timeline: arrow keys pan, plus and minus zoom, 0 shows the whole job" }, this.overview, this.scroller);
		this.legend = element("div", { class: "legend", role: "group", "aria-label": "Programs by colour; a click filters" });
		this.root.replaceChildren(tools, this.box, this.pinned, this.legend, element("p", { class: "hint", id: "pm-keys" },
			"Drag to zoom, double-click for the whole job; Ctrl and wheel, or + − ← → with the focus here. A click on a bar shows the process; n and p go on to the next and back."));
		listenTime(this.app, this.box, {
			hover: (x, y, time, event) => this.hover(x, y, time, event),
			click: (x, y) => this.click(x, y),
			key: (event) => this.key(event),
		});
	}

	/* Lanes for the mode and host chosen. */
	pack() {
		const { model, state } = this.app;
		const host = model.hosts.findIndex((h) => h.name === state.host);

		this.phases = joinPhases(model.index.phases ?? [], model.span, host);
		this.packed = packLanes(model, state.lanes === "program" ? "program" : "tree", host);
		this.spans = buildSpans(this.packed.laneOf, this.packed.lanes, model.byStart, model.start, model.end);
		if (this.app.failed)
			this.marked();
		this.syncControls();
	}

	syncControls() {
		const { state } = this.app;

		this.controls.lanes.lastChild.value = state.lanes ?? "";
		this.controls.rows.lastChild.value = state.rows ?? "";
		if (this.controls.host)
			this.controls.host.lastChild.value = state.host ?? "";
		if (this.controls.critical)
			this.controls.critical.firstChild.checked = state.critical === true;
	}

	/* Colours and curve for the programs that the filter lets through. */
	recolour() {
		const { model, filter } = this.app;

		this.spans.found = filter.matched ? countSpans(this.spans, filter.matched) : null;
		this.shade = shadesOf(this.ranks(), filter.matched, model.busy);
		const rows = filter.matched || this.packed.laneOf.includes(-1)
			? model.byStart.filter((row) => this.packed.laneOf[row] >= 0 && (!filter.matched || filter.matched[row])) : model.byStart;

		this.concurrency = makeConcurrency(model, rows);
		this.most = mostRunning(this.concurrency);
		this.showLegend();
		this.describe(rows.length);
	}

	ranks() {
		const { model } = this.app;

		if (!this.rankOf)
			this.rankOf = model.ranksOf(model.program);
		return this.rankOf;
	}

	marked() {
		this.spans.marks = countSpans(this.spans, this.app.failed);
	}

	describe(rows) {
		const { model, filter } = this.app;
		const what = filter.matched ? `${formatCount(rows)} of ${formatCount(model.n)} processes match` : `${formatCount(model.index.processes.processes ?? model.n)} processes`;
		const text = `${what}, over ${formatDuration(model.span)} on ${model.hosts.length === 1 ? "one host" : `${model.hosts.length} hosts`}; `
			+ `at most ${formatCount(this.most.most)} at once, ${timeLabel(this.most.when, SECOND)} after the start`;

		this.overview.setAttribute("aria-label", `Running processes over time: ${text}.`);
		this.gantt.setAttribute("aria-label", `Processes as bars in ${formatCount(this.packed.lanes)} lanes: ${text}. The table below has the same.`);
	}

	showLegend() {
		const { model, state, filter } = this.app;
		const shown = model.ranked.slice(0, theme.palette.length);
		const items = shown.map((program, rank) => {
			const swatch = element("span", { class: "swatch" });

			swatch.style.background = theme.ofRank(rank);
			return element("button", { type: "button", class: "item", "aria-pressed": String(filter.programs.has(program)),
				on: { click: () => state.toggle("program", model.programs[program]) } }, swatch, model.programs[program]);
		});

		if (model.ranked.length > shown.length) {
			const swatch = element("span", { class: "swatch" });

			swatch.style.background = theme.others;
			items.push(element("span", { class: "item" }, swatch, `${formatCount(model.ranked.length - shown.length)} other programs`));
		}
		if (model.n > 0)
			items.push(element("span", { class: "item" }, element("span", { class: "swatch pale" }), "pale: used little CPU"));
		if (this.app.failures > 0)
			items.push(element("span", { class: "item" }, element("span", { class: "swatch failed" }), `${formatCount(this.app.failures)} failed`));
		const { folded } = model.index.processes;

		if (folded)
			items.push(element("span", { class: "item", title: folded.rule, text: `${formatCount(folded.processes)} short processes are ${formatCount(folded.rows)} bars` }));
		if (model.byStart.length < model.n)
			items.push(element("span", { class: "item" }, `${formatCount(model.n - model.byStart.length)} of unknown start are not drawn`));
		if (model.endUnknown.includes(1))
			items.push(element("span", { class: "item" }, element("span", { class: "swatch unended" }), "end unknown"));
		this.legend.replaceChildren(...items);
	}

	/* The size of everything, for the width that there is. Returns whether there is any. */
	measure() {
		const printing = this.app.printing;
		const tall = this.app.state.rows === "tall" && !printing;
		const wish = tall ? this.packed.lanes * TALL_LANE + this.packed.groups.length * 5 : this.packed.lanes * 14;
		const height = Math.min(printing ? PRINTED_HEIGHT : MOST_HEIGHT, Math.max(56, wish));

		if (this.height !== height || this.tall !== tall || this.laid !== this.packed) {
			this.lanes = laneTops(this.packed, height, tall ? TALL_LANE : 0);
			this.scroller.style.height = `${height}px`;
			this.spacer.style.height = `${Math.max(height, this.lanes.height)}px`;
			this.tall = tall;
			this.laid = this.packed;
		}
		this.height = height;
		this.frame = frameOf(this.scroller.clientWidth);
		this.box.pmFrame = this.frame;
		return this.frame.width > 60;
	}

	draw() {
		if (!this.measure())
			return;
		const range = shownRange(this.app);
		const [from, to] = range;

		drawOverview(this, range);
		drawGantt(this, range);
		this.range.textContent = `${timeLabel(from, (to - from) / 50)} – ${timeLabel(to, (to - from) / 50)}`;
		cursor.move(this.app, cursor.at);
	}

	/* The row under a point of the box, or -1. */
	hit(x, y) {
		const [from, to] = shownRange(this.app);
		const inside = y - this.scroller.offsetTop + this.scroller.scrollTop;

		if (!this.frame || x < this.frame.left || x > this.frame.left + this.frame.plot || inside < 0 || y - this.scroller.offsetTop >= this.height)
			return -1;
		const perPixel = (to - from) / this.frame.plot;
		const time = from + (x - this.frame.left) * perPixel;
		const { tops, bottoms } = this.lanes;
		const here = Math.min(this.packed.lanes, Math.max(1, bisect(tops, inside, 0, this.packed.lanes, true))) - 1;
		let best = -1;
		let distance = Infinity;

		/* The lane under the point; the next ones, too, where lanes are as thin as a pixel. */
		for (const lane of bottoms[here] - tops[here] < 3 ? [here, here - 1, here + 1] : [here]) {
			const i = lane >= 0 && lane < this.packed.lanes ? spanAt(this.spans, lane, time, 3 * perPixel) : -1;
			const away = i < 0 ? Infinity : Math.max(0, this.spans.begin[i] - time, time - this.spans.end[i]);

			if (away < distance) {
				distance = away;
				best = this.spans.row[i];
			}
		}
		return best;
	}

	hover(x, y, time, event) {
		const row = this.hit(x, y);

		this.box.classList.toggle("pointing", row >= 0);
		if (row >= 0)
			tip.show(event.clientX, event.clientY, this.app.model.programName(row), processLines(this.app, row));
		else if (x >= this.frame.left)
			tip.show(event.clientX, event.clientY, timeLabel(time, (shownRange(this.app)[1] - shownRange(this.app)[0]) / 500),
				momentLines(this, time));
		else
			tip.hide();
	}

	click(x, y) {
		const row = this.hit(x, y);

		if (row >= 0) {
			this.app.card.open(row, this.box);
			return;
		}
		const inside = y - this.scroller.offsetTop + this.scroller.scrollTop;
		const group = inside < 0 || x >= this.frame.left ? null
			: this.packed.groups.find((g) => inside >= this.lanes.tops[g.first] && inside < this.lanes.bottoms[g.first + g.count - 1]);

		if (group && this.app.state.lanes === "program" && group.key >= 0)
			this.app.state.toggle("program", group.name);
		else if (group && this.app.state.lanes !== "program" && this.app.model.hosts.length > 1)
			this.app.state.set({ host: this.app.state.host === group.name ? null : group.name });
	}

	key(event) {
		if (event.key === "ArrowDown" || event.key === "ArrowUp") {
			this.scroller.scrollTop += event.key === "ArrowDown" ? 45 : -45;
			return true;
		}
		if (event.key === "n" || event.key === "p") {
			this.step(event.key === "n" ? 1 : -1);
			return true;
		}
		return false;
	}

	/* Choose the next or previous process, by start, among those that are shown and a pixel long. */
	step(direction) {
		const { model, state, filter } = this.app;
		const { byStart, start, end } = model;
		const [from, to] = shownRange(this.app);
		const least = (to - from) / this.frame.plot;
		let at = state.row === null ? (direction > 0 ? -1 : byStart.length) : byStart.indexOf(state.row);

		for (at += direction; at >= 0 && at < byStart.length; at += direction) {
			const row = byStart[at];

			if (this.packed.laneOf[row] < 0 || end[row] < from || start[row] > to || end[row] - start[row] < least || (filter.matched && !filter.matched[row]))
				continue;
			state.set({ row });
			this.app.card.back = this.box;
			announce(`${model.programName(row)}: ${processLines(this.app, row).slice(0, 2).map((line) => [line].flat()[0]).join(", ")}`);
			return;
		}
		announce(direction > 0 ? "No process after this one" : "No process before this one");
	}

	savePicture() {
		const whole = element("canvas", { width: this.overview.width, height: this.overview.height + this.gantt.height });
		const context = whole.getContext("2d");

		context.fillStyle = theme.colours.surface;
		context.fillRect(0, 0, whole.width, whole.height);
		context.drawImage(this.overview, 0, 0);
		context.drawImage(this.gantt, 0, this.overview.height);
		whole.toBlob((blob) => saveFile(`${this.app.model.index.job.title} timeline.png`, "image/png", blob));
	}
}

function processLines(app, row) {
	const { model } = app;
	const lines = [
		`${model.hostName(row)} · starts at ${timeLabel(model.start[row], 1e4)}`,
		`${formatDuration(model.values.duration_us[row])} long, CPU ${formatDuration(model.values.cpu_time[row])}`,
	];
	const below = model.subtree[row] - row - 1;

	if (model.endUnknown[row])
		lines[1] = `end unknown, CPU ${formatDuration(model.values.cpu_time[row])}`;
	if (app.counts && app.counts[row] > 1)
		lines.push(`${formatCount(app.counts[row])} processes, added up`);
	if (below > 0)
		lines.push(`${formatCount(below)} descendants`);
	if (app.failed && app.failed[row])
		lines.push([failureText(app, row), "bad"]);
	return lines;
}

function failureText(app, row) {
	const { exitsignal, exitcode } = app.model.values;

	if (exitsignal && exitsignal[row] > 0)
		return `killed by ${formatCell(exitsignal[row], { type: "signal" })}`;
	return `exit status ${exitcode[row]}`;
}

function momentLines(timeline, time) {
	const { model } = timeline.app;
	const steps = model.index.steps;
	const lines = [`${formatCount(runningAt(timeline.concurrency, time))} processes run`];
	const cpu = steps && steps.cpu ? steps.cpu[Math.floor(time / steps.step_us)] : null;

	if (typeof cpu === "number")
		lines.push(`${formatPlain(cpu, "")} CPUs used`);
	for (const phase of timeline.phases)
		if (phase.begin <= time && time <= phase.end)
			lines.push(`phase ${phase.name}${phase.hosts > 1 ? ` on ${phase.hosts} hosts` : ""}`);
	return lines;
}
