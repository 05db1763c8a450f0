/* Nodes: up to 16 as small charts on equal scales, more as a heat map of node by time. */

const MOST_MULTIPLES = 16;
const CELL_HEIGHT = 74;

class NodesView {
	constructor(app, root) {
		this.app = app;
		this.metrics = app.model.index.nodes?.metrics ?? [];
		this.root = root;
		this.shown = []; /* [metric, {means, values, outliers}, box, canvas] */
		this.heat = app.model.hosts.length > MOST_MULTIPLES;
		this.heat ? this.buildHeat() : this.buildMultiples();
	}

	async load(metric) {
		const values = await Promise.all(metric.series.map((i) => (i === null ? null : loadSeries(this.app.model, i))));
		const means = values.map((v) => (v ? meanOf(v.mean) : NaN));

		return { values: values.map((v) => (v ? v.mean : null)), means, outliers: outliersOf(means), unit: unitOf(metric.unit, "CPU") };
	}

	/* What is out of line, as a sentence. */
	finding(metric, loaded) {
		const { hosts } = this.app.model;
		const out = loaded.outliers.map((share, i) => [share, i]).filter(([share]) => share !== null);
		const typical = `${metric.title}: median ${loaded.unit.format(median(loaded.means))} per node`;

		if (out.length === 0)
			return `${typical}; no node stands out.`;
		return `${typical}; ${out.slice(0, 4).map(([share, i]) => `${hosts[i].name} is ${outlierText(share)}`).join(", ")}${out.length > 4 ? `, and ${out.length - 4} more stand out` : ""}.`;
	}

	box(metric) {
		const canvas = element("canvas", { role: "img", "aria-label": metric.title });
		const box = element("div", { class: "chart", tabindex: "0", role: "group", "aria-label": `${metric.title} of all nodes` }, canvas);

		return { canvas, box };
	}

	buildMultiples() {
		this.root.replaceChildren(...this.metrics.map((metric) => {
			const canvas = element("canvas", { role: "img", "aria-label": metric.title });
			const box = element("div", { class: "multiples" }, canvas);
			const finding = element("span", { class: "unit" });
			const figure = element("figure", { class: "plot" }, element("figcaption", {}, element("strong", { text: metric.title }), finding), box);

			this.load(metric).then((loaded) => {
				finding.textContent = this.finding(metric, loaded).replace(`${metric.title}: `, "");
				canvas.setAttribute("aria-label", this.finding(metric, loaded));
				this.shown.push({ metric, loaded, box, canvas });
				this.draw();
			}).catch((error) => showFailure(box, metric.title, error));
			return figure;
		}));
	}

	buildHeat() {
		const { state } = this.app;
		const keys = this.metrics.map((metric, i) => [String(i), metric.title]);
		const { canvas, box } = this.box({ title: "Nodes over time" });

		this.select = selectBox("Show", keys, state.nodes ?? "0", (v) => state.set({ nodes: v === "0" ? null : v }));
		this.sentence = element("p", { class: "finding" });
		this.scale = element("div", { class: "legend" });
		this.root.replaceChildren(element("div", { class: "tools" }, this.select), this.sentence, box, this.scale);
		this.canvas = canvas;
		this.heatBox = box;
		listenTime(this.app, box, { hover: (x, y, time, event) => this.hoverHeat(y, time, event), click: (x, y) => this.clickHeat(y) });
		this.update();
	}

	update() {
		if (!this.heat)
			return;
		const metric = this.metrics[Number(this.app.state.nodes ?? 0)] ?? this.metrics[0];

		this.select.lastChild.value = String(this.metrics.indexOf(metric));
		this.load(metric).then((loaded) => {
			const text = this.finding(metric, loaded);

			this.sentence.textContent = text;
			this.canvas.setAttribute("aria-label", `Heat map of ${this.app.model.hosts.length} nodes. ${text}`);
			this.shown = [{ metric, loaded }];
			this.draw();
		}).catch((error) => showFailure(this.heatBox, metric.title, error));
	}

	highest({ metric, loaded }) {
		let most = metric.max ?? 0;

		for (const values of loaded.values)
			for (const v of values ?? [])
				if (v > most)
					most = v;
		return most > 0 ? most : 1;
	}

	draw() {
		for (const shown of this.shown)
			if (this.heat)
				drawHeat(this, shown);
			else
				drawMultiples(this, shown);
	}

	hostAt(y) {
		return Math.floor(y / this.rowHeight);
	}

	hoverHeat(y, time, event) {
		const [shown] = this.shown;
		const host = this.app.model.hosts[this.hostAt(y)];

		if (!shown || !host)
			return;
		const { steps, step_us } = this.app.model.index.series;
		const values = shown.loaded.values[this.hostAt(y)];
		const v = values ? values[Math.min(steps - 1, Math.floor(time / step_us))] : NaN;
		const share = shown.loaded.outliers[this.hostAt(y)];

		tip.show(event.clientX, event.clientY, host.name, [`${shown.metric.title} ${shown.loaded.unit.format(v)} at ${timeLabel(time, step_us / 2)}`,
			...(share !== null ? [[`mean is ${outlierText(share)}`, "bad"]] : [])]);
	}

	clickHeat(y) {
		const host = this.app.model.hosts[this.hostAt(y)];

		if (host)
			this.app.state.set({ host: this.app.state.host === host.name ? null : host.name });
	}
}

