/* A chart of sampled series: lines with bands, or stacked areas, on the axis of time of the page. */

const CHART_HEIGHT = 150;
const MOST_BANDS = 3;

class Chart {
	/* plan: of chartsOf(). */
	constructor(app, plan) {
		this.app = app;
		this.plan = plan;
		this.list = plan.lines.map((i) => app.model.index.series.list[i]);
		this.names = this.list.map((series) => lineName(series, app.model.hosts, plan.stacked));
		this.hidden = new Set(plan.stacked && this.names.includes("idle") ? [this.names.indexOf("idle")] : []);
		this.values = null;
		this.build();
	}

	build() {
		const { plan } = this;
		const label = (text) => ({ "aria-label": `${text}: ${plan.title}` });

		this.canvas = element("canvas", { role: "img", "aria-label": plan.title });
		this.box = element("div", { class: "chart series", tabindex: "0", role: "group", "aria-label": `${plan.title}: arrow keys pan, plus and minus zoom` }, this.canvas);
		this.pin = button("Pin", () => this.app.state.toggle("with", plan.key), { "aria-pressed": "false", ...label("Show with the timeline") });
		this.legend = element("div", { class: "legend", role: "group", "aria-label": `Lines of ${plan.title}` });
		this.data = element("details", { class: "twin", on: { toggle: () => this.fillTable() } }, element("summary", { text: "show data" }));
		this.node = element("figure", { class: "plot" },
			element("figcaption", {}, element("strong", { text: plan.title }), element("span", { class: "unit", text: this.unitText() }), element("span", { class: "spring" }),
				this.pin,
				button("SVG", () => this.save("svg"), label("Download as SVG")),
				button("PNG", () => this.save("png"), label("Download as PNG")),
				button("TSV", () => this.save("tsv"), label("Download as TSV"))),
			this.box, this.legend, this.data);
		listenTime(this.app, this.box, { hover: (x, y, time, event) => this.hover(time, event) });
	}

	unitText() {
		const { unit } = this.plan.unit;

		return unit === "" ? "" : unit;
	}

	async load() {
		this.values = await Promise.all(this.plan.lines.map((i) => loadSeries(this.app.model, i)));
		this.describe();
		this.showLegend();
		this.draw();
	}

	describe() {
		const { format } = this.plan.unit;
		const parts = this.list.slice(0, 4).map((series, i) =>
			`${this.names[i]} ${format(series.min ?? NaN)} to ${format(series.max ?? NaN)}, mean ${format(series.mean ?? NaN)}`);
		const more = this.list.length > 4 ? `; and ${this.list.length - 4} more` : "";

		this.canvas.setAttribute("aria-label", `${this.plan.title} over time: ${parts.join("; ")}${more}.`);
	}

	colour(i) {
		if (this.plan.stacked)
			return STACK_COLOURS[this.names[i]] < 0 ? theme.colours.faint : theme.nth(STACK_COLOURS[this.names[i]]);
		return i < MOST_COLOURED ? theme.nth(i) : theme.others;
	}

	showLegend() {
		const items = this.names.slice(0, this.plan.stacked ? 99 : MOST_COLOURED).map((name, i) => {
			const swatch = element("span", { class: "swatch" });

			swatch.style.background = this.colour(i);
			return element("button", { type: "button", class: "item", "aria-pressed": String(!this.hidden.has(i)),
				on: { click: () => this.toggle(i) } }, swatch, name);
		});

		if (!this.plan.stacked && this.names.length > MOST_COLOURED) {
			const swatch = element("span", { class: "swatch" });

			swatch.style.background = theme.others;
			items.push(element("span", { class: "item" }, swatch, `${this.names.length - MOST_COLOURED} more`));
		}
		this.legend.hidden = this.names.length < 2;
		this.legend.replaceChildren(...items);
	}

	toggle(i) {
		if (!this.hidden.delete(i))
			this.hidden.add(i);
		this.showLegend();
		this.draw();
	}

	shown() {
		return this.names.map((_, i) => i).filter((i) => !this.hidden.has(i));
	}