/* A row of small charts, the same scale in each. */
function drawMultiples(view, { metric, loaded, box, canvas }) {
	const { app } = view;
	const { hosts } = app.model;
	const { steps, step_us } = app.model.index.series;
	const width = box.clientWidth;
	const columns = Math.max(1, Math.min(hosts.length, Math.floor(width / 170)));
	const cell = width / columns;
	const rows = Math.ceil(hosts.length / columns);

	if (width < 60)
		return;
	const { context } = fitCanvas(canvas, width, rows * CELL_HEIGHT, app.printing);
	const pen = new CanvasPen(context);
	const most = view.highest({ metric, loaded });
	const [from, to] = shownRange(app);

	hosts.forEach((host, i) => {
		const left = (i % columns) * cell + 2;
		const top = Math.floor(i / columns) * CELL_HEIGHT + 18;
		const right = left + cell - 14;
		const bottom = top + CELL_HEIGHT - 26;
		const outlier = loaded.outliers[i];
		const colour = outlier !== null ? theme.colours.bad : theme.nth(0);
		const mean = loaded.unit.format(loaded.means[i]);

		pen.text(`${outlier !== null ? "▲ " : ""}${host.name}`, left, top - 5, { colour: outlier !== null ? theme.colours.bad : theme.colours.text, bold: outlier !== null, fit: (right - left) * 0.62 });
		pen.text(right - left > 210 ? `mean ${mean}` : mean, right, top - 5, { colour: theme.colours.muted, align: "right", fit: (right - left) * 0.45 });
		pen.line(left, bottom, right, bottom, theme.colours.muted, 1);
		pen.line(left, top, right, top, theme.colours.line, 1);
		if (!loaded.values[i]) {
			pen.text("not sampled", left + 2, bottom - 6, { colour: theme.colours.muted });
			return;
		}
		const place = {
			x: (step) => left + ((step * step_us - from) / (to - from)) * (right - left),
			y: (v) => bottom - (Math.min(v, most) / most) * (bottom - top),
			first: Math.max(0, Math.floor(from / step_us)),
			last: Math.min(steps, Math.ceil(to / step_us)),
		};

		pen.clip(left, top - 1, right - left, bottom - top + 2, () => {
			for (const shape of areaShapes(null, loaded.values[i], place))
				pen.shape(shape, colour, 0.25);
			pen.path(linePoints(loaded.values[i], place), colour, 1.2);
		});
	});
	context.font = `10px ${theme.font}`;
}

/* From the background to the accent; unknown stays empty. */
function heatColours() {
	const parse = (colour) => [1, 3, 5].map((i) => parseInt(colour.slice(i, i + 2), 16));
	const low = parse(theme.colours.surface);
	const high = parse(theme.nth(0));
	const top = parse(theme.colours.text);

	return Array.from({ length: 64 }, (_, i) => {
		const share = i / 63;
		const [a, b, part] = share < 0.75 ? [low, high, share / 0.75] : [high, top, (share - 0.75) / 0.5];
		return `rgb(${a.map((v, k) => Math.round(v + (b[k] - v) * Math.max(part, 0.06))).join(",")})`;
	});
}

function drawHeat(view, shown) {
	const { app } = view;
	const { hosts } = app.model;
	const { steps, step_us } = app.model.index.series;
	const width = view.heatBox.clientWidth;

	if (width < 60)
		return;
	const frame = frameOf(width);
	const rowHeight = Math.max(3, Math.min(14, Math.floor(480 / hosts.length)));
	const height = rowHeight * hosts.length;
	const { context } = fitCanvas(view.canvas, width, height + 18, app.printing);
	const pen = new CanvasPen(context);
	const range = shownRange(app);
	const most = view.highest(shown);
	const colours = heatColours();
	const x = (step) => frame.left + ((step * step_us - range[0]) / (range[1] - range[0])) * frame.plot;

	view.rowHeight = rowHeight;
	view.heatBox.pmFrame = frame;
	drawTimeAxis(pen, frame, range, height, height);
	pen.clip(frame.left, 0, frame.plot, height, () => {
		hosts.forEach((_, i) => {
			const values = shown.loaded.values[i];

			for (let step = Math.max(0, Math.floor(range[0] / step_us)); values && step < Math.min(steps, Math.ceil(range[1] / step_us)); step++)
				if (values[step] === values[step])
					pen.rect(x(step), i * rowHeight, x(step + 1) - x(step) + 0.6, rowHeight - (rowHeight > 5 ? 1 : 0),
						colours[Math.max(0, Math.min(63, Math.round((values[step] / most) * 63)))]);
		});
	});
	labelRows(pen, hosts, shown.loaded.outliers, rowHeight, frame);
	showHeatScale(view, shown, colours, most);
}

/* Names of nodes where there is room, those that stand out first. */
function labelRows(pen, hosts, outliers, rowHeight, frame) {
	const taken = [];
	const label = (host, i, outlier) => {
		const y = i * rowHeight + rowHeight / 2 + 4;

		if (taken.some((other) => Math.abs(other - y) < 12))
			return;
		taken.push(y);
		pen.text(`${outlier ? "▲ " : ""}${host.name}`, frame.left - 6, y, { colour: outlier ? theme.colours.bad : theme.colours.muted, align: "right", bold: outlier, fit: frame.left - 8 });
	};

	for (const outlier of [true, false])
		hosts.forEach((host, i) => {
			if ((outliers[i] !== null) === outlier)
				label(host, i, outlier);
		});
}

function showHeatScale(view, shown, colours, most) {
	const bar = element("span", { class: "ramp" });

	bar.style.background = `linear-gradient(90deg, ${colours[0]}, ${colours[24]}, ${colours[47]}, ${colours[63]})`;
	view.scale.replaceChildren(element("span", { class: "item" }, "0", bar, shown.loaded.unit.format(most)),
		element("span", { class: "item" }, element("strong", { class: "bad", text: "▲" }), "stands out"));
}