	draw() {
		if (!this.values || this.box.clientWidth < 60)
			return;
		const width = this.box.clientWidth;

		this.frame = frameOf(width);
		this.box.pmFrame = this.frame;
		const { context } = fitCanvas(this.canvas, width, CHART_HEIGHT, this.app.printing);

		drawChart(new CanvasPen(context), this, this.frame, shownRange(this.app), CHART_HEIGHT);
		this.pin.setAttribute("aria-pressed", String(this.app.state.with.includes(this.plan.key)));
	}

	stepAt(time) {
		const { steps, step_us } = this.app.model.index.series;

		return Math.min(steps - 1, Math.max(0, Math.floor(time / step_us)));
	}

	hover(time, event) {
		if (!this.values)
			return;
		const step = this.stepAt(time);
		const { format } = this.plan.unit;
		const known = this.shown().map((i) => [i, this.values[i].mean[step]]);
		const lines = known.filter(([, v]) => v === v).sort((a, b) => (this.plan.stacked ? 0 : b[1] - a[1])).slice(0, 8).map(([i, v]) => {
			const { low, high } = this.values[i];
			return `${this.names[i]}: ${format(v)}${low && low[step] !== high[step] ? ` (${format(low[step])} – ${format(high[step])})` : ""}`;
		});
		const gap = known.find(([, v]) => v !== v);

		if (gap)
			lines.push([`no value${known.length > 1 ? ` of ${this.names[gap[0]]}` : ""}: ${gapReason(this.list[gap[0]], step) ?? "not sampled"}`, "quiet"]);
		tip.show(event.clientX, event.clientY, timeLabel(time, this.app.model.index.series.step_us / 2), lines);
	}

	/* The twin: at most 48 rows of the range shown. */
	fillTable() {
		if (!this.data.open || !this.values)
			return;
		const { step_us } = this.app.model.index.series;
		const { format } = this.plan.unit;
		const [from, to] = shownRange(this.app);
		const names = this.names.slice(0, 12);
		const rows = thinned(this.values.slice(0, 12).map((v) => v.mean), this.stepAt(from), this.stepAt(to - 1) + 1, 48);
		const table = element("table", { class: "data" },
			element("thead", {}, element("tr", {}, ...["Time", ...names].map((text) => element("th", { scope: "col", class: "number", text })))),
			element("tbody", {}, ...rows.map(([step, , values]) => element("tr", {},
				element("td", { class: "number", text: timeLabel(step * step_us, Math.min(step_us, SECOND)) }),
				...values.map((v) => element("td", { class: v === v ? "number" : "number unknown", text: format(v) }))))));

		this.data.replaceChildren(this.data.firstChild, element("div", { class: "scroll" }, table));
	}

	tsv() {
		const { steps, step_us } = this.app.model.index.series;
		const lines = [tsvLine(["seconds", ...this.list.map((s) => `${s.title} (${s.unit_shown ?? s.unit})`)])];

		for (let step = 0; step < steps; step++)
			lines.push([step * step_us / 1e6, ...this.values.map(({ mean }) => (mean[step] === mean[step] ? Number(mean[step].toPrecision(12)) : ""))].join("\t"));
		return `${lines.join("\n")}\n`;
	}

	save(form) {
		const name = `${this.app.model.index.job.title} ${this.plan.title}.${form}`;

		if (!this.values)
			return;
		if (form === "tsv") {
			saveFile(name, "text/tab-separated-values", this.tsv());
		} else if (form === "svg") {
			const pen = new SvgPen(this.frame.width, CHART_HEIGHT + 18);

			pen.text(this.plan.title + (this.unitText() ? ` (${this.unitText()})` : ""), this.frame.left, CHART_HEIGHT + 13, { colour: theme.colours.text });
			drawChart(pen, this, this.frame, shownRange(this.app), CHART_HEIGHT);
			saveFile(name, "image/svg+xml", pen.toString());
		} else {
			this.canvas.toBlob((blob) => saveFile(name, "image/png", blob));
		}
	}
}
